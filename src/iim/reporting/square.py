"""The picture of R2_S and R2_H: columns as dots in a square, with names where there is room."""

from __future__ import annotations

from html import escape
from typing import TypeAlias

from iim.diagnosing.advice import HIGH
from iim.reporting.marks import at, fitted, line, name, picture, rectangle, text, width_of
from iim.reporting.records import ColumnSummary, Summary
from iim.reporting.writing import counted, decimals, name_text

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom."""

LEFT, TOP, SIZE = 44.0, 12.0, 300.0
"""Where the square is, and how large."""

SQUARE: Box = (LEFT, TOP, LEFT + SIZE, TOP + SIZE)

# Away from the upper right corner, where most columns are.
REGIONS = {
    "sparse": (LEFT + 8, TOP + 17, "start"),
    "both tell it": (LEFT + SIZE - 8, TOP + (1.0 - HIGH) * SIZE - 7, "end"),
    "neither tells it": (LEFT + 8, TOP + SIZE - 8, "start"),
    "heterogeneous": (LEFT + SIZE - 6, TOP + SIZE - 8, "end"),
}
"""What the parts of the square are called, and where that is written."""

WIDEST = 14
"""Width of a name beside a dot, in ordinary letters."""


def measured_columns(summary: Summary) -> list[ColumnSummary]:
    """Columns that have a place in the square."""
    return [
        one for one in summary.columns if one.r2_neighbors is not None and one.r2_regression is not None
    ]


def measure_picture(summary: Summary) -> str:
    """The columns in the square of R2_S and R2_H."""
    found = measured_columns(summary)
    places = [(_along(one.r2_neighbors), _up(one.r2_regression), one) for one in found]
    # Names must not cover what the regions are called, nor other dots.
    taken: list[Box] = [
        *(_box(x, y, anchor, _wide(region)) for region, (x, y, anchor) in REGIONS.items()),
        *((x - 6, y - 6, x + 6, y + 6) for x, y, _ in places),
    ]
    parts = _frame()
    parts += [_dot(x, y, one) for x, y, one in places]
    for x, y, one in places:
        free = _free_place(x, y, one.name, taken)
        if free is not None:
            parts.append(name(free[0], free[1], one.name, WIDEST, anchor=free[2]))
    below = sum(min(one.r2_neighbors or 0.0, one.r2_regression or 0.0) < 0 for one in found)
    edge = f" {counted(below, 'column')} with a value below 0 stand at the edge." if below else ""
    described = (
        f"{counted(len(found), 'column')} by R2_S from left to right and R2_H from bottom to top, both "
        f"from 0 to 1.{edge}"
    )
    size = (LEFT + SIZE + 16, TOP + SIZE + 46)
    return picture("measure", size, "R2_S and R2_H of the columns", described, parts)


def _along(r2: float | None) -> float:
    return LEFT + SIZE * min(1.0, max(0.0, r2 or 0.0))


def _up(r2: float | None) -> float:
    return TOP + SIZE * (1.0 - min(1.0, max(0.0, r2 or 0.0)))


def _frame() -> list[str]:
    turned = f'transform="translate(13 {at(TOP + SIZE / 2)}) rotate(-90)"'
    parts = [
        rectangle(LEFT, TOP, SIZE, SIZE, "track"),
        line(_along(HIGH), TOP, _along(HIGH), TOP + SIZE, "cut"),
        line(LEFT, _up(HIGH), LEFT + SIZE, _up(HIGH), "cut"),
        *(text(x, y, region, "region", anchor) for region, (x, y, anchor) in REGIONS.items()),
        text(LEFT + SIZE / 2, TOP + SIZE + 36, "R2_S: the nearest rows tell it", "label", "middle"),
        f'<text {turned} class="label" text-anchor="middle">R2_H: one law tells it</text>',
    ]
    for tick in (0.0, 0.5, 1.0):
        parts.append(text(_along(tick), TOP + SIZE + 17, f"{tick:g}", "note", "middle"))
        parts.append(text(LEFT - 7, _up(tick) + 4, f"{tick:g}", "note", "end"))
    return parts


def _dot(x: float, y: float, one: ColumnSummary) -> str:
    kind = "dot holed" if one.n_missing else "dot"
    tip = f"{name_text(one.name)}: R2_S {decimals(one.r2_neighbors)}, R2_H {decimals(one.r2_regression)}"
    return f'<circle cx="{at(x)}" cy="{at(y)}" r="5" class="{kind}"><title>{escape(tip)}</title></circle>'


def _free_place(x: float, y: float, label: str, taken: list[Box]) -> tuple[float, float, str] | None:
    """Where a name beside a dot covers nothing; None if there is no such place."""
    for place in (
        (x + 9, y + 4, "start"),
        (x - 9, y + 4, "end"),
        (x, y - 11, "middle"),
        (x, y + 20, "middle"),
        (x + 4, y - 11, "end"),
        (x + 4, y + 20, "end"),
        (x - 4, y - 11, "start"),
        (x - 4, y + 20, "start"),
        (x - 9, y - 4, "end"),
        (x - 9, y + 12, "end"),
    ):
        box = _box(*place, _wide(label))
        if _within(box, SQUARE) and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            return place
    return None


def _wide(label: str) -> float:
    return width_of(fitted(label, WIDEST)) + 2


def _box(x: float, y: float, anchor: str, wide: float) -> Box:
    """What a text covers: a line of the tallest of the usual fonts, which differ by half a letter."""
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
    return (left, y - 14, left + wide, y + 5)


def _within(box: Box, outer: Box) -> bool:
    return box[0] >= outer[0] and box[1] >= outer[1] and box[2] <= outer[2] and box[3] <= outer[3]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
