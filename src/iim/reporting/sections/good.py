"""How good: errors of methods on hidden cells, and how well each column can be predicted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from iim.comparing.page import failures_in_words, heading
from iim.comparing.scores import MethodScore, Recommendation
from iim.present.names import name_text
from iim.present.numbers import count, decimals
from iim.present.records import record_table, shown_as
from iim.present.tables import words
from iim.reporting.marks import LABEL, LEFT, PLOT, ROW, WIDTH, at, boxes, line, name_mark, picture, text
from iim.reporting.parts import Items, KeyFigure, Part, Picture, Section, column_cell, decimals_cell
from iim.reporting.sections.repeat import compared_as, has_default_settings
from iim.reporting.square import square_picture

if TYPE_CHECKING:
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary

MEASURES = (
    "R2_S: R² of the mean of the nearest rows on hidden cells; low is sparse. R2_H: R² of one linear "
    "regression on all rows; low is heterogeneous. 1 is perfect, 0 no better than the column mean."
)
"""Definitions of R2_S and R2_H."""

NOT_MEASURED = "R2_S and R2_H could not be measured for any column; the table says why."
"""Replaces a picture without dots."""


@dataclass(frozen=True)
class Compared:
    """Errors of methods on hidden cells of the table.

    Attributes
    ----------
    overall : tuple of MethodScore
        The methods, best first.
    recommended : tuple of Recommendation
        The best method for each scored column.
    columns : tuple of str
        The scored columns.
    how : str
        How cells were hidden, in a sentence.
    failures : tuple of str
        Failed methods, and why.
    own : str or None
        Name of the method that filled the table; None if it was not compared by its key.
    same_settings : bool
        Whether the table was filled with the settings that this method was compared with.
    """

    overall: tuple[MethodScore, ...]
    recommended: tuple[Recommendation, ...]
    columns: tuple[str, ...]
    how: str
    failures: tuple[str, ...]
    own: str | None
    same_settings: bool

    @property
    def filler(self) -> MethodScore | None:
        """The method that filled the table, if it was compared with the same settings."""
        own = [one for one in self.overall if one.method == self.own and self.same_settings]
        return own[0] if own else None

    @property
    def winner(self) -> MethodScore | None:
        """The best method; None if all failed."""
        return self.overall[0] if math.isfinite(self.overall[0].normalised_error) else None


@dataclass(frozen=True)
class Measured:
    """R2_S and R2_H of a column.

    Attributes
    ----------
    position : int
        Its position among all columns of the table, from 0.
    r2_neighbors, r2_regression : float or None
        R2_S and R2_H; None if they could not be measured.
    advice : str
        What the two suggest, or why they could not be measured.
    """

    position: int = field(metadata=shown_as("Column", column_cell, "name"))
    r2_neighbors: float | None = field(metadata=shown_as("R2_S", decimals_cell))
    r2_regression: float | None = field(metadata=shown_as("R2_H", decimals_cell))
    advice: str = field(metadata=shown_as("What it suggests", lambda value, *_: words(value), "words"))


@dataclass(frozen=True)
class Good:
    """Measurements on hidden cells.

    Attributes
    ----------
    comparison : Compared or None
        The comparison of methods; None if they were not compared.
    measured : tuple of Measured or None
        R2_S and R2_H of the columns, in the order of the table; None if they were not measured.
    """

    comparison: Compared | None
    measured: tuple[Measured, ...] | None


def gather(found: Findings) -> Good:
    """The comparison and the diagnosis as plain data."""
    comparison, diagnosis, imputer = found.comparison, found.diagnosis, found.imputer
    compared = measured = None
    if comparison is not None:
        own = None if imputer is None else compared_as(comparison, found.method)
        compared = Compared(
            overall=comparison.overall,
            recommended=tuple(replace(one, column=str(one.column)) for one in comparison.recommended),
            columns=tuple(map(str, comparison.columns)),
            how=heading(comparison),
            failures=tuple(failures_in_words(comparison)),
            own=own,
            same_settings=own is not None and imputer is not None and has_default_settings(imputer),
        )
    if diagnosis is not None:
        positions = dict(zip(map(str, found.reading.matrix.columns), found.positions, strict=True))
        measured = tuple(
            Measured(
                position=positions[str(one.column)],
                r2_neighbors=one.r2_neighbors if math.isfinite(one.r2_neighbors) else None,
                r2_regression=one.r2_regression if math.isfinite(one.r2_regression) else None,
                advice=one.advice,
            )
            for one in diagnosis.columns
        )
    return Good(compared, measured)


def top(summary: Summary) -> Iterator[str | KeyFigure]:
    """The best method and its error; without a comparison, R2_S and R2_H."""
    found: Good = summary.good
    there = [one for one in found.measured or () if one.r2_neighbors is not None]
    if summary.sure is None and there:
        # Medians, because a column that cannot be predicted can have an R2 of minus a thousand.
        near = decimals(float(np.median([one.r2_neighbors for one in there])))
        linear = decimals(float(np.median([one.r2_regression for one in there])))
        note = "R² of the nearest rows, and of one linear regression (medians over columns)"
        yield KeyFigure("R2_S, R2_H", f"{near}, {linear}", note)
    compared = found.comparison
    if compared is None or compared.winner is None:
        return
    best, own, n_methods = compared.winner, compared.filler, len(compared.overall)
    note = f"of {n_methods} on hidden cells; error {decimals(best.normalised_error)}"
    yield KeyFigure("Best method", best.method, note)
    if own is None or own is best or not math.isfinite(own.normalised_error):
        filler = ", which filled this table," if own is best else ""
        yield (
            f"On hidden cells, {best.method}{filler} is best of {count(n_methods, 'method')}: its error is "
            f"{decimals(best.normalised_error)} standard deviations of the column. Column means reach "
            "about 1."
        )
    else:
        yield (
            f"On hidden cells, {own.method}, which filled this table, has an error of "
            f"{decimals(own.normalised_error)} standard deviations of the column. Best of "
            f"{count(n_methods, 'method')} is {best.method} with {decimals(best.normalised_error)}; "
            "column means reach about 1."
        )
    yield from _other_settings(compared)


def _other_settings(compared: Compared) -> list[str]:
    if compared.own is None or compared.same_settings:
        return []
    return [f"The compared {compared.own} has its default settings; the fills were made with others."]


def show(summary: Summary) -> Iterator[Part]:
    """The comparison, and the square of R2_S and R2_H."""
    compared, measured = summary.good.comparison, summary.good.measured
    if compared is None:
        yield "Methods were not compared on this table; compare=True hides known cells and compares them."
    else:
        yield compared.how
        yield from _other_settings(compared)
        caption = (
            "Errors of the methods on hidden cells, best first; lines show how much they vary between "
            "repeats."
        )
        if compared.filler:
            caption += " In colour: the method that filled this table, with the same settings."
        yield Picture(score_picture(compared), caption, "Picture: errors on hidden cells")
        yield record_table("Methods on hidden cells, best first", compared.overall, compared)
        yield record_table("The best method for each column", compared.recommended, compared)
        if compared.failures:
            yield Items(compared.failures, "What failed")
    if measured is None:
        yield "R2_S and R2_H were not measured."
        return
    dots = [
        (summary.columns[one.position], one.r2_neighbors, one.r2_regression)
        for one in measured
        if one.r2_neighbors is not None and one.r2_regression is not None
    ]
    if dots:
        caption = f"Each dot is a column, those with missing cells in colour. {MEASURES}"
        yield Picture(square_picture(dots), caption)
    else:
        yield NOT_MEASURED
    if measured:
        yield record_table("How well columns can be predicted", measured, summary)


def score_picture(compared: Compared) -> str:
    """Errors of the methods, best first, with their spread."""
    scores, tall = compared.overall, ROW * 1.3
    finite = sorted(one.normalised_error for one in scores if math.isfinite(one.normalised_error))
    # An error far beyond the others would leave them no room, so it is drawn at the edge.
    end = min(finite[-1], max(1.25, 3 * finite[len(finite) // 2])) if finite else 1.0
    end = 1.1 * end or 1.0
    bottom = tall * len(scores)
    parts = []
    for tick in ticks(end):
        x = LEFT + PLOT * tick / end
        parts.append(line(x, 2, x, bottom + 4, "grid"))
        parts.append(text(x, bottom + 20, f"{tick:g}", "note", "middle"))
    for place, one in enumerate(scores):
        parts += _score(one, tall * (place + 0.5) + 3, end, own=one is compared.filler)
    label = "error, in standard deviations of the column"
    parts.append(text(LEFT + PLOT / 2, bottom + 40, label, "label", "middle"))
    errors = "; ".join(f"{name_text(one.method)} {decimals(one.normalised_error, 3)}" for one in scores)
    described = f"{count(len(scores), 'method')}, best first: {errors}."
    return picture("leaders", (WIDTH, bottom + 48), "Errors on hidden cells", described, parts)


def _score(one: MethodScore, y: float, end: float, *, own: bool) -> list[str]:
    parts = [name_mark(LEFT - 8, y + 4, one.method, LABEL, "name own" if own else "name", "end")]
    error = one.normalised_error
    if not math.isfinite(error):
        return [*parts, text(LEFT + 4, y + 4, "failed" if one.n_failed else "beyond all", "note")]
    x = high = LEFT + PLOT * min(1.0, error / end)
    kind = "own" if own else "other"
    parts.append(boxes([(LEFT, y - 2, x - LEFT, 4)], f"bar {kind}"))
    if math.isfinite(one.spread):
        low = LEFT + PLOT * min(1.0, max(0.0, error - one.spread) / end)
        high = LEFT + PLOT * min(1.0, (error + one.spread) / end)
        parts.append(line(low, y, high, y, f"spread {kind}"))
    parts.append(f'<circle cx="{at(x)}" cy="{at(y)}" r="5" class="dot {kind}"/>')
    beyond = " →" if error > end else ""
    parts.append(text(max(x + 10, high + 7), y + 4, decimals(error, 3) + beyond, "figure"))
    return parts


def ticks(end: float) -> list[float]:
    """Round numbers from 0 to ``end``, seven at most."""
    step = 10.0 ** math.floor(math.log10(end))
    step = next(step * part for part in (0.2, 0.5, 1.0, 2.0) if end / (step * part) <= 6)
    return [round(step * n, 10) for n in range(int(end / step) + 1)]


SECTION = Section("good", "How good", gather, show, top)
