"""The pictures of a report, as inline SVG.

Drawn by a few lines of our own instead of matplotlib: its pictures have their colours baked in, so that
they do not follow light and dark, take a second to load, and 20 KB each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from iim.reporting.marks import at, boxes, line, name, picture, rectangle, text
from iim.reporting.records import ColumnSummary, Leader, LearningSizes, Summary
from iim.reporting.writing import counted, decimals, figure, name_text, whole

LEVELS = 5
"""Shades of a strip: from a few missing cells to all."""

LABEL = 17
"""Width of names beside a picture, in ordinary letters."""

WIDTH, LEFT, RIGHT = 680.0, 136.0, 66.0
"""Width of a picture with names beside rows, and the room for these and for numbers: one width for all, so
that letters are of one size."""

PLOT = WIDTH - LEFT - RIGHT
"""Width of what is drawn between them."""

ROW = 20.0
"""Height of a row."""

MOST_LINES = 30
"""Columns whose chosen l are drawn."""


def holes_picture(summary: Summary) -> str:
    """Which cells are missing: a line for each column, rows of the table from left to right."""
    holes = summary.holes
    columns = {one.position: one for one in summary.columns}
    n_strips = max(1, len(holes.starts) - 1)
    step = PLOT / n_strips
    parts = []
    for place, (position, missing) in enumerate(zip(holes.columns, holes.missing, strict=True)):
        top = ROW * place + 3
        one = columns[position]
        parts.append(name(LEFT - 8, top + 11, one.name, LABEL, anchor="end"))
        parts.append(rectangle(LEFT, top, PLOT, ROW - 6, "track"))
        shades: dict[int, list[tuple[float, float, float, float]]] = {}
        for first, last, level in _runs(missing, holes.starts):
            shades.setdefault(level, []).append((LEFT + first * step, top, (last - first) * step, ROW - 6))
        parts += [boxes(places, f"hole s{level}") for level, places in sorted(shades.items())]
        parts.append(text(LEFT + PLOT + 8, top + 11, whole(one.n_missing), "figure"))
    bottom = ROW * len(holes.columns) + 16
    parts.append(text(LEFT, bottom, "row 0", "note"))
    parts.append(text(LEFT + PLOT, bottom, f"row {whole(summary.table.n_rows - 1)}", "note", "end"))
    parts.append(text(LEFT + PLOT + 8, bottom, "missing", "note"))
    described = (
        f"A line for each of {counted(len(holes.columns), 'column')}; rows of the table run from left to "
        f"right, folded into {counted(n_strips, 'strip')}. The fuller the colour of a strip, the more of "
        "its cells are missing."
    )
    return picture("holes", (WIDTH, bottom + 6), "Where cells are missing", described, parts)


def _runs(missing: Sequence[int], starts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Neighbouring strips of one shade as (first, end, shade); those without a hole are left out."""
    runs: list[tuple[int, int, int]] = []
    for strip, n_missing in enumerate(missing):
        n_rows = starts[strip + 1] - starts[strip]
        level = math.ceil(LEVELS * n_missing / n_rows) if n_rows else 0
        if level and runs and runs[-1][1:] == (strip, level):
            runs[-1] = (runs[-1][0], strip + 1, level)
        elif level:
            runs.append((strip, strip + 1, level))
    return runs


