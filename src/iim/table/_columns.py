"""One column of anything to float64 and a mask, or a message that names the cell."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats
from iim.exceptions import UnusableCell, UnusableTable
from iim.table._missing import is_missing, is_named, named_values
from iim.table.column_facts import count_facts
from iim.table.kinds import kind_of

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
    dates: list[int] = []
    for row, value in enumerate(values):
        if is_missing(value, named):
            missing[row] = True
        elif isinstance(value, (str, bytes)):
            text.append(row)
        elif isinstance(value, (np.datetime64, np.timedelta64)):
            # Some of them would become numbers: nanoseconds.
            dates.append(row)
        else:
            try:
                numbers[row] = float(value)
            except (TypeError, ValueError, OverflowError) as error:
                raise UnusableCell(
                    f"{error}. Column {name!r} holds {value!r} in row {row}: numbers and missing "
                    f"values are needed. Make the column numeric, or {leave_out}."
                ) from error
    if dates:
        refuse_dates(name, dates, values, leave_out)
    if text:
        refuse_text(name, text, values, missing, leave_out)
    missing |= is_named(numbers, named) | np.isnan(numbers)
    numbers[missing] = np.nan
    if np.isinf(numbers).any():
        refuse_infinite(numbers, name)
    return numbers, missing


def refuse_text(
    name: Any, text: list[int], values: np.ndarray[Any, Any], missing: Booleans, leave_out: str
) -> None:
    """Raise for a column with text in some rows."""
    row, value = text[0], values[text[0]]
    conversion = f"could not convert string to float: {value!r}. Column {name!r} holds"
    if len(text) + missing.sum() == values.size:
        # Nothing else is in it: its first text is no mark of what is missing.
        kind = kind_of(count_facts(name, values[text]))
        raise UnusableTable(
            f"{conversion} text in all {len(text)} known cells ({kind}; first: row {row}, {value!r}). "
            f"Numbers are needed: {leave_out}."
        )
    raise UnusableTable(
        f"{conversion} text in {len(text)} of {values.size} rows (first: row {row}, {value!r}). Mark it as "
        f"missing with `missing_values=[{value!r}]` if that is what it means, make the column numeric if "
        f"it holds numbers, or {leave_out}."
    )


def refuse_dates(name: Any, dates: list[int], values: np.ndarray[Any, Any], leave_out: str) -> None:
    """Raise for a column with dates or durations of numpy in some rows."""
    row, value = dates[0], values[dates[0]]
    is_date = value.dtype.kind == "M"
    example = (
        "(dates - dates.min()) / np.timedelta64(1, 'D')"
        if is_date
        else "durations / np.timedelta64(1, 's')"
    )
    raise UnusableTable(
        f"Column {name!r} holds {'dates' if is_date else 'durations'} in {len(dates)} of {values.size} "
        f"rows (first: row {row}, {value!r}). Numbers are needed: compute them, for example with "
        f"`{example}`, or {leave_out}."
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
