"""One column of anything: which cells are missing, what is in the others, and their numbers.

:func:`open_column` is the one place that asks containers for their cells. :func:`count_facts` counts them,
for :func:`iim.table.kinds.kind_of`; :func:`read_column` makes float64 and a mask of them, or raises with a
message that names the first cell that is no number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from iim._arrays import Booleans, Floats
from iim._checks import Check, each
from iim._names import quoted
from iim.exceptions import UnusableCell, UnusableTable
from iim.table.kinds import WHOLE, Facts, bounded, declared_kind, is_called_id, kind_of

WITH_COLUMNS = "leave the column out with `columns=`"
"""What imputers advise for a column that is no numbers."""

LOOKED_AT = 100
"""Cells of a piece that are looked at first; of texts, no others are read as numbers or dates."""

EXACT = 2**53
"""Beyond this every float64 is whole, which proves nothing."""

LIKE_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}.*)?")
"""Dates and times as they are written most."""

_CLASSES: tuple[tuple[str, tuple[type[Any], ...]], ...] = (
    ("dates", (date, np.datetime64)),
    ("times", (time,)),
    ("durations", (timedelta, np.timedelta64)),
    ("lists", (list, tuple, set, frozenset, np.ndarray)),
    ("records", (dict,)),
)


def is_null(value: Any) -> bool:
    """Whether a single value is None, NaN, or a library's own null."""
    if value is None:
        return True
    # pandas.NA is not equal to itself either, but refuses to be a truth value.
    if type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_marker(value: Any) -> bool:
    """Whether a value can mean "missing": a null, a number, or text."""
    is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return is_null(value) or is_number or isinstance(value, str)


_MARKER = Check("a number, text, None or NaN", is_marker)

MARKERS = _MARKER | each(_MARKER, "these")
"""What the parameter ``missing_values`` may be."""


def named_values(missing_values: Any) -> tuple[Any, ...]:
    """The values, besides nulls, that mean "missing": from one value or a list of them."""
    listed = [missing_values] if is_marker(missing_values) else list(missing_values)
    return tuple(value for value in listed if not is_null(value))


def is_missing(cell: Any, named: tuple[Any, ...]) -> bool:
    """Whether a Python object is a null, or equals one of the named values."""
    if is_null(cell):
        return True
    if not named or isinstance(cell, np.timedelta64):
        return False
    if isinstance(cell, (np.integer, np.floating)):
        # As Python compares: numpy's scalars overflow, or compare in single precision.
        return cell.item() in named
    return isinstance(cell, (str, Real)) and cell in named


def is_named(values: np.ndarray[Any, Any], named: tuple[Any, ...]) -> Booleans:
    """True where an array of numbers equals one of the named values."""
    numbers = [value for value in named if not isinstance(value, str)]
    found = np.zeros(values.shape, dtype=bool)
    for number in numbers:
        try:
            with np.errstate(over="raise"):
                found |= values == number
        except (OverflowError, FloatingPointError):
            continue  # beyond the range of the dtype, where no cell is
    return found


def open_column(name: Any, column: Any) -> tuple[np.ndarray[Any, Any] | Sequence[Any] | None, Booleans]:
    """The cells of a column, and which of them are nulls.

    Parameters
    ----------
    name : object
        The column's name, for messages.
    column : ndarray, narwhals Series, or list
        Its cells.

    Returns
    -------
    cells : ndarray of numbers or booleans, list of objects, or None
        None if there are only nulls, or if the type says that the cells are neither.
    null : ndarray of shape (n_rows,)
        Those of objects are not looked for.
    """
    if isinstance(column, (list, tuple)):
        return _plain_in(column) or (column, np.zeros(len(column), dtype=bool))
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "mM":
            return None, np.isnat(column)
        if column.dtype.kind in "OUST":
            return open_column(name, column.tolist())
        is_number = column.dtype.kind in "buif"
        return (column, np.zeros(column.shape, dtype=bool)) if is_number else (None, column != column)
    null = column.is_null().to_numpy()
    if null.all():
        return None, null
    if column.dtype in (nw.Object, nw.Unknown, nw.String, nw.Categorical, nw.Enum):
        return open_column(name, column.to_list())
    if column.dtype == nw.Boolean:
        return column.fill_null(value=False).to_numpy().astype(bool), null
    if not column.dtype.is_numeric():
        return None, null
    try:
        cells = column.to_numpy()
    except Exception as error:  # of whatever library: not all know numpy's word for all their types
        raise UnusableTable(
            f"Column {name!r} is of type {column.dtype}, which cannot be read as numbers: {error}. "
            "Cast it to 64 bits, or leave the column out."
        ) from error
    return (cells if cells.dtype.kind in "buif" else cells.tolist()), null


