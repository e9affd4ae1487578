"""Exact nearest donors, ranked by (distance, row); ties at the k-th distance go to the smaller row.

The squared distance is a sum over the observed columns, in column order. The lower bound of a box is summed
in the same order. Rounding is monotone, so the bound is never above the computed distance of a donor
inside. Hence boxes are excluded without any margin, and the result is bit for bit that of a full scan, for
any leaf size, threads, or order of queries.

Near queries are searched in groups: they share the traversal of the tree, and each leaf is loaded once for
several queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES
from iim.kernels.order import Drawers, make_drawers, order_steps
from iim.kernels.tree import Tree

NOBODY = -1
"""Place of a query that is not a donor itself."""

SELF = -1.0
"""Squared distance of a donor to itself: below all others, so that it is always its own first neighbour."""

GROUP = LANES
"""Queries searched together: those whose models are learned together."""

COLUMNS_AT_ONCE = 8
"""Columns between two tests whether a leaf can be skipped; an even number."""

NEARBY = 16
"""In many columns, queries are searched together if their leaves are less than this apart: they share most
of the traversal. In few columns, only queries of one leaf do."""

FEW_COLUMNS = 6
"""Up to this many columns are few."""


class Finds(NamedTuple):
    """Work arrays of a search; the first two hold its result."""

    distance: Floats
    """(GROUP, room): squared distances of each query's finds."""
    found: Integers
    """(GROUP, room): their places."""
    count: Integers
    """(GROUP,): how many there are."""
    reach: Floats
    """(GROUP,): squared distance to search up to."""
    last: Integers
    """(GROUP,): at exactly that distance, the last donor, by row order, that can still count."""
    columns: Floats
    """(n_observed, GROUP): the queries, transposed."""
    box: Floats
    """(2, n_observed): lower and upper corner of their box."""
    bound: Floats
    """(GROUP,): distance of each query to the box of a leaf."""
    leaf_distance: Floats
    """(leaf_size,): distances of one query to the donors of a leaf."""
    waiting: Integers
    """(depth,): nodes still to be visited."""
    waiting_bound: Floats
    """(depth,): distance of the queries' box to theirs."""
    last_step: Integers
    """(limit,): step 1 for the last rank, 0 for the others."""
    drawers: Drawers
    """Scratch arrays to sort finds."""


@kernel
def make_finds(tree: Tree, limit: int) -> Finds:
    """Work arrays for one group; O(limit + leaf size + depth)."""
    n_observed, leaf_size = tree.leaves.shape[1], tree.leaves.shape[2]
    room = 2 * limit + leaf_size
    last_step = np.zeros(limit, np.intp)
    last_step[limit - 1] = 1
    depth = 2
    while (1 << depth) <= tree.bounds.shape[0]:
        depth += 1
    return Finds(
        np.empty((GROUP, room)),
        np.empty((GROUP, room), np.intp),
        np.empty(GROUP, np.intp),
        np.empty(GROUP),
        np.empty(GROUP, np.intp),
        np.empty((n_observed, GROUP)),
        np.empty((2, n_observed)),
        np.empty(GROUP),
        np.empty(leaf_size),
        np.empty(depth + 1, np.intp),
        np.empty(depth + 1),
        last_step,
        make_drawers(room, max(limit, 16)),
    )


@kernel
def box_distance(low: Floats, high: Floats, node: int, box: Floats) -> float:
    """Smallest squared distance between the node's box and the queries' box."""
    total = 0.0
    for column in range(box.shape[1]):
        gap = max(low[node, column] - box[1, column], box[0, column] - high[node, column])
        if gap > 0.0:
            total += gap * gap
    return total


@kernel
def box_distances(low: Floats, high: Floats, node: int, columns: Floats, bound: Floats) -> None:
    """Smallest squared distance between the node's box and each query."""
    for query in range(GROUP):
        bound[query] = 0.0
    for column in range(columns.shape[0]):
        floor, ceiling = low[node, column], high[node, column]
        for query in range(GROUP):
            value = columns[column, query]
            gap = max(floor - value, value - ceiling, 0.0)
            bound[query] += gap * gap


