"""Learn and choose, a few donors at a time: the inner loop of Algorithms 1 and 3.

A fixed number of learning neighbours is a grid with one candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import (
    LANES,
    ROWS_AT_ONCE,
    Solution,
    add_rows,
    make_solution,
    penalise_intercept,
    solve,
)
from iim.kernels.held_out import (
    MOST_JUDGES,
    Judging,
    held_out_errors,
    make_judging,
    prepare_own,
    rank_judges,
)
from iim.kernels.order import order_steps, sort_by_row
from iim.kernels.search import Finds, end_of_group, make_finds, search
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation

LARGEST = float(np.finfo(np.float64).max)
"""A larger cost has overflowed."""

STEPS_AT_ONCE = 64
"""Most candidates validated together, so that memory does not grow with the grid."""


class Bench(NamedTuple):
    """Work arrays for the models of a group of donors."""

    points: Floats
    """(n_observed, LANES): the donors' coordinates."""
    targets: Floats
    """(LANES,): their values."""
    products: Floats
    """(n_observed + 2, n_observed + 2, LANES): sums over their learning neighbours."""
    rows: Floats
    """(ROWS_AT_ONCE, n_observed + 2, LANES): the neighbours to add next."""
    solution: Solution
    """Their models for one number of neighbours."""
    level: Floats
    """(LANES, STEPS_AT_ONCE or fewer): values at the donor, for several numbers of neighbours."""
    slopes: Floats
    """(LANES, n_observed, STEPS_AT_ONCE or fewer): slopes."""
    predicted: Floats
    """(STEPS_AT_ONCE or fewer,): scratch."""
    loss: Floats
    """(STEPS_AT_ONCE or fewer,): costs of one donor's models."""
    best: Floats
    """(LANES,): the smallest cost of each donor so far."""
    judging: Judging
    """Their validation rows."""
    held_out: Floats
    """(STEPS_AT_ONCE or fewer, LANES): leave-one-out costs."""


