"""What was filled: the method, the number of cells, and filled beside known values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from iim.present.names import name_text, short_name
from iim.present.numbers import NOTHING, count, figure, whole
from iim.present.tables import Head, Table, build_table, fills, name, number, share, whole_number, words
from iim.reporting.distributions import Distribution, Histogram, count_in_bins, describe
from iim.reporting.marks import boxes, line, picture, text
from iim.reporting.parts import REST, Card, Gallery, KeyFigure, Part, Section

if TYPE_CHECKING:
    from iim._arrays import Integers
    from iim.reporting.findings import Column, Findings
    from iim.reporting.summary import Summary

NO_VALUE = "no known value: 0"
"""Fallback of a cell that ``keep_empty_features`` fills."""

MOST_DRAWN = 60
"""Columns with a picture of their values."""

UNCOUNTED = {
    "elsewhere": "not counted: the imputer was fitted before",
    "never": "not counted by this method",
}
"""Why the number of fallbacks is missing."""


@dataclass(frozen=True)
class FilledColumn:
    """The fills of a column of numbers.

    Attributes
    ----------
    position : int
        Its position among all columns of the table, from 0.
    n_filled : int
        Cells that got a value.
    values : Distribution or None
        Distribution of these values; None if there are none.
    histogram : Histogram or None
        Histogram of these and of the known values.
    outside : float or None
        Share of the filled values that lie below the smallest or above the largest known value.
    fallbacks : dict
        Cells filled by a fallback, by its name.
    """

    position: int
    n_filled: int
    values: Distribution | None
    histogram: Histogram | None
    outside: float | None
    fallbacks: Mapping[str, int]


@dataclass(frozen=True)
class Filled:
    """How the missing cells were filled.

    Attributes
    ----------
    method : str
        The method's key, or the name of its class if it has no key.
    imputer : str
        The name of its class.
    paper_name : str
        Its name in the paper.
    n_filled : int
        Cells that got a value.
    n_left : int
        Missing cells without a value: in columns without a known value, or left out.
    n_fallbacks : int or None
        Cells filled by a fallback; None if they were not counted.
    fallbacks_counted : str
        How they were counted: "cells" (cell by cell), "fit" (when fitted on this table), "elsewhere" (not
        counted, since the imputer was fitted before, maybe on another table) or "never".
    strategy : str or None
        The strategy of IIM, and its reason.
    columns : tuple of FilledColumn
        The columns of numbers, in the order of the table.
    """

    method: str
    imputer: str
    paper_name: str
    n_filled: int
    n_left: int
    n_fallbacks: int | None
    fallbacks_counted: str
    strategy: str | None
    columns: tuple[FilledColumn, ...]


def gather(found: Findings) -> Filled | None:
    """Describe the filled values of every column."""
    imputer, matrix = found.imputer, found.reading.matrix
    if imputer is None:
        return None
    fallbacks, counted = find_fallbacks(found)
    columns = []
    for place, position in enumerate(found.positions):
        new, observed = found.new[:, place], found.columns[position].observed
        values = found.values[new, place]
        outside = None
        if observed is not None and values.size:
            outside = float(np.mean((values < observed.low) | (values > observed.high)))
        known = matrix.values[~matrix.missing[:, place], place]
        columns.append(
            FilledColumn(
                position=position,
                n_filled=values.size,
                values=describe(values),
                histogram=count_in_bins(known, values),
                outside=outside,
                fallbacks=fallbacks.get(place, {}),
            )
        )
    n_filled = int(found.new.sum())
    strategy = getattr(imputer, "strategy_", None)
    return Filled(
        method=found.method,
        imputer=type(imputer).__name__,
        paper_name=str(getattr(imputer, "paper_name", "-")),
        n_filled=n_filled,
        n_left=int(matrix.missing.sum()) - n_filled,
        n_fallbacks=None if counted in UNCOUNTED else sum(sum(one.values()) for one in fallbacks.values()),
        fallbacks_counted=counted,
        strategy=None if strategy is None else f"{strategy} ({strategy.reason})",
        columns=tuple(columns),
    )


def find_fallbacks(found: Findings) -> tuple[dict[int, dict[str, int]], str]:
    """Cells by fallback, by position of the column, and how they were counted.

    Candidates give the fallback of each cell. Other methods count fallbacks at fit, which holds only if the
    imputer was fitted on this table.
    """
    evidence, at_fit = found.evidence, getattr(found.imputer, "fallbacks_", None)
    n_new = found.new.sum(axis=0)
    if evidence is not None and evidence.every == 1:
        # Cells without candidates are in columns that were empty at fit.
        counts = _zeros(n_new - np.bincount(evidence.columns, minlength=n_new.size))
        fallen = evidence.candidates.fallbacks != "none"
        for place, what in zip(
            evidence.columns[fallen], evidence.candidates.fallbacks[fallen], strict=True
        ):
            of_column = counts.setdefault(int(place), {})
            of_column[str(what)] = of_column.get(str(what), 0) + 1
        return counts, "cells"
    if found.imputer is None or not found.fitted_here:
        return {}, "never" if at_fit is None else "elsewhere"
    counts = _zeros(np.where(found.reading.matrix.missing.all(axis=0), n_new, 0))
    if at_fit is None:
        return counts, "never"
    places = dict(zip(found.imputer._columns_in, found.places.tolist(), strict=True))
    told = {
        places[column]: {str(what): int(n) for what, n in of_column.items()}
        for column, of_column in at_fit.items()
    }
    return counts | told, "fit"


def _zeros(n_cells: Integers) -> dict[int, dict[str, int]]:
    """Cells of columns without a known value, which ``keep_empty_features`` fills with 0."""
    return {place: {NO_VALUE: int(n)} for place, n in enumerate(n_cells) if n}


def top(summary: Summary) -> Iterator[str | KeyFigure]:
    """Number of filled cells, and of those filled by a fallback."""
    found: Filled | None = summary.filled
    if found is None:
        return
    left = f"; {whole(found.n_left)} left as they are" if found.n_left else ""
    yield KeyFigure("Filled", whole(found.n_filled), f"by {found.method}{left}", fills=True)
    value, note = NOTHING, UNCOUNTED.get(found.fallbacks_counted, "")
    if found.n_filled == 0:
        note = "nothing was filled"
    elif found.n_fallbacks is not None:
        value = whole(found.n_fallbacks)
        note = "cells had too few donor rows" if found.n_fallbacks else "none was needed"
        note += ", at fit" if found.fallbacks_counted == "fit" else ""
    yield KeyFigure("Fallbacks", value, note)
    if found.n_fallbacks:
        yield f"Filled by a fallback: {count(found.n_fallbacks, 'cell')} with too few donor rows."


def show(summary: Summary) -> Iterator[Part]:
    """The method and its counts, a picture for each column with missing cells, and the numbers."""
    found: Filled | None = summary.filled
    if found is None:
        return
    yield _in_words(found)
    holed = [one for one in found.columns if summary.columns[one.position].n_missing]
    with_values = [one for one in holed if one.histogram is not None]
    most = sorted(with_values, key=lambda one: -summary.columns[one.position].n_missing)[:MOST_DRAWN]
    drawn = [one for one in with_values if one in most]
    if drawn:
        yield Gallery(
            "The two halves have their own scales: compare the positions of bars, not their heights.",
            [
                Card(
                    name=column.name,
                    observed=f"{whole(column.n_known)} observed",
                    filled=f"{whole(one.n_filled)} filled" if one.n_filled else "",
                    svg=values_picture(column, one),
                    numbers=histogram_table(column.name, one.histogram),
                )
                for one in drawn
                for column in [summary.columns[one.position]]
            ],
        )
        if len(holed) > len(drawn):
            yield (
                "Shown are the columns with the most missing cells that have values; "
                f"{whole(len(holed) - len(drawn))} more have missing cells."
            )
        yield value_table(summary)
    yield fill_table(summary)


def _in_words(found: Filled) -> str:
    paper = "" if found.paper_name == "-" else f" ({found.paper_name} in the paper)"
    told = [f"{found.imputer}{paper} filled {count(found.n_filled, 'cell')}."]
    if found.strategy is not None:
        told.append(f"Strategy: {found.strategy}.")
    n_outside = round(sum((one.outside or 0.0) * one.n_filled for one in found.columns))
    if n_outside:
        told.append(
            f"Out of range: {count(n_outside, 'value')}, below the smallest or above the largest known "
            "value of the column."
        )
    if found.n_left:
        told.append(
            f"Left missing: {count(found.n_left, 'cell')}, in columns without a known value or that the "
            "imputer leaves alone."
        )
    if found.n_fallbacks:
        when = ", counted at fit" if found.fallbacks_counted == "fit" else ""
        told.append(
            f"Filled by a fallback: {count(found.n_fallbacks, 'cell')} with too few donor rows{when}."
        )
    return " ".join(told)


def fill_table(summary: Summary) -> Table:
    """Fills of each column with missing cells."""
    heads = [Head("Column", "name"), Head("Missing"), Head("Filled"), Head("Out of range")]
    heads.append(Head("Fallbacks", "words"))
    rows = [
        [
            name(column.name),
            whole_number(column.n_missing),
            *map(fills, (whole_number(one.n_filled), share(one.outside))),
            words("; ".join(f"{what} ({whole(n)})" for what, n in one.fallbacks.items())),
        ]
        for one in summary.filled.columns
        if (column := summary.columns[one.position]).n_missing
    ]
    return build_table("Filled cells", heads, rows, rest=REST)


def value_table(summary: Summary) -> Table:
    """Quartiles of known and filled values, for each column with missing cells."""
    heads = [
        Head("Column", "name"),
        Head("Values", "words"),
        *map(Head, ("Count", "Smallest", "Lower quartile", "Median", "Upper quartile", "Largest", "Mean")),
    ]
    rows = []
    for one in summary.filled.columns:
        column = summary.columns[one.position]
        for what, found in (("observed", column.observed), ("filled", one.values)):
            if found is not None and column.n_missing:
                figures = (found.low, found.lower_quartile, found.median, found.upper_quartile, found.high)
                row = [words(what), whole_number(found.n), *map(number, (*figures, found.mean))]
                rows.append([name(column.name), *(map(fills, row) if what == "filled" else row)])
    return build_table("Observed and filled values", heads, rows, rest=REST)


def histogram_table(column: str, histogram: Histogram | None) -> Table:
    """Counts of a histogram."""
    rows = []
    if histogram is not None:
        edges = histogram.edges
        bins = [(edge, figure(edge)) for edge in edges]
        if not histogram.single:
            bins = [(low, f"{figure(low)} to {figure(high)}") for low, high in pairwise(edges)]
        if histogram.open_low:
            bins[0] = (edges[0], f"up to {figure(edges[1])}")
        if histogram.open_high:
            bins[-1] = (edges[-2], f"from {figure(edges[-2])}")
        rows = [
            [number(value, text), whole_number(observed), fills(whole_number(filled))]
            for (value, text), observed, filled in zip(
                bins, histogram.observed, histogram.filled, strict=True
            )
        ]
    heads = [Head("Values"), Head("Observed"), Head("Filled")]
    return build_table(f"Values of {short_name(name_text(column))}", heads, rows)


def values_picture(column: Column, one: FilledColumn) -> str:
    """Observed values upwards, filled ones downwards, each half scaled by its own largest bar.

    On a common scale, a single fill is a bar of 100 % and would flatten the observed values.
    """
    histogram = one.histogram
    if histogram is None:
        return ""
    width, height, middle, tall = 300.0, 116.0, 50.0, 44.0
    n_bins = len(histogram.observed)
    step = width / n_bins
    gap = step / 5 if histogram.single else min(3.0, step / 8)
    up, down = (
        [(at_bin * step + gap / 2, tall * n / max(counts)) for at_bin, n in enumerate(counts) if n]
        for counts in (histogram.observed, histogram.filled)
    )
    parts = [
        boxes([(x, middle - high, step - gap, high) for x, high in up], "observed"),
        boxes([(x, middle + 1, step - gap, high) for x, high in down], "filled"),
        line(0, middle + 0.5, width, middle + 0.5, "axis"),
    ]
    if histogram.single:
        parts += [
            text((at_bin + 0.5) * step, height - 4, figure(edge), "note", "middle")
            for at_bin, edge in enumerate(histogram.edges)
            if n_bins <= 6 or at_bin in (0, n_bins - 1)
        ]
    else:
        low, high = figure(histogram.edges[0]), figure(histogram.edges[-1])
        parts.append(text(0, height - 4, f"{'≤ ' if histogram.open_low else ''}{low}", "note"))
        parts.append(text(width, height - 4, f"{'≥ ' if histogram.open_high else ''}{high}", "note", "end"))
    told = [
        f"{count(found.n, f'{what} value')}: from {figure(found.low)} to {figure(found.high)}, half of "
        f"them between {figure(found.lower_quartile)} and {figure(found.upper_quartile)}"
        for what, found in (("observed", column.observed), ("filled", one.values))
        if found is not None
    ]
    described = f"Observed values above the line, filled ones below. {'; '.join(told)}."
    title = f"Values of {name_text(column.name)}"
    return picture(f"values-{one.position}", (width, height), title, described, parts)


SECTION = Section("filled", "What was filled", gather, show, top)
