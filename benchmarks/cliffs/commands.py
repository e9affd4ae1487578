"""The command line: a command is a row of ``COMMANDS``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from cliffs.layout import PAGES, RESULTS, TOPIC, block, score_lines
from cliffs.scoring import read_scores
from cliffs.tables import N_SEEDS, TABLES, Table, pooled_error
from trials.blocks import renew_pages
from trials.commands import BOTH, CHOOSING, LAST, Command, add_run_options, dispatch, tell
from trials.methods import methods
from trials.records import Records
from trials.running import Trial, run_trials


def main(arguments: Sequence[str]) -> int:
    """Do what is asked for; the exit code."""
    about = "Errors on tables on which imputers fail."
    program = "python -m benchmarks.cliffs"
    return dispatch(arguments, program=program, about=about, commands=COMMANDS, results=RESULTS)


def _run_options(parser: argparse.ArgumentParser) -> None:
    """Fill holed tables, keep records."""
    add_run_options(parser, tables=list(TABLES), seeds=N_SEEDS, half=CHOOSING)


def _run(options: argparse.Namespace) -> int:
    trials = [
        make_trial(table, method, seed)
        for seed in range(options.seeds)
        for table in TABLES.values()
        if options.half in (BOTH, table.half) and (options.table is None or table.name in options.table)
        for method in options.method
    ]
    tell(run_trials(trials, Records(options.results), again=options.again))
    return 0


def make_trial(table: Table, method: str, seed: int) -> Trial:
    """One trial."""
    return Trial(
        coordinates={"table": table.name, "method": method, "seed": seed},
        contender=methods()[method],
        make_case=partial(table.make_case, seed),
        error=pooled_error,
    )


def _score_options(parser: argparse.ArgumentParser) -> None:
    """Print errors and ratios from the records."""
    parser.add_argument("--method", nargs="+", choices=list(methods()), help="whose ratios (default: ours)")
    parser.add_argument("--half", choices=(CHOOSING, LAST), help="of the tables (default: both)")


def _score(options: argparse.Namespace) -> int:
    print("\n".join(score_lines(read_scores(options.results, half=options.half), options.method)))
    return 0


def _layout_options(parser: argparse.ArgumentParser) -> None:
    """Write the tables into the blocks of the pages."""


def _layout(options: argparse.Namespace) -> int:
    for page in renew_pages(PAGES, TOPIC, lambda name: block(name, options.results)):
        print(f"{page.name} was renewed.")
    return 0


COMMANDS: dict[str, Command] = {
    "run": (_run_options, _run),
    "score": (_score_options, _score),
    "layout": (_layout_options, _layout),
}
"""By name: what adds its options, and what does it."""
