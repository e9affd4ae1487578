"""Leave-one-out prediction of every donor, to tune a column.

Models are learned as in :mod:`iim.kernels.learn`. Each donor is predicted by the models of its nearest
donors
*without it*: it is left out of their learning set and of their validation rows. So the errors are free of
overfitting, at the cost of one pass.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES
from iim.kernels.held_out import Judging, held_out_errors, make_judging, prepare_own, rank_judges
from iim.kernels.learn import (
    LARGEST,
    Bench,
    add_neighbors,
    list_neighbors,
    load_donors,
    make_bench,
    solve_models,
)
from iim.kernels.search import make_finds
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation

FITTED, OWN = 0, 1
"""A model's value at its donor: the fitted one, or the donor's own."""


@kernel
def smallest(total: Floats, left_out: Floats) -> int:
    """The candidate with the smallest cost after subtracting some squared errors; the last one on ties."""
    best, chosen = LARGEST, total.shape[0] - 1
    for step in range(total.shape[0]):
        cost = max(total[step] - left_out[step] * left_out[step], 0.0)
        if cost <= best:
            best, chosen = cost, step
    return chosen


@kernel
def try_steps(
    tree: Tree,
    targets: Floats,
    found: Integers,
    grid: Integers,
    alpha: float,
    n_judges: int,
    bench: Bench,
    judging: Judging,
    errors: Floats,
) -> None:
    """Errors of a group's models on their validation rows, for all numbers of learning neighbours."""
    points, known = tree.points, 0
    for step in range(grid.shape[0]):
        count = grid[step]
        add_neighbors(points, targets, found, known, count, bench)
        known = count
        solve_models(count, alpha, False, bench)  # noqa: FBT003 (the intercept is free)
        prepare_own(bench.solution, judging)
        for at in range(n_judges):
            held_out_errors(
                points, targets, bench.points, bench.targets, at, count, bench.solution, judging
            )
            for lane in range(LANES):
                errors[FITTED, lane, at, step] = judging.fitted[lane]
                errors[OWN, lane, at, step] = judging.own_level[lane]
        for lane in range(LANES):
            for column in range(points.shape[1]):
                bench.slopes[lane, column, step] = bench.solution.slopes[column, lane]


@kernel
def try_block(
    tree: Tree,
    targets: Floats,
    places: Integers,
    grid: Integers,
    step_of: Integers,
    validation: Validation,
    alpha: float,
    pruned: bool,
    slopes: Floats,
    errors: Floats,
) -> None:
    """Learn the models of some donors, and their leave-one-out errors on their validation rows.

    Parameters
    ----------
    grid : ndarray of shape (n_grid,)
        At most STEPS_AT_ONCE candidate numbers of learning neighbours.
    slopes : ndarray of shape (n_donors, n_observed)
        Receives the slopes of each donor's best model.
    errors : ndarray of shape (2, n_pairs)
        Receives, for FITTED and OWN, the error on each donor of ``validation.judges``, by the model chosen
        and learned without that donor.

    The others are those of :func:`iim.kernels.learn.learn_block`. Memory O(n_judges n_grid) for LANES
    donors, with the longest list of validation rows: for samples, not for large tables.
    """
    points, limit, first = tree.points, grid[-1], validation.first
    longest = 0
    for place in places:
        longest = max(longest, first[place + 1] - first[place])
    finds = make_finds(tree, limit)
    found, keys = np.zeros((LANES, limit), np.intp), np.empty(limit, np.intp)
    bench = make_bench(points.shape[1], grid.shape[0], 1)
    judging = make_judging(points.shape[1], points.shape[0], longest)
    tried = np.empty((2, LANES, longest, grid.shape[0]))
    nothing = np.zeros(grid.shape[0])
    for begin in range(0, places.shape[0], LANES):
        group = places[begin : begin + LANES]
        list_neighbors(tree, group, grid, step_of, pruned, finds, keys, found)
        load_donors(points, targets, group, bench)
        n_judges = rank_judges(group, found, validation, judging)
        try_steps(tree, targets, found, grid, alpha, n_judges, bench, judging, tried)
        for lane in range(group.shape[0]):
            place = group[lane]
            n_own = first[place + 1] - first[place]
            for kind in (FITTED, OWN):
                total = np.zeros(grid.shape[0])
                for at in range(n_own):
                    for step in range(grid.shape[0]):
                        total[step] += tried[kind, lane, at, step] * tried[kind, lane, at, step]
                if kind == FITTED:
                    slopes[place] = bench.slopes[lane, :, smallest(total, nothing)]
                for at in range(n_own):
                    chosen = smallest(total, tried[kind, lane, at])
                    errors[kind, first[place] + at] = tried[kind, lane, at, chosen]
