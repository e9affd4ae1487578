"""Learning in two timed stages: first neighbour lists, then models, by either of the paper's algorithms.

:mod:`iim.kernels.learn` searches and learns for a few donors at a time. Here the lists of many donors are
kept in between, so that each stage can be timed. Sums grow from one candidate to the next as there
(Proposition 3), or start from zero for each candidate, which the paper calls straightforward. Both use the
package's own functions, add the same products in the same order, and give the same bits.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES, penalise_intercept, solve
from iim.kernels.learn import add_neighbors, learn_group, list_neighbors, make_bench
from iim.kernels.search import make_finds
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation


@kernel
def list_block(
    tree: Tree, places: Integers, grid: Integers, step_of: Integers, pruned: bool, lists: Integers
) -> None:
    """Learning neighbours of some donors.

    Parameters
    ----------
    lists : ndarray of shape (n_places, grid[-1])
        Receives places, in the order in which to add them.

    The others are those of :func:`iim.kernels.learn.learn_block`.
    """
    finds = make_finds(tree, grid[-1])
    keys = np.empty(grid[-1], np.intp)
    for first in range(0, places.shape[0], LANES):
        group = places[first : first + LANES]
        list_neighbors(tree, group, grid, step_of, pruned, finds, keys, lists[first : first + LANES])


@kernel
def learn_listed(
    points: Floats,
    targets: Floats,
    places: Integers,
    lists: Integers,
    grid: Integers,
    validation: Validation,
    alpha: float,
    intercept_penalised: bool,
    anew: bool,
    coef: Floats,
    n_learning: Integers,
) -> None:
    """Learn models from given lists.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    lists : ndarray of shape (n_places, grid[-1])
        From :func:`list_block`.
    anew : bool
        Whether the sums of every candidate start from zero, or continue from those of the one before.

    The others are those of :func:`iim.kernels.learn.learn_block`. Per donor
    O(m^2 l_max + (m^3 + m k) n_grid), or O((m^2 l_max + m^3 + m k) n_grid) anew.
    """
    bench = make_bench(points.shape[1], grid.shape[0], points.shape[0])
    found = np.zeros((LANES, grid[-1]), np.intp)
    no_cost = np.empty((0, grid.shape[0]))
    for first in range(0, places.shape[0], LANES):
        group = places[first : first + LANES]
        found[: group.shape[0]] = lists[first : first + LANES]
        learn_group(
            points,
            targets,
            group,
            found,
            grid,
            validation,
            alpha,
            intercept_penalised,
            False,  # noqa: FBT003 (a kernel's flags: the paper's own way)
            False,  # noqa: FBT003
            anew,
            bench,
            coef,
            n_learning,
            no_cost,
        )


@kernel
def extend_models(
    points: Floats,
    targets: Floats,
    places: Integers,
    lists: Integers,
    known: int,
    count: int,
    alpha: float,
    intercept_penalised: bool,
    sums: Floats,
    grown: Floats,
    coef: Floats,
) -> None:
    """Models of ``count`` learning neighbours, from the sums over the first ``known`` of them.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    places : ndarray of shape (n_places,)
        The donors to learn for; a multiple of LANES.
    lists : ndarray of shape (n_places, at least count)
        Their learning neighbours.
    known, count : int
        How many neighbours are in the sums, and how many are to be.
    alpha : float
        Ridge weight.
    intercept_penalised : bool
        Whether the ridge penalises the intercept too.
    sums : ndarray of shape (n_places / LANES, n_observed + 2, n_observed + 2, LANES)
        Sums of products over the known neighbours; zeros if there are none.
    grown : ndarray of the shape of sums
        Receives the sums over all.
    coef : ndarray of shape (n_places, n_observed + 1)
        Receives the value at the donor, and the slopes. O(m^2 (count - known) + m^3) per donor.
    """
    bench = make_bench(points.shape[1], 1, points.shape[0])
    solution = bench.solution
    for at in range(sums.shape[0]):
        first = at * LANES
        for lane in range(LANES):
            bench.points[:, lane] = points[places[first + lane]]
            bench.targets[lane] = targets[places[first + lane]]
        bench.products[:] = sums[at]
        add_neighbors(points, targets, lists[first : first + LANES], known, count, bench)
        solve(bench.products, alpha, solution)
        if intercept_penalised:
            penalise_intercept(bench.products, alpha, bench.points, bench.targets, solution)
        grown[at] = bench.products
        for lane in range(LANES):
            coef[first + lane, 0] = bench.targets[lane] + solution.level[lane]
            coef[first + lane, 1:] = solution.slopes[:, lane]