@kernel
def leaf_distances(leaves: Floats, leaf: int, columns: Floats, query: int, far: float, out: Floats) -> int:
    """Squared distances from a query to a leaf's donors, unless all of them are beyond ``far``.

    Each pass adds a pair of columns, which keeps the sums in registers for longer; each donor's sum still
    grows in column order. Sums never fall: if all are beyond ``far`` after some columns, the rest is
    skipped.

    Returns
    -------
    int
        How many are not beyond ``far``; if 0, ``out`` is incomplete. It is NaN past the last donor.
    """
    n_observed, leaf_size = leaves.shape[1], leaves.shape[2]
    column = n_observed % 2
    if column == 1:
        value = columns[0, query]
        for at in range(leaf_size):
            gap = leaves[leaf, 0, at] - value
            out[at] = gap * gap
    else:
        for at in range(leaf_size):
            out[at] = 0.0
    n_within = leaf_size
    while True:
        stop = min(column + COLUMNS_AT_ONCE, n_observed)
        while column < stop:
            value, next_value = columns[column, query], columns[column + 1, query]
            for at in range(leaf_size):
                gap = leaves[leaf, column, at] - value
                next_gap = leaves[leaf, column + 1, at] - next_value
                out[at] = (out[at] + gap * gap) + next_gap * next_gap
            column += 2
        n_within = 0
        for at in range(leaf_size):
            n_within += out[at] <= far
        if n_within == 0 or column == n_observed:
            return n_within


@kernel
def begin(queries: Floats, self_places: Integers, n_donors: int, finds: Finds) -> None:
    """Load a group of queries; each that is a donor has itself as its only find."""
    columns, box = finds.columns, finds.box
    n_queries, n_observed = queries.shape
    for column in range(n_observed):
        box[0, column], box[1, column] = np.inf, -np.inf
        for query in range(GROUP):
            value = queries[min(query, n_queries - 1), column]
            columns[column, query] = value
            box[0, column], box[1, column] = min(box[0, column], value), max(box[1, column], value)
    for query in range(n_queries):
        finds.bound[query] = 0.0
        finds.reach[query] = np.inf
        finds.last[query] = n_donors
        finds.distance[query, 0] = SELF
        finds.found[query, 0] = self_places[query]
        finds.count[query] = 0 if self_places[query] == NOBODY else 1


@kernel
def end(n_queries: int, limit: int, finds: Finds) -> None:
    """Give every query ``limit`` finds.

    A query with NaN coordinates has none; it gets arbitrary valid places at infinite distance.
    """
    for query in range(n_queries):
        for at in range(finds.count[query], limit):
            finds.distance[query, at] = np.inf
            finds.found[query, at] = at
        finds.count[query] = max(finds.count[query], limit)


# One long function: each call with arrays counts references to them, which takes longer than scanning a
# leaf.
@kernel
def search(  # noqa: C901
    tree: Tree, queries: Floats, self_places: Integers, limit: int, pruned: bool, finds: Finds
) -> int:
    """Find the nearest ``limit`` donors of each query in a group.

    Leaves are visited nearest first. Finds are collected up to twice as many as needed, then cut to the
    nearest ``limit``. The distance of the last of these bounds the rest of the search.

    Parameters
    ----------
    tree : Tree
        The donors.
    queries : ndarray of shape (n_queries, n_observed)
        Coordinates of at most GROUP queries; near ones are faster.
    self_places : ndarray of shape (n_queries,)
        Each query's own place if it is a donor, which is then its first neighbour; else NOBODY.
    limit : int
        How many donors to find; at most the number of donors.
    pruned : bool
        Whether to test boxes first; if not, all donors are scanned. The same donors are found.
    finds : Finds
        ``distance`` and ``found`` receive the finds of each query, unsorted, and ``count`` their number:
        ``limit`` or more, which include the nearest.

    Returns
    -------
    int
        Number of leaves visited, summed over the queries.
    """
    bounds, low, high, earliest = tree.bounds, tree.low, tree.high, tree.earliest
    leaves, donor = tree.leaves, tree.donor
    distance, found, count = finds.distance, finds.found, finds.count
    reach, last, seen = finds.reach, finds.last, finds.leaf_distance
    columns, box, bound = finds.columns, finds.box, finds.bound
    waiting, waiting_bound = finds.waiting, finds.waiting_bound
    last_step, drawers = finds.last_step, finds.drawers
    n_queries, n_leaves, leaf_size = queries.shape[0], leaves.shape[0], leaves.shape[2]
    begin(queries, self_places, donor.shape[0], finds)
    far, latest = np.inf, donor.shape[0]
    waiting[0] = 0
    waiting_bound[0] = 0.0
    n_waiting, n_left, n_looks = 1, n_leaves, 0
    # Without boxes: start at the group's own leaf, where near donors lower the search distance early.
    leaf, first_donor = max(self_places[0], 0) // leaf_size - 1, 0
    while n_waiting > 0 and n_left > 0:
        if pruned:
            n_waiting -= 1
            node = waiting[n_waiting]
            # A box at exactly the distance of the last neighbour counts only if it holds an earlier row.
            if waiting_bound[n_waiting] > far or (
                waiting_bound[n_waiting] == far and earliest[node] > latest
            ):
                continue
            while node < n_leaves - 1:
                node = 2 * node + 1
                other = node + 1
                node_bound = box_distance(low, high, node, box)
                other_bound = box_distance(low, high, other, box)
                # Ties: the node that contains the group; else the first, which holds the earlier rows.
                if other_bound < node_bound or (
                    other_bound == node_bound and bounds[other, 0] <= self_places[0] < bounds[other, 1]
                ):
                    node, other = other, node
                    other_bound = node_bound
                if other_bound <= far:
                    waiting[n_waiting] = other
                    waiting_bound[n_waiting] = other_bound
                    n_waiting += 1
            box_distances(low, high, node, columns, bound)
            leaf, first_donor = bounds[node, 0] // leaf_size, earliest[node]
        else:
            n_left -= 1
            leaf = leaf + 1 if leaf + 1 < n_leaves else 0
        start = leaf * leaf_size
        fell = False
        for query in range(n_queries):
            if bound[query] > reach[query] or (bound[query] == reach[query] and first_donor > last[query]):
                continue
            n_looks += 1
            if leaf_distances(leaves, leaf, columns, query, reach[query], seen) == 0:
                continue
            if start <= self_places[query] < start + leaf_size:
                seen[self_places[query] - start] = np.nan  # found already
            n_finds = count[query]
            for at in range(leaf_size):
                distance[query, n_finds] = seen[at]
                found[query, n_finds] = start + at
                n_finds += seen[at] <= reach[query]
            count[query] = n_finds
            if n_finds >= 2 * limit:
                order_steps(distance[query], found[query], n_finds, last_step, donor, drawers)
                count[query] = limit
                reach[query] = distance[query, limit - 1]
                last[query] = donor[found[query, limit - 1]]
                fell = True
        if fell:
            far, latest = 0.0, 0
            for query in range(n_queries):
                far = max(far, reach[query])
                latest = max(latest, last[query])
    end(n_queries, limit, finds)
    return n_looks


