"""Space divided among machines: boxes with about equally many donors each.

Space is cut across the widest column, again and again, at quantiles of a sample. The boxes are disjoint and
cover all of space, so every point has one owner, found in O(log n) steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats, Integers
from iim.persistence.fields import Field, Refused, Sizes, integers, some

LEAF = -1
"""Replaces the column in a node that is not cut."""

CUTS = Field(
    "a number for each node",
    lambda value, sizes: value.dtype == np.float64 and value.ndim == 1 and sizes.agree("nodes", value.size),
)
"""Allowed cuts in a file: NaN in leaves."""

TAILS = (0.05, 0.95)
"""Quantiles between which the width of a column is measured, so that outliers do not decide on cuts."""

AT_ONCE = 2**22
"""Numbers compared at once, at most, when regions near rows are searched."""


@dataclass(frozen=True)
class SpacePartition:
    """A division of space.

    Attributes
    ----------
    column : ndarray of shape (n_nodes,)
        The column that each node is cut across, or LEAF; node 0 is all of space.
    cut : ndarray of shape (n_nodes,)
        Rows below it are in the left child, all others in the right one.
    left : ndarray of shape (n_nodes,)
        The left child, next to which is the right one; the number of the region at a LEAF.
    """

    column: Annotated[Integers, some(integers("nodes", least=LEAF, below="observed"))]
    cut: Annotated[Floats, CUTS]
    left: Annotated[Integers, integers("nodes", below="nodes")]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse trees with cycles or missing nodes, and regions that do not occur exactly once."""
        del sizes
        inner, leaf = np.flatnonzero(self.column != LEAF), self.column == LEAF
        children = np.concatenate([self.left[inner], self.left[inner] + 1])
        once = np.array_equal(np.sort(children), np.arange(1, self.left.size))
        if np.any(self.left[inner] <= inner) or not once:
            raise Refused("`SpacePartition.left`: each node once, after its parent, is needed")
        if np.isnan(self.cut[inner]).any():
            raise Refused("`SpacePartition.cut`: numbers are needed")
        if not np.array_equal(np.sort(self.left[leaf]), np.arange(self.n_regions)):
            raise Refused("`SpacePartition.left`: every region once is needed")

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return int(np.count_nonzero(self.column == LEAF))

    def owner(self, points: Floats) -> Integers:
        """The region of each row; O(n log n_regions)."""
        node = np.zeros(points.shape[0], np.intp)
        rows = np.arange(points.shape[0])
        while rows.size:
            column = self.column[node[rows]]
            rows, column = rows[column != LEAF], column[column != LEAF]
            here = node[rows]
            node[rows] = self.left[here] + (points[rows, column] >= self.cut[here])
        return self.left[node]

    def boxes(self, n_columns: int) -> tuple[Floats, Floats]:
        """Lower and upper corner of each region, (n_regions, n_columns); the outer ones are infinite."""
        low, high = (
            np.full((self.n_regions, n_columns), -np.inf),
            np.full((self.n_regions, n_columns), np.inf),
        )

        def visit(node: int, floor: Floats, ceiling: Floats) -> None:
            column, left = int(self.column[node]), int(self.left[node])
            if column == LEAF:
                low[left], high[left] = floor, ceiling
                return
            below, above = ceiling.copy(), floor.copy()
            below[column] = above[column] = self.cut[node]
            visit(left, floor, below)
            visit(left + 1, above, ceiling)

        visit(0, np.full(n_columns, -np.inf), np.full(n_columns, np.inf))
        return low, high


def divide_space(sample: Floats, n_regions: int) -> SpacePartition:
    """Cut space into regions with about equal shares of a sample.

    Parameters
    ----------
    sample : ndarray of shape (n_rows, n_columns)
        Rows from the whole table; at least one.
    n_regions : int
        Number of regions. Rows that are equal in every column cannot be separated, so the result may have
        fewer.

    Returns
    -------
    SpacePartition
    """
    column, cut, left = [LEAF], [np.nan], [0]
    waiting = [(0, np.arange(sample.shape[0]), n_regions)]
    n_found = 0
    while waiting:
        node, rows, wanted = waiting.pop()
        found = _widest_cut(sample[rows], wanted // 2 / wanted) if wanted > 1 else None
        if found is None:
            left[node] = n_found
            n_found += 1
            continue
        column[node], cut[node] = found
        left[node] = len(column)
        column, cut, left = [*column, LEAF, LEAF], [*cut, np.nan, np.nan], [*left, 0, 0]
        above = sample[rows, found[0]] >= found[1]
        waiting.append((left[node] + 1, rows[above], wanted - wanted // 2))
        waiting.append((left[node], rows[~above], wanted // 2))
    return SpacePartition(np.array(column, np.intp), np.array(cut), np.array(left, np.intp))


def _widest_cut(sample: Floats, share: float) -> tuple[int, float] | None:
    """Column and position of a cut with about ``share`` of the sample below it, not all and not none."""
    if sample.shape[0] == 1:
        return None
    low, high = np.quantile(sample, TAILS, axis=0)
    widths = np.where(high > low, high - low, 0.0)
    # If a column varies only in its tails, other columns are preferred.
    outer = sample.max(axis=0) - sample.min(axis=0)
    at = int(np.lexsort((outer, widths))[-1])
    if outer[at] == 0.0:
        return None
    values = np.unique(sample[:, at])
    wanted = np.quantile(sample[:, at], share, method="higher")
    return at, float(values[max(1, int(np.searchsorted(values, wanted)))])


def touched_boxes(points: Floats, radius: Floats, low: Floats, high: Floats) -> tuple[Integers, Integers]:
    """Boxes that may hold something within a radius of which rows.

    The squared distance to a box is summed in column order, and rounding is monotone: it never exceeds the
    computed distance to a row inside. So nothing is excluded, ties included, and no margin is needed.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_columns)
        Rows.
    radius : ndarray of shape (n_rows,)
        Squared distances; may be infinite.
    low, high : ndarray of shape (n_boxes, n_columns)
        The boxes' corners.

    Returns
    -------
    rows, boxes : ndarray of shape (n_pairs,)
        Positions, by row, then by box. O(n_rows n_boxes n_columns).
    """
    at_once = max(1, AT_ONCE // max(low.shape[0], 1))
    found: list[tuple[Integers, Integers]] = []
    for first in range(0, points.shape[0], at_once):
        block = points[first : first + at_once]
        bound = np.zeros((block.shape[0], low.shape[0]))
        for column in range(points.shape[1]):
            value = block[:, column, None]
            gap = np.maximum(np.maximum(low[:, column] - value, value - high[:, column]), 0.0)
            bound += gap * gap
        rows, boxes = np.nonzero(bound <= radius[first : first + at_once, None])
        found.append((rows + first, boxes))
    if not found:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    return np.concatenate([rows for rows, _ in found]), np.concatenate([boxes for _, boxes in found])
