"""Tables that know what their cells hold: for HTML and Markdown alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iim.reporting.writing import NOTHING, figure, percent, whole

MOST_ROWS = 200
"""Rows of a table; what is left out is said, and is in the JSON."""

MOST_TOGETHER = 6
"""Names in one cell."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        What it says; of names nothing.
    names : tuple of str
        Names of columns or methods, which are hostile.
    value : float or None
        What to sort it by, if it is a number.
    more : int
        Names that are left out.
    fills : bool
        Whether it tells of fills, which have a colour.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    value: float | None = None
    more: int = 0
    fills: bool = False


@dataclass(frozen=True)
class Head:
    """The head of a column of a table.

    Attributes
    ----------
    text : str
        What it says.
    kind : {"words", "number", "name"}
        What the cells hold.
    """

    text: str
    kind: str = "number"


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
    """

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0


def build_table(caption: str, heads: Sequence[Head], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table of the first rows; see :class:`Table`."""
    shown = tuple(map(tuple, rows[:MOST_ROWS]))
    return Table(caption, tuple(heads), shown, len(rows) - len(shown))


def words(text: str) -> Cell:
    """A cell of words."""
    return Cell(text)


def number(value: float | None, text: str | None = None) -> Cell:
    """A cell with a number; sorted by it, however it is written."""
    there = None if value is None or not math.isfinite(value) else float(value)
    return Cell(figure(value) if text is None else text, value=there)


def whole_number(value: int | None) -> Cell:
    """A cell with a count."""
    return number(value, whole(value))


def share(value: float | None) -> Cell:
    """A cell with a share, in percent."""
    return number(value, percent(value))


def fills(cell: Cell) -> Cell:
    """The same cell, marked as telling of fills."""
    return replace(cell, fills=True)


NO_NUMBER = number(None, NOTHING)
"""A cell where there could be a number, but is none."""


def names(*all_names: str) -> Cell:
    """A cell with names."""
    return Cell(names=all_names[:MOST_TOGETHER], more=max(0, len(all_names) - MOST_TOGETHER))
