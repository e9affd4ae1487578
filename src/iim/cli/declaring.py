"""How an option is declared: its topic in the help, its text, its completion, its check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

GENERAL = "General"
"""Topic of the options that every command has."""

TABLE = "Columns and cells"
METHOD = "Method"
LAYOUT = "How files are written"
RESULT = "Result"
HIDING = "Hiding cells"
DATA = "Data sets"
EXPERIMENTS = "Experiments"
ENGINE = "Folders of any size"


def option(
    *names: str,
    panel: str,
    text: str,
    metavar: str | None = None,
    complete: Callable[[str], list[str]] | None = None,
    check: Callable[[Any], Any] | None = None,
) -> Any:
    """An option whose text names its default, so that all read alike."""
    return typer.Option(
        *names,
        help=text,
        metavar=metavar,
        rich_help_panel=panel,
        show_default=False,
        autocompletion=complete,
        callback=check,
    )


def any_but_zero(value: int | None) -> int | None:
    """A check of a number of threads."""
    if value == 0:
        raise typer.BadParameter("a whole number other than 0 is needed (-1 is all cores); received 0")
    return value


def at_least(least: int) -> Callable[[int | None], int | None]:
    """A check of an option that takes a whole number."""

    def check(value: int | None) -> int | None:
        if value is not None and value < least:
            raise typer.BadParameter(f"a whole number, {least} or more, is needed; received {value}")
        return value

    return check
