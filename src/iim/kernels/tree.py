"""A bounding-box tree over the donors, built once per set of observed columns.

SciPy's k-d tree serves as a reference in tests and benchmarks. It is not used here: its ties at the k-th
distance are arbitrary, it sums distances in another order, and it cannot be called from a kernel. Donors
are stored in leaf order, transposed, so that the distances to a whole leaf are one vector operation per
column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel

LEAF_SIZE = 32
"""Donors in a leaf. Smaller leaves prune better, larger ones use SIMD better."""


class Tree(NamedTuple):
    """Donors in leaf order, and their bounding boxes.

    The tree is complete: node ``i`` has the children ``2 i + 1`` and ``2 i + 2``, leaves are on the last
    two levels, and all but the last one in leaf order are full. A *place* is a position in leaf order.
    """

    leaves: Floats
    """(n_leaves, n_observed, leaf_size): coordinates by leaf, transposed; NaN pads the last leaf."""
    points: Floats
    """(n_donors, n_observed): the same coordinates, one row per place."""
    donor: Integers
    """(n_donors,): the donor (by row order) at each place."""
    place: Integers
    """(n_donors,): the place of each donor."""
    bounds: Integers
    """(n_nodes, 2): first place of each node, and one past its last."""
    low: Floats
    """(n_nodes, n_observed): lower corner of each node's box."""
    high: Floats
    """(n_nodes, n_observed): upper corner."""
    earliest: Integers
    """(n_nodes,): the first donor, by row order, in each node."""


@kernel
def split_at(order: Integers, values: Floats, first: int, middle: int, stop: int) -> None:
    """Rearrange ``order[first:stop]`` so that ``values``, ties by row, are split at rank ``middle``."""
    low, high = first, stop - 1
    state = 1
    while low < high:
        # A pseudo-random pivot: a fixed one, such as the middle, takes n^2 steps on some sorted tables.
        state = (1103515245 * state + 12345) % 2**31
        pivot_donor = order[low + state * (high - low + 1) // 2**31]
        pivot = values[pivot_donor]
        left, right = low, high
        while left <= right:
            while values[order[left]] < pivot or (
                values[order[left]] == pivot and order[left] < pivot_donor
            ):
                left += 1
            while values[order[right]] > pivot or (
                values[order[right]] == pivot and order[right] > pivot_donor
            ):
                right -= 1
            if left <= right:
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle <= right:
            high = right
        elif middle >= left:
            low = left
        else:
            return


@kernel
def leaves_on_the_left(n_leaves: int) -> int:
    """How many of ``n_leaves`` leaves are below the left child, if the last level fills from the left."""
    above = 1
    while 2 * above < n_leaves:
        above *= 2
    return above // 2 + min(n_leaves - above, above // 2) if n_leaves > 2 else 1


def build_tree(points: Floats, leaf_size: int) -> Tree:
    """Split the donors along the widest column until each leaf holds ``leaf_size`` of them.

    Equal values are split by row: among identical donors, those that win ties come first.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Finite coordinates, donors in row order; at least one donor and one column.
    leaf_size : int
        How many donors a leaf holds; the last one in leaf order may hold fewer.

    Returns
    -------
    Tree
        Time O(n m log n), memory O(n m).
    """
    n_donors, n_observed = points.shape
    n_leaves = -(-n_donors // leaf_size)
    n_nodes = 2 * n_leaves - 1
    tree = Tree(
        leaves=np.full((n_leaves, n_observed, leaf_size), np.nan),
        points=np.empty((n_donors, n_observed)),
        donor=np.arange(n_donors, dtype=np.intp),
        place=np.empty(n_donors, np.intp),
        bounds=np.empty((n_nodes, 2), np.intp),
        low=np.empty((n_nodes, n_observed)),
        high=np.empty((n_nodes, n_observed)),
        earliest=np.empty(n_nodes, np.intp),
    )
    _split(points, tree)
    return tree


@kernel
def _split(points: Floats, tree: Tree) -> None:
    """Fill the arrays of the tree."""
    n_donors, n_observed = points.shape
    n_leaves, _, leaf_size = tree.leaves.shape
    n_nodes = 2 * n_leaves - 1
    order, bounds, low, high, earliest = tree.donor, tree.bounds, tree.low, tree.high, tree.earliest
    coordinates = points.T.copy()
    bounds[0, 0] = 0
    bounds[0, 1] = n_donors
    for node in range(n_nodes):
        first, stop = bounds[node, 0], bounds[node, 1]
        earliest[node] = n_donors
        for at in range(first, stop):
            earliest[node] = min(earliest[node], order[at])
        widest, width = 0, -1.0
        for column in range(n_observed):
            values = coordinates[column]
            smallest, largest = np.inf, -np.inf
            for at in range(first, stop):
                value = values[order[at]]
                smallest = min(smallest, value)
                largest = max(largest, value)
            low[node, column] = smallest
            high[node, column] = largest
            if largest - smallest > width:
                widest, width = column, largest - smallest
        if node < n_leaves - 1:
            middle = first + leaf_size * leaves_on_the_left(-(-(stop - first) // leaf_size))
            split_at(order, coordinates[widest], first, middle, stop)
            bounds[2 * node + 1, 0] = first
            bounds[2 * node + 1, 1] = middle
            bounds[2 * node + 2, 0] = middle
            bounds[2 * node + 2, 1] = stop
    for at in range(n_donors):
        donor = order[at]
        tree.place[donor] = at
        for column in range(n_observed):
            tree.points[at, column] = points[donor, column]
            tree.leaves[at // leaf_size, column, at % leaf_size] = coordinates[column, donor]
