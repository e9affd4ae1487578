"""Exact nearest donors: ranked by (distance, row), ties at the boundary included.

The squared distance is a sum over the observed columns, in column order. The lower bound of a box is
summed in the same order, and rounding is monotone: a box bound is never above the computed distance of
a donor inside. So boxes are left out without any margin, and the result is that of a full scan, bit by
bit, whatever the leaf size, the threads, or the order of the queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.order import keep_nearest, order_steps
from iim.kernels.tree import Tree

NOBODY = -1
"""In place of a place: this query is no donor itself."""

SELF = -1.0
"""In place of a squared distance: below all others, so that a donor is always its own first neighbour."""


class Scratch(NamedTuple):
    """What one search writes on; the first two hold its result."""

    distance: Floats
    found: Integers
    leaf_distance: Floats
    waiting: Integers
    waiting_bound: Floats


@kernel
def box_distance(low: Floats, high: Floats, node: int, query: Floats) -> float:
    """Smallest squared distance that a donor in the node's box can have from ``query``."""
    total = 0.0
    for column in range(query.shape[0]):
        gap = max(low[node, column] - query[column], query[column] - high[node, column])
        if gap > 0.0:
            total += gap * gap
    return total


@kernel
def leaf_distances(leaves: Floats, leaf: int, query: Floats, out: Floats) -> None:
    """Squared distances from ``query`` to a leaf's donors; NaN past its last donor.

    One pass per pair of columns keeps the running sums in registers for longer; each donor's own sum
    still grows column by column.
    """
    n_observed, width = leaves.shape[1], leaves.shape[2]
    column = n_observed % 2
    if column == 1:
        value = query[0]
        for at in range(width):
            gap = leaves[leaf, 0, at] - value
            out[at] = gap * gap
    else:
        for at in range(width):
            out[at] = 0.0
    while column < n_observed:
        value, next_value = query[column], query[column + 1]
        for at in range(width):
            gap = leaves[leaf, column, at] - value
            next_gap = leaves[leaf, column + 1, at] - next_value
            out[at] = (out[at] + gap * gap) + next_gap * next_gap
        column += 2


@kernel
def make_scratch(tree: Tree, limit: int) -> Scratch:
    """Room for one search at a time; O(limit + leaf size + depth)."""
    n_finds = 2 * limit + tree.leaves.shape[2]
    depth = 1
    while (1 << depth) <= tree.bounds.shape[0]:
        depth += 1
    return Scratch(
        np.empty(n_finds),
        np.empty(n_finds, np.intp),
        np.empty(tree.leaves.shape[2]),
        np.empty(depth + 1, np.intp),
        np.empty(depth + 1),
    )


@kernel
def search(tree: Tree, query: Floats, limit: int, self_place: int, scratch: Scratch) -> None:
    """Find the nearest ``limit`` donors of one query.

    Boxes are visited nearest first; finds are gathered until there is twice the room needed, then cut
    back to the nearest ``limit``, which tells how far it is still worth looking.

    Parameters
    ----------
    tree : Tree
        The donors.
    query : ndarray of shape (n_observed,)
        Coordinates of the query.
    limit : int
        How many donors to find; at most the number of donors.
    self_place : int
        The query's own place if it is a donor, which then comes before all others; else NOBODY.
    scratch : Scratch
        Its ``distance`` and ``found`` receive the finds, in no order, in their first ``limit`` entries.
    """
    # Taken out of the tuples once: a tuple's array is reference-counted at each use, and threads that
    # count the same arrays slow each other down.
    donor, bounds, low, high, leaves = tree.donor, tree.bounds, tree.low, tree.high, tree.leaves
    earliest = tree.earliest
    distance, found, leaf_distance = scratch.distance, scratch.found, scratch.leaf_distance
    waiting, waiting_bound = scratch.waiting, scratch.waiting_bound
    first_leaf = bounds.shape[0] // 2
    width = leaves.shape[2]
    reach = np.inf
    last_donor = donor.shape[0]
    count = 0
    if self_place != NOBODY:
        distance[0] = SELF
        found[0] = self_place
        count = 1
    waiting[0] = 0
    waiting_bound[0] = 0.0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        bound = waiting_bound[n_waiting]
        # A box at just the distance of the last neighbour matters only if it holds an earlier row.
        if bound > reach or (bound == reach and earliest[node] > last_donor):
            continue
        while node < first_leaf:
            node = 2 * node + 1
            other = node + 1
            bound = box_distance(low, high, node, query)
            other_bound = box_distance(low, high, other, query)
            if other_bound < bound:
                node, other = other, node
                other_bound = bound
            if other_bound <= reach:
                waiting[n_waiting] = other
                waiting_bound[n_waiting] = other_bound
                n_waiting += 1
        first = bounds[node, 0]
        leaf_distances(leaves, node - first_leaf, query, leaf_distance)
        if first <= self_place < bounds[node, 1]:
            leaf_distance[self_place - first] = np.nan  # found already
        for at in range(width):
            distance[count] = leaf_distance[at]
            found[count] = first + at
            count += leaf_distance[at] <= reach
        if count >= 2 * limit:
            reach = keep_nearest(distance, found, count, limit, donor)
            last_donor = donor[found[limit - 1]]
            count = limit
    if count > limit:
        keep_nearest(distance, found, count, limit, donor)
    # A query that is no number is near to nobody: whoever is named then, it must be a place.
    for at in range(count, limit):
        distance[at] = np.inf
        found[at] = at


@kernel
def nearest_block(
    tree: Tree, queries: Floats, self_places: Integers, distance: Floats, found: Integers
) -> None:
    """Nearest donors of each query, in order of (distance, row).

    Parameters
    ----------
    tree : Tree
        The donors.
    queries : ndarray of shape (n_queries, n_observed)
        Coordinates.
    self_places : ndarray of shape (n_queries,)
        Each query's own place, or NOBODY.
    distance, found : ndarray of shape (n_queries, limit)
        Receive squared distances and places. O(n_queries) searches, memory O(limit).
    """
    limit = found.shape[1]
    scratch = make_scratch(tree, limit)
    every_rank = np.arange(limit)
    for query in range(queries.shape[0]):
        search(tree, queries[query], limit, self_places[query], scratch)
        order_steps(scratch.distance, scratch.found, every_rank, tree.donor)
        distance[query] = scratch.distance[:limit]
        found[query] = scratch.found[:limit]
