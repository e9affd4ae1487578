"""One column of anything to float64 and a mask, or a message that names the cell."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats
from iim.exceptions import UnusableCell, UnusableTable
from iim.table._missing import is_named, is_null, named_values

WITH_COLUMNS = "leave the column out with `columns=`"
"""What imputers advise for a column that is no numbers."""


def read_numbers(values: np.ndarray[Any, Any], name: Any, missing_values: Any) -> tuple[Floats, Booleans]:
    """Read a column of a numeric or boolean dtype.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers or booleans; NaN is missing.
    name : object
        The column's name, for messages.
    missing_values : object
        What else is missing.

    Returns
    -------
    numbers : ndarray of shape (n_rows,)
        float64, NaN where missing.
    missing : ndarray of shape (n_rows,)
    """
    named = named_values(missing_values)
    numbers = values.astype(np.float64)
    missing = np.isnan(numbers)
    if named:
        missing |= is_named(values, named)
        numbers[missing] = np.nan
    if np.isinf(numbers).any():
        refuse_infinite(numbers, name)
    return numbers, missing


def read_objects(
    values: np.ndarray[Any, Any], name: Any, missing_values: Any, leave_out: str = WITH_COLUMNS
) -> tuple[Floats, Booleans]:
    """Read a column of Python objects: numbers, and nulls or named values; as :func:`read_numbers`."""
    named = named_values(missing_values)
    numbers = np.full(values.shape[0], np.nan)
    missing = np.zeros(values.shape[0], dtype=bool)
    text: list[int] = []
    for row, value in enumerate(values):
        if is_null(value) or (isinstance(value, str) and value in named):
            missing[row] = True
        elif isinstance(value, (str, bytes)):
            text.append(row)
        else:
            try:
                numbers[row] = float(value)
            except (TypeError, ValueError, OverflowError) as error:
                raise UnusableCell(
                    f"{error}. Column {name!r} holds {value!r} in row {row}: numbers and missing "
                    f"values are needed. Make the column numeric, or {leave_out}."
                ) from error
    if text:
        refuse_text(name, text, values, leave_out)
    missing |= is_named(numbers, named) | np.isnan(numbers)
    numbers[missing] = np.nan
    if np.isinf(numbers).any():
        refuse_infinite(numbers, name)
    return numbers, missing


def refuse_text(name: Any, text: list[int], values: np.ndarray[Any, Any], leave_out: str) -> None:
    """Raise for a column with text in some rows."""
    row, value = text[0], values[text[0]]
    raise UnusableTable(
        f"could not convert string to float: {value!r}. Column {name!r} holds text in {len(text)} of "
        f"{values.size} rows (first: row {row}, {value!r}). Mark it as missing with "
        f"`missing_values=[{value!r}]` if that is what it means, make the column numeric if it holds "
        f"numbers, or {leave_out}."
    )


def refuse_infinite(numbers: Floats, name: Any) -> None:
    """Raise for a column with infinite values."""
    infinite = np.flatnonzero(np.isinf(numbers))
    row = int(infinite[0])
    raise UnusableTable(
        f"Input X contains infinity or a value too large for dtype('float64'). Column {name!r} "
        f"holds infinite values in {infinite.size} of {numbers.size} rows (first: row {row}, "
        f"{numbers[row]}). Finite numbers or missing values are needed; replace them first."
    )
