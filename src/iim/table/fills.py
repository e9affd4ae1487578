"""New values for some columns of a table: their limits, how they fit a dtype, and into an array."""

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
        """The new values of one column, in a dtype that may be narrower than float64.

        Parameters
        ----------
        place : int
            The column, among those that were looked at; its new values are finite.
        dtype : dtype
            Of floats; or of whole numbers or booleans, if the new values are whole.

        Returns
        -------
        ndarray
            Within the range of the dtype, and on the inner side of the column's limits, which rounding must
            not carry them over. If no number of the dtype lies between the limits, the nearest ones.
        """
        values, at = self.values[self.missing[:, place], place], self.positions[place]
        low, high = float(self.limits.low[at]), float(self.limits.high[at])
        if dtype.kind != "f":
            least, most = whole_range(dtype)
            cast: np.ndarray[Any, Any] = np.clip(values, least, most).astype(dtype)
            return cast
        range_of = np.finfo(dtype)
        rounded: np.ndarray[Any, Any] = np.clip(values, range_of.min, range_of.max).astype(dtype)
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


def write_array(
    array: np.ndarray[Any, Any], new: Filled, kept: Integers, indicators: Booleans
) -> np.ndarray[Any, Any]:
    """Put filled values into a copy of an array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        As it came in.
    new : Filled
        New values, and where they go.
    kept : ndarray
        Positions of the columns to give back.
    indicators : ndarray of shape (n_rows, n_indicators)
        Columns to append.

    Returns
    -------
    ndarray of shape (n_rows, n_kept + n_indicators)
        float32 stays; so do whole numbers if nothing else is filled in; an array without holes keeps any
        numeric dtype, and one of objects whose columns are not all read; all else becomes float64.
    """
    holed = new.holed(kept)
    dtype = _dtype_of_result(array, new, kept, holed, n_indicators=indicators.shape[1])
    result = np.empty((array.shape[0], kept.size + indicators.shape[1]), dtype=dtype)
    if array.dtype.kind not in "buif":
        # Holes may hold what is no number.
        holes = np.zeros(array.shape, dtype=bool)
        holes[:, new.positions] = new.missing
        array = np.where(holes, 0, array.astype(object))
    result[:, : kept.size] = array[:, kept]
    for place, position in holed:
        values = new.narrowed(place, np.dtype(np.float64) if dtype.kind == "O" else dtype)
        result[new.missing[:, place], np.searchsorted(kept, position)] = values
    # By way of float64: among objects they are numbers, too, not True and False.
    result[:, kept.size :] = indicators.astype(np.float64)
    return result


def _dtype_of_result(
    array: np.ndarray[Any, Any],
    new: Filled,
    kept: Integers,
    holed: list[tuple[int, int]],
    *,
    n_indicators: int,
) -> np.dtype[Any]:
    came: np.dtype[Any] = array.dtype
    if came == np.float32 or (came.kind in "buif" and not holed and not n_indicators):
        return came
    if came.kind in "bui":
        looked_at = new.limits.whole[new.positions]
        stays_whole = looked_at[[place for place, _ in holed]].all() if holed else looked_at.any()
        return came if stays_whole else np.dtype(np.float64)
    if came.kind == "f" or _are_floats(array[:, np.setdiff1d(kept, new.positions)]):
        return np.dtype(np.float64)
    return np.dtype(object)


def _are_floats(cells: np.ndarray[Any, Any]) -> bool:
    """Whether nothing is lost when cells of any kind become float64."""
    return all(map(_is_float, cells.ravel()))


def _is_float(cell: Any) -> bool:
    if isinstance(cell, (float, np.floating)):
        return True
    return isinstance(cell, (int, np.integer)) and not isinstance(cell, bool) and abs(int(cell)) <= 2**53
