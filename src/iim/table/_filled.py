"""New values for some columns of a table: where they go, and how they fit a narrower dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.persistence.fields import booleans, floats


@dataclass(frozen=True)
class Limits:
    """Between which numbers the fills of each column must stay.

    Attributes
    ----------
    low, high : ndarray of shape (n_columns,)
        Smallest and largest value to fill in; infinite for none, whole numbers where ``whole``.
    whole : ndarray of shape (n_columns,)
        Columns to be filled with whole numbers.
    """

    low: Annotated[Floats, floats("features", finite=False)]
    high: Annotated[Floats, floats("features", finite=False)]
    whole: Annotated[Booleans, booleans("features")]

    def apply(self, values: Floats, columns: Any) -> Floats:
        """Values of some columns, rounded and limited; what is within the limits stays as it is."""
        low, high = self.low[columns], self.high[columns]
        # + 0.0: a small negative number is rounded to 0, not to -0.
        values = np.where(self.whole[columns], np.rint(values) + 0.0, values)
        # Not by minimum and maximum, which may or may not change the sign of a zero.
        values = np.where(values < low, low, values)
        return np.where(values > high, high, values)


@dataclass(frozen=True)
class Filled:
    """New values, and where they go.

    Attributes
    ----------
    positions : ndarray of shape (n_filled,)
        The columns that were looked at, increasing; all others are left as they are.
    values, missing : ndarray of shape (n_rows, n_filled)
        Values of these columns, and which of them are new.
    limits : Limits
        Of all columns of the table.
    """

    positions: Integers
    values: Floats
    missing: Booleans
    limits: Limits

    def holed(self, kept: Integers) -> list[tuple[int, int]]:
        """Place here, and position in the table, of each kept column that gets new values."""
        is_kept = set(kept.tolist())
        places = np.flatnonzero(self.missing.any(axis=0)).tolist()
        holed = [(place, int(self.positions[place])) for place in places]
        return [(place, position) for place, position in holed if position in is_kept]

    def narrowed(self, place: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The new values of one column, in a dtype that may be narrower than float64."""
        values, at = self.values[self.missing[:, place], place], self.positions[place]
        return into_dtype(values, dtype, float(self.limits.low[at]), float(self.limits.high[at]))


def into_dtype(values: Floats, dtype: np.dtype[Any], low: float, high: float) -> np.ndarray[Any, Any]:
    """Bring numbers into a dtype, within its range and on the inner side of two limits.

    Parameters
    ----------
    values : ndarray
        Finite numbers; whole ones if the dtype holds nothing else.
    dtype : dtype
        Of floats, whole numbers or booleans.
    low, high : float
        Limits that the values keep, and that rounding must not carry them over.

    Returns
    -------
    ndarray
        If no number of the dtype lies between the limits, the nearest ones.
    """
    if dtype.kind != "f":
        least, most = whole_range(dtype)
        return np.clip(values, least, most).astype(dtype)
    range_of = np.finfo(dtype)
    rounded = np.clip(values, range_of.min, range_of.max).astype(dtype)
    if dtype == np.float64 or (np.isinf(low) and np.isinf(high)):
        return rounded
    least = dtype.type(np.clip(low, range_of.min, range_of.max))
    most = dtype.type(np.clip(high, range_of.min, range_of.max))
    with np.errstate(over="ignore"):  # beyond its range there is infinity, and no number inside
        # Compared as float64: the nearest number of the dtype may lie on the outer side.
        if float(least) < low:
            least = np.nextafter(least, dtype.type(np.inf))
        if float(most) > high:
            most = np.nextafter(most, dtype.type(-np.inf))
    return np.clip(rounded, least, most) if least <= most else rounded


def whole_range(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The smallest and largest float64 that fit a dtype of whole numbers or booleans."""
    if dtype.kind == "b":
        return 0.0, 1.0
    info = np.iinfo(dtype)
    high = float(info.max)
    # float(2**63 - 1) is 2**63, which is too large.
    return float(info.min), high if int(high) <= info.max else float(np.nextafter(high, 0.0))
