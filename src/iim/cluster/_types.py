"""Types of columns: which can have holes, and how values are brought into one without being changed."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from iim._arrays import Booleans
from iim.exceptions import UnusableTable
from iim.table.kinds import declared_kind

EXACT = 2**53
"""Up to here float64 has every whole number."""


def one_hole(column: Any, markers: tuple[Any, ...], *, nullable: bool) -> Any:
    """A column of one row in the type of another one: missing if it can be, else a plain number.

    Parameters
    ----------
    column : Series
        Its type is what counts.
    markers : tuple
        Values that mean "missing".
    nullable : bool
        Whether the column may have nulls, if its type has.

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
    """A column with the marker in its one row; None if the type does not have it."""
    try:
        column = pd.Series([marker], dtype=dtype)
        has_marker = bool((column == marker).all())
    except (OverflowError, TypeError, ValueError):
        return None
    # True stands for a text, too, in a column of booleans.
    return column if has_marker and not isinstance(marker, str) else None


def refuse_inexact(column: Any, name: Any, wanted: Any, markers: tuple[Any, ...]) -> None:
    """Raise for known whole numbers that the type which their column gets does not have.

    Parameters
    ----------
    column : Series
        As it came, with holes.
    name : object
        Its name, for the message.
    wanted : dtype
        The type that it gets.
    markers : tuple
        Values that mean "missing".
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
            f"{len(column)} rows (first: row {row}, {column.iloc[row]}); it becomes {wanted} in all "
            "partitions, since in some it may have holes. Use `round_integers=True` and fit again to keep "
            "its type, or leave the column out with `columns=`."
        )


def _is_inexact(numbers: np.ndarray[Any, Any], markers: tuple[Any, ...]) -> Booleans:
    """True for whole numbers that float64 does not have."""
    inexact = numbers > EXACT
    if numbers.dtype.kind == "i":
        inexact |= numbers < -EXACT
    suspects = numbers[inexact]
    if suspects.size:
        rounded = suspects.astype(np.float64)
        # float(2**63 - 1) is 2**63, of which there is no way back.
        within = rounded < 2.0 ** (64 if numbers.dtype.kind == "u" else 63)
        changed = np.where(within, rounded, 0.0).astype(numbers.dtype) != suspects
        for marker in markers:
            if isinstance(marker, Integral):
                changed &= suspects != int(marker)
        inexact[inexact] = changed
    return inexact


def into_type(column: Any, name: Any, wanted: Any) -> Any:
    """A column without holes in another type; an error if that would change a value.

    Parameters
    ----------
    column : Series
        Numbers or booleans, none missing.
    name : object
        Its name, for the message.
    wanted : dtype
        The type to bring it to.

    Returns
    -------
    Series
    """
    if column.dtype == wanted:
        return column
    try:
        with np.errstate(invalid="ignore"):  # what is out of range is found below
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
