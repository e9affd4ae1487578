"""Numbers as text."""

from __future__ import annotations

import math

NOTHING = "\N{EN DASH}"
"""Replaces a missing number; a hyphen in terminals."""


def figure(value: float | None, digits: int = 5) -> str:
    """A number with some significant digits, or a dash; with an exponent only if it is huge or tiny.

    >>> figure(1009.3125), figure(0.5), figure(99999.7), figure(1234567.8), figure(1.5e-9)
    ('1009.3', '0.5', '100,000', '1,234,568', '1.5e-09')
    >>> figure(0.123456, 4), figure(12345.6, 4), figure(float("inf"), 4)
    ('0.1235', '12,346', 'inf')
    """
    if value is None or math.isnan(value):
        return NOTHING
    # From here on, rounding would add a digit, and an exponent would be written.
    if 10.0**digits - 0.5 <= abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value + 0.0:.{digits}g}"  # no sign for zero


def decimals(value: float | None, n: int = 2) -> str:
    """A number with some decimals, or a dash; a positive number is never shown as zero.

    >>> decimals(0.126), decimals(0.000002), decimals(0.0), decimals(-0.001)
    ('0.13', 'under 0.01', '0.00', '0.00')
    """
    if value is None or not math.isfinite(value):
        return figure(value)
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    if 0.0 < value < 0.5 * 10.0**-n:
        return f"under {10.0**-n:.{n}f}"
    return fixed(value, n)


def fixed(value: float | None, n: int) -> str:
    """A number with exactly ``n`` decimals, or a dash."""
    if value is None or not math.isfinite(value):
        return figure(value)
    return f"{round(value, n) + 0.0:.{n}f}"  # no sign for zero


def percent(share: float | None) -> str:
    """A share in percent, never rounded to 0 or 100.

    >>> percent(0.05), percent(0.00001), percent(1.0)
    ('5.0 %', 'under 0.1 %', '100 %')
    """
    if share is None or not math.isfinite(share):
        return NOTHING
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "under 0.1 %"
    return "over 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def whole(number: int | None) -> str:
    """A whole number with commas, or a dash."""
    return NOTHING if number is None else f"{number:,}"


def count(n: int, thing: str, plural: str | None = None) -> str:
    """A number of things: ``1 row``, ``1,296 rows``."""
    return f"{n:,} {thing if n == 1 else plural or thing + 's'}"


def duration(seconds: float) -> str:
    """A time: ``0.4 s``, ``75 s``, ``12 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