def values_picture(one: ColumnSummary) -> str:
    """Observed values upwards, filled ones downwards, each half as high as its own largest bar.

    By a common scale, a single fill, which is a bar of 100 %, would flatten the observed values.
    """
    histogram = one.histogram
    if histogram is None:
        return ""
    width, height, middle, tall = 300.0, 116.0, 50.0, 44.0
    up, down = (
        [tall * n / max(1, *counts) for n in counts] for counts in (histogram.observed, histogram.filled)
    )
    n_bins = len(histogram.observed)
    step = width / n_bins
    gap = min(3.0, step / 8) if not histogram.single else step / 5
    observed = [
        (at_bin * step + gap / 2, middle - high, step - gap, high) for at_bin, high in enumerate(up) if high
    ]
    filled = [
        (at_bin * step + gap / 2, middle + 1, step - gap, high) for at_bin, high in enumerate(down) if high
    ]
    parts = [
        boxes(observed, "observed"),
        boxes(filled, "filled"),
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
    return picture(
        f"values-{one.position}",
        (width, height),
        f"Values of {name_text(one.name)}",
        _values_described(one),
        parts,
    )


def _values_described(one: ColumnSummary) -> str:
    told = []
    for what, found in (("observed", one.observed), ("filled", one.filled)):
        if found is not None:
            told.append(
                f"{counted(found.n, f'{what} value')}: from {figure(found.low)} to {figure(found.high)}, "
                f"half of them between {figure(found.lower_quartile)} and {figure(found.upper_quartile)}"
            )
    return "Observed values above the line, filled ones below. " + "; ".join(told) + "."


def learning_picture(summary: Summary) -> str:
    """The chosen l: a line of bars for each column."""
    certainty = summary.certainty
    bins = certainty.learning if certainty else None
    if bins is None:
        return ""
    shown = [one for one in summary.columns if one.learning is not None][:MOST_LINES]
    height = 34.0
    step = PLOT / len(bins.counts)
    parts = []
    for place, one in enumerate(shown):
        base = height * (place + 1)
        parts.append(name(LEFT - 8, base - 6, one.name, LABEL, anchor="end"))
        parts.append(boxes(_bars(one.learning, base, height - 7, step), "observed"))
        parts.append(line(LEFT, base + 0.5, LEFT + PLOT, base + 0.5, "axis"))
    bottom = height * len(shown) + 16
    for place, (low, high) in enumerate(zip(bins.low, bins.high, strict=True)):
        if len(bins.low) <= 16 or place % 3 == 0:
            label = str(low) if low == high or len(bins.low) > 10 else f"{low}-{high}"
            parts.append(text(LEFT + (place + 0.5) * step, bottom, label, "note", "middle"))
    parts.append(
        text(LEFT + PLOT / 2, bottom + 20, "l: rows that a model is learned from", "label", "middle")
    )
    described = (
        f"A line of bars for each of {counted(len(shown), 'column')}: how many of the models that were "
        f"asked were learned from so many rows, from {bins.low[0]} to {bins.high[-1]}."
    )
    return picture("learning", (WIDTH, bottom + 28), "Chosen l by column", described, parts)


def _bars(
    sizes: LearningSizes | None, base: float, tall: float, step: float
) -> list[tuple[float, float, float, float]]:
    counts = sizes.counts if sizes else ()
    most = max(counts, default=1) or 1
    return [
        (LEFT + place * step + 2, base - tall * n / most, step - 4, tall * n / most)
        for place, n in enumerate(counts)
        if n
    ]


def leader_picture(summary: Summary) -> str:
    """Errors of the methods, best first, with their spread."""
    contest = summary.contest
    if contest is None:
        return ""
    finite = sorted(one.error for one in contest.leaders if math.isfinite(one.error))
    # Errors far beyond the others would press these together: they are drawn at the edge.
    end = min(finite[-1], max(1.25, 3 * finite[len(finite) // 2])) if finite else 1.0
    end = 1.1 * end or 1.0
    own = contest.filler
    parts = []
    for tick in _ticks(end):
        x = LEFT + PLOT * tick / end
        parts.append(line(x, 2, x, ROW * 1.3 * len(contest.leaders) + 4, "grid"))
        parts.append(text(x, ROW * 1.3 * len(contest.leaders) + 20, f"{tick:g}", "note", "middle"))
    for place, one in enumerate(contest.leaders):
        parts += _leader(one, ROW * 1.3 * (place + 0.5) + 3, end, own=one is own)
    bottom = ROW * 1.3 * len(contest.leaders) + 40
    parts.append(
        text(LEFT + PLOT / 2, bottom, "error, in standard deviations of the column", "label", "middle")
    )
    described = (
        f"{counted(len(contest.leaders), 'method')}, best first: "
        + "; ".join(f"{name_text(one.method)} {decimals(one.error, 3)}" for one in contest.leaders)
        + "."
    )
    return picture("leaders", (WIDTH, bottom + 8), "Errors on hidden cells", described, parts)


def _leader(one: Leader, y: float, end: float, *, own: bool) -> list[str]:
    parts = [name(LEFT - 8, y + 4, one.method, LABEL, "name own" if own else "name", "end")]
    if not math.isfinite(one.error):
        return [*parts, text(LEFT + 4, y + 4, "failed" if one.n_failed else "beyond all", "note")]
    x = high = LEFT + PLOT * min(1.0, one.error / end)
    kind = "own" if own else "other"
    parts.append(rectangle(LEFT, y - 2, x - LEFT, 4, f"bar {kind}"))
    if math.isfinite(one.spread):
        low = LEFT + PLOT * min(1.0, max(0.0, one.error - one.spread) / end)
        high = LEFT + PLOT * min(1.0, (one.error + one.spread) / end)
        parts.append(line(low, y, high, y, f"spread {kind}"))
    parts.append(f'<circle cx="{at(x)}" cy="{at(y)}" r="5" class="dot {kind}"/>')
    beyond = " →" if one.error > end else ""
    parts.append(text(max(x + 10, high + 7), y + 4, decimals(one.error, 3) + beyond, "figure"))
    return parts


def _ticks(end: float) -> list[float]:
    step = 10.0 ** math.floor(math.log10(end))
    step = next(step * part for part in (0.2, 0.5, 1.0, 2.0) if end / (step * part) <= 6)
    return [round(step * n, 10) for n in range(int(end / step) + 1)]
