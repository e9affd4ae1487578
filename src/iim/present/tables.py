"""The one model: cells below heads, and pages of paragraphs and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from iim.present.numbers import NOTHING, figure, percent, whole

MOST_ROWS = 200
"""Rows of a table; how many are left out is said."""

MOST_TOGETHER = 6
"""Names in one cell."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        Words, or a number as it is written; empty if it holds names.
    names : tuple of str
        Names of columns or methods, which are hostile.
    value : float or None
        What to sort it by, if it is a number.
    n_more : int
        Names that are left out.
    fills : bool
        Whether it is about filled values, which have a colour in the report.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    value: float | None = None
    n_more: int = 0
    fills: bool = False

    def written(self, write_name: Callable[[str], str], write_text: Callable[[str], str]) -> str:
        """The content, with names and text as a renderer writes them."""
        if not self.names:
            return write_text(self.text)
        more = f" and {self.n_more} more" if self.n_more else ""
        return ", ".join(map(write_name, self.names)) + more


@dataclass(frozen=True)
class Head:
    """The head of a column of a table.

    Attributes
    ----------
    text : str
        What it says.
    kind : {"number", "name", "words"}
        What the cells hold. Numbers are set to the right. A terminal wraps words, and several names in a
        cell; a single name is shortened instead.
    """

    text: str
    kind: Literal["number", "name", "words"] = "number"


@dataclass(frozen=True)
class Table:
    """Cells below heads.

    Attributes
    ----------
    caption : str
        What it shows.
    heads : tuple of Head
        The columns.
    rows : tuple of tuple of Cell
        The cells.
    n_left_out : int
        Rows that are not shown.
    rest : str
        Where these are.
    """

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0
    rest: str = ""

    @property
    def left_out(self) -> str:
        """The line below the table that says how many rows are left out; empty if none."""
        where = f"; {self.rest}" if self.rest else ""
        return f"... and {self.n_left_out:,} more{where}" if self.n_left_out else ""


Page: TypeAlias = Sequence[str | Table]
"""Paragraphs and tables, in order."""


def build_table(
    caption: str,
    heads: Sequence[Head],
    rows: Sequence[Sequence[Cell]],
    *,
    most: int = MOST_ROWS,
    n_left_out: int = 0,
    rest: str = "",
) -> Table:
    """A table of the first rows.

    Parameters
    ----------
    caption : str
        What it shows.
    heads : sequence of Head
        The columns.
    rows : sequence of sequence of Cell
        The cells.
    most : int, default=200
        Rows that are shown at most.
    n_left_out : int, default=0
        Rows that are not even among ``rows``.
    rest : str, default=""
        Where the rows are that are not shown: "the JSON has all".

    Returns
    -------
    Table
    """
    first = tuple(map(tuple, rows[:most]))
    return Table(caption, tuple(heads), first, n_left_out + len(rows) - len(first), rest)


def words(text: str) -> Cell:
    """A cell of words."""
    return Cell(text)


def number(value: float | None, text: str | None = None, *, digits: int = 5) -> Cell:
    """A cell with a number; sorted by it, however it is written."""
    there = None if value is None or not math.isfinite(value) else float(value)
    return Cell(figure(value, digits) if text is None else text, value=there)


def whole_number(value: int | None) -> Cell:
    """A cell with a count."""
    return number(value, whole(value))


def share(value: float | None) -> Cell:
    """A cell with a share, in percent."""
    return number(value, percent(value))


def fills(cell: Cell) -> Cell:
    """The same cell, marked as being about filled values."""
    return replace(cell, fills=True)


NO_NUMBER = number(None, NOTHING)
"""A cell where there could be a number, but is none."""


def names(all_names: Iterable[Any], most: int = MOST_TOGETHER) -> Cell:
    """A cell with the first of several names."""
    every = tuple(map(str, all_names))
    return Cell(names=every[:most], n_more=max(0, len(every) - most))


def name(one: Any) -> Cell:
    """A cell with a name."""
    return Cell(names=(str(one),))