@kernel
def find_home(tree: Tree, queries: Floats, home: Integers) -> None:
    """Write to ``home`` a leaf near to each query, by its number in leaf order. O(m log n) each."""
    low, high, bounds = tree.low, tree.high, tree.bounds
    n_leaves, leaf_size = tree.leaves.shape[0], tree.leaves.shape[2]
    box = np.empty((2, queries.shape[1]))
    for query in range(queries.shape[0]):
        box[0], box[1] = queries[query], queries[query]
        node = 0
        while node < n_leaves - 1:
            node = 2 * node + 1
            if box_distance(low, high, node + 1, box) < box_distance(low, high, node, box):
                node += 1
        home[query] = bounds[node, 0] // leaf_size


@kernel
def end_of_group(home: Integers, first: int, n_observed: int) -> int:
    """The end of the group that starts with query ``first``: at most GROUP queries, all nearby.

    ``home`` is each query's leaf, not decreasing.
    """
    apart = 1 if n_observed <= FEW_COLUMNS else NEARBY
    stop = first + 1
    while stop < home.shape[0] and stop - first < GROUP and home[stop] - home[first] < apart:
        stop += 1
    return stop


@kernel
def nearest_block(
    tree: Tree,
    queries: Floats,
    self_places: Integers,
    order: Integers,
    home: Integers,
    pruned: bool,
    distance: Floats,
    found: Integers,
) -> int:
    """Nearest donors of some queries, ranked by (distance, row).

    Parameters
    ----------
    tree : Tree
        The donors.
    queries : ndarray of shape (n_queries, n_observed)
        Coordinates.
    self_places : ndarray of shape (n_queries,)
        Each query's own place, or NOBODY.
    order : ndarray of shape (n_asked,)
        The queries to search for, in the order of their leaves.
    home : ndarray of shape (n_asked,)
        Their leaves. They decide which queries share a search, and do not change results.
    pruned : bool
        As in :func:`search`.
    distance, found : ndarray of shape (n_queries, limit)
        Receive squared distances and places. O(n_asked) searches, memory O(limit).

    Returns
    -------
    int
        Number of leaves visited, summed over the queries.
    """
    limit = found.shape[1]
    finds = make_finds(tree, limit)
    every_rank = np.arange(limit)
    n_looks = 0
    first = 0
    while first < order.shape[0]:
        stop = end_of_group(home, first, queries.shape[1])
        group = order[first:stop]
        n_looks += search(tree, queries[group], self_places[group], limit, pruned, finds)
        for at in range(stop - first):
            order_steps(
                finds.distance[at], finds.found[at], finds.count[at], every_rank, tree.donor, finds.drawers
            )
            distance[group[at]] = finds.distance[at, :limit]
            found[group[at]] = finds.found[at, :limit]
        first = stop
    return n_looks
