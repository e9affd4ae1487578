"""What a section of the report is, and its parts, which HTML and Markdown share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from iim.present.numbers import decimals
from iim.present.tables import Cell, Table, name, number

if TYPE_CHECKING:
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary


@dataclass(frozen=True)
class Picture:
    """An SVG and its caption; HTML only.

    Attributes
    ----------
    svg : str
        An element, made by :func:`iim.reporting.marks.picture`.
    caption : str
        Text below it.
    label : str
        Label of the region in which a wide picture scrolls; empty for a picture that fits any screen.
    """

    svg: str
    caption: str
    label: str = ""


@dataclass(frozen=True)
class Card:
    """A small picture with the name of a column, and the numbers behind it."""

    name: str
    observed: str
    filled: str
    svg: str
    numbers: Table


@dataclass(frozen=True)
class Gallery:
    """Many small pictures; HTML only.

    Attributes
    ----------
    legend : str
        How to read them; stands after the legend of the colours.
    cards : sequence of Card
        The first ones are shown, the others are folded.
    """

    legend: str
    cards: Sequence[Card]


@dataclass(frozen=True)
class Folded:
    """A table that is folded behind its title."""

    title: str
    table: Table


@dataclass(frozen=True)
class Items:
    """A list, with a heading if the title is not empty."""

    texts: Sequence[str]
    title: str = ""


@dataclass(frozen=True)
class Code:
    """Lines of Python."""

    text: str


Part: TypeAlias = str | Table | Picture | Gallery | Folded | Items | Code
"""Parts of a section; a string is a paragraph."""


@dataclass(frozen=True)
class KeyFigure:
    """A number at the top of the page.

    Attributes
    ----------
    label, value, note : str
        What it is, its value as text, and its unit or meaning.
    fills : bool
        Whether it describes filled values, which have a colour.
    """

    label: str
    value: str
    note: str
    fills: bool = False


@dataclass(frozen=True)
class Section:
    """One section of the report.

    Attributes
    ----------
    key : str
        Its key in the summary and in JSON, and its anchor on the page.
    title : str
        Its heading.
    gather : callable
        Returns its plain data from the findings; None if it has none.
    show : callable
        Yields its parts from the summary; a section without parts is left out.
    top : callable
        Yields its sentences and key figures for the top of the page.
    """

    key: str
    title: str
    gather: Callable[[Findings], Any]
    show: Callable[[Summary], Iterable[Part]]
    top: Callable[[Summary], Iterable[str | KeyFigure]] = lambda _: ()


def column_cell(position: int, _: Any, summary: Summary) -> Cell:
    """A cell with the name of a column, for tables of records that name columns by position."""
    return name(summary.columns[position].name)


def decimals_cell(value: float | None, *_: Any) -> Cell:
    """A number with two decimals; a positive number is never shown as zero."""
    return number(value, decimals(value))


REST = "the JSON of this report has all"
"""Where to find the rows that a table leaves out."""
