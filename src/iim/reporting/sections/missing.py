"""What was missing: cells, columns, and patterns of columns missing together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from iim.present.numbers import count, percent, whole
from iim.present.tables import (
    NO_NUMBER,
    Head,
    Table,
    build_table,
    name,
    names,
    number,
    share,
    whole_number,
    words,
)
from iim.reporting.marks import LABEL, LEFT, PLOT, ROW, WIDTH, boxes, name_mark, picture, text
from iim.reporting.parts import REST, Folded, KeyFigure, Part, Picture, Section

if TYPE_CHECKING:
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary

MOST_STRIPS = 120
"""Strips of neighbouring rows in the picture."""

MOST_COLUMNS = 60
"""Columns in the picture of missing cells."""

MOST_PATTERNS = 12
"""Patterns that are listed."""

N_BLOCKS = 10
"""Blocks of rows in the table of missing cells; the picture has more strips."""

LEVELS = 5
"""Shades of a strip, by its share of missing cells."""


@dataclass(frozen=True)
class Pattern:
    """Rows that miss the same columns.

    Attributes
    ----------
    columns : tuple of int
        Positions of the missing columns.
    n_rows : int
        Number of rows that miss exactly these columns.
    least_donors, most_donors : int or None
        Rows with the missing value and with all that these rows have: for the column with the fewest such
        rows, and for that with the most. None where they were not counted.
    """

    columns: tuple[int, ...]
    n_rows: int
    least_donors: int | None
    most_donors: int | None


@dataclass(frozen=True)
class Strips:
    """Missing cells, counted in strips of neighbouring rows.

    Attributes
    ----------
    columns : tuple of int
        Positions of the columns in the picture: those with the most missing cells, in table order.
    starts : tuple of int
        The first row of each strip, and then the number of rows.
    missing : tuple of tuple of int
        For each of these columns, its missing cells by strip.
    """

    columns: tuple[int, ...]
    starts: tuple[int, ...]
    missing: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Missing:
    """The size of the table, and its missing cells.

    Attributes
    ----------
    n_rows, n_columns : int
        Rows, and columns of numbers.
    n_set_aside : int
        Columns that are set aside: ids, and columns without numbers.
    n_missing : int
        Missing cells, of the columns of numbers.
    share : float
        Their share of all cells; 0 for a table without cells.
    n_complete : int
        Rows without a missing cell.
    n_patterns : int
        Combinations of columns that are missing together.
    patterns : tuple of Pattern
        The most frequent patterns.
    strips : Strips
        Positions of the missing cells.
    """

    n_rows: int
    n_columns: int
    n_set_aside: int
    n_missing: int
    share: float
    n_complete: int
    n_patterns: int
    patterns: tuple[Pattern, ...]
    strips: Strips


def gather(found: Findings) -> Missing:
    """Count missing cells, and divide the table into strips."""
    matrix, positions = found.reading.matrix, found.positions
    missing, n_rows = matrix.missing, matrix.n_rows
    # The columns with the most missing cells, in table order.
    drawn = np.sort(np.argsort(-missing.sum(axis=0), kind="stable")[:MOST_COLUMNS])
    n_strips = min(MOST_STRIPS, n_rows)
    starts = np.arange(n_strips + 1) * n_rows // max(n_strips, 1)
    # Differences of cumulative sums, because reduceat is wrong for empty strips.
    below = np.vstack([np.zeros((1, drawn.size), np.intp), np.cumsum(missing[:, drawn], axis=0)])
    places = dict(zip(matrix.columns, positions, strict=True))
    n_missing = int(missing.sum())
    return Missing(
        n_rows=n_rows,
        n_columns=matrix.n_columns,
        n_set_aside=len(found.reading.set_aside),
        n_missing=n_missing,
        share=n_missing / missing.size if missing.size else 0.0,
        n_complete=int(np.count_nonzero(~missing.any(axis=1))),
        n_patterns=len(found.patterns),
        patterns=tuple(
            Pattern(
                columns=tuple(places[column] for column in one.columns),
                n_rows=one.n_rows,
                least_donors=min(one.donors.values(), default=None) if one.donors else None,
                most_donors=max(one.donors.values(), default=None) if one.donors else None,
            )
            for one in found.patterns[:MOST_PATTERNS]
        ),
        strips=Strips(
            columns=tuple(positions[column] for column in drawn),
            starts=tuple(starts.tolist()),
            missing=tuple(map(tuple, np.diff(below[starts], axis=0).T.tolist())),
        ),
    )


def top(summary: Summary) -> Iterator[str | KeyFigure]:
    """Number of missing cells."""
    found: Missing = summary.missing
    note = f"{percent(found.share)} of all; {count(found.n_complete, 'row')} complete"
    yield KeyFigure("Missing cells", whole(found.n_missing), note)


def show(summary: Summary) -> Iterator[Part]:
    """The picture of missing cells, all columns, the patterns."""
    found: Missing = summary.missing
    if not found.n_missing:
        yield "No cell is missing in the columns of numbers."
    else:
        complete = whole(found.n_complete) if found.n_complete else "No"
        yield (
            f"{count(found.n_missing, 'cell')} of {count(found.n_rows, 'row')} and "
            f"{count(found.n_columns, 'column')} of numbers, in {count(found.n_patterns, 'pattern')} of "
            f"columns that are missing together. {complete} "
            f"{'row is' if found.n_complete < 2 else 'rows are'} complete."
        )
        caption = (
            "A line for each column; rows of the table run from left to right, counted from 0. A darker "
            "colour means more missing cells."
        )
        n_drawn = len(found.strips.columns)
        if found.n_columns > n_drawn:
            caption += (
                f" Shown: the {n_drawn} columns with the most missing cells, of {whole(found.n_columns)}."
            )
        yield Picture(holes_picture(summary), caption, "Picture: where cells are missing")
        yield Folded("Numbers of this picture", hole_table(summary))
    yield column_table(summary)
    if found.n_set_aside:
        yield (
            f"Set aside: {count(found.n_set_aside, 'column')}, ids or without numbers. They are neither "
            "counted, nor filled, nor used to fill others."
        )
    yield pattern_table(summary)


def column_table(summary: Summary) -> Table:
    """All columns: kind, and missing cells."""
    heads = [Head("Column", "name"), Head("Holds", "words"), Head("Known"), Head("Missing"), Head("Share")]
    rows = []
    for one in summary.columns:
        figures = [NO_NUMBER] * 3
        if one.kind == "numbers":
            n_cells = one.n_known + one.n_missing
            part = share(one.n_missing / n_cells if n_cells else None)
            figures = [whole_number(one.n_known), whole_number(one.n_missing), part]
        rows.append([name(one.name), words(one.kind), *figures])
    return build_table("Columns of the table", heads, rows, rest=REST)


def pattern_table(summary: Summary) -> Table:
    """The most frequent patterns."""
    found: Missing = summary.missing
    rows = []
    for one in found.patterns:
        least, most = whole(one.least_donors), whole(one.most_donors)
        donors = number(one.least_donors, least if least == most else f"{least} to {most}")
        missing = names(summary.columns[column].name for column in one.columns)
        rows.append([missing, whole_number(one.n_rows), donors])
    heads = [Head("Missing together", "name"), Head("Rows"), Head("Rows that could help")]
    return build_table(
        "Patterns of missing cells, most frequent first",
        heads,
        rows,
        n_left_out=found.n_patterns - len(rows),
        rest="none with more rows than these",
    )


def hole_table(summary: Summary) -> Table:
    """The missing cells of the picture, in blocks of rows."""
    strips: Strips = summary.missing.strips
    n_strips = len(strips.starts) - 1
    blocks = list(pairwise(sorted({at * n_strips // N_BLOCKS for at in range(N_BLOCKS + 1)})))
    heads = [
        Head("Column", "name"),
        *(Head(f"Rows {whole(strips.starts[a])} to {whole(strips.starts[b] - 1)}") for a, b in blocks),
    ]
    rows = [
        [name(summary.columns[position].name), *(whole_number(sum(missing[a:b])) for a, b in blocks)]
        for position, missing in zip(strips.columns, strips.missing, strict=True)
    ]
    return build_table("Missing cells by rows of the table", heads, rows)


def holes_picture(summary: Summary) -> str:
    """Missing cells: a line for each column, rows of the table from left to right."""
    strips: Strips = summary.missing.strips
    n_strips = max(1, len(strips.starts) - 1)
    step, tall = PLOT / n_strips, ROW - 6
    parts = []
    for place, (position, missing) in enumerate(zip(strips.columns, strips.missing, strict=True)):
        top, one = ROW * place + 3, summary.columns[position]
        parts.append(name_mark(LEFT - 8, top + 11, one.name, LABEL, anchor="end"))
        parts.append(boxes([(LEFT, top, PLOT, tall)], "track"))
        shades: dict[int, list[tuple[float, float, float, float]]] = {}
        for first, last, level in runs(missing, strips.starts):
            shades.setdefault(level, []).append((LEFT + first * step, top, (last - first) * step, tall))
        parts += [boxes(places, f"hole s{level}") for level, places in sorted(shades.items())]
        parts.append(text(LEFT + PLOT + 8, top + 11, whole(one.n_missing), "figure"))
    bottom = ROW * len(strips.columns) + 16
    parts.append(text(LEFT, bottom, "row 0", "note"))
    parts.append(text(LEFT + PLOT, bottom, f"row {whole(strips.starts[-1] - 1)}", "note", "end"))
    parts.append(text(LEFT + PLOT + 8, bottom, "missing", "note"))
    described = (
        f"A line for each of {count(len(strips.columns), 'column')}; rows of the table run from left to "
        f"right, in {count(n_strips, 'strip')}. A darker strip has more missing cells."
    )
    return picture("holes", (WIDTH, bottom + 6), "Where cells are missing", described, parts)


def runs(missing: Sequence[int], starts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of strips with one shade, as (first, end, shade); strips without missing cells are left out."""
    found: list[tuple[int, int, int]] = []
    for strip, n_missing in enumerate(missing):
        n_rows = starts[strip + 1] - starts[strip]
        level = math.ceil(LEVELS * n_missing / n_rows) if n_rows else 0
        if level and found and found[-1][1:] == (strip, level):
            found[-1] = (found[-1][0], strip + 1, level)
        elif level:
            found.append((strip, strip + 1, level))
    return found


SECTION = Section("missing", "What was missing", gather, show, top)
