"""List the data of the paper's experiments, or download some.

What is in the folder is known by its values. Nothing is downloaded before
you agree to it.

Examples
--------
  iim datasets
  iim datasets --data folder
  iim datasets --data folder --download ccs ca
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from iim.cli.exits import WrongOptions, writing
from iim.cli.options import SEVERAL
from iim.cli.parser import refusal
from iim.cli.session import Session

if TYPE_CHECKING:
    from iim.paper.datasets import Dataset

VARIABLE = "IIM_DATA"

UNKNOWN = "unknown"
"""The state of a file when no folder is named to look for it in."""


def add_options(parser: ArgumentParser) -> None:
    """What the command takes."""
    topic = parser.add_argument_group("Data sets")
    add_folder(topic)
    topic.add_argument(
        "--download",
        **SEVERAL,
        metavar="NAME",
        help="Download these into the folder, after you were asked.",
    )
    topic.add_argument("--yes", action="store_true", help="Agree to the download without being asked.")


def add_folder(topic: Any) -> None:
    """Where the data sets are: ``data``."""
    topic.add_argument(
        "--data",
        metavar="FOLDER",
        help=f"The folder with the data sets (default: the one that the variable {VARIABLE} names).",
    )


def run(session: Session, options: Namespace) -> None:
    """List them, or download some."""
    folder = find_folder(session, options.data)
    if options.download:
        download(session, check_keys(options.download), folder, agreed=options.yes)
    elif options.yes:
        raise WrongOptions("--yes: a download to agree to is needed. Add --download NAME")
    else:
        show_datasets(session, folder)


def find_folder(session: Session, given: str | None) -> str | None:
    """The folder that is meant; None if none is named."""
    return given or session.environment.variables.get(VARIABLE) or None


def check_keys(keys: Sequence[str]) -> list[str]:
    """The data sets to download, each once; an error for what is none."""
    from iim.paper.datasets import DATASETS  # noqa: PLC0415 (help answers at once)

    for key in keys:
        if key not in DATASETS:
            raise WrongOptions(f"--download: {refusal(key, DATASETS)}")
    return list(dict.fromkeys(keys))


def show_datasets(session: Session, folder: str | None) -> None:
    """Show the catalogue, and what of it is at hand."""
    from iim.paper.datasets import DATASETS, state  # noqa: PLC0415 (help answers at once)

    states: dict[str, str] = {
        key: state(key, folder) if folder or one.file is None else UNKNOWN for key, one in DATASETS.items()
    }
    if session.json:
        described = [_described(one, states[key]) for key, one in DATASETS.items()]
        session.show_json({"folder": folder, "datasets": described})
        return
    rows = [
        (key, one.title, one.size, states[key], f"{one.file}: {one.source}" if one.file else one.source)
        for key, one in DATASETS.items()
    ]
    session.show_table("", ("key", "name", "size", "state", "file, and where it comes from"), rows)
    if folder is None:
        session.say(f"To see which files are here, name their folder: --data FOLDER, or set {VARIABLE}.")


def download(session: Session, keys: Sequence[str], folder: str | None, *, agreed: bool) -> None:
    """Download data sets that are not here yet, if the user agrees."""
    from iim.paper.datasets import DATASETS, fetching, state  # noqa: PLC0415

    if folder is None:
        raise WrongOptions(f"--download: a folder is needed. Name it with --data FOLDER, or set {VARIABLE}")
    absent = [one for key in keys if (one := fetching.check_download(key, folder)) is not None]
    if absent and not agreed and not _has_consent(session, absent, folder, host=fetching.HOST):
        absent = []
    for one in absent:
        session.announce(f"downloading {one.file}")
        with writing(folder):
            path = fetching.download(one.key, folder)
        session.say(f"Wrote {one.title} ({one.size}): {path}")
    if not absent:
        session.say("Nothing was downloaded.")
    if session.json:
        described = [_described(DATASETS[key], state(key, folder)) for key in keys]
        written = [one.key for one in absent]
        session.show_json({"folder": folder, "written": written, "datasets": described})


def _has_consent(session: Session, wanted: Sequence[Dataset], folder: str, *, host: str) -> bool:
    environment = session.environment
    if not (environment.stderr_is_terminal and environment.stdin.isatty()):
        raise WrongOptions(
            "--download: your consent is needed, and there is no terminal to ask on. Add --yes"
        )
    # A question is asked in quiet, too.
    for one in wanted:
        environment.tell(f"{one.file} ({one.size}) from {host}, number {one.openml}.")
        environment.tell(f"  Originally: {one.source}. Licence: {one.licence}.")
    environment.tell(f"Download into {folder}? [y/N]")
    answer = environment.stdin.readline().decode(errors="replace").strip().lower()
    return answer in ("y", "yes")


def _described(dataset: Dataset, state: str) -> dict[str, Any]:
    facts = {one.name: getattr(dataset, one.name) for one in fields(dataset)}
    return {**facts, "n_columns": dataset.n_columns, "state": state}
