"""How sure: the spread of the candidates of a cell, and the l that their models were learned with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from iim.present.numbers import NOTHING, count, decimals, whole
from iim.present.records import count_cell, record_table, shown_as
from iim.present.tables import Head, Table, build_table, fills, name, number, whole_number, words
from iim.reporting.marks import LABEL, LEFT, PLOT, WIDTH, boxes, line, name_mark, picture, text
from iim.reporting.parts import REST, Folded, KeyFigure, Part, Picture, Section, column_cell, decimals_cell

if TYPE_CHECKING:
    from iim._arrays import Integers
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary

MOST_LISTED = 20
"""Least certain cells in the table."""

MOST_SIZES = 24
"""Distinct values of l with a bin each; more values share bins."""

MOST_LINES = 30
"""Columns in the picture of l."""


@dataclass(frozen=True)
class LearningSizes:
    """Number of neighbours l that the donors' models were learned from.

    Attributes
    ----------
    low, high : tuple of int
        The smallest and the largest l of each bin; the same where a bin is one l.
    counts : tuple of int
        How many models of each bin were used.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class UncertainCell:
    """A filled cell whose candidates disagree.

    Attributes
    ----------
    row, column : int
        The filled value.
    value : float
        What was filled in.
    low, high : float
        The smallest and the largest candidate.
    spread : float or None
        The weighted standard deviation of the candidates, in standard deviations of the column. None for a
        single candidate, or if the column does not vary.
    n_models : int
        Models used; 0 for a column mean.
    fallback : str
        The fallback that filled the cell; "none" if none was needed.
    """

    row: int = field(metadata=shown_as("Row", count_cell))
    column: int = field(metadata=shown_as("Column", column_cell, "name"))
    value: float = field(metadata=shown_as("Filled with", lambda value, *_: fills(number(value))))
    low: float = field(metadata=shown_as("Smallest candidate", lambda value, *_: number(value)))
    high: float = field(metadata=shown_as("Largest candidate", lambda value, *_: number(value)))
    spread: float | None = field(metadata=shown_as("Spread", decimals_cell))
    n_models: int = field(metadata=shown_as("Models asked", count_cell))
    fallback: str = field(metadata=shown_as("Fallback", lambda value, *_: words(value), "words"))


@dataclass(frozen=True)
class SureColumn:
    """A column of numbers.

    Attributes
    ----------
    position : int
        Its position among all columns of the table, from 0.
    spread : float or None
        Median spread of the candidates of its cells, in standard deviations of the column.
    learning : LearningSizes or None
        The chosen l, in the bins of all columns.
    """

    position: int
    spread: float | None
    learning: LearningSizes | None


@dataclass(frozen=True)
class Sure:
    """Spread of the candidates of IIM.

    Attributes
    ----------
    n_asked, n_cells : int
        Cells whose candidates were computed, and all filled cells.
    n_judged : int
        Of the former, those with a spread.
    every : int
        Candidates were computed for one in ``every`` rows with filled cells; 1 is all.
    median, upper : float
        Median and 90 % quantile of the spreads; NaN if no cell has a spread.
    cells : tuple of UncertainCell
        The least certain cells: first those without a spread, then the largest spread first.
    learning : LearningSizes or None
        Chosen l, over all columns.
    columns : tuple of SureColumn
        The columns of numbers, in the order of the table.
    """

    n_asked: int
    n_cells: int
    n_judged: int
    every: int
    median: float
    upper: float
    cells: tuple[UncertainCell, ...]
    learning: LearningSizes | None
    columns: tuple[SureColumn, ...]


