"""Nearest donors, by (distance, row)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.execution.context import Context
from iim.core.scaling import LARGEST
from iim.kernels.search import GROUP, NOBODY, find_home, nearest_block
from iim.kernels.tree import LEAF_SIZE, Tree, build_tree
from iim.persistence.fields import Refused, Sizes, floats, some

SAMPLES = 8
"""Groups of donors searched with boxes, to measure how many leaves the boxes exclude."""

MANY_SEARCHES = 20 * SAMPLES * GROUP
"""With fewer searches than this, measuring costs more than it saves."""

MOST_LOOKS = 0.8
"""Boxes are used if at most this share of the leaves remains to be searched."""


@dataclass(frozen=True)
class Neighbors:
    """Nearest donors of some queries, nearest first.

    Attributes
    ----------
    distance : ndarray of shape (n_queries, n_neighbors)
        Squared Euclidean distances in scaled coordinates.
    place : ndarray of shape (n_queries, n_neighbors)
        Places in the tree.
    """

    distance: Floats
    place: Integers


def index_donors(points: Floats) -> Tree:
    """Build the tree over the donors' scaled coordinates, donors in row order."""
    return build_tree(np.ascontiguousarray(points), LEAF_SIZE)


class KeptValues(NamedTuple):
    """The saved part of donors and their values, in the order of the rows."""

    points: Annotated[Floats, some(floats("donors", "observed", least=-LARGEST, most=LARGEST))]
    targets: Annotated[Floats, floats("donors", least=-1, most=1)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse points without any coordinate."""
        del sizes
        if self.points.shape[1] == 0:
            raise Refused("`KnownValues.points`: a column to measure distances on is needed")


@dataclass(frozen=True)
class KnownValues:
    """Donors, indexed, and their values by place in the index."""

    tree: Tree
    targets: Floats

    kept_as: ClassVar[type] = KeptValues

    def to_kept(self) -> KeptValues:
        """The saved part, in row order; the tree is rebuilt from it."""
        return KeptValues(self.tree.points[self.tree.place], self.targets[self.tree.place])

    @classmethod
    def from_kept(cls, kept: KeptValues) -> KnownValues:
        """Donors from the saved part; the index is rebuilt."""
        return index_values(*kept)


def index_values(points: Floats, targets: Floats) -> KnownValues:
    """Index donors by their coordinates."""
    tree = index_donors(points)
    return KnownValues(tree, targets[tree.donor])


def nearest_donors(tree: Tree, queries: Floats, *, n_neighbors: int, context: Context) -> Neighbors:
    """Nearest donors of rows that are not donors themselves; all donors if there are fewer.

    Parameters
    ----------
    tree : Tree
        The donors.
    queries : ndarray of shape (n_queries, n_observed)
        Scaled coordinates of the rows, transformed if distances are learned.
    n_neighbors : int
        How many to find.
    context : Context
        How to run.

    Returns
    -------
    Neighbors
    """
    n_queries = queries.shape[0]
    home = np.empty(n_queries, np.intp)
    context.silent.run(
        lambda first, stop: find_home(tree, queries[first:stop], home[first:stop]), n_queries
    )
    order = np.argsort(home, kind="stable")
    nobody = np.full(n_queries, NOBODY, np.intp)
    return _nearest(tree, queries, nobody, order, home[order], n_neighbors, context.silent)


def nearest_other_donors(
    tree: Tree,
    places: Integers | None = None,
    *,
    n_neighbors: int,
    context: Context,
) -> Neighbors:
    """Nearest donors of some donors, without the donor itself; all others if there are fewer.

    Parameters
    ----------
    tree : Tree
        The donors.
    places : ndarray of shape (n_places,), optional
        The donors of interest, increasing; all of them, by place, by default.
    n_neighbors : int
        How many to find.
    context : Context
        Threads and progress (donors searched for).

    Returns
    -------
    Neighbors
    """
    places = np.arange(tree.donor.size) if places is None else places
    home = places // tree.leaves.shape[2]
    neighbors = _nearest(
        tree, tree.points[places], places, np.arange(places.size), home, n_neighbors + 1, context
    )
    # A donor comes first in its own list, even before duplicates of it.
    return Neighbors(neighbors.distance[:, 1:], neighbors.place[:, 1:])


def farthest_of_nearest(tree: Tree, places: Integers, *, n_neighbors: int, context: Context) -> Floats:
    """Squared distance of some donors to their ``n_neighbors``-th nearest, counting themselves.

    Parameters
    ----------
    tree : Tree
        At least ``n_neighbors`` donors.
    places : ndarray of shape (n_places,)
        The donors of interest, increasing.
    n_neighbors : int
        How many to search for.
    context : Context
        How to run.

    Returns
    -------
    ndarray of shape (n_places,)
        Memory O(n_places), plus the neighbours of one block.
    """
    farthest = np.empty(places.size)
    pruned = boxes_help(tree, n_neighbors, places.size)

    def work(first: int, stop: int) -> None:
        block = places[first:stop]
        shape = (block.size, n_neighbors)
        distance, found = np.empty(shape), np.empty(shape, np.intp)
        home, order = block // tree.leaves.shape[2], np.arange(block.size)
        nearest_block(tree, tree.points[block], block, order, home, pruned, distance, found)
        # The search sets a donor's distance to itself below 0, so that it comes first.
        farthest[first:stop] = np.maximum(distance[:, -1], 0.0)

    context.run(work, places.size)
    return farthest


def boxes_help(tree: Tree, limit: int, n_searches: int) -> bool:
    """Whether searches for ``limit`` donors should test boxes first, or scan all donors.

    Boxes cost time, and in many dimensions they exclude few donors. So the share of excluded leaves is
    measured on a few searches spread over the tree. Both ways find the same donors.
    """
    n_donors, n_leaves, leaf_size = tree.donor.size, tree.leaves.shape[0], tree.leaves.shape[2]
    if n_searches < MANY_SEARCHES:
        return True
    begins = np.linspace(0, max(n_donors - GROUP, 0), SAMPLES).astype(np.intp)
    places = np.unique(np.minimum(begins[:, None] + np.arange(GROUP), n_donors - 1))
    shape = (places.size, min(limit, n_donors))
    n_looks = nearest_block(
        tree,
        tree.points[places],
        places,
        np.arange(places.size),
        places // leaf_size,
        pruned=True,
        distance=np.empty(shape),
        found=np.empty(shape, np.intp),
    )
    return bool(n_looks < MOST_LOOKS * places.size * n_leaves)


def _nearest(
    tree: Tree,
    queries: Floats,
    self_places: Integers,
    order: Integers,
    home: Integers,
    limit: int,
    context: Context,
) -> Neighbors:
    shape = (queries.shape[0], min(limit, tree.donor.size))
    distance, place = np.empty(shape), np.empty(shape, np.intp)
    pruned = boxes_help(tree, limit, queries.shape[0])
    context.run(
        lambda first, stop: nearest_block(
            tree, queries, self_places, order[first:stop], home[first:stop], pruned, distance, place
        ),
        queries.shape[0],
    )
    return Neighbors(distance, place)
