"""The learning step alone, from given neighbour lists, in the paper's two ways.

To be wired: these loops stand in for a kernel of the package that learns from given lists. They call the
package's own sums and solver, so what is compared is only whether the sums of a candidate l start from
those of the one before (Proposition 3) or from nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from scipy.spatial import cKDTree

from iim.core.workers import Workers
from iim.kernels.gram import add_rows, penalise_intercept, solve
from speed.plan import settings


def neighbor_lists(points: np.ndarray, places: np.ndarray, n_learning: int, workers: int) -> np.ndarray:
    """The nearest donors of some donors, nearest first; SciPy's, so that all learn from the same."""
    _, found = cKDTree(points).query(points[places], n_learning, workers=workers)
    return np.ascontiguousarray(found.reshape(places.size, n_learning), dtype=np.intp)


def learn_from_lists(
    points: np.ndarray,
    targets: np.ndarray,
    places: np.ndarray,
    lists: np.ndarray,
    grid: Sequence[int],
    *,
    incremental: bool,
    workers: int,
) -> np.ndarray:
    """Learn the models of some donors for every candidate number of neighbours.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        All donors.
    places : ndarray of shape (n_places,)
        The donors to learn for.
    lists : ndarray of shape (n_places, at least grid[-1])
        Their learning neighbours, nearest first.
    grid : sequence of int
        Candidates, increasing.
    incremental : bool
        Whether sums go on from one candidate to the next, or start anew.
    workers : int
        Threads.

    Returns
    -------
    ndarray of shape (n_places, n_grid)
        Each model's value at its donor, relative to the donor's own: the two ways give the same bits.
    """
    candidates = np.asarray(list(grid), np.intp)
    levels = np.empty((places.size, candidates.size))
    alpha = float(settings()["alpha"])

    def work(first: int, stop: int) -> None:
        rows = slice(first, stop)
        _learn_block(
            points, targets, places[rows], lists[rows], candidates, alpha, incremental, levels[rows]
        )

    Workers(n_threads=workers, block_size=64).run(work, places.size)
    return levels


# Compiled anew in each process: a cache on disk would not notice that the package's kernels have changed.
@numba.njit(nogil=True, error_model="numpy")
def _learn_block(
    points: np.ndarray,
    targets: np.ndarray,
    places: np.ndarray,
    lists: np.ndarray,
    grid: np.ndarray,
    alpha: float,
    incremental: bool,  # noqa: FBT001 (a kernel's flag)
    levels: np.ndarray,
) -> None:
    n_observed = points.shape[1]
    products = np.empty((n_observed + 2, n_observed + 2))
    row = np.empty(n_observed + 2)
    factor = np.empty((n_observed, n_observed))
    floor, slopes = np.empty(n_observed), np.empty(n_observed)
    origin, pull = np.empty(n_observed), np.empty(n_observed)
    for at in range(places.shape[0]):
        place = places[at]
        point, target = points[place], targets[place]
        products[:] = 0.0
        known = 0
        for step in range(grid.shape[0]):
            count = grid[step]
            if not incremental:
                products[:] = 0.0
                known = 0
            add_rows(products, row, points, targets, lists[at], known, count, place)
            known = count
            level = 0.0
            if count > 1:
                level = solve(products, alpha, factor, floor, slopes)
                level = penalise_intercept(
                    products, alpha, factor, slopes, level, point, target, origin, pull
                )
            levels[at, step] = level
