"""Arrays and lists of rows to numbers; and any table to numbers, for functions that only read it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim._arrays import Integers
from iim._names import find_columns
from iim.exceptions import InvalidParameter, UnusableTable
from iim.matrix import MaskedMatrix
from iim.table.columns import WITH_COLUMNS, count_facts, named_values, read_column
from iim.table.frames import BACKENDS, as_frame, read_frame
from iim.table.kinds import EMPTY, ID, ColumnKind, kind_of

MOST_NAMED = 5
"""Columns named in a message."""

LEAVE_OUT = "leave the column out of the table"
"""Advice of functions that read all columns, for one that is not numbers."""


@dataclass(frozen=True)
class Reading:
    """A table as numbers, and a description of the original.

    Attributes
    ----------
    matrix : MaskedMatrix
        Its columns of numbers.
    backend : str or None
        The kind of frame; None if it is not a frame.
    columns : tuple
        Names of all columns, in order.
    kinds : dict
        Kind of each column, with the reason.
    set_aside : dict
        Columns that are not in the matrix, as ids or not numbers; kind and reason as text.
    chosen : list of int
        Positions in the matrix of the columns chosen by the user, increasing; all by default.
        Positions in the matrix of the columns that the user asks for, increasing; all if nothing was said.
    """

    matrix: MaskedMatrix
    backend: str | None
    columns: tuple[Any, ...]
    kinds: Mapping[Any, ColumnKind]
    set_aside: Mapping[Any, str]
    chosen: list[int]


def read_table(
    table: Any, missing_values: Any, *, columns: Any = None, keep: Collection[Any] = ()
) -> Reading:
    """Read an array, a list of rows, or a frame, which is not changed.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers; NaN, None and nulls are missing. Ids and columns that mostly have no numbers (text,
        categories, dates and the like) are set aside; other cells among numbers are an error.
    missing_values : object
        More marks of missing values.
    columns : object
        Columns chosen by the user, by name or position, one or several; None is all. Ids among these are
        not set aside; columns without numbers are an error.
    keep : collection
        Names of other ids that are not set aside.

    Returns
    -------
    Reading
        Columns of arrays have the names x0, x1 and so on.
    """
    frame = as_frame(table)
    cells: dict[Any, Any]
    if frame is None:
        array = _as_array(table)
        cells = {f"x{at}": array[:, at] for at in range(array.shape[1])}
    else:
        cells = {name: frame.get_column(name) for name in frame.columns}
    names = tuple(cells)
    kinds = {name: kind_of(count_facts(name, column, missing_values)) for name, column in cells.items()}
    wanted = find_columns(columns, names)
    asked = {names[at] for at in wanted or ()}
    # Columns that can be read as numbers are used, but ids only if chosen.
    used = {
        name
        for name, kind in kinds.items()
        if kind.kind == EMPTY or (kind.readable and (kind.kind != ID or name in asked or name in keep))
    }
    set_aside = {name: str(kind) for name, kind in kinds.items() if name not in used}
    if set_aside and not used:
        _refuse_without_numbers(set_aside)
    for name in asked.intersection(set_aside):
        raise InvalidParameter(
            f"`columns`: columns of numbers are needed; {name!r} holds none ({set_aside[name]}). Leave it "
            "out of `columns`, or make it numeric."
        )
    kept = [at for at, name in enumerate(names) if name in used]
    chosen = [place for place, at in enumerate(kept) if wanted is None or at in wanted]
    if frame is None:
        places = np.array(kept, dtype=np.intp)
        matrix = read_array(array, missing_values, names, positions=places, leave_out=LEAVE_OUT)
        return Reading(matrix, None, names, kinds, set_aside, chosen)
    # Dropped rather than selected: a pandas frame without columns keeps its rows only if they are dropped.
    matrix = read_frame(frame.drop(list(set_aside)), missing_values, leave_out=LEAVE_OUT)
    backend = frame.implementation.value
    return Reading(matrix, backend if backend in BACKENDS else None, names, kinds, set_aside, chosen)


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
        More marks of missing values, besides NaN and None.
    columns : tuple
        Names of all columns, for messages.
    positions : ndarray, optional
        The columns to read; all by default.
    leave_out : str
        Advice for leaving a column out, for messages.

    Returns
    -------
    MaskedMatrix
        The columns that were read.
    """
    named = named_values(missing_values)
    chosen = np.arange(array.shape[1]) if positions is None else positions
    names = tuple(columns[position] for position in chosen)
    values = np.empty((array.shape[0], chosen.size), dtype=np.float64)
    missing = np.empty(values.shape, dtype=bool)
    for place, (position, name) in enumerate(zip(chosen, names, strict=True)):
        values[:, place], missing[:, place] = read_column(name, array[:, position], named, leave_out)
    return MaskedMatrix(values, missing, names)


