"""Any table to numbers, for functions that only look at it; and results as a frame of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from iim._checks import check_parameters, exactly, one_of
from iim.exceptions import MissingDependency, UnusableTable
from iim.matrix import MaskedMatrix
from iim.table._arrays import read_array
from iim.table._frames import as_frame, read_frame

BACKENDS = ("pandas", "polars", "pyarrow")
"""Kinds of frames that results come in; the first that is installed, if nothing is said."""


@dataclass(frozen=True)
class Reading:
    """A table as numbers, and what kind of frame it was; None if it was none."""

    matrix: MaskedMatrix
    backend: str | None


def read_table(table: Any, missing_values: Any) -> Reading:
    """Read an array, a list of rows, or a frame; nothing of it is changed.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers; NaN, None and nulls are missing.
    missing_values : object
        What else is missing.

    Returns
    -------
    Reading
        Columns of arrays are called x0, x1 and so on.
    """
    frame = as_frame(table)
    if frame is not None:
        kind = frame.implementation.value
        return Reading(read_frame(frame, missing_values), kind if kind in BACKENDS else None)
    array = _as_array(table)
    columns = tuple(f"x{position}" for position in range(array.shape[1]))
    return Reading(read_array(array, missing_values, columns), None)


def _as_array(table: Any) -> np.ndarray[Any, Any]:
    if isinstance(table, np.ma.MaskedArray):
        table = np.where(np.ma.getmaskarray(table), np.nan, table.data)
    try:
        array = np.asarray(table)
    except ValueError as error:
        raise UnusableTable(f"The table cannot be read as rows of equal length: {error}.") from error
    if array.ndim != 2:
        raise UnusableTable(
            f"A table of rows and columns is needed; received {type(table).__name__} with "
            f"{array.ndim} dimension(s). Give a two-dimensional array or a frame; of a single column, make "
            "one with `reshape(-1, 1)` or `to_frame()`."
        )
    if array.dtype.kind == "c":
        raise UnusableTable(
            "Complex data not supported: real numbers are needed. Give real and imaginary parts as columns."
        )
    return array


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None) -> Any:
    """A frame from columns.

    Parameters
    ----------
    columns : mapping
        Values by name: all of them text or None, or all numbers, or all True or False.
    backend : {"pandas", "polars", "pyarrow"} or None
        The kind of frame; None takes the first that is installed.

    Returns
    -------
    native frame
    """
    check_parameters("to_frame", {"backend": backend}, {"backend": exactly(None) | one_of(*BACKENDS)})
    schema = {name: _dtype_of(values) for name, values in columns.items()}
    kinds: tuple[Any, ...] = BACKENDS if backend is None else (backend,)
    for kind in kinds:
        try:
            return nw.from_dict(dict(columns), schema, backend=kind).to_native()
        except ImportError:
            continue
    wanted = backend or "pandas"
    raise MissingDependency(
        f"A frame needs the package {wanted}, which is not installed. Install it with "
        f'`pip install "iim[{wanted}]"`.'
        if wanted != "pyarrow"
        else "A pyarrow table needs the package pyarrow, which is not installed."
    )


def _dtype_of(values: Sequence[Any]) -> Any:
    if all(value is None or isinstance(value, str) for value in values):
        return nw.String
    if all(isinstance(value, bool) for value in values):
        return nw.Boolean
    return nw.Int64 if all(isinstance(value, int) for value in values) else nw.Float64
