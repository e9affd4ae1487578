"""Types of columns: which can have missing values, and conversion without changing a value."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from iim._arrays import Booleans
from iim.exceptions import UnusableTable
from iim.table.kinds import declared_kind

EXACT = 2**53
"""Up to here float64 represents every whole number."""


def one_hole(column: Any, markers: tuple[Any, ...], *, nullable: bool) -> Any:
    """A column of one row with the type of another column: missing if it can be, else a plain number.

    Parameters
    ----------
    column : Series
        Its type is used.
    markers : tuple
        Marks of missing values.
    nullable : bool
        Whether the column may have nulls, if its type allows them.

    Returns
    -------
    Series of shape (1,)
    """
    dtype = column.dtype
    if not _can_be_without_null(dtype) or (nullable and not isinstance(dtype, np.dtype)):
        return column.iloc[:0].reindex(range(1))
    for marker in markers:
        marked = _marked(marker, dtype)
        if marked is not None:
            return marked
    return pd.Series([0], dtype=dtype)


def _can_be_without_null(dtype: Any) -> bool:
    kind = declared_kind(dtype)
    return kind is not None and kind.is_numeric and not pd.api.types.is_float_dtype(dtype)


def _marked(marker: Any, dtype: Any) -> Any:
    """A column with the mark in its one row; None if the type cannot represent it."""
    try:
        column = pd.Series([marker], dtype=dtype)
        has_marker = bool((column == marker).all())
    except (OverflowError, TypeError, ValueError):
        return None
    # In a column of booleans, True would also match a text.
    return column if has_marker and not isinstance(marker, str) else None


def refuse_inexact(column: Any, name: Any, wanted: Any, markers: tuple[Any, ...]) -> None:
    """Raise for known whole numbers that the new type of their column cannot represent.

    Parameters
    ----------
    column : Series
        The column, with missing values.
    name : object
        Its name, for the message.
    wanted : dtype
        The new type.
    markers : tuple
        Marks of missing values.
    """
    if not (pd.api.types.is_integer_dtype(column.dtype) and pd.api.types.is_float_dtype(wanted)):
        return
    rows = np.flatnonzero(column.notna())
    unsigned = pd.api.types.is_unsigned_integer_dtype(column.dtype)
    numbers = column.iloc[rows].to_numpy(dtype=np.uint64 if unsigned else np.int64)
    inexact = rows[_is_inexact(numbers, markers)]
    if inexact.size:
        row = int(inexact[0])
        raise UnusableTable(
            f"Column {name!r} holds whole numbers that {wanted} cannot hold in {inexact.size} of "
            f"{len(column)} rows (first: row {row}, {column.iloc[row]}). It becomes {wanted} in all "
            "partitions, since some may have missing values. Use `round_integers=True` and fit again to "
            "keep its type, or leave the column out with `columns=`."
        )


def _is_inexact(numbers: np.ndarray[Any, Any], markers: tuple[Any, ...]) -> Booleans:
    """True for whole numbers that float64 cannot represent."""
    inexact = numbers > EXACT
    if numbers.dtype.kind == "i":
        inexact |= numbers < -EXACT
    suspects = numbers[inexact]
    if suspects.size:
        rounded = suspects.astype(np.float64)
        # float(2**63 - 1) is 2**63, which int64 cannot represent.
        within = rounded < 2.0 ** (64 if numbers.dtype.kind == "u" else 63)
        changed = np.where(within, rounded, 0.0).astype(numbers.dtype) != suspects
        for marker in markers:
            if isinstance(marker, Integral):
                changed &= suspects != int(marker)
        inexact[inexact] = changed
    return inexact


def into_type(column: Any, name: Any, wanted: Any) -> Any:
    """Convert a column without missing values; an error if that would change a value.

    Parameters
    ----------
    column : Series
        Numbers or booleans.
    name : object
        Its name, for the message.
    wanted : dtype
        The new type.

    Returns
    -------
    Series
    """
    if column.dtype == wanted:
        return column
    try:
        with np.errstate(invalid="ignore"):  # values out of range are found below
            brought = column.astype(wanted)
    except (OverflowError, TypeError, ValueError) as error:
        raise UnusableTable(f"{_two_types(column, name, wanted)}: {error}. {_ADVICE}") from error
    if pd.api.types.is_float_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64)
        # Whole numbers keep what is before the point only, float32 only some digits.
        changed = np.flatnonzero(brought.to_numpy(dtype=np.float64) != values)
        if changed.size:
            row = int(changed[0])
            raise UnusableTable(
                f"{_two_types(column, name, wanted)}, which cannot hold its values in {changed.size} of "
                f"{values.size} rows (first: row {row}, {values[row]}). {_ADVICE}"
            )
    return brought


_ADVICE = "Give the column one type in all partitions."


def _two_types(column: Any, name: Any, wanted: Any) -> str:
    return (
        f"Column {name!r}, of type {column.dtype} here, has to be {wanted} by the description of the table"
    )