def _plain_in(cells: Sequence[Any]) -> tuple[np.ndarray[Any, Any], Booleans] | None:
    """Objects of one plain type, beside None and NaN, as an array: one by one they would take seconds."""
    types = set(map(type, cells))
    if float in types and types <= {float, type(None)}:
        numbers = np.array(cells, dtype=np.float64)
        return numbers, np.isnan(numbers)
    if bool not in types or not types <= {bool, float, type(None)}:
        return None
    if float in types and not all(map(math.isnan, (cell for cell in cells if type(cell) is float))):
        return None
    null = np.array([type(cell) is not bool for cell in cells])
    return np.array(cells, dtype=object) == True, null  # noqa: E712 (cell by cell)


def read_column(
    name: Any, column: Any, named: tuple[Any, ...], leave_out: str = WITH_COLUMNS
) -> tuple[Floats, Booleans]:
    """Read a column as numbers.

    Parameters
    ----------
    name : object
        The column's name, for messages.
    column : ndarray or narwhals Series
        Numbers or booleans; or objects, if each is a number or missing.
    named : tuple
        What is missing besides nulls and NaN.
    leave_out : str
        How to leave the column out, for messages.

    Returns
    -------
    numbers : ndarray of shape (n_rows,)
        float64, NaN where missing.
    missing : ndarray of shape (n_rows,)
    """
    cells, null = open_column(name, column)
    if cells is None:
        if not null.all():
            _refuse_type(name, column, np.flatnonzero(~null).tolist(), leave_out)
        return np.full(null.size, np.nan), np.ones(null.size, dtype=bool)
    if not isinstance(cells, np.ndarray):
        return _read_objects(name, cells, named, leave_out)
    numbers = cells.astype(np.float64)
    missing = null | np.isnan(numbers)
    if named:
        missing |= is_named(cells, named)
    numbers[missing] = np.nan
    if np.isinf(numbers).any():
        _refuse_infinite(name, numbers)
    return numbers, missing


def _read_objects(
    name: Any, values: Sequence[Any], named: tuple[Any, ...], leave_out: str
) -> tuple[Floats, Booleans]:
    numbers = np.full(len(values), np.nan)
    missing = np.zeros(len(values), dtype=bool)
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
                    f"{error}. Column {name!r} holds {quoted(value)} in row {row}: numbers and missing "
                    f"values are needed. Make the column numeric, or {leave_out}."
                ) from error
    if dates:
        _refuse_dates(name, dates, values, leave_out)
    if text:
        _refuse_text(name, text, values, missing, leave_out)
    missing |= is_named(numbers, named) | np.isnan(numbers)
    numbers[missing] = np.nan
    if np.isinf(numbers).any():
        _refuse_infinite(name, numbers)
    return numbers, missing


def _refuse_text(
    name: Any, text: list[int], values: Sequence[Any], missing: Booleans, leave_out: str
) -> None:
    """Raise for a column with text in some rows."""
    row, value = text[0], values[text[0]]
    conversion = f"could not convert string to float: {value!r}. Column {name!r} holds"
    if len(text) + missing.sum() == len(values):
        # Nothing else is in it: its first text is no mark of what is missing.
        kind = kind_of(count_facts(name, [values[at] for at in text]))
        raise UnusableTable(
            f"{conversion} text in all {len(text)} known cells ({kind}; first: row {row}, {value!r}). "
            f"Numbers are needed: {leave_out}."
        )
    raise UnusableTable(
        f"{conversion} text in {len(text)} of {len(values)} rows (first: row {row}, {value!r}). Mark it as "
        f"missing with `missing_values=[{value!r}]` if that is what it means, make the column numeric if "
        f"it holds numbers, or {leave_out}."
    )


def _refuse_dates(name: Any, dates: list[int], values: Any, leave_out: str) -> None:
    """Raise for a column with dates or durations of numpy in some rows."""
    row, value = dates[0], values[dates[0]]
    is_date = value.dtype.kind == "M"
    example = (
        "(dates - dates.min()) / np.timedelta64(1, 'D')"
        if is_date
        else "durations / np.timedelta64(1, 's')"
    )
    raise UnusableTable(
        f"Column {name!r} holds {'dates' if is_date else 'durations'} in {len(dates)} of {len(values)} "
        f"rows (first: row {row}, {value!r}). Numbers are needed: compute them, for example with "
        f"`{example}`, or {leave_out}."
    )


def _refuse_infinite(name: Any, numbers: Floats) -> None:
    """Raise for a column with infinite values."""
    infinite = np.flatnonzero(np.isinf(numbers))
    row = int(infinite[0])
    raise UnusableTable(
        f"Input X contains infinity or a value too large for dtype('float64'). Column {name!r} "
        f"holds infinite values in {infinite.size} of {numbers.size} rows (first: row {row}, "
        f"{numbers[row]}). Finite numbers or missing values are needed; replace them first."
    )


