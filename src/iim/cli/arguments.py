"""Words of a command line as values: several after one option, literals, bounds, delimiters."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from iim.cli.exits import WrongOptions

NEGATIVE_NUMBER = re.compile(r"-([.,]?\d|inf\b|nan\b)", re.IGNORECASE)
"""How a number begins that could be taken for an option."""

WORDS = {"true": True, "false": False, "none": None, "null": None}
"""Values that are written differently in Python and JSON, upper and lower case aside."""

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", r"\t": "\t"}
"""Delimiters that are hard to type, or to see, by their names."""

OBSERVED = "observed"


def spread(arguments: Sequence[str], parameters: Iterable[Any]) -> list[str]:
    """Repeat an option for each value after it: ``--na ? n/a -200`` is ``--na=? --na=n/a --na=-200``.

    Only for options that can be repeated, and only once all arguments of the command were given: before,
    a word could be one of them. ``-200`` is a number, no option, and ``--`` ends all options.

    Parameters
    ----------
    arguments : sequence of str
        As the shell gave them.
    parameters : iterable
        The options and arguments of a command, as typer describes them.

    Returns
    -------
    list of str
        The same, with every option before each of its values.
    """
    parameters = list(parameters)
    by_name = {name: one for one in parameters for name in (*one.opts, *one.secondary_opts)}
    n_awaited = sum(one.param_type_name == "argument" for one in parameters)
    rest = list(arguments)
    done: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*done, word, *rest]
        if not _is_option(word):
            n_awaited -= 1
            done.append(word)
            continue
        name, value = _split_option(word, by_name)
        option = by_name.get(name)
        if option is None or option.is_flag or (value is None and not rest):
            done.append(word)
        elif not option.multiple:
            done += [word] if value is not None else [word, rest.pop(0)]
        else:
            done.append(f"{option.opts[0]}={rest.pop(0) if value is None else value}")
            while n_awaited <= 0 and rest and not _is_option(rest[0]):
                done.append(f"{option.opts[0]}={rest.pop(0)}")
    return done


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and not NEGATIVE_NUMBER.match(word)


def _split_option(word: str, by_name: dict[str, Any]) -> tuple[str, str | None]:
    """The option that a word ends with, and the value that the word holds already."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    # Short options can be written together, the last one with its value: -qo filled.csv, -qofilled.csv.
    for at, letter in enumerate(word[1:], start=2):
        option = by_name.get(f"-{letter}")
        if option is None or not option.is_flag:
            return f"-{letter}", word[at:] or None
    return f"-{word[-1]}", None


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
    option: str,
    bounds: dict[str | None, float | str],
    columns: Sequence[str],
    refuse: Callable[[str, str, Sequence[str]], Exception],
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
    refuse : callable
        Makes the error for a name that is none of them.

    Returns
    -------
    dict, float, str or None
    """
    named = {column: bound for column, bound in bounds.items() if column is not None}
    for column in named:
        if column not in columns:
            raise refuse(option, column, columns)
    if not named:
        return bounds.get(None)
    return (dict.fromkeys(columns, bounds[None]) if None in bounds else {}) | named


def parse_delimiter(text: str | None) -> str | None:
    """The delimiter that is meant: one character, or its name."""
    if text is None:
        return None
    delimiter = DELIMITERS.get(text.lower(), text)
    if len(delimiter) != 1:
        names = ", ".join(name for name in DELIMITERS if name.isalpha())
        raise WrongOptions(f"--delimiter: one character, or {names} is needed; received {text!r}")
    return delimiter
