"""Fills for some columns of a table: their limits, conversion to a dtype, and writing to an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.persistence.fields import booleans, floats


@dataclass(frozen=True)
class Limits:
    """Limits of the fills of each column.

    Attributes
    ----------
    low, high : ndarray of shape (n_columns,)
        Smallest and largest fill; infinite for none, whole numbers where ``whole``.
    whole : ndarray of shape (n_columns,)
        Columns filled with whole numbers.
    """

    low: Annotated[Floats, floats("features", finite=False)]
    high: Annotated[Floats, floats("features", finite=False)]
    whole: Annotated[Booleans, booleans("features")]

    def apply(self, values: Floats, columns: Any) -> Floats:
        """Round and limit values of some columns; values within the limits are unchanged."""
        low, high = self.low[columns], self.high[columns]
        # + 0.0: a small negative number is rounded to 0, not to -0.
        values = np.where(self.whole[columns], np.rint(values) + 0.0, values)
        # Not with minimum and maximum, which may change the sign of a zero.
        values = np.where(values < low, low, values)
        return np.where(values > high, high, values)


@dataclass(frozen=True)
class Filled:
    """Fills, and their positions.

    Attributes
    ----------
    positions : ndarray of shape (n_filled,)
        The columns that were read, increasing; all others are unchanged.
    values, missing : ndarray of shape (n_rows, n_filled)
        Values of these columns, and which of them are fills.
    limits : Limits
        Limits of all columns of the table.
    """

    positions: Integers
    values: Floats
    missing: Booleans
    limits: Limits

    def holed(self, kept: Integers) -> list[tuple[int, int]]:
        """Position here, and position in the table, of each kept column with fills."""
        is_kept = set(kept.tolist())
        places = np.flatnonzero(self.missing.any(axis=0)).tolist()
        holed = [(place, int(self.positions[place])) for place in places]
        return [(place, position) for place, position in holed if position in is_kept]

    def narrowed(self, place: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The fills of one column, in a dtype that may be narrower than float64.

        Parameters
        ----------
        place : int
            Position of the column among those that were read; its fills are finite.
        dtype : dtype
            A float type; or a type of whole numbers or booleans, if the fills are whole.

        Returns
        -------
        ndarray
            Within the range of the dtype and the limits of the column, also after rounding. If the dtype
            has no number between the limits, the nearest ones.
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
        with np.errstate(over="ignore"):  # beyond the range it gives infinity, which is outside the limits
            # Compared as float64, since rounding to the dtype may exceed a limit.
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
    # float(2**63 - 1) is 2**63, which exceeds int64.
    return float(info.min), high if int(high) <= info.max else float(np.nextafter(high, 0.0))


def write_array(
    array: np.ndarray[Any, Any], new: Filled, kept: Integers, indicators: Booleans
) -> np.ndarray[Any, Any]:
    """Write fills to a copy of an array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        The original.
    new : Filled
        The fills, and their positions.
    kept : ndarray
        Positions of the columns to return.
    indicators : ndarray of shape (n_rows, n_indicators)
        Columns to append.

    Returns
    -------
    ndarray of shape (n_rows, n_kept + n_indicators)
        float32 is kept, and so are whole numbers if all fills are whole. An array without missing values
        keeps any numeric dtype, and one of objects if not all columns are read. Otherwise float64.
    """
    holed = new.holed(kept)
    dtype = _dtype_of_result(array, new, kept, holed, n_indicators=indicators.shape[1])
    result = np.empty((array.shape[0], kept.size + indicators.shape[1]), dtype=dtype)
    if array.dtype.kind not in "buif":
        # Missing cells may hold values that are not numbers.
        holes = np.zeros(array.shape, dtype=bool)
        holes[:, new.positions] = new.missing
        array = np.where(holes, 0, array.astype(object))
    result[:, : kept.size] = array[:, kept]
    for place, position in holed:
        values = new.narrowed(place, np.dtype(np.float64) if dtype.kind == "O" else dtype)
        result[new.missing[:, place], np.searchsorted(kept, position)] = values
    # Converted to float64 first, since booleans among objects are numbers, too.
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
    """Whether converting cells of any type to float64 loses nothing."""
    return all(map(_is_float, cells.ravel()))


def _is_float(cell: Any) -> bool:
    if isinstance(cell, (float, np.floating)):
        return True
    return isinstance(cell, (int, np.integer)) and not isinstance(cell, bool) and abs(int(cell)) <= 2**53
