"""Rankings: a critical-difference diagram, as Demšar draws it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from iim._showing import as_one_line, count, short_name
from iim.paper.layout.looks import METHODS
from iim.paper.layout.numbers import by_rank
from iim.paper.layout.svg import INK, QUIET, drawing, written
from iim.paper.layout.words import decimals
from iim.paper.results import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 7.5
"""Inches of the picture; its coordinates are inches, from the top."""

SIDE = 1.75
"""Inches for the names, left and right of the axis."""

AXIS, LABELS_ABOVE = 0.78, 0.1
"""Where the axis is, and how far above it its numbers are."""

RULER = 0.24
"""Where the length of the critical difference is shown."""

BAR_STEP, ROW_STEP = 0.15, 0.25
"""Between bars, and between names."""

LONGEST_NAME = 20
"""Letters of a name; the middle of longer ones goes."""


def ranking_svg(ranking: Ranking) -> str:
    """The ranking as an SVG file.

    Parameters
    ----------
    ranking : Ranking
        What to draw. Methods without a finite rank are left out.

    Returns
    -------
    str
        The content of the file.
    """
    ranks = [(name, rank) for name, rank in by_rank(ranking) if math.isfinite(rank)]
    levels = _levels(groups([rank for _, rank in ranks], ranking.critical), [rank for _, rank in ranks])
    first_row = AXIS + 0.14 + BAR_STEP * len(levels) + 0.18
    height = first_row + ROW_STEP * math.ceil(len(ranks) / 2)
    with drawing() as new:
        picture = new(figsize=(WIDTH, height))
        axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0.0, WIDTH), ylim=(height, 0.0))
        axes.axis("off")
        if ranks:
            place = _Scale([rank for _, rank in ranks])
            _draw_axis(axes, place)
            _draw_ruler(axes, place, ranking)
            for at, level in enumerate(levels):
                y = AXIS + 0.14 + BAR_STEP * at
                for low, high in level:
                    ends = [place(low) - 0.04, place(high) + 0.04]
                    axes.plot(ends, [y, y], color=INK, linewidth=3.2, solid_capstyle="butt", zorder=3)
            _draw_names(axes, place, ranks, first_row)
        else:
            axes.text(WIDTH / 2, height / 2, "no ranks", ha="center", color=QUIET)
        return written(picture, ranking.key, as_one_line(ranking.title), _described(ranking, ranks))


def groups(ranks: list[float], critical: float) -> list[tuple[int, int]]:
    """First and last place of each largest run of ranks that cannot be told apart.

    >>> groups([1.0, 2.0, 2.5, 9.0], 1.2)
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    for first, least in enumerate(ranks):
        last = max(at for at, rank in enumerate(ranks) if at == first or rank - least < critical)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _levels(runs: list[tuple[int, int]], ranks: list[float]) -> list[list[tuple[float, float]]]:
    """Bars in as few lines as keep them apart."""
    levels: list[list[tuple[float, float]]] = []
    for first, last in runs:
        bar = (ranks[first], ranks[last])
        # They come from left to right: the last bar of a line decides.
        free = [level for level in levels if _are_apart(level[-1], bar, ranks)]
        if free:
            free[0].append(bar)
        else:
            levels.append([bar])
    return levels


def _are_apart(left: tuple[float, float], right: tuple[float, float], ranks: list[float]) -> bool:
    return right[0] - left[1] > 0.02 * max(1.0, ranks[-1] - ranks[0])


class _Scale:
    """From ranks to inches; the best is on the left."""

    def __init__(self, ranks: list[float]) -> None:
        self.low = math.floor(min(ranks))
        self.high = max(math.ceil(max(ranks)), self.low + 1)

    def __call__(self, rank: float) -> float:
        part = (rank - self.low) / (self.high - self.low)
        return SIDE + part * (WIDTH - 2 * SIDE)


def _draw_axis(axes: Axes, place: _Scale) -> None:
    axes.plot([place(place.low), place(place.high)], [AXIS, AXIS], color=INK, linewidth=1.0)
    step = max(1, math.ceil((place.high - place.low) / 20))
    for rank in range(place.low, place.high + 1, step):
        axes.plot([place(rank)] * 2, [AXIS - 0.07, AXIS], color=INK, linewidth=1.0)
        axes.text(place(rank), AXIS - LABELS_ABOVE, str(rank), ha="center", va="bottom", fontsize=8)
    axes.text(SIDE - 0.15, AXIS, "mean rank, 1 is best", ha="right", va="center", fontsize=8, color=QUIET)


def _draw_ruler(axes: Axes, place: _Scale, ranking: Ranking) -> None:
    if not math.isfinite(ranking.critical):
        return
    text = f"critical difference {decimals(ranking.critical, 2)}, {count(ranking.n_cases, 'case')}"
    start, end = place(place.low), place(place.low + ranking.critical)
    if not start < end <= WIDTH - SIDE:
        # Longer than the axis: nothing can be told apart.
        axes.text(start, RULER, text, ha="left", va="center", fontsize=8)
        return
    axes.plot([start, end], [RULER, RULER], color=INK, linewidth=1.4)
    for x in (start, end):
        axes.plot([x, x], [RULER - 0.05, RULER + 0.05], color=INK, linewidth=1.4)
    if end > WIDTH / 2:
        axes.text(start - 0.1, RULER, text.replace(", ", ",\n"), ha="right", va="center", fontsize=8)
    else:
        axes.text(end + 0.1, RULER, text, ha="left", va="center", fontsize=8)


def _draw_names(axes: Axes, place: _Scale, ranks: list[tuple[str, float]], first_row: float) -> None:
    n_left = math.ceil(len(ranks) / 2)
    for at, (name, rank) in enumerate(ranks):
        is_left = at < n_left
        y = first_row + ROW_STEP * (at if is_left else len(ranks) - 1 - at)
        edge = SIDE - 0.1 if is_left else WIDTH - SIDE + 0.1
        is_main = name in METHODS and METHODS[name].is_main
        color = METHODS[name].color if is_main else INK
        axes.plot(
            [place(rank), place(rank), edge],
            [AXIS, y, y],
            color=color if is_main else QUIET,
            linewidth=1.6 if is_main else 0.8,
            zorder=2,
        )
        side = "right" if is_left else "left"
        label = short_name(as_one_line(name), LONGEST_NAME)
        text = f"{label}  {decimals(rank, 2)}" if is_left else f"{decimals(rank, 2)}  {label}"
        away = -0.06 if is_left else 0.06
        weight = "bold" if is_main else "normal"
        axes.text(edge + away, y, text, ha=side, va="center", color=color, fontweight=weight, fontsize=8.5)


def _described(ranking: Ranking, ranks: list[tuple[str, float]]) -> str:
    listed = ", ".join(f"{as_one_line(name)} {decimals(rank, 2)}" for name, rank in ranks)
    return (
        f"Mean ranks over {count(ranking.n_cases, 'case')}, best first: {listed}. Methods less than "
        f"{decimals(ranking.critical, 2)} apart, which a bar joins, cannot be told apart."
    )