def gather(found: Findings) -> Sure | None:
    """Spreads of the candidates, the least certain cells, and the chosen l.

    Spreads are in standard deviations of the column. A column mean has spread 1, since its candidates
    are all known values. A single model and a column that does not vary have no spread.
    """
    evidence = found.evidence
    if evidence is None:
        return None
    asked, rows, columns = evidence.candidates, evidence.rows, evidence.columns
    known = [found.columns[position].observed for position in found.positions]
    deviations = np.array([one.deviation if one else 0.0 for one in known])[columns]
    low, high = asked.extremes()
    by_mean = np.isnan(low)
    # The candidates of a column mean are all known values.
    low = np.where(by_mean, np.array([one.low if one else np.nan for one in known])[columns], low)
    high = np.where(by_mean, np.array([one.high if one else np.nan for one in known])[columns], high)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        spreads = np.where(by_mean, 1.0, asked.spread / deviations)
    n_models = np.count_nonzero(asked.donors >= 0, axis=1)
    judged = (deviations > 0.0) & (n_models != 1) & ~np.isnan(spreads)
    spreads = np.where(judged, spreads, np.nan)
    # Cells without a spread come first: their certainty is unknown.
    worst = np.lexsort((columns, rows, np.where(judged, -spreads, -np.inf), judged))[:MOST_LISTED]
    median, upper = np.quantile(spreads[judged], [0.5, 0.9]) if judged.any() else (np.nan, np.nan)
    learning = count_sizes(asked.n_learning)
    return Sure(
        n_asked=rows.size,
        n_cells=int(found.new.sum()),
        n_judged=int(judged.sum()),
        every=evidence.every,
        median=float(median),
        upper=float(upper),
        cells=tuple(
            UncertainCell(
                row=int(rows[at]),
                column=found.positions[columns[at]],
                value=float(asked.imputed[at]),
                low=float(low[at]),
                high=float(high[at]),
                spread=float(spreads[at]) if judged[at] else None,
                n_models=int(n_models[at]),
                fallback=str(asked.fallbacks[at]),
            )
            for at in worst
        ),
        learning=learning,
        columns=tuple(
            SureColumn(
                position=position,
                spread=float(np.median(spreads[here]))
                if (here := judged & (columns == place)).any()
                else None,
                learning=learning and count_sizes(asked.n_learning[columns == place], learning),
            )
            for place, position in enumerate(found.positions)
        ),
    )


def count_sizes(n_learning: Integers, bins: LearningSizes | None = None) -> LearningSizes | None:
    """How many models were used, by l; None if none was.

    Parameters
    ----------
    n_learning : ndarray
        The l of the models used; 0 where none was used.
    bins : LearningSizes, optional
        Bins to count in; by default, chosen from the values.

    Returns
    -------
    LearningSizes or None
    """
    sizes = n_learning[n_learning > 0]
    if not sizes.size:
        return None
    starts = np.unique(sizes) if bins is None else np.array(bins.low)
    if bins is None and starts.size > MOST_SIZES:
        # Bins have equal ratios: 3 against 4 rows matters, 300 against 301 does not.
        wanted = np.geomspace(starts[0], starts[-1], MOST_SIZES + 1)[:-1]
        starts = np.unique(starts[np.searchsorted(starts, wanted)])
    place = np.searchsorted(starts, sizes, side="right") - 1
    counts = tuple(np.bincount(place, minlength=starts.size).tolist())
    if bins is not None:
        return LearningSizes(bins.low, bins.high, counts)
    high = tuple(int(sizes[place == at].max()) for at in range(starts.size))
    return LearningSizes(tuple(starts.tolist()), high, counts)


def top(summary: Summary) -> Iterator[str | KeyFigure]:
    """The median spread of the candidates."""
    found: Sure | None = summary.sure
    if found is None:
        return
    label = "Spread of candidates"
    if not found.n_judged:
        yield KeyFigure(label, NOTHING, "no cell has candidates of two models")
        return
    some = f"{whole(found.n_judged)} of {whole(found.n_cells)}" if found.n_judged < found.n_cells else ""
    note = f"standard deviations of the column, in the median{some and f' of {some} cells'}"
    yield KeyFigure(label, decimals(found.median), note)
    yield (
        f"The candidates of a cell spread by {decimals(found.median)} standard deviations of the column "
        f"(median{some and f' of {some} filled cells'}), by at most {decimals(found.upper)} in nine cells "
        "of ten. This is how far models agree; the error of a fill can be larger."
    )


