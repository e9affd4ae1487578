"""Numbers as text, with a fixed number of digits, so that those of a column can be compared."""

from __future__ import annotations

import math

from iim.paper.results import Number, Table

NOTHING = "\N{EN DASH}"
"""Replaces a missing number."""

MINUS = "\N{MINUS SIGN}"
"""A hyphen is too short among digits."""

SMALLEST, LARGEST = -5, 12
"""Powers of ten between which numbers are written without an exponent."""

MANY_TIMES = 10.0
"""Relative difference above which it is written as a multiple."""


def figure(value: float | None, digits: int) -> str:
    """A number with some significant digits, and all digits before the point; counts unchanged.

    >>> figure(8.405, 3), figure(0.0123456, 3), figure(12345.6, 3), figure(0.1, 3)
    ('8.40', '0.0123', '12,346', '0.100')
    >>> figure(7, 3), figure(1.5e-9, 3), figure(float("inf"), 3), figure(None, 3)
    ('7', '1.50e-09', 'infinite', '')
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else "infinite" if value > 0 else f"{MINUS}infinite"
    if value == 0.0 or isinstance(value, int):
        return _signed(f"{int(value):,}")
    # The exponent of the rounded number: 9.996 rounds to 10.0.
    power = int(f"{value:.{digits - 1}e}".rpartition("e")[2])
    if not SMALLEST <= power < LARGEST:
        return _signed(f"{value:.{digits - 1}e}")
    return decimals(value, max(0, digits - 1 - power))


def decimals(value: float | None, n: int) -> str:
    """A number with some decimals.

    >>> decimals(0.8349, 3), decimals(-0.0001, 3), decimals(1234.5, 1)
    ('0.835', '0.000', '1,234.5')
    """
    if value is None or not math.isfinite(value):
        return figure(value, 1)
    return _signed(f"{round(value, n) + 0.0:,.{n}f}")  # no sign for zero


def percent(part: float) -> str:
    """A relative difference in percent, with its sign.

    >>> percent(0.041), percent(0.001), percent(12.5)
    ('+4 %', '0 %', '+1,250 %')
    """
    rounded = round(100.0 * part)
    return f"{_signed(f'{rounded:+,}')} %" if rounded else "0 %"


def written(value: float | None, table: Table) -> str:
    """A number of a table."""
    return decimals(value, table.digits) if table.difference == "absolute" else figure(value, table.digits)


def written_difference(number: Number, table: Table) -> str:
    """The difference of ours from the paper's, with its sign; empty if one of them is missing."""
    gap = number.off(table.difference)
    if gap is None:
        return ""
    if table.difference == "absolute":
        text = decimals(gap, table.digits)
        return f"+{text}" if round(gap, table.digits) > 0.0 else text
    if gap >= MANY_TIMES and number.ours is not None and number.paper:
        return f"{figure(number.ours / number.paper, 2)} times"
    return percent(gap)


def _signed(text: str) -> str:
    return text.replace("-", MINUS, 1) if text.startswith("-") else text
