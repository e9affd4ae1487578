"""Words of a command line as values: numbers, literals, bounds, delimiters."""

from __future__ import annotations

import ast
import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from iim.cli.exits import WrongOptions
from iim.cli.parser import refusal

WORDS = {"true": True, "false": False, "none": None, "null": None}
"""Values that are written differently in Python and JSON, upper and lower case aside."""

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", r"\t": "\t"}
"""Delimiters that are hard to type, or to see, by their names."""

OBSERVED = "observed"


def whole(least: int) -> Callable[[str], int]:
    """A function that reads a whole number, which must be ``least`` or more."""

    def read(text: str) -> int:
        with suppress(ValueError):
            if (number := int(text)) >= least:
                return number
        raise ArgumentTypeError(f"a whole number, {least} or more, is needed; received {text!r}")

    return read


def threads(text: str) -> int:
    """Read a number of threads."""
    with suppress(ValueError):
        if number := int(text):
            return number
    raise ArgumentTypeError(f"a whole number other than 0 is needed (-1 is all cores); received {text!r}")


def share(text: str) -> float | int:
    """Read how much is hidden: a share, or, from 1 on, a number of cells."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"a share or a number of cells is needed; received {text!r}") from None
    return int(number) if number >= 1 and number.is_integer() else number


def delimiter(text: str) -> str:
    """Read a delimiter: one character, or its name."""
    found = DELIMITERS.get(text.lower(), text)
    if len(found) != 1:
        names = ", ".join(name for name in DELIMITERS if name.isalpha())
        raise ArgumentTypeError(f"one character, or {names} is needed; received {text!r}")
    return found


def parse_settings(entries: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` entries of ``--set``.

    Parameters
    ----------
    entries : sequence of str
        As given; each name once.

    Returns
    -------
    dict
        Values by name: numbers, lists, true, false and none as such, all else as text.
    """
    settings: dict[str, Any] = {}
    for entry in entries:
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not name or not equals:
            raise WrongOptions(f"--set: NAME=VALUE is needed, such as n_neighbors=5; received {entry!r}")
        if name in settings:
            raise WrongOptions(f"--set: each parameter once is needed; received {name!r} twice")
        settings[name] = parse_literal(value)
    return settings


def parse_literal(text: str) -> Any:
    """The value that a text stands for in Python or JSON; the text itself if it is no literal.

    >>> [parse_literal(text) for text in ("5", "true", "[1, 2]", '"5"', "votes")]
    [5, True, [1, 2], '5', 'votes']
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def parse_bounds(option: str, entries: Sequence[str]) -> dict[str | None, float | str]:
    """Read ``--min`` or ``--max``: ``0``, ``observed``, ``COLUMN=0`` or ``COLUMN=observed``.

    Parameters
    ----------
    option : str
        Its name, for messages.
    entries : sequence of str
        As given; each column once.

    Returns
    -------
    dict
        Bounds by column; None stands for all columns that are not named.
    """
    bounds: dict[str | None, float | str] = {}
    for entry in entries:
        # The last one: a column's name may hold one, too.
        name, equals, text = entry.rpartition("=")
        column = name if equals else None
        if column in bounds:
            twice = "a bound for all columns" if column is None else repr(column)
            raise WrongOptions(f"{option}: each column once is needed; received {twice} twice")
        bounds[column] = _parse_bound(option, entry, text.strip())
    return bounds


def _parse_bound(option: str, entry: str, text: str) -> float | str:
    if text.lower() == OBSERVED:
        return OBSERVED
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if math.isnan(number):
        raise WrongOptions(
            f"{option}: a number, {OBSERVED!r}, COLUMN=number or COLUMN={OBSERVED} is needed; "
            f"received {entry!r}"
        )
    return number


def bounds_for(
    option: str, bounds: dict[str | None, float | str], columns: Sequence[str]
) -> dict[str, float | str] | float | str | None:
    """The bounds as an imputer takes them: one for all columns, or by column.

    Parameters
    ----------
    option : str
        Its name, for messages.
    bounds : dict
        What :func:`parse_bounds` gave.
    columns : sequence of str
        Columns that are filled.

    Returns
    -------
    dict, float, str or None
    """
    named = {column: bound for column, bound in bounds.items() if column is not None}
    for column in named:
        if column not in columns:
            raise WrongOptions(f"{option}: {refusal(column, columns)}")
    if not named:
        return bounds.get(None)
    return (dict.fromkeys(columns, bounds[None]) if None in bounds else {}) | named
