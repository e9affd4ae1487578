"""What the command lines of the benchmarks have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trials.methods import methods
from trials.running import Counts

CHOOSING, LAST, BOTH = "choosing", "last", "both"
"""Tables on which settings may be chosen, tables for runs after that, and all of them."""

Command = tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]
"""What adds the options of a command, and what does it. The first line of the former is the help."""


def dispatch(
    arguments: Sequence[str], *, program: str, about: str, commands: Mapping[str, Command], results: Path
) -> int:
    """Do the command that is asked for; the exit code."""
    parser = argparse.ArgumentParser(prog=program, description=about)
    parsers = parser.add_subparsers(dest="command", required=True)
    for name, (add_options, _) in commands.items():
        one = parsers.add_parser(name, help=(add_options.__doc__ or "").splitlines()[0])
        one.add_argument(
            "--results", type=Path, default=results, help="folder (default: the committed one)"
        )
        add_options(one)
    options = parser.parse_args(arguments)
    return commands[options.command][1](options)


def add_run_options(
    parser: argparse.ArgumentParser, *, tables: Sequence[str], seeds: int, half: str
) -> None:
    """Options of each ``run``: what may be named, and how many seeds and which tables are the default."""
    known = list(methods())
    parser.add_argument("--method", nargs="+", choices=known, default=["iim"], help="default: %(default)s")
    parser.add_argument("--table", nargs="+", choices=tables, metavar="TABLE", help=", ".join(tables))
    parser.add_argument(
        "--half",
        choices=(CHOOSING, LAST, BOTH),
        default=half,
        help=f"of the tables; {LAST}: when settings are chosen (default: %(default)s)",
    )
    parser.add_argument("--seeds", type=int, default=seeds, help="how many (default: %(default)s)")
    parser.add_argument("--again", action="store_true", help="also what has a record: code has changed")


def tell(counts: Counts) -> None:
    """Print what was run and what was not."""
    print(f"{counts.run} trials run, {counts.kept} had a record.")
    if counts.stale:
        print(f"{counts.stale} of these were measured with other settings; --again measures them anew.")
