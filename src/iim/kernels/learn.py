"""Learn and choose, donor by donor: the inner loop of Algorithms 1 and 2.

A fixed number of learning neighbours is a grid of one: nothing to choose, the same code.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import add_rows, penalise_intercept, solve
from iim.kernels.order import order_steps, sort_by_row
from iim.kernels.search import make_scratch, search
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation


@kernel
def gather_judged(
    points: Floats,
    targets: Floats,
    judged: Integers,
    first: int,
    stop: int,
    place: int,
    gaps: Floats,
    truths: Floats,
) -> None:
    """Lay out the donors ``judged[first:stop]`` relative to the one at ``place``, one line per column."""
    for at in range(stop - first):
        other = judged[first + at]
        truths[at] = targets[other] - targets[place]
        for column in range(points.shape[1]):
            gaps[column, at] = points[other, column] - points[place, column]


@kernel
def squared_errors(
    level: float, slopes: Floats, gaps: Floats, truths: Floats, n_judged: int, predicted: Floats
) -> float:
    """Sum of squared errors of a model over the donors it is judged on (Algorithm 2, the cost line)."""
    for at in range(n_judged):
        predicted[at] = level
    for column in range(slopes.shape[0]):
        slope = slopes[column]
        for at in range(n_judged):
            predicted[at] += slope * gaps[column, at]
    total = 0.0
    for at in range(n_judged):
        error = truths[at] - predicted[at]
        total += error * error
    return total


@kernel
def learn_block(
    tree: Tree,
    targets: Floats,
    places: Integers,
    grid: Integers,
    step_of: Integers,
    validation: Validation,
    alpha: float,
    intercept_penalised: bool,
    coef: Floats,
    n_learning: Integers,
    cost: Floats,
) -> None:
    """Learn the models of some donors over the grid and keep the best of each.

    Parameters
    ----------
    tree : Tree
        The donors.
    targets : ndarray of shape (n_donors,)
        Values to predict, by place.
    places : ndarray of shape (n_places,)
        The donors to learn for.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours, increasing, at most n_donors.
    step_of : ndarray of shape (grid[-1],)
        The step of the grid that each rank belongs to.
    validation : Validation
        Who judges whom.
    alpha : float
        Ridge weight, 0 or more.
    intercept_penalised : bool
        Whether the ridge weighs on the intercept too, in the coordinates given.
    coef : ndarray of shape (n_donors, n_observed + 1)
        Receives, at each of ``places``, the value at the donor and the slopes.
    n_learning : ndarray of shape (n_donors,)
        Receives the chosen number of learning neighbours.
    cost : ndarray of shape (n_places, n_grid) or (0, n_grid)
        Receives the costs, if there is room for them.

    Notes
    -----
    Per donor: one search of l_max = grid[-1] neighbours, O(m^2 l_max) to grow the sums, and per grid
    step O(m^3) to solve and O(m k) to judge. Memory O(l_max + m k), for one donor at a time.
    """
    donor, points, first, judged = tree.donor, tree.points, validation.first, validation.judged
    n_observed = points.shape[1]
    limit = grid[-1]
    scratch = make_scratch(tree, limit)
    distance, found = scratch.distance, scratch.found
    products = np.empty((n_observed + 2, n_observed + 2))
    row = np.empty(n_observed + 2)
    factor = np.empty((n_observed, n_observed))
    floor = np.empty(n_observed)
    slopes = np.empty(n_observed)
    origin = np.empty(n_observed)
    pull = np.empty(n_observed)
    most_judged = 0
    for at in range(places.shape[0]):
        most_judged = max(most_judged, first[places[at] + 1] - first[places[at]])
    gaps = np.empty((n_observed, most_judged))
    truths = np.empty(most_judged)
    predicted = np.empty(most_judged)
    for at in range(places.shape[0]):
        place = places[at]
        point, target = points[place], targets[place]
        search(tree, point, limit, place, scratch)
        order_steps(distance, found, step_of, donor)
        n_judged = first[place + 1] - first[place]
        gather_judged(points, targets, judged, first[place], first[place + 1], place, gaps, truths)
        products[:] = 0.0
        known = 0
        best = np.inf
        # Should every cost overflow, the donor keeps the constant model.
        coef[place] = 0.0
        coef[place, 0] = target
        n_learning[place] = 1
        for step in range(grid.shape[0]):
            count = grid[step]
            sort_by_row(found, known, count, donor)
            add_rows(products, row, points, targets, found, known, count, place)
            known = count
            if count == 1:
                level = 0.0
                slopes[:] = 0.0
            else:
                level = solve(products, alpha, factor, floor, slopes)
                if intercept_penalised:
                    level = penalise_intercept(
                        products, alpha, factor, slopes, level, point, target, origin, pull
                    )
            loss = squared_errors(level, slopes, gaps, truths, n_judged, predicted)
            if cost.shape[0] > 0:
                cost[at, step] = loss
            # Ties go to the larger number: more neighbours, a steadier model.
            if loss <= best:
                best = loss
                coef[place, 0] = target + level
                coef[place, 1:] = slopes
                n_learning[place] = count
