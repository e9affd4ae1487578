"""The command that runs the paper's experiments."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from iim.cli.building import refuse
from iim.cli.declaring import EXPERIMENTS, RESULT, option
from iim.cli.exits import writing
from iim.cli.keys import EXPERIMENT_KEYS, complete_experiment
from iim.cli.show import Session
from iim.paper.datasets_command import Folder, find_folder
from iim.present.numbers import count

OUT = "reproduction"
"""Folder of the pages, if none is named; the small pass has another, so that neither takes the other's."""


@dataclass(frozen=True)
class ReproduceOptions:
    """Which experiments, how much of them, from which data, to which folder."""

    out: Annotated[
        str | None,
        option(
            "--out",
            "-o",
            panel=RESULT,
            metavar="FOLDER",
            text="Folder for the page, its plots and numbers, and what was measured (default: "
            "reproduction, or reproduction-quick).",
        ),
    ] = None
    data: Folder = None
    quick: Annotated[
        bool,
        option(
            "--quick",
            panel=EXPERIMENTS,
            text="A small pass of everything, in minutes: fewer draws, large tables cut.",
        ),
    ] = False
    only: Annotated[
        list[str] | None,
        option(
            "--only",
            panel=EXPERIMENTS,
            metavar="KEY...",
            text=f"These tables and figures only: {', '.join(EXPERIMENT_KEYS)} (default: all).",
            complete=complete_experiment,
        ),
    ] = None


def run_reproduction(session: Session, options: ReproduceOptions) -> None:
    """Measure, write the pages, tell of both."""
    for key in options.only or ():
        if key not in EXPERIMENT_KEYS:
            raise refuse("--only", key, EXPERIMENT_KEYS)
    out = options.out or (f"{OUT}-quick" if options.quick else OUT)
    data = find_folder(session, options.data)

    from iim.compile import tell_of_compiling  # noqa: PLC0415 (help answers at once)
    from iim.paper import reproduce  # noqa: PLC0415

    with _folder(out), session.phase("measuring") as tell, tell_of_compiling(session.say):
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
    """A folder that can be written to, before hours of work are done for it; gone if nothing came of it."""
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
