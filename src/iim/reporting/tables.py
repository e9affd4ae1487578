"""The tables of a report, the same for HTML and Markdown: cells that know what they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iim.reporting.records import ColumnSummary, Histogram, Summary
from iim.reporting.words import NOTHING, decimals, figure, percent, whole

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
    """

    text: str = ""
    names: tuple[str, ...] = ()
    value: float | None = None
    more: int = 0


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
    filled : frozenset of int
        Columns that tell of fills.
    """

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0
    filled: frozenset[int] = frozenset()


def _table(
    caption: str, heads: Sequence[Head], rows: Sequence[Sequence[Cell]], filled: Sequence[int] = ()
) -> Table:
    shown = tuple(map(tuple, rows[:MOST_ROWS]))
    return Table(caption, tuple(heads), shown, len(rows) - len(shown), frozenset(filled))


def words(text: str) -> Cell:
    """A cell of words."""
    return Cell(text)


def number(value: float | None, text: str | None = None) -> Cell:
    """A cell with a number; sorted by it, however it is written."""
    there = value is not None and math.isfinite(value)
    return Cell(figure(value) if text is None else text, value=float(value) if there else None)  # type: ignore[arg-type]


def names(*all_names: str) -> Cell:
    """A cell with names."""
    return Cell(names=all_names[:MOST_TOGETHER], more=max(0, len(all_names) - MOST_TOGETHER))


def column_table(summary: Summary) -> Table:
    """Every column: what it is, what is missing, what was filled."""
    heads = [Head("Column", "name"), Head("Holds", "words"), Head("Known"), Head("Missing"), Head("Share")]
    filled: list[int] = []
    if summary.filling is not None:
        heads += [Head("Filled"), Head("Outside the known range"), Head("Fallbacks")]
        filled = [5, 6]
    rows = []
    for one in summary.columns:
        n_cells = one.n_known + one.n_missing
        numbers = one.kind == "numbers"
        row = [
            names(one.name),
            words(one.kind),
            number(one.n_known if numbers else None, whole(one.n_known) if numbers else NOTHING),
            number(one.n_missing if numbers else None, whole(one.n_missing) if numbers else NOTHING),
            number(*_share(one.n_missing / n_cells if n_cells else None)),
        ]
        if summary.filling is not None:
            n_fallbacks = sum((one.fallbacks or {}).values())
            counted = numbers and summary.filling.fallbacks_counted != "never"
            row += [
                number(one.n_filled if numbers else None, whole(one.n_filled) if numbers else NOTHING),
                number(*_share(one.outside)),
                number(n_fallbacks if counted else None, whole(n_fallbacks) if counted else NOTHING),
            ]
        rows.append(row)
    return _table("Columns of the table", heads, rows, filled)


def _share(share: float | None) -> tuple[float | None, str]:
    return share, percent(share)


def pattern_table(summary: Summary) -> Table:
    """The most frequent patterns."""
    by_position = {one.position: one.name for one in summary.columns}
    rows = [
        [
            names(*(by_position[column] for column in one.columns)),
            number(one.n_rows, whole(one.n_rows)),
            number(one.least_donors, _donors(one.least_donors, one.most_donors)),
        ]
        for one in summary.holes.patterns
    ]
    heads = [Head("Missing together", "name"), Head("Rows"), Head("Rows that could help")]
    return _table("Patterns of missing cells, most frequent first", heads, rows)


def _donors(least: int | None, most: int | None) -> str:
    return whole(least) if least == most else f"{whole(least)} to {whole(most)}"


def hole_table(summary: Summary, n_blocks: int = 10) -> Table:
    """The holes of the picture, in ten blocks of rows."""
    holes = summary.holes
    by_position = {one.position: one.name for one in summary.columns}
    n_strips = len(holes.starts) - 1
    cuts = sorted({at * n_strips // n_blocks for at in range(n_blocks + 1)})
    blocks = list(zip(cuts[:-1], cuts[1:], strict=True))
    heads = [
        Head("Column", "name"),
        *(Head(f"Rows {whole(holes.starts[a])} to {whole(holes.starts[b] - 1)}") for a, b in blocks),
    ]
    rows = [
        [
            names(by_position[position]),
            *(number(n, whole(n)) for n in (sum(missing[a:b]) for a, b in blocks)),
        ]
        for position, missing in zip(holes.columns, holes.missing, strict=True)
    ]
    return _table("Missing cells by rows of the table", heads, rows)


def value_table(summary: Summary) -> Table:
    """Quartiles of known and of filled values, for each column with holes."""
    heads = [
        Head("Column", "name"),
        Head("Values", "words"),
        *map(Head, ("Count", "Smallest", "Lower quartile", "Median", "Upper quartile", "Largest", "Mean")),
    ]
    rows = []
    for one in summary.columns:
        for what, found in (("observed", one.observed), ("filled", one.filled)):
            if found is not None and one.n_missing:
                figures = (found.low, found.lower_quartile, found.median, found.upper_quartile, found.high)
                rows.append(
                    [
                        names(one.name),
                        words(what),
                        number(found.n, whole(found.n)),
                        *map(number, (*figures, found.mean)),
                    ]
                )
    return _table("Observed and filled values", heads, rows)


def histogram_table(one: ColumnSummary, histogram: Histogram) -> Table:
    """The counts of a picture of values."""
    counts = list(zip(histogram.observed, histogram.filled, strict=True))
    if histogram.single:
        bins = [figure(edge) for edge in histogram.edges]
        values: Sequence[float] = histogram.edges
    else:
        values = histogram.edges[:-1]
        bins = [
            f"{figure(low)} to {figure(high)}"
            for low, high in zip(histogram.edges[:-1], histogram.edges[1:], strict=True)
        ]
        if histogram.open_low:
            bins[0] = f"up to {figure(histogram.edges[1])}"
        if histogram.open_high:
            bins[-1] = f"from {figure(histogram.edges[-2])}"
    rows = [
        [number(value, text), number(observed, whole(observed)), number(filled, whole(filled))]
        for value, text, (observed, filled) in zip(values, bins, counts, strict=True)
    ]
    return _table("Values by bin", [Head("Values"), Head("Observed"), Head("Filled")], rows, [2])


def uncertain_table(summary: Summary) -> Table:
    """The least certain cells."""
    by_position = {one.position: one.name for one in summary.columns}
    heads = [Head("Row"), Head("Column", "name"), Head("Filled with"), Head("Smallest candidate")]
    heads += [Head("Largest candidate"), Head("Spread"), Head("Given up", "words")]
    rows = [
        [
            number(one.row, str(one.row)),
            names(by_position[one.column]),
            number(one.value),
            number(one.low),
            number(one.high),
            number(one.spread, decimals(one.spread)),
            words("nothing" if one.fallback == "none" else one.fallback),
        ]
        for one in (summary.certainty.cells if summary.certainty else ())
    ]
    return _table("The least certain cells", heads, rows, [2])


def learning_table(summary: Summary) -> Table:
    """How often each l was asked, by column."""
    bins = summary.certainty.learning if summary.certainty else None
    if bins is None:
        return _table("Chosen l", [Head("Column", "name")], [])
    heads = [
        Head("Column", "name"),
        *(Head(f"{a}" if a == b else f"{a} to {b}") for a, b in zip(bins.low, bins.high, strict=True)),
    ]
    rows = [
        [names(one.name), *(number(n, whole(n)) for n in one.learning.counts)]
        for one in summary.columns
        if one.learning is not None
    ]
    return _table("Models asked, by the number l of rows they were learned from", heads, rows)


def measure_table(summary: Summary) -> Table:
    """R2_S, R2_H and what they suggest."""
    heads = [Head("Column", "name"), Head("R2_S"), Head("R2_H"), Head("What it suggests", "words")]
    rows = [
        [
            names(one.name),
            number(one.r2_neighbors, decimals(one.r2_neighbors)),
            number(one.r2_regression, decimals(one.r2_regression)),
            words(one.advice or ""),
        ]
        for one in summary.columns
        if one.advice is not None
    ]
    return _table("How well values can be told", heads, rows)


def leader_table(summary: Summary) -> Table:
    """Methods, best first."""
    heads = [
        Head("Method", "name"),
        *map(Head, ("Error", "Spread", "Mean rank", "Fit, s", "Fill, s", "Failed")),
    ]
    contest = summary.contest
    rows = [
        [
            names(one.method),
            number(one.error, decimals(one.error, 3)),
            number(one.spread, decimals(one.spread, 3)),
            number(one.mean_rank, decimals(one.mean_rank)),
            number(one.fit_seconds, decimals(one.fit_seconds, 3)),
            number(one.transform_seconds, decimals(one.transform_seconds, 3)),
            number(one.n_failed, f"{one.n_failed} of {contest.n_columns}" if one.n_failed else "none"),
        ]
        for one in (contest.leaders if contest else ())
    ]
    return _table("Methods on hidden cells, best first", heads, rows)


def best_table(summary: Summary) -> Table:
    """The best method for each column."""
    heads = [Head("Column", "name"), Head("Best method", "name"), Head("Error"), Head("RMS error")]
    heads += [Head("Cells hidden"), Head("Cannot be told apart", "name")]
    rows = [
        [
            names(one.column),
            names(one.method) if one.method else words("all failed"),
            number(one.error, decimals(one.error, 3)),
            number(one.rms_error),
            number(one.n_cells, whole(one.n_cells)),
            words("unknown: one repeat") if one.alike is None else names(*one.alike),
        ]
        for one in (summary.contest.best if summary.contest else ())
    ]
    return _table("The best method for each column", heads, rows)


def setting_table(summary: Summary) -> Table:
    """Parameters of the imputer."""
    rows = [[words(name), words(_code(value))] for name, value in summary.settings.items()]
    return _table("Parameters of the imputer", [Head("Parameter", "words"), Head("Value", "words")], rows)


def version_table(summary: Summary) -> Table:
    """Versions."""
    rows = [[words(name), words(text)] for name, text in summary.versions.items()]
    return _table("Versions", [Head("Part", "words"), Head("Version", "words")], rows)


def time_table(summary: Summary) -> Table:
    """Seconds by phase."""
    rows = [[words(name), number(time, decimals(time))] for name, time in summary.seconds.items()]
    return _table("Time taken", [Head("What for", "words"), Head("Seconds")], rows)


def _code(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
