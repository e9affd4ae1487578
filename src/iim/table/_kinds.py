"""Which columns are no numbers at all, and what they are instead.

Functions that only look at a table go on without these: names, dates and categories stand beside numbers in
most tables. A column that mixes numbers with something else is another matter: reading it fails, and says
which cells to mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from iim.table._missing import is_null, named_values

LOOKED_AT = 100
"""Cells of text that are looked at for whether they read as numbers."""

TEXT_OF_NUMBERS = "text, though most of it reads as numbers: make the column numeric to use it"
"""Why a column is set aside whose numbers came as text."""

_BY_DTYPE: tuple[tuple[type[Any], str], ...] = (
    (nw.Date, "dates"),
    (nw.Datetime, "dates"),
    (nw.Time, "times"),
    (nw.Duration, "durations"),
    (nw.List, "lists"),
    (nw.Array, "lists"),
    (nw.Struct, "records"),
    (nw.Binary, "bytes"),
)

_BY_CLASS: tuple[tuple[str, tuple[type[Any], ...]], ...] = (
    ("dates", (date, np.datetime64)),
    ("times", (time,)),
    ("durations", (timedelta, np.timedelta64)),
    ("lists", (list, tuple, set, frozenset, np.ndarray)),
    ("records", (dict,)),
)

_OF_OBJECTS = (nw.String, nw.Categorical, nw.Enum, nw.Object, nw.Unknown)


def kinds_in_frame(frame: nw.DataFrame[Any], missing_values: Any) -> Mapping[Any, str]:
    """Columns of a frame that are no numbers at all, and what they are: ``text``, ``dates`` and so on."""
    found = {name: _kind_of_series(frame.get_column(name), missing_values) for name in frame.columns}
    return {name: kind for name, kind in found.items() if kind is not None}


def kinds_in_array(
    array: np.ndarray[Any, Any], missing_values: Any, columns: tuple[Any, ...]
) -> Mapping[Any, str]:
    """As :func:`kinds_in_frame`, for an array with names for its columns."""
    if array.dtype.kind in "buif":
        return {}
    if array.dtype.kind in "mM":
        # As objects, some would be whole numbers.
        return dict.fromkeys(columns, "dates" if array.dtype.kind == "M" else "durations")
    found = {
        name: _kind_of_objects(array[:, position].astype(object), missing_values)
        for position, name in enumerate(columns)
    }
    return {name: kind for name, kind in found.items() if kind is not None}


def _kind_of_series(series: nw.Series[Any], missing_values: Any) -> str | None:
    if series.dtype.is_numeric() or series.dtype == nw.Boolean or series.is_null().all():
        return None
    if series.dtype in _OF_OBJECTS:
        kind = _kind_of_objects(series.to_list(), missing_values)
        is_category = series.dtype in (nw.Categorical, nw.Enum)
        return "categories" if kind is not None and is_category else kind
    by_dtype = (kind for dtype, kind in _BY_DTYPE if series.dtype == dtype)
    return next(by_dtype, f"of type {series.dtype}")


def _kind_of_objects(values: Iterable[Any], missing_values: Any) -> str | None:
    """What known cells are if none is a number; None if one is, or if there is no known cell."""
    named = named_values(missing_values)
    known = [
        value for value in values if not is_null(value) and not (isinstance(value, str) and value in named)
    ]
    if not known or any(map(_is_number, known)):
        return None
    if all(isinstance(value, (str, bytes)) for value in known):
        few = known[:LOOKED_AT]
        return TEXT_OF_NUMBERS if 2 * sum(map(_reads_as_number, few)) > len(few) else "text"
    by_class = (kind for kind, types in _BY_CLASS if all(isinstance(value, types) for value in known))
    return next(by_class, "objects")


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes, np.ndarray, np.datetime64, np.timedelta64)):
        return False
    return _reads_as_number(value)


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False
    return True
