"""The command line: a command is a row of ``COMMANDS``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from published.layout import PAGES, RESULTS, TOPIC, block, score_lines
from published.scoring import read_scores, records_of
from published.suites import N_SEEDS, SUITES, Suite
from trials.blocks import renew_pages
from trials.commands import BOTH, Command, add_run_options, dispatch, tell
from trials.methods import methods
from trials.running import Counts, Trial, run_trials


def main(arguments: Sequence[str]) -> int:
    """Do what is asked for; the exit code."""
    about = "Errors by the protocols of two published comparisons, beside the printed ones."
    program = "python -m benchmarks.published"
    return dispatch(arguments, program=program, about=about, commands=COMMANDS, results=RESULTS)


def _suite_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--suite", nargs="+", choices=list(SUITES), default=list(SUITES), help="default: both"
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    """Fill holed tables, keep records."""
    _suite_option(parser)
    tables = [table for suite in SUITES.values() for table in suite.tables]
    add_run_options(parser, tables=tables, seeds=N_SEEDS, half=BOTH)
    rates = sorted({rate for suite in SUITES.values() for rate in suite.rates})
    parser.add_argument("--rate", nargs="+", type=float, choices=rates, help="default: all of the suite")


def _run(options: argparse.Namespace) -> int:
    counts = []
    for key in options.suite:
        suite = SUITES[key]
        trials = [
            trial
            for seed in range(options.seeds)
            for table in suite.half(options.half)
            if options.table is None or table in options.table
            for rate in suite.rates
            if options.rate is None or rate in options.rate
            for method in options.method
            for trial in [make_trial(suite, table, rate, method, seed)]
        ]
        counts.append(run_trials(trials, records_of(suite, options.results), again=options.again))
    tell(Counts(*map(sum, zip(*counts, strict=True))))
    return 0


def make_trial(suite: Suite, table: str, rate: float, method: str, seed: int) -> Trial:
    """One trial; its record keeps the printed errors."""
    return Trial(
        coordinates={"suite": suite.key, "table": table, "rate": rate, "method": method, "seed": seed},
        contender=methods()[method],
        make_case=partial(suite.make_case, table, rate, seed),
        error=suite.error,
        extra={"printed": dict(suite.read_printed()[table, rate])},
    )


def _score_options(parser: argparse.ArgumentParser) -> None:
    """Print errors, ratios and ranks from the records."""
    _suite_option(parser)
    parser.add_argument(
        "--method", nargs="+", choices=list(methods()), help="default: all that have records"
    )


def _score(options: argparse.Namespace) -> int:
    for key in options.suite:
        print("\n".join(score_lines(read_scores(key, options.results, methods=options.method))), end="\n\n")
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
