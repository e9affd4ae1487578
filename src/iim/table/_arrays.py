"""Numpy arrays to numbers and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.matrix import MaskedMatrix
from iim.table._columns import read_numbers, read_objects


def read_array(array: np.ndarray[Any, Any], missing_values: Any, columns: tuple[Any, ...]) -> MaskedMatrix:
    """Read a two-dimensional array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        Numbers, booleans or objects.
    missing_values : object
        What is missing besides NaN and None.
    columns : tuple
        Names, for messages.

    Returns
    -------
    MaskedMatrix
    """
    values = np.empty(array.shape, dtype=np.float64)
    missing = np.empty(array.shape, dtype=bool)
    read = read_numbers if array.dtype.kind in "buif" else read_objects
    for position, name in enumerate(columns):
        column = array[:, position]
        if array.dtype.kind in "US":
            column = column.astype(object)
        values[:, position], missing[:, position] = read(column, name, missing_values)
    return MaskedMatrix(values, missing, columns)


def write_array(
    array: np.ndarray[Any, Any],
    filled: Floats,
    missing: Booleans,
    kept: Integers,
    indicators: Booleans,
) -> np.ndarray[Any, Any]:
    """Put filled values into a copy of an array.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        As it came in.
    filled, missing : ndarray of shape (n_rows, n_columns)
        New values, and where they go.
    kept : ndarray
        Positions of the columns to give back.
    indicators : ndarray of shape (n_rows, n_indicators)
        Columns to append.

    Returns
    -------
    ndarray of shape (n_rows, n_kept + n_indicators)
        float32 stays, all else becomes float64; an array without holes keeps any numeric dtype.
    """
    dtype = array.dtype
    has_holes = bool(missing[:, kept].any())
    if dtype != np.float32 and (has_holes or indicators.shape[1] or dtype.kind not in "buif"):
        dtype = np.dtype(np.float64)
    observed = np.where(missing, 0.0, array) if dtype.kind == "f" else array
    result = np.array(observed[:, kept], dtype=dtype, order="C")
    if has_holes:
        where = missing[:, kept]
        result[where] = fit_dtype(filled[:, kept][where], dtype)
    return np.hstack([result, indicators.astype(dtype)]) if indicators.shape[1] else result


def fit_dtype(values: Floats, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Round to a float dtype without leaving its finite range."""
    limits = np.finfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)
