"""Run the paper's experiments again: our numbers beside its own.

Every table and figure, on one page in Markdown with plots. Measurements are
kept: an interrupted run continues where it stopped.

Examples
--------
  iim reproduce --quick --data folder
  iim reproduce --data folder --out reproduction
  iim reproduce --only various by-attribute
"""

from __future__ import annotations

import errno
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from iim.cli.exits import writing
from iim.cli.options import SEVERAL
from iim.cli.session import Session
from iim.paper.datasets_command import add_folder, find_folder
from iim.present.numbers import count

OUT = "reproduction"
"""Default folders of the page; the small pass has its own, so that records never mix."""


EXPERIMENT_KEYS = (
    "complexity",
    "datasets",
    "various",
    "by-attribute",
    "complete-attributes",
    "complete-tuples",
    "clusters",
    "neighbors",
    "adaptive",
    "scalability",
    "stepping",
    "applications",
    "today",
    "holes",
)
"""Keys of ``iim.paper.EXPERIMENTS``, repeated here so that help does not load them."""


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument_group("Result").add_argument(
        *("-o", "--out"),
        metavar="FOLDER",
        help="Folder for the page, its plots and numbers, and the measurements (default: "
        "reproduction, or reproduction-quick).",
    )
    add_folder(parser.add_argument_group("Data sets"))
    topic = parser.add_argument_group("Experiments")
    topic.add_argument(
        "--quick",
        action="store_true",
        help="A small pass of everything, in minutes: fewer draws, samples of large tables.",
    )
    topic.add_argument(
        "--only",
        **SEVERAL,
        metavar="KEY",
        choices=EXPERIMENT_KEYS,
        help=f"Only these tables and figures: {', '.join(EXPERIMENT_KEYS)} (default: all).",
    )


def run(session: Session, options: Namespace) -> None:
    """Measure, write the page, and show where both are."""
    from iim.paper import reproduce  # noqa: PLC0415 (help answers at once)

    out = options.out or (f"{OUT}-quick" if options.quick else OUT)
    data = find_folder(session, options.data)
    with _folder(out), session.computing("measuring") as tell:
        done = reproduce(out, data, quick=options.quick, only=options.only, progress=tell)
    for reason, n_tasks in done.outcome.not_done.items():
        session.notice(f"{count(n_tasks, 'measurement')} not done: {reason}")
    kept = f"; {done.outcome.n_kept:,} were there already" if done.outcome.n_kept else ""
    session.say(f"{count(done.outcome.n_done, 'measurement')} in {session.took()}{kept}.")
    pages = [str(path) for path in done.files if path.parent == Path(out)]
    for path in pages:
        session.say(f"Page: {path}")
    if session.json:
        session.show_json(
            {
                "pages": pages,
                "measured": done.outcome.n_done,
                "kept": done.outcome.n_kept,
                "not_done": done.outcome.not_done,
                "seconds": session.seconds,
            }
        )


@contextmanager
def _folder(out: str) -> Iterator[None]:
    """A folder checked to be writable before hours of work; removed if it stays empty."""
    made = [path for path in (Path(out), *Path(out).parents) if not path.exists()]
    with writing(out):
        Path(out).mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), out)
    try:
        yield
    finally:
        for path in made:
            with suppress(OSError):
                path.rmdir()
