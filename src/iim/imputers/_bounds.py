"""Bounds of fills: ``min_value``, ``max_value`` and ``round_integers``, for the columns of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import replace
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import NUMBER, Check, each, exactly, one_of
from iim._names import find_each
from iim.exceptions import InvalidParameter
from iim.matrix import MaskedMatrix
from iim.table.fills import Limits

OBSERVED = "observed"
"""Stands for the smallest or largest known value of a column."""


def _are_columns(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) != 1:
        return False
    # Not Sequence: a pandas Index is none.
    if not (isinstance(value, Iterable) and isinstance(value, Sized)) or len(value) == 0:
        return False
    return not any(isinstance(entry, (bool, np.bool_)) for entry in value)


COLUMNS = exactly(None) | Check("a sequence of names or positions, not empty", _are_columns)
"""Check of the parameter ``columns``."""


def _bound_check(number: Check) -> Check:
    entry = exactly(None) | number | one_of(OBSERVED)
    several = each(entry, "these (one per column)")
    return (
        entry
        # A set has no order to match the columns.
        | replace(several, accepts=lambda value: not isinstance(value, Set) and several.accepts(value))
        | Check(
            "a mapping from columns to these",
            lambda value: isinstance(value, Mapping) and all(map(entry.accepts, value.values())),
        )
    )


# Fills are finite, so no fill could satisfy an infinite lower bound.
MIN_VALUE = _bound_check(
    Check("a number below infinity", lambda value: NUMBER.accepts(value) and value < math.inf)
)
MAX_VALUE = _bound_check(
    Check("a number above -infinity", lambda value: NUMBER.accepts(value) and value > -math.inf)
)
"""Checks of the parameters ``min_value`` and ``max_value``."""


def decide_limits(
    owner: str,
    matrix: MaskedMatrix,
    columns: tuple[Any, ...],
    positions: Integers,
    *,
    min_value: Any,
    max_value: Any,
    ranges: Sequence[tuple[float, float]] | None,
) -> Limits:
    """Resolve the bounds of fills for each column of the table.

    Parameters
    ----------
    owner : str
        Class name of the imputer, for messages.
    matrix : MaskedMatrix
        The columns that are filled.
    columns : tuple
        Names of all columns of the table.
    positions : ndarray
        Positions of the matrix's columns in ``columns``.
    min_value, max_value : object
        The parameters.
    ranges : sequence of tuple of float, or None
        Ranges of the dtypes of the matrix's columns, if ``round_integers``.

    Returns
    -------
    Limits
        Of all columns of the table.
    """
    known = {
        int(position): matrix.values[~matrix.missing[:, place], place]
        for place, position in enumerate(positions)
    }
    seen = {position: values for position, values in known.items() if values.size}
    for name, given in {"min_value": min_value, "max_value": max_value}.items():
        if isinstance(given, Mapping):
            _refuse_left_out(owner, name, given, columns, positions)
    low, high = np.full(len(columns), -np.inf), np.full(len(columns), np.inf)
    if min_value is not None:
        low = _bounds(owner, "min_value", min_value, columns, {at: seen[at].min() for at in seen})
    if max_value is not None:
        high = _bounds(owner, "max_value", max_value, columns, {at: seen[at].max() for at in seen})
    crossed = np.flatnonzero(low > high)
    if crossed.size:
        first = int(crossed[0])
        raise InvalidParameter(
            f"`min_value` of {owner}: no more than `max_value` is needed; received {low[first]:g} and "
            f"{high[first]:g} for column {columns[first]!r}."
        )
    whole = np.zeros(len(columns), dtype=bool)
    if ranges is not None:
        for position, dtype_range in zip(known, ranges, strict=True):
            whole[position] = np.all(known[position] == np.rint(known[position]))
            if whole[position]:
                low[position], high[position] = _whole_limits(
                    owner, columns[position], (low[position], high[position]), dtype_range
                )
    return Limits(low, high, whole)


def _refuse_left_out(
    owner: str, name: str, given: Mapping[Any, Any], columns: tuple[Any, ...], positions: Integers
) -> None:
    """Refuse a bound for a column that is not filled: it would be ignored silently."""
    for position in find_each(given, columns, parameter=name):
        if position not in positions:
            raise InvalidParameter(
                f"`{name}` of {owner}: columns that are filled are needed; received "
                f"{columns[position]!r}, which `columns` leaves out. Leave it out here, too."
            )


def _bounds(
    owner: str, name: str, given: Any, columns: tuple[Any, ...], observed: Mapping[int, float]
) -> Floats:
    """One bound for each column; infinite for none."""
    none = -np.inf if name == "min_value" else np.inf
    bounds = np.full(len(columns), none)
    for position, entry in _entries(owner, name, given, columns).items():
        if entry is not None:
            bounds[position] = observed.get(position, none) if isinstance(entry, str) else entry
    return bounds


def _entries(owner: str, name: str, given: Any, columns: tuple[Any, ...]) -> dict[int, Any]:
    if isinstance(given, Mapping):
        positions = find_each(given, columns, parameter=name)
        return dict(zip(positions, given.values(), strict=True))
    if isinstance(given, str) or NUMBER.accepts(given):
        return dict.fromkeys(range(len(columns)), given)
    if len(given) != len(columns):
        raise InvalidParameter(
            f"`{name}` of {owner}: one number, or one for each of the {len(columns)} columns of the table, "
            f"is needed; received {len(given)}. To bound some columns only, give a dict from their names."
        )
    return dict(enumerate(given))


def _whole_limits(
    owner: str, column: Any, bounds: tuple[float, float], dtype_range: tuple[float, float]
) -> tuple[float, float]:
    """The smallest and largest whole number within two bounds and the range of the dtype."""
    low, high = float(np.ceil(bounds[0])), float(np.floor(bounds[1]))
    held = ""
    if low <= high:
        low, high = max(low, dtype_range[0]), min(high, dtype_range[1])
        held = f", whose type holds {dtype_range[0]:g} to {dtype_range[1]:g}"
    if low > high:
        raise InvalidParameter(
            f"`round_integers` of {owner}: a whole number between `min_value` and `max_value` is needed; "
            f"received {bounds[0]:g} and {bounds[1]:g} for column {column!r}{held}. Change these bounds."
        )
    return low, high
