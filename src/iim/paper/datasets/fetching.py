"""Data sets from OpenML, with the user's consent: downloaded, converted, checked, then written.

The caller of :func:`download` has asked the user. Numbers, names and category words at OpenML come from its
documentation, and were tried with a server of our own only. That is safe, because only exactly the values
in the catalogue are written.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.exceptions import InvalidParameter, UnusableFile
from iim.paper.datasets.catalogue import DATASETS, Dataset
from iim.paper.datasets.reading import check_values, find_dataset, find_folder, state
from iim.persistence.atomic import replace_file

HOST = "OpenML"
"""Name of the source, for messages."""


@dataclass(frozen=True)
class Origin:
    """How a column of ours is computed from a column at OpenML.

    Attributes
    ----------
    name : str
        Name at OpenML.
    codes : mapping or None
        Numbers for its category words; None if it has numbers.
    cut : float or None
        Factor, followed by truncation to whole numbers; None changes nothing.
    """

    name: str
    codes: Mapping[str, float] | None = None
    cut: float | None = None

    def column(self, theirs: Floats, words: Sequence[str] | None) -> Floats:
        """Our numbers; ``theirs`` are positions in ``words`` if there are any."""
        if self.codes is not None and words is not None:
            by_position = np.array([self.codes[word] for word in words])
            known = ~np.isnan(theirs)
            column = np.full(len(theirs), np.nan)
            column[known] = by_position[theirs[known].astype(np.intp)]
            return column
        # A product such as 0.0508 * 100 can be a last bit below the whole number.
        return theirs if self.cut is None else np.floor(theirs * self.cut + 1e-9)


_AIRFOIL = (
    "frequency",
    "angle_of_attack",
    "chord_length",
    "free_stream_velocity",
    "displacement_thickness",
    "sound_pressure",
)
_YES_IS_1 = {"no": 2.0, "yes": 1.0}
_YES_IS_2 = {"no": 1.0, "yes": 2.0}

ORIGINS: dict[str, tuple[Origin, ...]] = {
    "asf": tuple(map(Origin, _AIRFOIL, [None] * 6, (0.1, 10, 100, 1, 10_000, 1))),
    "airfoil": tuple(map(Origin, _AIRFOIL)),
    "ccs": tuple(map(Origin, (*DATASETS["ccs"].columns[:-1], "strength"))),
    "ca": tuple(map(Origin, DATASETS["ca"].columns)),
    # OpenML has words for the codes of the source, and not the same word for the same code.
    "hep": (
        Origin("AGE"),
        Origin("SEX", {"male": 2.0, "female": 1.0}),
        Origin("STEROID", _YES_IS_2),
        Origin("ANTIVIRALS", _YES_IS_1),
        Origin("FATIGUE", _YES_IS_1),
        Origin("MALAISE", _YES_IS_1),
        Origin("ANOREXIA", _YES_IS_1),
        Origin("LIVER_BIG", _YES_IS_2),
        Origin("LIVER_FIRM", _YES_IS_1),
        Origin("SPLEEN_PALPABLE", _YES_IS_1),
        Origin("SPIDERS", _YES_IS_1),
        Origin("ASCITES", _YES_IS_1),
        Origin("VARICES", _YES_IS_1),
        Origin("BILIRUBIN"),
        Origin("ALK_PHOSPHATE"),
        Origin("SGOT"),
        Origin("ALBUMIN"),
        Origin("PROTIME"),
        Origin("HISTOLOGY", _YES_IS_2),
        Origin("Class", {"DIE": 1.0, "LIVE": 2.0}),
    ),
}
"""For each data set that can be downloaded, the origins of its columns, in its order."""


def check_download(key: str, folder: str | os.PathLike[str] | None = None) -> Dataset | None:
    """Refuse data sets that cannot be downloaded.

    Parameters
    ----------
    key : str
        One of ``DATASETS``.
    folder : str or path, optional
        Folder to write to; by default the folder in IIM_DATA.

    Returns
    -------
    Dataset or None
        The data set to download; None if it is there already.
    """
    dataset = find_dataset(key)
    if dataset.openml is None:
        why = "iim makes it" if dataset.file is None else f"get {dataset.file} from: {dataset.source}"
        raise InvalidParameter(
            f"Data set to download: one of {', '.join(ORIGINS)} is needed; received {key!r}. iim knows "
            f"no number of it at {HOST}: {why}."
        )
    found = state(key, folder)
    if found == "other values":
        path = find_folder(folder) / str(dataset.file)
        raise UnusableFile(
            f"{str(path)!r} holds other values than data set {dataset.title}, and is not overwritten. "
            "Move it away first."
        )
    return None if found == "here" else dataset


def download(key: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """Download a data set from OpenML into the folder.

    The caller has asked the user. Only the complete file is written, and only if it holds exactly the
    values of the data set.

    Parameters
    ----------
    key : str
        One of ``DATASETS`` with a number at OpenML.
    folder : str or path, optional
        Folder to write to, made if it does not exist; by default the folder in IIM_DATA.

    Returns
    -------
    path
        The file. If it exists already, nothing is downloaded.
    """
    dataset = check_download(key, folder)
    path = find_folder(folder) / str(find_dataset(key).file)
    if dataset is None:
        return path
    try:
        values = _fetch(dataset)
    except Exception as error:
        # Of any class: the parser's errors have no public one.
        reason = getattr(error, "reason", None) or error
        raise UnusableFile(
            f"Data set {dataset.title} could not be downloaded from {HOST} (number {dataset.openml}): "
            f"{type(error).__name__}: {reason}. Nothing was written. Try again later, or get "
            f"{dataset.file} from: {dataset.source}."
        ) from error
    check_values(dataset, dataset.columns, values, where=f"What {HOST} has under number {dataset.openml}")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, _as_csv(dataset.columns, values))
    return path


def _fetch(dataset: Dataset) -> Floats:
    """The values at OpenML in our columns."""
    from sklearn.datasets import fetch_openml  # noqa: PLC0415 (slow, and needed for downloads only)

    with TemporaryDirectory() as cache, warnings.catch_warnings():
        # It warns before each retry; only the last error matters.
        warnings.simplefilter("ignore")
        theirs: Any = fetch_openml(
            data_id=dataset.openml,
            target_column=None,
            as_frame=False,
            parser="liac-arff",
            data_home=cache,
        )
    names, words = list(theirs.feature_names), theirs.categories or {}
    absent = [origin.name for origin in ORIGINS[dataset.key] if origin.name not in names]
    if absent:
        raise ValueError(f"column {absent[0]!r} is needed, and not among {', '.join(map(repr, names))}")
    table = np.asarray(theirs.data, dtype=np.float64)
    return np.column_stack(
        [
            origin.column(table[:, names.index(origin.name)], words.get(origin.name))
            for origin in ORIGINS[dataset.key]
        ]
    )


def _as_csv(columns: Sequence[str], values: Floats) -> Iterator[bytes]:
    """The lines of a file, with the shortest digits that give back the same number."""
    yield (",".join(columns) + "\n").encode()
    for row in values.tolist():
        cells = ("" if math.isnan(cell) else repr(cell).removesuffix(".0") for cell in row)
        yield (",".join(cells) + "\n").encode()
