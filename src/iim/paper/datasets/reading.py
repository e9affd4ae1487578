"""Data sets by name: read from a folder or generated, and identified by their values."""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from iim._arrays import Floats
from iim._names import refuse_name
from iim.exceptions import InvalidParameter, UnusableFile
from iim.paper.datasets.catalogue import DATASETS, Dataset
from iim.paper.datasets.standins import make_phase, make_sn

VARIABLE = "IIM_DATA"
"""The environment variable with the folder of the data sets."""

State = Literal["here", "missing", "other values", "made here"]

MAKERS = {"sn": make_sn, "phase": make_phase}
"""Generators of the data sets without a file."""


@dataclass(frozen=True, eq=False)
class Data:
    """A data set with its values.

    Attributes
    ----------
    key : str
        Its key.
    columns : tuple of str
        Column names, the label included.
    values : ndarray of shape (n_rows, n_columns)
        Numbers; NaN is missing.
    label : str or None
        The column with the classes, if there is one.
    """

    key: str
    columns: tuple[str, ...]
    values: Floats
    label: str | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all columns but the label."""
        return tuple(name for name in self.columns if name != self.label)

    def features(self) -> Floats:
        """All columns but the label."""
        return self.values[:, [self.columns.index(name) for name in self.feature_names]]

    def labels(self) -> Floats:
        """The label of each row; an error if there is none."""
        if self.label is None:
            raise InvalidParameter(
                f"Data set {self.key!r}: one with a label is needed; it has none. Those with one: "
                f"{', '.join(key for key, one in DATASETS.items() if one.label is not None)}."
            )
        return self.values[:, self.columns.index(self.label)]


def find_dataset(key: str) -> Dataset:
    """The catalogue's entry; an error that names all keys if there is none."""
    if key not in DATASETS:
        raise refuse_name("dataset", key, list(DATASETS))
    return DATASETS[key]


def load(key: str, folder: str | os.PathLike[str] | None = None) -> Data:
    """Read a data set, or make it if it is a stand-in.

    Parameters
    ----------
    key : str
        One of ``DATASETS``.
    folder : str or path, optional
        Folder of its file; by default the folder in the environment variable IIM_DATA.

    Returns
    -------
    Data
        Exactly the values in the catalogue; a file with other values is an error.
    """
    dataset = find_dataset(key)
    if dataset.file is None:
        return Data(key, dataset.columns, MAKERS[key](dataset.n_rows), dataset.label)
    path = find_folder(folder) / dataset.file
    if not path.exists():
        raise UnusableFile(
            f"Data set {dataset.title}: the file {dataset.file} is needed in the folder "
            f"{str(path.parent)!r}; there is none. {how_to_get(dataset)}"
        )
    columns, values = read_csv(path)
    check_values(dataset, columns, values, where=repr(str(path)))
    return Data(key, columns, values, dataset.label)


def state(key: str, folder: str | os.PathLike[str] | None = None) -> State:
    """Whether a data set is available.

    Parameters
    ----------
    key : str
        One of ``DATASETS``.
    folder : str or path, optional
        As in :func:`load`.

    Returns
    -------
    {"here", "missing", "other values", "made here"}
        ``"other values"``: its file differs or cannot be read; :func:`load` gives the reason.
    """
    dataset = find_dataset(key)
    if dataset.file is None:
        return "made here"
    path = find_folder(folder) / dataset.file
    if not path.exists():
        return "missing"
    try:
        columns, values = read_csv(path)
    except (UnusableFile, OSError):
        return "other values"
    return "here" if checksum_of(columns, values) == dataset.checksum else "other values"


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder with the data: the argument, or the one in IIM_DATA."""
    named = folder or os.environ.get(VARIABLE)
    if not named:
        raise InvalidParameter(
            "The folder with the data sets is needed; received none. Name it (--data FOLDER on the "
            f"command line), or set the environment variable {VARIABLE} to it. `iim datasets` lists what "
            "belongs there."
        )
    return Path(named)


def how_to_get(dataset: Dataset) -> str:
    """The source of a data set, and how to get it."""
    origin = f"It comes from: {dataset.source}. Licence: {dataset.licence}."
    if dataset.openml is None:
        return f"{origin} Get it from there, and save it as {dataset.file}, numbers with a header."
    return f"{origin} To download it: iim datasets --download {dataset.key}"


def checksum_of(columns: Sequence[str], values: Floats) -> str:
    """SHA-256 of names and numbers, independent of how they were written.

    Line ends, trailing zeros and the signs of zero and NaN have no effect.

    Parameters
    ----------
    columns : sequence of str
        Names.
    values : ndarray of shape (n_rows, n_columns)
        Numbers; NaN is missing.

    Returns
    -------
    str
        In hexadecimal digits.
    """
    numbers = np.where(np.isnan(values), np.nan, values + 0.0)
    head = "\n".join([f"{numbers.shape[0]} x {numbers.shape[1]}", *columns, ""])
    digest = hashlib.sha256(head.encode())
    digest.update(np.ascontiguousarray(numbers, dtype="<f8").tobytes())
    return digest.hexdigest()


def check_values(dataset: Dataset, columns: Sequence[str], values: Floats, *, where: str) -> None:
    """Refuse values that differ from the data set, and name the difference."""
    if checksum_of(columns, values) == dataset.checksum:
        return
    found = f"{values.shape[0]} x {values.shape[1]}"
    if found != dataset.size:
        found = f"{found} are there"
    elif tuple(columns) != dataset.columns:
        at = next(at for at, name in enumerate(columns) if name != dataset.columns[at])
        found = f"column {at + 1} is {columns[at]!r} instead of {dataset.columns[at]!r}"
    else:
        found = "some values differ"
    raise UnusableFile(
        f"{where} is not data set {dataset.title}: {dataset.size} (rows x columns) with the values of "
        f"{dataset.source} are needed; {found}. Move it away, and get the original."
    )


def read_csv(path: Path) -> tuple[tuple[str, ...], Floats]:
    """Read a file of numbers: names in the first line, commas between cells, empty cells missing.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    columns : tuple of str
    values : ndarray of shape (n_rows, n_columns)
    """
    shown = repr(str(path))
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            columns = tuple(next(lines, []))
            rows = [_numbers(cells, columns, f"{shown}, line {lines.line_num}") for cells in lines if cells]
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnusableFile(f"{shown}: a CSV file in UTF-8 is needed; {error}. Get it again.") from error
    return columns, np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))


def _numbers(cells: Sequence[str], columns: Sequence[str], where: str) -> list[float]:
    if len(cells) != len(columns):
        raise UnusableFile(
            f"{where}: {len(columns)} cells are needed; it has {len(cells)}. Get the file again."
        )
    numbers = []
    for name, cell in zip(columns, cells, strict=True):
        try:
            numbers.append(float(cell) if cell.strip() else np.nan)
        except ValueError:
            raise UnusableFile(
                f"{where}, column {name!r}: a number or an empty cell is needed; it holds {cell!r:.60}. "
                "Get the file again."
            ) from None
    return numbers
