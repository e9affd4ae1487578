"""The learning step alone, from given neighbour lists, in the paper's two ways.

Both call the package's own kernel, :func:`iim.kernels.learn.learn_group`: the sums of a candidate l go on
from those of the one before (Proposition 3), or start from nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from scipy.spatial import cKDTree

from iim.core.execution.context import Context
from iim.kernels.gram import LANES
from iim.kernels.learn import learn_group, make_bench
from iim.kernels.validation import Validation
from speed.plan import settings

PENALISED = settings()["penalty"] == "all"
HELD_OUT = False
THROUGH = False


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
    n_judges: int = 10,
    workers: int,
) -> np.ndarray:
    """Learn the models of some donors for every candidate number of neighbours, and judge them.

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
    n_judges : int, default=10
        How many of its nearest others each donor's models are judged on.
    workers : int
        Threads.

    Returns
    -------
    ndarray of shape (n_places, n_grid)
        The cost of each model: the two ways give the same bits.
    """
    candidates = np.asarray(list(grid), np.intp)
    alpha = float(settings()["alpha"])
    first = np.zeros(len(points) + 1, np.intp)
    first[places + 1] = n_judges
    order = np.argsort(places)
    judged = Validation(np.cumsum(first), np.ascontiguousarray(lists[order, 1 : 1 + n_judges].ravel()))
    coef, n_learning = np.empty((len(points), points.shape[1] + 1)), np.empty(len(points), np.intp)
    cost = np.empty((places.size, candidates.size))

    def work(begin: int, stop: int) -> None:
        rows = slice(begin, stop)
        _learn_block(
            points,
            targets,
            places[rows],
            lists[rows],
            candidates,
            judged,
            alpha,
            incremental,
            coef,
            n_learning,
            cost[rows],
        )

    Context(n_threads=workers, block_size=4 * LANES).run(work, places.size)
    return cost


# Compiled anew in each process: a cache on disk would not notice that the package's kernels have changed.
@numba.njit(nogil=True, error_model="numpy")
def _learn_block(
    points: np.ndarray,
    targets: np.ndarray,
    places: np.ndarray,
    lists: np.ndarray,
    grid: np.ndarray,
    judged: Validation,
    alpha: float,
    incremental: bool,  # noqa: FBT001 (a kernel's flag)
    coef: np.ndarray,
    n_learning: np.ndarray,
    cost: np.ndarray,
) -> None:
    bench = make_bench(points.shape[1], grid.shape[0], points.shape[0])
    found = np.zeros((LANES, lists.shape[1]), np.intp)
    costs = np.empty((LANES, grid.shape[0]))
    for first in range(0, places.shape[0], LANES):
        group = places[first : first + LANES]
        found[: group.shape[0]] = lists[first : first + LANES]
        learn_group(
            points,
            targets,
            group,
            found,
            grid,
            judged,
            alpha,
            PENALISED,
            HELD_OUT,
            THROUGH,
            not incremental,
            bench,
            coef,
            n_learning,
            costs,
        )
        cost[first : first + LANES] = costs[: group.shape[0]]
