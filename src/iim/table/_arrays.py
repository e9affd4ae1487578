"""Numpy arrays to numbers and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Booleans, Integers
from iim.exceptions import UnusableTable
from iim.matrix import MaskedMatrix
from iim.table._columns import WITH_COLUMNS, read_numbers, read_objects, refuse_dates
from iim.table._filled import Filled, whole_range


def plain_array(table: Any) -> Any:
    """A masked array as a plain one with NaN where it was masked; anything else as it is."""
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        raise UnusableTable(
            "A table of rows and columns is needed; received a structured array, with the fields "
            f"{', '.join(map(repr, table.dtype.names))}. Make a frame of it first, for example with "
            "`pandas.DataFrame(...)`."
        )
    if not isinstance(table, np.ma.MaskedArray):
        return table
    data = table.data if table.dtype.kind in "fO" else table.data.astype(np.float64)
    plain = data.copy()
    plain[np.ma.getmaskarray(table)] = np.nan
    return plain


def read_array(
    array: np.ndarray[Any, Any],
    missing_values: Any,
    columns: tuple[Any, ...],
    *,
    positions: Integers | None = None,
    leave_out: str = WITH_COLUMNS,
) -> MaskedMatrix:
    """Read a two-dimensional array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        Numbers, booleans or objects.
    missing_values : object
        What is missing besides NaN and None.
    columns : tuple
        Names of all columns, for messages.
    positions : ndarray, optional
        The columns to read; all, if nothing is said.
    leave_out : str
        How to leave a column out, for messages.

    Returns
    -------
    MaskedMatrix
        Of the columns that were read.
    """
    chosen = np.arange(array.shape[1]) if positions is None else positions
    values = np.empty((array.shape[0], chosen.size), dtype=np.float64)
    missing = np.empty(values.shape, dtype=bool)
    is_numeric = array.dtype.kind in "buif"
    for place, position in enumerate(chosen):
        column, name = array[:, position], columns[position]
        if array.dtype.kind in "mM":
            # Not as objects, of which some would be whole numbers.
            dates = np.flatnonzero(~np.isnat(column))
            if dates.size:
                refuse_dates(name, dates.tolist(), column, leave_out)
            values[:, place], missing[:, place] = np.nan, True
        elif is_numeric:
            values[:, place], missing[:, place] = read_numbers(column, name, missing_values)
        else:
            values[:, place], missing[:, place] = read_objects(
                column.astype(object), name, missing_values, leave_out
            )
    return MaskedMatrix(values, missing, tuple(columns[position] for position in chosen))


def range_in_array(array: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Between which numbers the whole numbers of an array can be."""
    return whole_range(array.dtype) if array.dtype.kind in "bui" else (-np.inf, np.inf)


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
