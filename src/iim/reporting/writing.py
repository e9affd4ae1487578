"""Numbers and names as people write them."""

from __future__ import annotations

import math

from iim.present.names import JOINERS
from iim.present.numbers import count

NOTHING = "\N{EN DASH}"
"""What stands where there is no number."""

LONGEST_NAME = 400
"""Letters of a name that are shown; of longer ones, the middle is left out."""

LONGEST_TEXT = 5000
"""The same of a message, which may hold names."""


def shown(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""A text in which nothing is hidden: control characters and turns of direction are written out.

    Names that differ in these only stay apart. Newlines are no exception: a name is one line.

    >>> print(shown("a\tb"))
    a\tb
    """
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-(longest // 2) :]}"
    return text if text.isprintable() else "".join(map(_shown_letter, text))


def _shown_letter(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS:
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def name_text(name: str) -> str:
    """A name to be shown: never empty or blank."""
    if not name:
        return "(empty name)"
    return shown(name, LONGEST_NAME) if name.strip(" ") else f"({count(len(name), 'blank')})"


def figure(value: float | None) -> str:
    """Five digits of a number, or a dash; as people write it, if it is neither huge nor tiny.

    >>> figure(1009.3125), figure(0.5), figure(99999.7), figure(1234567.8), figure(1.5e-9)
    ('1009.3', '0.5', '100,000', '1,234,568', '1.5e-09')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    # From where five digits would round to a sixth, and be written with an exponent.
    if 99_999.5 <= abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value + 0.0:.5g}"  # no sign for zero


def decimals(value: float | None, n: int = 2) -> str:
    """A number with so many decimals, or a dash; what is above zero is never rounded to nothing.

    >>> decimals(0.126), decimals(0.000002), decimals(0.0), decimals(-0.001)
    ('0.13', 'under 0.01', '0.00', '0.00')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    if 0.0 < value < 0.5 * 10.0**-n:
        return f"under {10.0**-n:.{n}f}"
    return f"{round(value, n) + 0.0:.{n}f}"  # no sign for zero


def percent(share: float | None) -> str:
    """A share in percent, never rounded to nothing or to all.

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
    """A count with commas, or a dash."""
    return NOTHING if number is None else f"{number:,}"


def counted(n: int, thing: str) -> str:
    """A number of things, with commas: ``1 row``, ``2,000 rows``."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
