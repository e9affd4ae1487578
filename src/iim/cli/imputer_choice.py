"""An imputer from the options of a method; options are checked as far as possible before a file is read."""

from __future__ import annotations

import ast
import math
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from iim.cli.exits import WrongOptions
from iim.cli.parser import refusal
from iim.imputers import METHODS

if TYPE_CHECKING:
    from iim.imputers import Imputer

DEFAULT_METHOD = "iim"

WORDS = {"true": True, "false": False, "none": None, "null": None}
"""Values written differently in Python and JSON, in lower case."""

OBSERVED = "observed"

HAS_OPTION = {
    "missing_values": "use --na",
    "columns": "use --columns or --ignore",
    "min_value": "use --min",
    "max_value": "use --max",
    "round_integers": "use --round-integers or --no-round-integers",
    "random_state": "use --seed",
    "n_jobs": "use --jobs",
    "progress": "a terminal always shows it",
    "add_indicator": "files keep their columns",
    "keep_empty_features": "files keep their columns",
}
"""Parameters that ``--set`` refuses, and what to use instead."""


class ImputerChoice:
    """The imputer given by the options, before the columns are known.

    Parameters
    ----------
    options : Namespace
        Options added by ``options.add_method``.
    """

    def __init__(self, options: Namespace) -> None:
        self.key: str = options.method or DEFAULT_METHOD
        self._settings = parse_settings(options.settings or ())
        for name in self._settings:
            if name in HAS_OPTION:
                raise WrongOptions(f"--set: {name!r} cannot be set here; {HAS_OPTION[name]}")
        self._bounds = {
            "min_value": ("--min", parse_bounds("--min", options.min or ())),
            "max_value": ("--max", parse_bounds("--max", options.max or ())),
        }
        self._options = options

    def make(
        self, columns: Sequence[str], markers: Sequence[float | str], tell: Callable[[float], None]
    ) -> Imputer:
        """The imputer for a table with these columns, with the table's ``missing_values``."""
        method = METHODS[self.key]
        taken = method._defaults()
        for name in self._settings:
            if name not in taken:
                own = [each for each in taken if each not in HAS_OPTION]
                if not own:
                    raise WrongOptions(f"--set: {self.key} has no parameters; received {name!r}")
                raise WrongOptions(f"--set of method {self.key}: {refusal(name, own)}")
        settings = {
            **(method.PAPER if self._options.paper else {}),
            **self._settings,
            **{
                name: bounds_for(option, bounds, columns) for name, (option, bounds) in self._bounds.items()
            },
            **({"missing_values": list(markers)} if markers else {}),
            "round_integers": self._options.round_integers is not False,
            "progress": tell,
            "n_jobs": self._options.jobs or -1,
            "random_state": self._options.seed or 0,
        }
        imputer: Imputer = method(**method._taken(settings))
        return imputer


def parse_settings(entries: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` entries of ``--set``.

    Parameters
    ----------
    entries : sequence of str
        The entries; each name once.

    Returns
    -------
    dict
        Values by name: numbers, lists, true, false and none are converted, all else stays text.
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
    """The value of a literal of Python or JSON; the text itself if it is not a literal.

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
        The entries; each column once.

    Returns
    -------
    dict
        Bounds by column; None stands for all columns without a bound of their own.
    """
    bounds: dict[str | None, float | str] = {}
    for entry in entries:
        # At the last "=", because a column's name may contain one.
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
        Result of :func:`parse_bounds`.
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
