"""The model of tables: cells below headings, and pages of paragraphs and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from iim.present.numbers import NOTHING, figure, percent, whole

MOST_ROWS = 200
"""Rows of a table; a line below it counts the others."""

MOST_TOGETHER = 6
"""Names shown in one cell."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        Words, or a number as text; empty if the cell holds names.
    names : tuple of str
        Names of columns or methods, which are untrusted.
    value : float or None
        The number to sort by, if it is one.
    n_more : int
        Number of names left out.
    fills : bool
        Whether it describes filled values, which have a colour in the report.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    value: float | None = None
    n_more: int = 0
    fills: bool = False

    def written(self, write_name: Callable[[str], str], write_text: Callable[[str], str]) -> str:
        """The content; ``write_name`` and ``write_text`` are the renderer's."""
        if not self.names:
            return write_text(self.text)
        more = f" and {self.n_more} more" if self.n_more else ""
        return ", ".join(map(write_name, self.names)) + more


@dataclass(frozen=True)
class Head:
    """The heading of a column of a table.

    Attributes
    ----------
    text : str
        Text of the heading.
    kind : {"number", "name", "words"}
        Kind of the cells. Numbers are aligned to the right. A terminal wraps words, and several names in a
        cell; a single name is shortened instead.
    """

    text: str
    kind: Literal["number", "name", "words"] = "number"


@dataclass(frozen=True)
class Table:
    """Cells below headings.

    Attributes
    ----------
    caption : str
        Caption of the table.
    heads : tuple of Head
        Headings of the columns.
    rows : tuple of tuple of Cell
        The cells.
    n_left_out : int
        Number of rows left out.
    rest : str
        Where to find them.
    """

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0
    rest: str = ""

    @property
    def left_out(self) -> str:
        """The line below the table that counts the rows left out; empty if there are none."""
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
        Caption of the table.
    heads : sequence of Head
        Headings of the columns.
    rows : sequence of sequence of Cell
        The cells.
    most : int, default=200
        Rows shown, at most.
    n_left_out : int, default=0
        Number of further rows that are not in ``rows``.
    rest : str, default=""
        Where to find the rows left out: "the JSON has all".

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
    """A cell with a number; ``text`` changes how it is written, not how it is sorted."""
    there = None if value is None or not math.isfinite(value) else float(value)
    return Cell(figure(value, digits) if text is None else text, value=there)


def whole_number(value: int | None) -> Cell:
    """A cell with a count."""
    return number(value, whole(value))


def share(value: float | None) -> Cell:
    """A cell with a share, in percent."""
    return number(value, percent(value))


def fills(cell: Cell) -> Cell:
    """The same cell, marked as describing filled values."""
    return replace(cell, fills=True)


NO_NUMBER = number(None, NOTHING)
"""A cell for a number that is missing."""


def names(all_names: Iterable[Any], most: int = MOST_TOGETHER) -> Cell:
    """A cell with the first of several names."""
    every = tuple(map(str, all_names))
    return Cell(names=every[:most], n_more=max(0, len(every) - most))


def name(one: Any) -> Cell:
    """A cell with a name."""
    return Cell(names=(str(one),))