def show(summary: Summary) -> Iterator[Part]:
    """Spreads, the least certain cells, and the chosen l."""
    found: Sure | None = summary.sure
    if summary.filled is None:
        return
    if summary.filled.n_filled == 0:
        yield "Nothing was filled."
    elif found is None:
        yield (
            f"{summary.filled.method} gives one value for each cell and no candidates, so there is no "
            "spread to show; iim has candidates."
        )
    else:
        yield _in_words(found)
        yield record_table("The least certain cells", found.cells, summary)
        if found.learning is not None:
            caption = (
                "Numbers of rows l from which the models behind the fills were learned. Small l: models "
                "of a small neighbourhood. Large l: one model for many rows. Bars are scaled by column: "
                "the highest bar of each line is the l used most often."
            )
            n_columns = sum(one.learning is not None for one in found.columns)
            if n_columns > MOST_LINES:
                caption += f" Shown are the first {MOST_LINES} of {whole(n_columns)} columns."
            yield Picture(learning_picture(summary), caption, "Picture: chosen l by column")
            yield Folded("Numbers of this picture", learning_table(summary))


def _in_words(found: Sure) -> str:
    told = [
        "Each fill is a weighted mean of the predictions of the nearest rows' models, its candidates. The "
        "spread is the weighted standard deviation of the candidates, in standard deviations of the "
        "column's known values; a column mean has spread 1."
    ]
    if found.n_judged:
        told.append(
            f"Its median is {decimals(found.median)}; nine cells in ten have at most "
            f"{decimals(found.upper)}."
        )
    n_none, n_zero = found.n_asked - found.n_judged, found.n_cells - found.n_asked
    if n_none:
        told.append(
            f"Without spread: {count(n_none, 'cell')}, with one model or in a column that does not vary."
        )
    if n_zero == 0:
        told.append("Candidates were computed for all filled cells.")
    elif found.every == 1:
        told.append(
            f"Without candidates: {count(n_zero, 'cell')} in columns without a known value, filled with 0."
        )
    else:
        told.append(
            f"Candidates were computed for {whole(found.n_asked)} of {whole(found.n_cells)} filled cells: "
            f"one in {whole(found.every)} of the rows with missing cells, evenly spread over the table."
        )
    told.append("Models that agree can be wrong together; hidden cells show the errors.")
    return " ".join(told)


def learning_table(summary: Summary) -> Table:
    """How many models were used, by l and column."""
    bins = summary.sure.learning
    sizes = (f"{a}" if a == b else f"{a} to {b}" for a, b in zip(bins.low, bins.high, strict=True))
    rows = [
        [name(summary.columns[one.position].name), *map(whole_number, one.learning.counts)]
        for one in summary.sure.columns
        if one.learning is not None
    ]
    heads = [Head("Column", "name"), *map(Head, sizes)]
    return build_table(
        "Models used, by the number l of rows they were learned from", heads, rows, rest=REST
    )


def learning_picture(summary: Summary) -> str:
    """The chosen l: a line of bars for each column."""
    bins = summary.sure.learning
    drawn = [one for one in summary.sure.columns if one.learning is not None][:MOST_LINES]
    height, step = 34.0, PLOT / len(bins.counts)
    parts = []
    for place, one in enumerate(drawn):
        base, counts = height * (place + 1), one.learning.counts
        high = [(height - 7) * n / max(counts) for n in counts]
        bars = [(LEFT + at * step + 2, base - tall, step - 4, tall) for at, tall in enumerate(high) if tall]
        parts.append(name_mark(LEFT - 8, base - 6, summary.columns[one.position].name, LABEL, anchor="end"))
        parts.append(boxes(bars, "observed"))
        parts.append(line(LEFT, base + 0.5, LEFT + PLOT, base + 0.5, "axis"))
    bottom = height * len(drawn) + 16
    n_bins = len(bins.low)
    for place, (low, most) in enumerate(zip(bins.low, bins.high, strict=True)):
        if n_bins <= 16 or place % 3 == 0:
            label = str(low) if low == most or n_bins > 10 else f"{low}-{most}"
            parts.append(text(LEFT + (place + 0.5) * step, bottom, label, "note", "middle"))
    label = "l: rows that a model is learned from"
    parts.append(text(LEFT + PLOT / 2, bottom + 20, label, "label", "middle"))
    described = (
        f"A line of bars for each of {count(len(drawn), 'column')}: how many of the models used were "
        f"learned from l rows, for l from {bins.low[0]} to {bins.high[-1]}."
    )
    return picture("learning", (WIDTH, bottom + 28), "Chosen l by column", described, parts)


SECTION = Section("sure", "How sure", gather, show, top)
