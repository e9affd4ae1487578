"""Results of a reproduction as plain data: tables, figures, sections, and the page.

Scoring makes these, and the layout writes them; neither imports the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

CLOSE = 0.15
"""Largest relative difference from the published value that counts as reproduced."""

Better = Literal["low", "high"]
Difference = Literal["ratio", "absolute", "none"]


@dataclass(frozen=True)
class Number:
    """One cell of a table: our number, and the paper's.

    Attributes
    ----------
    ours : float or None
        Median over seeds; None if it was not measured.
    worst : float or None
        The value of the worst seed.
    paper : float or None
        The number in the paper; None if the cell is empty.
    why : str
        Why our number is missing, or a short remark on it; mostly empty.
    """

    ours: float | None
    worst: float | None = None
    paper: float | None = None
    why: str = ""

    def off(self, difference: Difference) -> float | None:
        """Difference of ours from the paper's, relative or absolute; None unless finite."""
        if difference == "none" or self.ours is None or self.paper is None:
            return None
        if difference == "ratio" and self.paper == 0.0:
            return None
        gap = (self.ours - self.paper) / (abs(self.paper) if difference == "ratio" else 1.0)
        return gap if math.isfinite(gap) else None


@dataclass(frozen=True)
class Table:
    """Numbers or words, by row and column.

    Attributes
    ----------
    key : str
        Name of its file of numbers; of letters, digits and hyphens.
    title : str
        Its title.
    corner : str
        What the rows are ("method").
    rows, columns : tuple of str
        Labels, in order.
    cells : mapping from (row, column) to Number or str
        An absent cell is empty.
    difference : {"ratio", "absolute", "none"}
        How ours and the paper's are compared.
    better : {"low", "high"} or None
        Which number of a column is the best, to be marked among ours and the paper's; None marks none.
    digits : int
        Significant digits of numbers (decimals, if differences are absolute).
    notes : tuple of str
        Sentences below it, in Markdown.
    """

    key: str
    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Number | str]
    difference: Difference = "ratio"
    better: Better | None = None
    digits: int = 3
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """One curve of a panel.

    Attributes
    ----------
    name : str
        Its name in the legend.
    x, y : tuple of float
        Points; a y that is NaN was not measured.
    low, high : tuple of float
        Best and worst seed at every point, or nothing.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Figure:
    """Panels side by side.

    Attributes
    ----------
    key : str
        Name of its files; of letters, digits and hyphens.
    title : str
        Its title.
    panels : tuple of Panel
        One to four.
    notes : tuple of str
        Sentences below it.
    """

    key: str
    title: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of methods, and the critical difference of Nemenyi's test.

    Attributes
    ----------
    key, title : str
        As in a figure.
    ranks : mapping of str to float
        Mean rank by method, 1 is best.
    critical : float
        Methods whose ranks differ by less are in a statistical tie.
    n_cases : int
        Number of cases that ranks are averaged over.
    notes : tuple of str
        Sentences below it.
    """

    key: str
    title: str
    ranks: Mapping[str, float]
    critical: float
    n_cases: int
    notes: tuple[str, ...] = ()

    def by_rank(self) -> list[tuple[str, float]]:
        """Methods and their mean ranks, best first; methods without a rank come last."""
        return sorted(self.ranks.items(), key=lambda one: (math.isnan(one[1]), one[1]))


Block = Table | Figure | Ranking


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper, reproduced.

    Attributes
    ----------
    key : str
        Its key for ``--only``.
    title : str
        The heading.
    label : str
        Its label in the paper's source; empty if it is not in the paper.
    intro : tuple of str
        Paragraphs before the blocks, in Markdown: what was done, on which data, with which settings.
    blocks : tuple of Table, Figure or Ranking
        The results.
    verdict : tuple of str
        Conclusions computed from the numbers: short sentences, in Markdown.
    """

    key: str
    title: str
    label: str
    intro: tuple[str, ...]
    blocks: tuple[Block, ...]
    verdict: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """The whole page.

    Attributes
    ----------
    title : str
        The heading.
    intro : tuple of str
        Paragraphs, in Markdown: what the page is, the command that made it, and the time it took.
    sections : tuple of Section
        In the paper's order.
    facts : mapping of str to str
        Versions, machine, seeds, data: all that is needed to repeat the run, for the end of the page.
    """

    title: str
    intro: tuple[str, ...]
    sections: tuple[Section, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
