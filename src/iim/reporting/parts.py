"""What a section of the report is, and the parts that it is made of, for HTML and Markdown alike."""

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
    """An SVG and its caption; only HTML shows it.

    Attributes
    ----------
    svg : str
        An element, made by :func:`iim.reporting.marks.picture`.
    caption : str
        What stands below it.
    label : str
        What the region is called in which a wide picture scrolls; empty for one that fits any screen.
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
    """Many small pictures; only HTML shows them.

    Attributes
    ----------
    legend : str
        How to read them, after the keys of observed and filled values.
    cards : sequence of Card
        The first ones are seen at once, the others unfold.
    """

    legend: str
    cards: Sequence[Card]


@dataclass(frozen=True)
class Folded:
    """A table behind its title."""

    title: str
    table: Table


@dataclass(frozen=True)
class Items:
    """A list, below a heading if it has one."""

    texts: Sequence[str]
    title: str = ""


@dataclass(frozen=True)
class Code:
    """Lines of Python."""

    text: str


Part: TypeAlias = str | Table | Picture | Gallery | Folded | Items | Code
"""What a section is made of; a text is a paragraph."""


@dataclass(frozen=True)
class KeyFigure:
    """A number to be seen first.

    Attributes
    ----------
    label, value, note : str
        What it is, the number as text, and what it means.
    fills : bool
        Whether it is about filled values, which have a colour.
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
        Its name in the summary and in JSON, and its place on the page.
    title : str
        Its heading.
    gather : callable
        From what was found to its plain data; None if there are none.
    show : callable
        From the summary to its parts; a section without parts is left out.
    top : callable
        What it adds to the top of the page: sentences and key figures.
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
    """A number with two decimals; what is above zero is never rounded to zero."""
    return number(value, decimals(value))


REST = "the JSON of this report has all"
"""Where the rows are that a table leaves out."""
