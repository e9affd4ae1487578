"""The table that is learned from, partition by partition: numbers, facts, samples, sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.cluster._places import Place
from iim.cluster.parted.storage import Folder
from iim.core.arithmetic.exact_sums import exact_parts
from iim.exceptions import UnusableFile
from iim.imputers._base import Imputer
from iim.imputers._containers import open_table
from iim.persistence.fields import numbers_or_nan


@dataclass(frozen=True)
class Facts:
    """What is to be known of a partition.

    Attributes
    ----------
    n_rows : int
        How many rows it has.
    holes : ndarray of shape (n_kinds, n_columns)
        The different combinations of missing cells, among the columns that are filled.
    counts : ndarray of shape (n_kinds,)
        How many rows have each.
    extremes : frame
        Some of its rows, as they came: those with each column's smallest and largest value, one that is no
        whole number, and one that is missing. A table of such rows has the bounds and types of all.
    """

    n_rows: int
    holes: Booleans
    counts: Integers
    extremes: Any


class KeptTable(NamedTuple):
    """The numbers of a partition."""

    values: Annotated[Floats, numbers_or_nan("rows", "columns", least_known=0)]


@dataclass(frozen=True)
class TablePart:
    """A partition whose numbers are kept.

    Attributes
    ----------
    folder : Folder
        Where they are.
    number : int
        Which one it is.
    columns : ndarray of shape (n_columns,)
        Positions of the columns that are filled.
    holes : ndarray of shape (n_kinds, n_columns), optional
        Its combinations of missing cells, if they are known already.
    counts : ndarray of shape (n_kinds,), optional
        How many rows have them.
    """

    folder: Folder
    number: int
    columns: Integers
    holes: Booleans | None = None
    counts: Integers | None = None

    def values(self) -> Floats:
        """Its numbers; NaN where they are missing."""
        name = table_file(self.number)
        kept = self.folder.read_kept(name, KeptTable).values
        # As large as it was, with holes where they were: all else is worked out from these.
        fits = kept.shape[1] > self.columns.max(initial=-1)
        values = np.ascontiguousarray(kept[:, self.columns]) if fits else kept
        if fits and self.holes is not None and self.counts is not None:
            holes, counts = count_holes(np.isnan(values), np.ones(len(values), np.intp))
            fits = np.array_equal(holes, self.holes) and np.array_equal(counts, self.counts)
        if not fits:
            raise UnusableFile(f"{self.folder.shown(name)} does not fit the model. Learn it anew.")
        return values


def read_numbers(imputer: Imputer, frame: Any) -> tuple[Floats, Booleans]:
    """Values and holes of the columns that an imputer fills, which has noted what they are."""
    matrix = imputer._read(open_table(imputer, frame, reset=False))
    return matrix.values, matrix.missing


def read_partition(imputer: Imputer, frame: Any, number: int, folder: Folder) -> Facts:
    """Read a partition, keep its numbers in the folder, and tell what is to be known of it."""
    n_columns = imputer._chosen_columns.size
    if len(frame) == 0:
        values, missing = np.empty((0, n_columns)), np.empty((0, n_columns), bool)
    else:
        with Place(number).named():
            values, missing = read_numbers(imputer, frame)
    folder.write_kept(table_file(number), KeptTable(np.ascontiguousarray(values)))
    holes, counts = count_holes(missing, np.ones(len(frame), np.intp))
    return Facts(len(frame), holes, counts, frame.iloc[extreme_rows(values, missing)])


def table_file(number: int) -> str:
    """Where the numbers of a partition are."""
    return f"table/{number}.iim"


def count_holes(missing: Booleans, counts: Integers) -> tuple[Booleans, Integers]:
    """Combinations of missing cells, each once, and how many rows have them."""
    holes, which = np.unique(missing, axis=0, return_inverse=True)
    total = np.zeros(holes.shape[0], np.intp)
    np.add.at(total, which.ravel(), counts)
    return holes, total


def extreme_rows(values: Floats, missing: Booleans) -> Integers:
    """Positions of rows that together have each column's extremes, see :class:`Facts`."""
    found: set[int] = set()
    for value, hole in zip(values.T, missing.T, strict=True):
        known = np.flatnonzero(~hole)
        if known.size:
            found.update((int(known[value[known].argmin()]), int(known[value[known].argmax()])))
        broken = known[value[known] != np.round(value[known])]
        found.update(broken[:1].tolist())
        found.update(np.flatnonzero(hole)[:1].tolist())
    return np.array(sorted(found), np.intp)


class Donation(NamedTuple):
    """Who may be a donor of a pattern, and of what."""

    needed: tuple[int, ...]
    """Columns that a donor knows, increasing."""
    observed: tuple[int, ...]
    """Those that it learns from."""
    target: int
    """The one that it gives."""

    def donors(self, missing: Booleans) -> Integers:
        """Rows that know all that is needed."""
        return np.flatnonzero(~missing[:, list(self.needed)].any(axis=1))


@dataclass(frozen=True)
class Wish:
    """Which donors of a partition are wanted, by their number among all donors of the table.

    Attributes
    ----------
    donation : Donation
        Whose donors.
    before : int
        How many donors stand in the partitions before.
    step : int
        Every donor whose number it divides is wanted, to see how donors lie in space.
    picked : ndarray
        Numbers of donors that are tried, increasing.
    """

    donation: Donation
    before: int
    step: int
    picked: Integers


@dataclass(frozen=True)
class DonorSample:
    """What was wished for.

    Attributes
    ----------
    sample, picked : ndarray of shape (n, n_columns)
        Rows of the table.
    low, high : float
        The smallest and the largest value to give; infinite the other way round if there is none.
    """

    sample: Floats
    picked: Floats
    low: float
    high: float


def look_at(part: TablePart, wishes: Sequence[Wish]) -> list[DonorSample]:
    """Look at the donors of a partition."""
    values = part.values()
    missing = np.isnan(values)
    looks = []
    for wish in wishes:
        donors = wish.donation.donors(missing)
        stop = wish.before + donors.size
        ordinals = np.arange(-(-wish.before // wish.step) * wish.step, stop, wish.step)
        picked = wish.picked[(wish.picked >= wish.before) & (wish.picked < stop)]
        targets = values[donors, wish.donation.target]
        looks.append(
            DonorSample(
                values[donors[ordinals - wish.before]],
                values[donors[picked - wish.before]],
                float(targets.min(initial=np.inf)),
                float(targets.max(initial=-np.inf)),
            )
        )
    return looks


def add_values(part: TablePart, exponent: Integers) -> list[Floats]:
    """What a partition adds to each column's mean: exact parts of sums, in units of powers of two."""
    return [exact_parts(known) for known in _known(part, exponent)]


def add_squares(part: TablePart, exponent: Integers, center: Floats) -> list[Floats]:
    """What a partition adds to each column's variance: exact parts of sums of squares."""
    known = _known(part, exponent)
    return [exact_parts(np.square(each - middle)) for each, middle in zip(known, center, strict=True)]


def _known(part: TablePart, exponent: Integers) -> list[Floats]:
    return [
        np.ldexp(column[~np.isnan(column)], -power)
        for column, power in zip(part.values().T, exponent, strict=True)
    ]