def numbers_only(table: Any, reading: Reading) -> Any:
    """The table without the columns that were set aside, in the same container."""
    frame = as_frame(table)
    if frame is not None:
        return frame.drop(list(reading.set_aside)).to_native() if reading.set_aside else table
    kept = [position for position, name in enumerate(reading.columns) if name not in reading.set_aside]
    return _as_array(table)[:, kept]


def _refuse_without_numbers(set_aside: Mapping[Any, str]) -> None:
    first = "; ".join(f"{name!r}: {kind}" for name, kind in list(set_aside.items())[:MOST_NAMED])
    more = f"; and {len(set_aside) - MOST_NAMED} more" if len(set_aside) > MOST_NAMED else ""
    raise UnusableTable(
        f"No column holds numbers to work with ({first}{more}). At least one is needed: convert texts that "
        "mean numbers, or rename an id that is a measurement."
    )


def _as_array(table: Any) -> np.ndarray[Any, Any]:
    _refuse_other_kinds(table)
    table = plain_array(table)
    try:
        array = np.asarray(table)
        if array.dtype.kind in "US" and not isinstance(table, np.ndarray):
            # With one text among numbers, numpy would convert the whole list to text.
            array = np.asarray(table, dtype=object)
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise UnusableTable(f"The table cannot be read as rows of equal length: {reason}.") from error
    if array.ndim != 2:
        raise UnusableTable(
            f"A table of rows and columns is needed; received {type(table).__name__} with "
            f"{array.ndim} dimension(s). {_next_step(array)}"
        )
    if array.dtype.kind == "c":
        raise UnusableTable(
            "Complex data not supported: real numbers are needed. Give real and imaginary parts as columns."
        )
    return array


def _refuse_other_kinds(table: Any) -> None:
    """Raise for objects that need one more step to become a table, and name that step."""
    if isinstance(table, Mapping):
        step = "Make a frame of it first, for example with `pandas.DataFrame(...)`."
    elif isinstance(table, (str, bytes, os.PathLike)):
        step = "If it names a file, read that first, for example with `pandas.read_csv(...)`."
    elif hasattr(table, "toarray") and hasattr(table, "nnz"):
        step = "A sparse matrix has zeros where it holds nothing; call its `.toarray()` if that is right."
    else:
        return
    raise UnusableTable(f"An array or a frame is needed; received {type(table).__name__}. {step}")


def _next_step(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 1 and array.size and all(isinstance(row, Mapping) for row in array):
        return "Make a frame of these records first, for example with `pandas.DataFrame(...)`."
    if array.ndim == 1:
        return (
            "Of a single column, make a table with `reshape(-1, 1)` or, if it is a series, `to_frame()`; "
            "of a single row, with `reshape(1, -1)`."
        )
    return "Give a two-dimensional array or a frame."


def plain_array(table: Any) -> Any:
    """A masked array as a plain one with NaN in masked cells; anything else unchanged."""
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
