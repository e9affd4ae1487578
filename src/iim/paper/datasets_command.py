"""The data sets of the experiments: listed, and downloaded with the user's consent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

from iim.cli.building import refuse
from iim.cli.declaring import DATA, option
from iim.cli.exits import WrongOptions, writing
from iim.cli.keys import DATASET_KEYS, complete_dataset
from iim.cli.show import Session

if TYPE_CHECKING:
    from iim.paper.datasets import Dataset

VARIABLE = "IIM_DATA"

UNKNOWN = "unknown"
"""The state of a file when no folder is named to look for it in."""

Folder = Annotated[
    str | None,
    option(
        "--data",
        panel=DATA,
        metavar="FOLDER",
        text=f"The folder with the data sets (default: the one that the variable {VARIABLE} names).",
    ),
]
Download = Annotated[
    list[str] | None,
    option(
        "--download",
        panel=DATA,
        metavar="NAME...",
        text="Download these into the folder, after you were asked.",
        complete=complete_dataset,
    ),
]
Yes = Annotated[bool, option("--yes", panel=DATA, text="Agree to the download without being asked.")]


def find_folder(session: Session, given: str | None) -> str | None:
    """The folder that is meant; None if none is named."""
    return given or session.environment.variables.get(VARIABLE) or None


def check_keys(keys: Sequence[str]) -> list[str]:
    """The data sets to download, each once; an error for what is none."""
    for key in keys:
        if key not in DATASET_KEYS:
            raise refuse("--download", key, DATASET_KEYS)
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