@kernel
def make_bench(n_observed: int, n_steps: int, n_donors: int) -> Bench:
    """Work arrays for LANES donors and ``n_steps`` candidates; O(m^2 + m n_steps + n)."""
    # Rounded up to whole SIMD vectors: a remainder would be computed one by one.
    n_steps = 8 * -(-min(n_steps, STEPS_AT_ONCE) // 8)
    rows = np.empty((ROWS_AT_ONCE, n_observed + 2, LANES))
    rows[:, 0] = 1.0
    return Bench(
        np.empty((n_observed, LANES)),
        np.empty(LANES),
        np.empty((n_observed + 2, n_observed + 2, LANES)),
        rows,
        make_solution(n_observed),
        np.zeros((LANES, n_steps)),
        np.zeros((LANES, n_observed, n_steps)),
        np.empty(n_steps),
        np.empty(n_steps),
        np.empty(LANES),
        make_judging(n_observed, n_donors, MOST_JUDGES),
        np.empty((n_steps, LANES)),
    )


@kernel
def load_donors(points: Floats, targets: Floats, places: Integers, bench: Bench) -> None:
    """Load a group of donors, with empty sums."""
    for lane in range(LANES):
        place = places[min(lane, places.shape[0] - 1)]
        for column in range(points.shape[1]):
            bench.points[column, lane] = points[place, column]
        bench.targets[lane] = targets[place]
    bench.products[:] = 0.0


@kernel
def solve_models(count: int, alpha: float, intercept_penalised: bool, bench: Bench) -> None:
    """Models of ``count`` neighbours, from their sums; a single neighbour gives a constant."""
    solution = bench.solution
    if count == 1:
        solution.level[:] = 0.0
        solution.slopes[:] = 0.0
        return
    solve(bench.products, alpha, solution)
    if intercept_penalised:
        penalise_intercept(bench.products, alpha, bench.points, bench.targets, solution)


@kernel
def add_neighbors(
    points: Floats, targets: Floats, found: Integers, first: int, stop: int, bench: Bench
) -> None:
    """Add the learning neighbours of ranks ``first`` to ``stop`` to the sums of every lane.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    found : ndarray of shape (LANES, at least stop)
        Each lane's neighbours, in the order in which to add them.
    first, stop : int
        Which of them are new.
    bench : Bench
        Its ``products`` grow. O(m^2) for each neighbour.
    """
    rows, own_points, own_targets = bench.rows, bench.points, bench.targets
    n_observed = points.shape[1]
    for rank in range(first, stop, ROWS_AT_ONCE):
        n_rows = min(ROWS_AT_ONCE, stop - rank)
        for at in range(n_rows):
            for lane in range(LANES):
                other = found[lane, rank + at]
                for column in range(n_observed):
                    rows[at, 1 + column, lane] = points[other, column] - own_points[column, lane]
                rows[at, 1 + n_observed, lane] = targets[other] - own_targets[lane]
        add_rows(bench.products, rows, n_rows)


@kernel
def squared_errors(
    points: Floats,
    targets: Floats,
    judges: Integers,
    place: int,
    level: Floats,
    slopes: Floats,
    predicted: Floats,
    loss: Floats,
) -> None:
    """Costs of a donor's models (Algorithm 3, the cost line), one for each number of neighbours.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    judges : ndarray of places
        The validation rows.
    place : int
        The donor whose models they are.
    level, slopes : ndarray of shape (n_steps,) and (n_observed, n_steps)
        The models.
    predicted : ndarray of shape (n_steps,)
        Scratch.
    loss : ndarray of shape (n_steps,)
        Receives the sums of squared errors. O(m n_steps) for each validation row.
    """
    n_observed, n_steps = slopes.shape
    loss[:] = 0.0
    for at in range(judges.shape[0]):
        other = judges[at]
        truth = targets[other] - targets[place]
        predicted[:] = level
        column = n_observed % 2
        if column == 1:
            gap, slope = points[other, 0] - points[place, 0], slopes[0]
            for step in range(n_steps):
                predicted[step] += slope[step] * gap
        while column < n_observed:
            gap, slope = points[other, column] - points[place, column], slopes[column]
            next_gap, next_slope = points[other, column + 1] - points[place, column + 1], slopes[column + 1]
            for step in range(n_steps):
                predicted[step] = (predicted[step] + slope[step] * gap) + next_slope[step] * next_gap
            column += 2
        for step in range(n_steps):
            error = truth - predicted[step]
            loss[step] += error * error


@kernel
def judge_held_out(
    points: Floats, targets: Floats, step: int, count: int, n_judges: int, own_level: bool, bench: Bench
) -> None:
    """Leave-one-out costs of the current models.

    Parameters
    ----------
    step, count : int
        Position of the candidate, and its number of learning neighbours.
    n_judges : int
        From :func:`~iim.kernels.held_out.rank_judges`.
    own_level : bool
        Whether models go through their donors' own values.
    bench : Bench
        ``held_out[step]`` receives the costs. O(m^2) for each validation row.
    """
    judging, cost = bench.judging, bench.held_out
    prepare_own(bench.solution, judging)
    cost[step] = 0.0
    for at in range(n_judges):
        held_out_errors(points, targets, bench.points, bench.targets, at, count, bench.solution, judging)
        error = judging.own_level if own_level else judging.fitted
        for lane in range(LANES):
            cost[step, lane] += error[lane] * error[lane] if judging.counted[at, lane] > 0.0 else 0.0


@kernel
def choose(
    points: Floats,
    targets: Floats,
    places: Integers,
    grid: Integers,
    validation: Validation,
    held_out: bool,
    bench: Bench,
    coef: Floats,
    n_learning: Integers,
    cost: Floats,
) -> None:
    """Validate the current models, and keep each donor's best one if it is the best so far.

    Parameters
    ----------
    grid : ndarray of shape (n_steps,)
        Their numbers of learning neighbours.
    bench : Bench
        Its ``level`` and ``slopes`` are the models, ``held_out`` their costs if ``held_out``, ``best`` the
        smallest costs so far.

    The others are those of :func:`learn_block`.
    """
    first, judges = validation.first, validation.judges
    level, slopes, loss, best = bench.level, bench.slopes, bench.loss, bench.best
    for lane in range(places.shape[0]):
        place = places[lane]
        rows = judges[first[place] : first[place + 1]]
        if held_out:
            for step in range(grid.shape[0]):
                loss[step] = bench.held_out[step, lane]
        else:
            squared_errors(points, targets, rows, place, level[lane], slopes[lane], bench.predicted, loss)
        chosen = -1
        for step in range(grid.shape[0]):
            # Ties go to the larger number: a model of more neighbours has less variance.
            if loss[step] <= best[lane]:
                best[lane] = loss[step]
                chosen = step
        if chosen >= 0:
            coef[place, 0] = targets[place] + level[lane, chosen]
            coef[place, 1:] = slopes[lane, :, chosen]
            n_learning[place] = grid[chosen]
        if cost.shape[0] > 0:
            cost[lane] = loss[: grid.shape[0]]


@kernel
def learn_group(
    points: Floats,
    targets: Floats,
    places: Integers,
    found: Integers,
    grid: Integers,
    validation: Validation,
    alpha: float,
    intercept_penalised: bool,
    held_out: bool,
    own_level: bool,
    anew: bool,
    bench: Bench,
    coef: Floats,
    n_learning: Integers,
    cost: Floats,
) -> None:
    """Learn the models of at most LANES donors over the grid and keep the best of each.

    Parameters
    ----------
    found : ndarray of shape (LANES, at least grid[-1])
        The donors' learning neighbours: step by step of the grid, in row order within a step. With fewer
        than LANES donors, the unused rows hold any places.
    anew : bool
        Whether sums start from zero at every step of the grid, as in the paper's straightforward algorithm,
        instead of continuing from the step before (Proposition 3). The same bits, O(m^2 l_max n_grid).
    bench : Bench
        Scratch.

    The others are those of :func:`learn_block`. O(m^2 l_max) to grow the sums of a donor, and per grid step
    O(m^3) to solve and O(m k) to validate.
    """
    solution, level, slopes = bench.solution, bench.level, bench.slopes
    n_observed, n_places, n_grid = points.shape[1], places.shape[0], grid.shape[0]
    load_donors(points, targets, places, bench)
    n_judges = rank_judges(places, found, validation, bench.judging) if held_out else 0
    for lane in range(n_places):
        # If every cost overflows, the donor keeps the constant model.
        place = places[lane]
        coef[place] = 0.0
        coef[place, 0] = targets[place]
        n_learning[place] = 1
        bench.best[lane] = LARGEST
    known = 0
    for begin in range(0, n_grid, STEPS_AT_ONCE):
        n_steps = min(STEPS_AT_ONCE, n_grid - begin)
        for step in range(n_steps):
            count = grid[begin + step]
            if anew:
                bench.products[:] = 0.0
                known = 0
            add_neighbors(points, targets, found, known, count, bench)
            known = count
            solve_models(count, alpha, intercept_penalised, bench)
            if held_out:
                judge_held_out(points, targets, step, count, n_judges, own_level, bench)
            for lane in range(n_places):
                level[lane, step] = 0.0 if own_level else solution.level[lane]
                for column in range(n_observed):
                    slopes[lane, column, step] = solution.slopes[column, lane]
        choose(
            points,
            targets,
            places,
            grid[begin : begin + n_steps],
            validation,
            held_out,
            bench,
            coef,
            n_learning,
            cost[:, begin : begin + n_steps],
        )


@kernel
def list_neighbors(
    tree: Tree,
    places: Integers,
    grid: Integers,
    step_of: Integers,
    pruned: bool,
    finds: Finds,
    keys: Integers,
    lists: Integers,
) -> None:
    """Find the learning neighbours of a few donors, in the order in which to add them.

    Parameters
    ----------
    finds, keys : Finds and ndarray of shape (grid[-1],)
        Scratch.
    lists : ndarray of shape (at least n_places, grid[-1])
        Receives places: step by step of the grid, in row order within a step.

    The others are those of :func:`learn_block`.
    """
    home = places // tree.leaves.shape[2]
    first = 0
    while first < places.shape[0]:
        stop = end_of_group(home, first, tree.points.shape[1])
        group = places[first:stop]
        search(tree, tree.points[group], group, grid[-1], pruned, finds)
        for query in range(stop - first):
            found = finds.found[query]
            order_steps(
                finds.distance[query], found, finds.count[query], step_of, tree.donor, finds.drawers
            )
            known = 0
            for step in range(grid.shape[0]):
                sort_by_row(found, known, grid[step], tree.donor, keys)
                known = grid[step]
            lists[first + query] = found[: grid[-1]]
        first = stop


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
    held_out: bool,
    own_level: bool,
    pruned: bool,
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
        The donors to learn for, increasing.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours, increasing, at most n_donors.
    step_of : ndarray of shape (grid[-1],)
        The step of the grid that each rank belongs to.
    validation : Validation
        The validation rows of all donors.
    alpha : float
        Ridge weight, 0 or more.
    intercept_penalised : bool
        Whether the ridge penalises the intercept too, in the coordinates given.
    held_out : bool
        Whether costs are leave-one-out errors.
    own_level : bool
        Whether models go through their donors' own values, with the slopes learned.
    pruned : bool
        How to search, see :func:`~iim.kernels.search.search`.
    coef : ndarray of shape (n_donors, n_observed + 1)
        Receives, at each of ``places``, the value at the donor and the slopes.
    n_learning : ndarray of shape (n_donors,)
        Receives the chosen number of learning neighbours.
    cost : ndarray of shape (n_places, n_grid) or (0, n_grid)
        Receives the costs, unless it is empty.

    Notes
    -----
    Per donor: one search of l_max = grid[-1] neighbours, and :func:`learn_group`. Memory O(l_max + m^2)
    for LANES donors at a time.
    """
    points = tree.points
    limit = grid[-1]
    finds = make_finds(tree, limit)
    lists, keys = np.zeros((LANES, limit), np.intp), np.empty(limit, np.intp)
    bench = make_bench(points.shape[1], grid.shape[0], points.shape[0])
    for first in range(0, places.shape[0], LANES):
        stop = min(first + LANES, places.shape[0])
        list_neighbors(tree, places[first:stop], grid, step_of, pruned, finds, keys, lists)
        learn_group(
            points,
            targets,
            places[first:stop],
            lists,
            grid,
            validation,
            alpha,
            intercept_penalised,
            held_out,
            own_level,
            False,  # noqa: FBT003 (a kernel's flag)
            bench,
            coef,
            n_learning,
            cost[first:stop],
        )
