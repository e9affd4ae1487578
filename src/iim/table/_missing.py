"""What counts as missing: nulls and NaN always, and any values the user names."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from iim._arrays import Booleans
from iim._checks import Check, each


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
