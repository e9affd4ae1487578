"""The training table, partition by partition: numbers, facts, samples, sums."""

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
    """Facts about a partition.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    holes : ndarray of shape (n_kinds, n_columns)
        Distinct combinations of missing cells, among the columns to fill.
    counts : ndarray of shape (n_kinds,)
        Number of rows with each.
    extremes : frame
        Some of its rows, unchanged: those with each column's smallest and largest value, one with a
        fraction, and one with a missing value. A table of such rows has the bounds and types of the whole
        table.
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
    """A partition whose numbers are in the folder.

    Attributes
    ----------
    folder : Folder
        The folder.
    number : int
        Number of the partition.
    columns : ndarray of shape (n_columns,)
        Positions of the columns to fill.
    holes : ndarray of shape (n_kinds, n_columns), optional
        Its combinations of missing cells, if known.
    counts : ndarray of shape (n_kinds,), optional
        Number of rows with each.
    """

    folder: Folder
    number: int
    columns: Integers
    holes: Booleans | None = None
    counts: Integers | None = None

    def values(self) -> Floats:
        """Its numbers; NaN in missing cells."""
        name = table_file(self.number)
        kept = self.folder.read_kept(name, KeptTable).values
        # Size and missing cells must match; everything else is computed from the numbers.
        fits = kept.shape[1] > self.columns.max(initial=-1)
        values = np.ascontiguousarray(kept[:, self.columns]) if fits else kept
        if fits and self.holes is not None and self.counts is not None:
            holes, counts = count_holes(np.isnan(values), np.ones(len(values), np.intp))
            fits = np.array_equal(holes, self.holes) and np.array_equal(counts, self.counts)
        if not fits:
            raise UnusableFile(f"{self.folder.shown(name)} does not fit the model. Learn the model again.")
        return values


def read_numbers(imputer: Imputer, frame: Any) -> tuple[Floats, Booleans]:
    """Values and missing cells of the columns that an imputer fills."""
    matrix = imputer._read(open_table(imputer, frame, reset=False))
    return matrix.values, matrix.missing


def read_partition(imputer: Imputer, frame: Any, number: int, folder: Folder) -> Facts:
    """Read a partition, write its numbers to the folder, and return its facts."""
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
    """The file of a partition's numbers."""
    return f"table/{number}.iim"


def count_holes(missing: Booleans, counts: Integers) -> tuple[Booleans, Integers]:
    """Distinct combinations of missing cells, and the number of rows with each."""
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
    """Columns that donors of a pattern need, and the regression they are used in."""

    needed: tuple[int, ...]
    """Columns known in every donor, increasing."""
    observed: tuple[int, ...]
    """Columns to predict from."""
    target: int
    """The column to predict."""

    def donors(self, missing: Booleans) -> Integers:
        """Rows in which all needed columns are known."""
        return np.flatnonzero(~missing[:, list(self.needed)].any(axis=1))

    def receivers(self, missing: Booleans) -> Integers:
        """Rows that lack the target, and no column to predict from."""
        return np.flatnonzero(missing[:, self.target] & ~missing[:, list(self.observed)].any(axis=1))


@dataclass(frozen=True)
class Wish:
    """Donors of a partition to return, by their number among all donors of the table.

    Attributes
    ----------
    donation : Donation
        Which rows are donors.
    before : int
        Number of donors in earlier partitions.
    step : int
        Every donor whose number is a multiple of it is returned, as a sample of space.
    picked : ndarray
        Numbers of donors that are tried, increasing.
    receivers_before : int
        Number of receivers in earlier partitions.
    receivers : ndarray
        Numbers of receivers to return, increasing.
    """

    donation: Donation
    before: int
    step: int
    picked: Integers
    receivers_before: int
    receivers: Integers


@dataclass(frozen=True)
class DonorSample:
    """The donors returned for a wish.

    Attributes
    ----------
    sample, picked, receivers : ndarray of shape (n, n_columns)
        Rows of the table.
    low, high : float
        Smallest and largest value to predict; infinite with signs reversed if there is none.
    """

    sample: Floats
    picked: Floats
    receivers: Floats
    low: float
    high: float


def look_at(part: TablePart, wishes: Sequence[Wish]) -> list[DonorSample]:
    """Return the wanted donors of a partition."""
    values = part.values()
    missing = np.isnan(values)
    looks = []
    for wish in wishes:
        donors = wish.donation.donors(missing)
        stop = wish.before + donors.size
        ordinals = np.arange(-(-wish.before // wish.step) * wish.step, stop, wish.step)
        picked = _within(wish.picked, wish.before, donors.size)
        lacking = wish.donation.receivers(missing)
        received = _within(wish.receivers, wish.receivers_before, lacking.size)
        targets = values[donors, wish.donation.target]
        looks.append(
            DonorSample(
                values[donors[ordinals - wish.before]],
                values[donors[picked]],
                values[lacking[received]],
                float(targets.min(initial=np.inf)),
                float(targets.max(initial=-np.inf)),
            )
        )
    return looks


def _within(numbers: Integers, before: int, size: int) -> Integers:
    """Those of a partition, counted from its first."""
    return numbers[(numbers >= before) & (numbers < before + size)] - before


def add_values(part: TablePart, exponent: Integers) -> list[Floats]:
    """A partition's contribution to each column's mean: exact parts of sums, in units of powers of two."""
    return [exact_parts(known) for known in _known(part, exponent)]


def add_squares(part: TablePart, exponent: Integers, center: Floats) -> list[Floats]:
    """A partition's contribution to each column's variance: exact parts of sums of squares."""
    known = _known(part, exponent)
    return [exact_parts(np.square(each - middle)) for each, middle in zip(known, center, strict=True)]


def _known(part: TablePart, exponent: Integers) -> list[Floats]:
    return [
        np.ldexp(column[~np.isnan(column)], -power)
        for column, power in zip(part.values().T, exponent, strict=True)
    ]
