"""The tables of a report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from iim.present.names import short_name
from iim.reporting.cells import (
    NO_NUMBER,
    Head,
    Table,
    build_table,
    fills,
    names,
    number,
    share,
    whole_number,
    words,
)
from iim.reporting.records import Histogram, Summary
from iim.reporting.writing import decimals, figure, name_text, whole

N_BLOCKS = 10
"""Blocks of rows that missing cells are counted by, in numbers; the picture has more."""


def column_table(summary: Summary) -> Table:
    """Every column: what it is, what is missing, what was filled."""
    heads = [Head("Column", "name"), Head("Holds", "words"), Head("Known"), Head("Missing"), Head("Share")]
    if summary.filling is not None:
        heads += [Head("Filled"), Head("Out of range"), Head("Fallbacks")]
    rows = []
    for one in summary.columns:
        row = [names(one.name), words(one.kind)]
        if one.kind != "numbers":
            rows.append([*row, *[NO_NUMBER] * (len(heads) - len(row))])
            continue
        n_cells = one.n_known + one.n_missing
        row += map(whole_number, (one.n_known, one.n_missing))
        row.append(share(one.n_missing / n_cells if n_cells else None))
        if summary.filling is not None:
            n_fallbacks = sum((one.fallbacks or {}).values())
            counted = summary.filling.n_fallbacks is not None or n_fallbacks
            row += map(fills, (whole_number(one.n_filled), share(one.outside)))
            row.append(whole_number(n_fallbacks) if counted else NO_NUMBER)
        rows.append(row)
    return build_table("Columns of the table", heads, rows)


def pattern_table(summary: Summary) -> Table:
    """The most frequent patterns."""
    by_position = {one.position: one.name for one in summary.columns}
    rows = [
        [
            names(*(by_position[column] for column in one.columns)),
            whole_number(one.n_rows),
            number(one.least_donors, _donors(one.least_donors, one.most_donors)),
        ]
        for one in summary.holes.patterns
    ]
    heads = [Head("Missing together", "name"), Head("Rows"), Head("Rows that could help")]
    return build_table("Patterns of missing cells, most frequent first", heads, rows)


def _donors(least: int | None, most: int | None) -> str:
    return whole(least) if least == most else f"{whole(least)} to {whole(most)}"


def hole_table(summary: Summary) -> Table:
    """The holes of the picture, in blocks of rows."""
    holes = summary.holes
    by_position = {one.position: one.name for one in summary.columns}
    n_strips = len(holes.starts) - 1
    cuts = sorted({at * n_strips // N_BLOCKS for at in range(N_BLOCKS + 1)})
    blocks = list(pairwise(cuts))
    heads = [
        Head("Column", "name"),
        *(Head(f"Rows {whole(holes.starts[a])} to {whole(holes.starts[b] - 1)}") for a, b in blocks),
    ]
    rows = [
        [
            names(by_position[position]),
            *(whole_number(n) for n in (sum(missing[a:b]) for a, b in blocks)),
        ]
        for position, missing in zip(holes.columns, holes.missing, strict=True)
    ]
    return build_table("Missing cells by rows of the table", heads, rows)


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
                row = [words(what), whole_number(found.n), *map(number, (*figures, found.mean))]
                rows.append([names(one.name), *(map(fills, row) if what == "filled" else row)])
    return build_table("Observed and filled values", heads, rows)


def histogram_table(name: str, histogram: Histogram) -> Table:
    """The counts of a picture of values."""
    counts = list(zip(histogram.observed, histogram.filled, strict=True))
    if histogram.single:
        bins = [figure(edge) for edge in histogram.edges]
        values: Sequence[float] = histogram.edges
    else:
        values = histogram.edges[:-1]
        bins = [f"{figure(low)} to {figure(high)}" for low, high in pairwise(histogram.edges)]
        if histogram.open_low:
            bins[0] = f"up to {figure(histogram.edges[1])}"
        if histogram.open_high:
            bins[-1] = f"from {figure(histogram.edges[-2])}"
    rows = [
        [number(value, text), whole_number(observed), fills(whole_number(filled))]
        for value, text, (observed, filled) in zip(values, bins, counts, strict=True)
    ]
    return build_table(
        f"Values of {short_name(name_text(name))}", [Head("Values"), Head("Observed"), Head("Filled")], rows
    )


def fallback_table(summary: Summary) -> Table:
    """What was given up, by column."""
    heads = [Head("Column", "name"), Head("Given up", "words"), Head("Cells")]
    rows = [
        [names(one.name), words(what), whole_number(n)]
        for one in summary.columns
        for what, n in (one.fallbacks or {}).items()
    ]
    return build_table("Cells filled with less than asked for", heads, rows)


def uncertain_table(summary: Summary) -> Table:
    """The least certain cells."""
    by_position = {one.position: one.name for one in summary.columns}
    heads = [Head("Row"), Head("Column", "name"), Head("Filled with"), Head("Smallest candidate")]
    heads += [Head("Largest candidate"), Head("Models asked"), Head("Spread"), Head("Given up", "words")]
    rows = [
        [
            number(one.row, str(one.row)),
            names(by_position[one.column]),
            fills(number(one.value)),
            number(one.low),
            number(one.high),
            whole_number(one.n_models),
            number(one.spread, decimals(one.spread)),
            words("nothing" if one.fallback == "none" else one.fallback),
        ]
        for one in (summary.certainty.cells if summary.certainty else ())
    ]
    return build_table("The least certain cells", heads, rows)


def learning_table(summary: Summary) -> Table:
    """How often each l was asked, by column."""
    bins = summary.certainty.learning if summary.certainty else None
    if bins is None:
        return build_table("Chosen l", [Head("Column", "name")], [])
    heads = [
        Head("Column", "name"),
        *(Head(f"{a}" if a == b else f"{a} to {b}") for a, b in zip(bins.low, bins.high, strict=True)),
    ]
    rows = [
        [names(one.name), *(whole_number(n) for n in one.learning.counts)]
        for one in summary.columns
        if one.learning is not None
    ]
    return build_table("Models asked, by the number l of rows they were learned from", heads, rows)


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
    return build_table("How well values can be told", heads, rows)


def leader_table(summary: Summary) -> Table:
    """Methods, best first."""
    heads = [
        Head("Method", "name"),
        *map(Head, ("Error", "Spread", "Mean rank", "Fit, s", "Fill, s", "Failed")),
    ]
    n_columns = summary.contest.n_columns if summary.contest else 0
    rows = [
        [
            names(one.method),
            number(one.error, decimals(one.error, 3)),
            number(one.spread, decimals(one.spread, 3)),
            number(one.mean_rank, decimals(one.mean_rank)),
            number(one.fit_seconds, decimals(one.fit_seconds, 3)),
            number(one.transform_seconds, decimals(one.transform_seconds, 3)),
            number(one.n_failed, f"{one.n_failed} of {n_columns}" if one.n_failed else "none"),
        ]
        for one in (summary.contest.leaders if summary.contest else ())
    ]
    return build_table("Methods on hidden cells, best first", heads, rows)


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
            whole_number(one.n_cells),
            words("unknown: one repeat") if one.alike is None else names(*one.alike),
        ]
        for one in (summary.contest.best if summary.contest else ())
    ]
    return build_table("The best method for each column", heads, rows)


def setting_table(summary: Summary) -> Table:
    """Parameters of the imputer."""
    rows = [[words(name), words(_code(value))] for name, value in summary.settings.items()]
    return build_table(
        "Parameters of the imputer", [Head("Parameter", "words"), Head("Value", "words")], rows
    )


def version_table(summary: Summary) -> Table:
    """Versions."""
    rows = [[words(name), words(text)] for name, text in summary.versions.items()]
    return build_table("Versions", [Head("Part", "words"), Head("Version", "words")], rows)


def time_table(summary: Summary) -> Table:
    """Seconds by phase."""
    rows = [[words(name), number(time, decimals(time))] for name, time in summary.seconds.items()]
    return build_table("Time taken", [Head("What for", "words"), Head("Seconds")], rows)


def _code(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
