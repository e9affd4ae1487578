"""Nearest donors, by (distance, row)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.workers import Workers
from iim.kernels.search import NOBODY, nearest_block
from iim.kernels.tree import LEAF_SIZE, Tree, build_tree


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


@dataclass(frozen=True)
class KnownValues:
    """Donors, indexed, and their values by place in the index."""

    tree: Tree
    targets: Floats


def index_values(points: Floats, targets: Floats) -> KnownValues:
    """Index donors by their coordinates."""
    tree = index_donors(points)
    return KnownValues(tree, targets[tree.donor])


def nearest_donors(tree: Tree, queries: Floats, *, n_neighbors: int, workers: Workers) -> Neighbors:
    """Nearest donors of rows that are no donors themselves; all donors if there are fewer.

    Parameters
    ----------
    tree : Tree
        The donors.
    queries : ndarray of shape (n_queries, n_observed)
        Scaled coordinates.
    n_neighbors : int
        How many to find.
    workers : Workers
        Who does the work.

    Returns
    -------
    Neighbors
    """
    nobody = np.full(queries.shape[0], NOBODY, np.intp)
    return _nearest(tree, queries, nobody, n_neighbors, workers)


def nearest_other_donors(tree: Tree, *, n_neighbors: int, workers: Workers) -> Neighbors:
    """Nearest donors of every donor, by place, without itself; all others if there are fewer."""
    places = np.arange(tree.donor.size)
    neighbors = _nearest(tree, tree.points, places, n_neighbors + 1, workers)
    # A donor comes before all others in its own list, duplicates of it included.
    return Neighbors(neighbors.distance[:, 1:], neighbors.place[:, 1:])


def _nearest(tree: Tree, queries: Floats, self_places: Integers, limit: int, workers: Workers) -> Neighbors:
    shape = (queries.shape[0], min(limit, tree.donor.size))
    distance, place = np.empty(shape), np.empty(shape, np.intp)

    def work(first: int, stop: int) -> None:
        rows = slice(first, stop)
        nearest_block(tree, queries[rows], self_places[rows], distance[rows], place[rows])

    workers.run(work, queries.shape[0])
    return Neighbors(distance, place)
