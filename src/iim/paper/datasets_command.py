"""List the data of the paper's experiments, or download some.

Files are identified by their values. A download needs your consent.

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
"""State of a file if no folder is given."""


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    topic = parser.add_argument_group("Data sets")
    add_folder(topic)
    topic.add_argument(
        "--download",
        **SEVERAL,
        metavar="NAME",
        help="Download these into the folder; asks for consent.",
    )
    topic.add_argument("--yes", action="store_true", help="Consent to the download.")


def add_folder(topic: Any) -> None:
    """The folder of the data sets: ``data``."""
    topic.add_argument(
        "--data",
        metavar="FOLDER",
        help=f"Folder of the data sets (default: the one in the variable {VARIABLE}).",
    )


def run(session: Session, options: Namespace) -> None:
    """List the data sets, or download some."""
    folder = find_folder(session, options.data)
    if options.download:
        download(session, check_keys(options.download), folder, agreed=options.yes)
    elif options.yes:
        raise WrongOptions("--yes: a download to agree to is needed. Add --download NAME")
    else:
        show_datasets(session, folder)


def find_folder(session: Session, given: str | None) -> str | None:
    """The folder of the data sets; None if none is given."""
    return given or session.environment.variables.get(VARIABLE) or None


def check_keys(keys: Sequence[str]) -> list[str]:
    """The data sets to download, without repeats; an error for an unknown key."""
    from iim.paper.datasets import DATASETS  # noqa: PLC0415 (help answers at once)

    for key in keys:
        if key not in DATASETS:
            raise WrongOptions(f"--download: {refusal(key, DATASETS)}")
    return list(dict.fromkeys(keys))


def show_datasets(session: Session, folder: str | None) -> None:
    """Show the catalogue, and the state of each data set."""
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
        session.say(f"To see which files you have, name their folder: --data FOLDER, or set {VARIABLE}.")


def download(session: Session, keys: Sequence[str], folder: str | None, *, agreed: bool) -> None:
    """Download the missing data sets, if the user consents."""
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
    # The question is asked with --quiet, too.
    for one in wanted:
        environment.tell(f"{one.file} ({one.size}) from {host}, number {one.openml}.")
        environment.tell(f"  Originally: {one.source}. Licence: {one.licence}.")
    environment.tell(f"Download into {folder}? [y/N]")
    answer = environment.stdin.readline().decode(errors="replace").strip().lower()
    return answer in ("y", "yes")


def _described(dataset: Dataset, state: str) -> dict[str, Any]:
    facts = {one.name: getattr(dataset, one.name) for one in fields(dataset)}
    return {**facts, "n_columns": dataset.n_columns, "state": state}
