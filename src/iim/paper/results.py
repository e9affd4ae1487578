"""What a reproduction shows, as plain data: tables, figures, sections, and the page they make up.

Scoring makes these, and the layout writes them; neither imports the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

CLOSE = 0.15
"""A median this close to the published value, as a part of it, counts as reproduced."""

Better = Literal["low", "high"]
Difference = Literal["ratio", "absolute", "none"]


@dataclass(frozen=True)
class Number:
    """One cell of a table: ours, and the paper's.

    Attributes
    ----------
    ours : float or None
        Median over seeds; None if it was not measured.
    worst : float or None
        The worst seed.
    paper : float or None
        What the paper prints; None if it prints nothing.
    why : str
        Why there is no number of ours, or a short remark on it; mostly empty.
    """

    ours: float | None
    worst: float | None = None
    paper: float | None = None
    why: str = ""

    def off(self, difference: Difference) -> float | None:
        """How far ours is from the paper's, relative or absolute; None if that is no finite number."""
        if difference == "none" or self.ours is None or self.paper is None:
            return None
        if difference == "ratio" and self.paper == 0.0:
            return None
        gap = (self.ours - self.paper) / (abs(self.paper) if difference == "ratio" else 1.0)
        return gap if math.isfinite(gap) else None


@dataclass(frozen=True)
class Table:
    """Numbers by row and column, or plain words.

    Attributes
    ----------
    key : str
        Name of its file of numbers; of letters, digits and hyphens.
    title : str
        What it shows.
    corner : str
        What the rows are ("method").
    rows, columns : tuple of str
        Labels, in order.
    cells : mapping from (row, column) to Number or str
        An absent cell is empty.
    difference : {"ratio", "absolute", "none"}
        How ours and the paper's are compared.
    better : {"low", "high"} or None
        Which number of a column is the best one, to be marked in ours and in the paper's; None marks none.
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
        For the legend.
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
        What it shows.
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
        Two methods whose ranks differ by less are a statistical tie.
    n_cases : int
        Over how many cases ranks are averaged.
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
        """Methods and their mean ranks, best first; what has no rank comes last."""
        return sorted(self.ranks.items(), key=lambda one: (math.isnan(one[1]), one[1]))


Block = Table | Figure | Ranking


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper, reproduced.

    Attributes
    ----------
    key : str
        What ``--only`` takes.
    title : str
        The heading.
    label : str
        Which label it has in the paper's source; empty for what is not in the paper.
    intro : tuple of str
        Paragraphs before the blocks, in Markdown: what was done, on which data, with which settings.
    blocks : tuple of Table, Figure or Ranking
        What came out.
    verdict : tuple of str
        What it shows, computed from the numbers: short sentences, in Markdown.
    """

    key: str
    title: str
    label: str
    intro: tuple[str, ...]
    blocks: tuple[Block, ...]
    verdict: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """All of it.

    Attributes
    ----------
    title : str
        The heading.
    intro : tuple of str
        Paragraphs, in Markdown: what this is, how it was made, by which command, in what time.
    sections : tuple of Section
        In the paper's order.
    facts : mapping of str to str
        Versions, machine, seeds, data: whatever is needed to repeat the run, for the foot of the page.
    """

    title: str
    intro: tuple[str, ...]
    sections: tuple[Section, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