def _refuse_type(name: Any, column: Any, known: list[int], leave_out: str) -> None:
    """Raise for a column whose type says that it holds no numbers."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        _refuse_dates(name, known, column, leave_out)
    raise UnusableTable(
        f"Column {name!r} is of type {column.dtype}, which is not a number (first: row {known[0]}, "
        f"{column[known[0]]!r}). Make the column numeric, or {leave_out}."
    )


def count_facts(name: Any, column: Any, missing_values: Any = None) -> Facts:
    """Count what is in a column, or in a part of it.

    Parameters
    ----------
    name : object
        The column's name.
    column : ndarray, narwhals Series, native series (pandas, polars, pyarrow), or list
        Its cells.
    missing_values : object
        What is missing besides nulls and NaN.

    Returns
    -------
    Facts
    """
    named, is_list = named_values(missing_values), isinstance(column, (list, tuple))
    if not (is_list or isinstance(column, np.ndarray)):
        column = nw.from_native(column, series_only=True)
    facts = Facts(name, None if is_list else declared_kind(column.dtype), n_rows=len(column))
    try:
        cells, missing = open_column(name, column)
    except UnusableTable:  # reading the column says it
        n_known = len(column) - int(column.is_null().sum())
        whole = facts.declared is not None and facts.declared.kind == WHOLE
        return replace(facts, n_known=n_known, n_numbers=n_known, whole=whole)
    if cells is None:
        n_known = int(missing.size - missing.sum())
        others = {} if facts.declared is None else {facts.declared.reason: n_known}
        return replace(facts, n_known=n_known, others=Counter(others))
    if isinstance(cells, np.ndarray):
        return _count_numbers(facts, cells, missing, named)
    return _count_cells(facts, cells, named)


def _count_numbers(
    facts: Facts, numbers: np.ndarray[Any, Any], missing: Booleans, named: tuple[Any, ...]
) -> Facts:
    is_float = numbers.dtype.kind == "f"
    if is_float:
        missing = missing | np.isnan(numbers)
    if named:
        missing = missing | is_named(numbers, named)
    known = numbers[~missing]
    if numbers.dtype == np.float16:
        known = known.astype(np.float32)  # which EXACT fits into
    # In most columns with fractions, the first cells show it.
    whole = not is_float or all(
        bool(np.all((part == np.rint(part)) & (np.abs(part) <= EXACT)))
        for part in (known[:LOOKED_AT], known)
    )
    # To sort all columns would take longer than all the rest.
    looked = whole and known.size == numbers.size and is_called_id(facts.name)
    return replace(
        facts,
        n_known=known.size,
        n_numbers=known.size,
        n_booleans=known.size if numbers.dtype.kind == "b" else 0,
        whole=whole,
        unique=looked and all_different(known),
    )


def all_different(numbers: np.ndarray[Any, Any]) -> bool:
    """Whether no number is twice; none is NaN. Hashing whole numbers would take a hundred times as long."""
    ordered = np.sort(numbers)
    return bool(np.all(ordered[1:] != ordered[:-1]))


def _count_cells(facts: Facts, cells: Sequence[Any], named: tuple[Any, ...]) -> Facts:
    known = [cell for cell in cells if not is_missing(cell, named)]
    texts = [cell for cell in known if isinstance(cell, (str, bytes))]
    rest = [] if len(texts) == len(known) else [one for one in known if not isinstance(one, (str, bytes))]
    others = Counter(what for what in map(_class_of, rest) if what is not None)
    numbers = [cell for cell in rest if _class_of(cell) is None] if others else rest
    looked = texts[:LOOKED_AT]
    return replace(
        facts,
        n_known=len(known),
        n_numbers=len(numbers),
        n_booleans=sum(isinstance(cell, (bool, np.bool_)) for cell in numbers),
        n_texts=len(texts),
        whole=all(map(_is_whole, numbers)),
        unique=is_called_id(facts.name) and not others and len(set(known)) == len(known),
        texts=bounded(frozenset(map(_as_text, texts))),
        n_looked=len(looked),
        n_like_numbers=sum(map(_reads_as_number, looked)),
        n_like_dates=sum(LIKE_DATE.fullmatch(_as_text(text)) is not None for text in looked),
        others=others,
    )


def _class_of(cell: Any) -> str | None:
    """What a cell that is no text is, if not a number."""
    if isinstance(cell, (float, int)):
        return None
    found = next((what for what, types in _CLASSES if isinstance(cell, types)), None)
    return found or (None if _reads_as_number(cell) else "objects")


def _reads_as_number(cell: Any) -> bool:
    try:
        float(cell)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False
    return True


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, (int, np.integer)):
        return True
    try:
        number = float(cell)
    except OverflowError:
        return False
    return number.is_integer() and abs(number) <= EXACT


def _as_text(cell: str | bytes) -> str:
    return cell if isinstance(cell, str) else repr(cell)
