"""The picture of R2_S and R2_H: each column is a dot in a square, with its name where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from iim.diagnosing.measuring import HIGH
from iim.present.names import name_text
from iim.present.numbers import count, decimals
from iim.reporting.marks import at, boxes, fitted, line, name_mark, picture, text, width_of

if TYPE_CHECKING:
    from iim.reporting.findings import Column

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom edge."""

LEFT, TOP, SIZE = 44.0, 12.0, 300.0
"""Position and size of the square."""

# Not in the upper right corner, where most dots are.
REGIONS = {
    "sparse": (LEFT + 8, TOP + 17, "start"),
    "both predict it": (LEFT + SIZE - 8, TOP + (1.0 - HIGH) * SIZE - 7, "end"),
    "neither predicts it": (LEFT + 8, TOP + SIZE - 8, "start"),
    "heterogeneous": (LEFT + SIZE - 6, TOP + SIZE - 8, "end"),
}
"""Labels of the regions of the square, and their positions."""

PLACES = (
    (9, 4, "start"),
    (-9, 4, "end"),
    (0, -11, "middle"),
    (0, 20, "middle"),
    (4, -11, "end"),
    (4, 20, "end"),
    (-4, -11, "start"),
    (-4, 20, "start"),
    (-9, -4, "end"),
    (-9, 12, "end"),
)
"""Positions of a name beside its dot, the best first."""

WIDEST = 14
"""Width of a name beside a dot, in letters of average width."""


def square_picture(found: Sequence[tuple[Column, float, float]]) -> str:
    """Columns with their R2_S and R2_H, as dots in the square."""
    # What is below 0 stands at the edge.
    dots = [
        (LEFT + SIZE * min(1.0, max(0.0, near)), TOP + SIZE * (1.0 - min(1.0, max(0.0, linear))), column)
        for column, near, linear in found
    ]
    cut_x, cut_y = LEFT + SIZE * HIGH, TOP + SIZE * (1.0 - HIGH)
    # Names must not cover what the regions are called, nor other dots.
    taken: list[Box] = [
        *(_box(x, y, anchor, region) for region, (x, y, anchor) in REGIONS.items()),
        *((x - 6, y - 6, x + 6, y + 6) for x, y, _ in dots),
    ]
    turned = f'transform="translate(13 {at(TOP + SIZE / 2)}) rotate(-90)"'
    parts = [
        boxes([(LEFT, TOP, SIZE, SIZE)], "track"),
        line(cut_x, TOP, cut_x, TOP + SIZE, "cut"),
        line(LEFT, cut_y, LEFT + SIZE, cut_y, "cut"),
        *(text(x, y, region, "region", anchor) for region, (x, y, anchor) in REGIONS.items()),
        text(LEFT + SIZE / 2, TOP + SIZE + 36, "R2_S: nearest rows", "label", "middle"),
        f'<text {turned} class="label" text-anchor="middle">R2_H: one linear regression</text>',
        *(
            text(LEFT + SIZE * tick, TOP + SIZE + 17, f"{tick:g}", "note", "middle")
            for tick in (0.0, 0.5, 1.0)
        ),
        *(
            text(LEFT - 7, TOP + SIZE * (1.0 - tick) + 4, f"{tick:g}", "note", "end")
            for tick in (0.0, 0.5, 1.0)
        ),
    ]
    for (x, y, column), (_, near, linear) in zip(dots, found, strict=True):
        kind = "dot holed" if column.n_missing else "dot"
        tip = escape(f"{name_text(column.name)}: R2_S {decimals(near)}, R2_H {decimals(linear)}")
        parts.append(
            f'<circle cx="{at(x)}" cy="{at(y)}" r="5" class="{kind}"><title>{tip}</title></circle>'
        )
    for x, y, column in dots:
        free = free_place(x, y, column.name, taken)
        if free is not None:
            parts.append(name_mark(free[0], free[1], column.name, WIDEST, anchor=free[2]))
    below = sum(min(near, linear) < 0 for _, near, linear in found)
    edge = f" {count(below, 'column')} with a value below 0 are at the edge." if below else ""
    described = (
        f"{count(len(found), 'column')} by R2_S from left to right and R2_H from bottom to top, both from "
        f"0 to 1.{edge}"
    )
    size = (LEFT + SIZE + 16, TOP + SIZE + 46)
    return picture("measure", size, "R2_S and R2_H of the columns", described, parts)


def free_place(x: float, y: float, label: str, taken: list[Box]) -> tuple[float, float, str] | None:
    """A position of a name beside a dot that covers nothing; None if there is none."""
    for right, down, anchor in PLACES:
        box = _box(x + right, y + down, anchor, label)
        inside = box[0] >= LEFT and box[1] >= TOP and box[2] <= LEFT + SIZE and box[3] <= TOP + SIZE
        if inside and not any(overlap(box, other) for other in taken):
            taken.append(box)
            return x + right, y + down, anchor
    return None


def _box(x: float, y: float, anchor: str, label: str) -> Box:
    """The box of a name: a line of the tallest of the usual fonts, which differ by half a letter."""
    wide = width_of(fitted(label, WIDEST)) + 2
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
    return (left, y - 14, left + wide, y + 5)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
