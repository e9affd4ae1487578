"""The command line: a sub-command is a row of ``COMMANDS``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from accuracy.ablation import read_ablation
from accuracy.contenders import SWITCHED_OFF, contenders, main_keys
from accuracy.layout import write_report
from accuracy.measuring import make_run
from accuracy.peers import missing_package
from accuracy.running import run_all
from accuracy.scoring import read_scores
from accuracy.tables import PATTERNS, STAGES
from accuracy.targets import check
from iim.paper.records import Store

PROGRAM = "python -m benchmarks.accuracy"

ABLATION = "ablation"
"""Stands for all methods that are the default with an improvement switched off."""


def main(arguments: list[str]) -> int:
    """Do what is asked for; the exit code."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="How accurate imputers are.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (add_options, _) in COMMANDS.items():
        add_options(commands.add_parser(name, help=(add_options.__doc__ or "").splitlines()[0]))
    options = parser.parse_args(arguments)
    return COMMANDS[options.command][1](options, parser)


def _run_options(parser: argparse.ArgumentParser) -> None:
    """Hide cells, fill them, keep raw records."""
    parser.add_argument("--stage", choices=STAGES, required=True, help="which half of the rows has holes")
    parser.add_argument("--out", type=Path, required=True, help="folder of the records")
    parser.add_argument(
        "--methods",
        help=f"of {', '.join(main_keys())} (default: all of these); {ABLATION}: {', '.join(SWITCHED_OFF)}",
    )
    parser.add_argument("--datasets", help="default: all of the stage")
    parser.add_argument("--patterns", help=f"of {', '.join(PATTERNS)} (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1, for times to trust)")
    parser.add_argument("--limit-seconds", type=float, help="a run that takes longer is stopped")
    parser.add_argument("--again", action="store_true", help="also what has a record: code has changed")


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    known = contenders()
    methods = _picked_methods(parser, options.methods) or main_keys()
    datasets = _picked(parser, "--datasets", options.datasets, STAGES[options.stage])
    patterns = _picked(parser, "--patterns", options.patterns, PATTERNS)
    absent = {method: missing_package(method) for method in methods}
    for method, package in absent.items():
        if package is not None:
            print(f"{method} is left out: package {package} is not installed (peers.txt).")
    runs = [
        make_run(options.stage, data, pattern, seed, contender=known[method])
        for seed in range(options.seeds)
        for data in datasets
        for pattern in patterns
        for method in methods
        if absent[method] is None
    ]
    n_done = run_all(
        runs, Store(options.out), jobs=options.jobs, limit=options.limit_seconds, again=options.again
    )
    print(f"{n_done} runs done, {len(runs) - n_done} had a record.")
    return 0


def _report_options(parser: argparse.ArgumentParser) -> None:
    """Tables from raw records."""
    parser.add_argument("--out", type=Path, required=True, help="folder of the records, and of the report")
    parser.add_argument("--stage", choices=STAGES, help="default: final if there are such records")
    parser.add_argument("--methods", help="default: all that have records")
    parser.add_argument("--seeds", type=int, help="only that many (default: all found)")
    parser.add_argument("--check", action="store_true", help="exit with 1 unless all targets are met")


def _report(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    picked = _picked_methods(parser, options.methods)
    # Ranks and critical difference are those of the main methods, whatever else has records.
    methods = [key for key in picked or main_keys() if key not in SWITCHED_OFF]
    scores = read_scores(options.out, stage=options.stage, methods=methods, n_seeds=options.seeds)
    if scores is None:
        parser.error(f"--out: a folder with records is needed; received {options.out}.")
    ablation = None
    if picked is None or set(picked) & set(SWITCHED_OFF):
        ablation = read_ablation(options.out, stage=scores.stage, n_seeds=options.seeds)
    verdicts = check(scores)
    print(write_report(scores, verdicts, options.out, ablation=ablation))
    return 1 if options.check and not all(verdict.met for verdict in verdicts) else 0


def _picked_methods(parser: argparse.ArgumentParser, text: str | None) -> list[str] | None:
    """Keys of contenders, each once; None if none are named."""
    if text is None:
        return None
    picked = _picked(parser, "--methods", text, [*contenders(), ABLATION])
    keys = ([*SWITCHED_OFF] if word == ABLATION else [word] for word in picked)
    return list(dict.fromkeys(key for some in keys for key in some))


def _picked(
    parser: argparse.ArgumentParser, option: str, text: str | None, known: Iterable[str]
) -> list[str]:
    picked = list(known) if text is None else [word for word in text.split(",") if word]
    for word in picked:
        if word not in known:
            parser.error(f"{option}: names of {', '.join(known)} are needed; received {word}.")
    return picked


COMMANDS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], Callable[..., int]]] = {
    "run": (_run_options, _run),
    "report": (_report_options, _report),
}
"""By name: what adds its options, and what does it."""
