"""Leave-one-out errors of models on donors that they have learned from.

The model of donor i is validated on donors j near it, most of which are among its learning neighbours.
Their residuals favour small l by overfitting. The leave-one-out error needs no new model: with the leverage
``h`` of j, it is ``e / (1 - h)`` for the residual ``e`` (Sherman-Morrison formula). Leaving out j changes
the value at i by that error times the entry (i, j) of the hat matrix.

All lanes are computed together, each on one validation row at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES, Solution
from iim.kernels.validation import Validation

MOST_JUDGES = 64
"""Most validation rows of a donor: one that is near to very many donors needs no more."""

LEAST_FREEDOM = 1e-3
"""Lower bound on 1 - leverage."""


class Judging(NamedTuple):
    """The validation rows of a group of donors, and scratch arrays."""

    rank_of: Integers
    """(n_donors,): scratch; zeros between uses."""
    others: Integers
    """(n_judges, LANES): places of the validation rows."""
    rank: Integers
    """(n_judges, LANES): their ranks among the learning neighbours; l_max for rows not among them."""
    counted: Floats
    """(n_judges, LANES): 1, or 0 past the end of a lane's list."""
    gap: Floats
    """(n_observed, LANES): scratch."""
    own: Floats
    """(n_observed, LANES): the donors relative to the mean, times the inverse factor of their models."""
    fitted: Floats
    """(LANES,): errors of the models."""
    own_level: Floats
    """(LANES,): errors of the same slopes through the donor's own value."""
    leverage: Floats
    """(LANES,): scratch."""
    pull: Floats
    """(LANES,): scratch."""


@kernel
def make_judging(n_observed: int, n_donors: int, n_judges: int) -> Judging:
    """Arrays for LANES donors, each with at most ``n_judges`` validation rows."""
    return Judging(
        np.zeros(n_donors, np.intp),
        np.zeros((n_judges, LANES), np.intp),
        np.zeros((n_judges, LANES), np.intp),
        np.zeros((n_judges, LANES)),
        np.empty((n_observed, LANES)),
        np.empty((n_observed, LANES)),
        np.empty(LANES),
        np.empty(LANES),
        np.empty(LANES),
        np.empty(LANES),
    )


@kernel
def rank_judges(places: Integers, found: Integers, validation: Validation, judging: Judging) -> int:
    """Write each lane's validation rows, and their ranks among its learning neighbours.

    Parameters
    ----------
    places : ndarray of shape (n_places,)
        At most LANES donors.
    found : ndarray of shape (LANES, l_max)
        Their learning neighbours.
    validation : Validation
        The validation rows of all donors.
    judging : Judging
        Receives ``others``, ``rank`` and ``counted``.

    Returns
    -------
    int
        The longest list. O(l_max + k) for each lane.
    """
    first, judges = validation.first, validation.judges
    rank_of, limit, most = judging.rank_of, found.shape[1], 0
    for lane in range(LANES):
        place = places[min(lane, places.shape[0] - 1)]
        for rank in range(limit):
            rank_of[found[lane, rank]] = rank + 1
        n_judges = min(first[place + 1] - first[place], judging.others.shape[0])
        n_judges = n_judges if lane < places.shape[0] else 0
        most = max(most, n_judges)
        for at in range(judging.others.shape[0]):
            other = judges[first[place] + at] if at < n_judges else place
            judging.others[at, lane] = other
            judging.rank[at, lane] = rank_of[other] - 1 if rank_of[other] > 0 else limit
            judging.counted[at, lane] = 1.0 if at < n_judges else 0.0
        for rank in range(limit):
            rank_of[found[lane, rank]] = 0
    return most


@kernel
def forward_substitute(factor: Floats, vector: Floats) -> None:
    """Multiply by the inverse of the lower factor, in place. O(m^2)."""
    for row in range(vector.shape[0]):
        for column in range(row):
            for lane in range(LANES):
                vector[row, lane] -= factor[row, column, lane] * vector[column, lane]


@kernel
def prepare_own(solution: Solution, judging: Judging) -> None:
    """Compute ``own`` for the models of one number of neighbours."""
    own = judging.own
    for column in range(own.shape[0]):
        for lane in range(LANES):
            own[column, lane] = -solution.mean[column, lane]
    forward_substitute(solution.factor, own)


@kernel
def hat_entries(one: Floats, other: Floats, factor: Floats, count: int, share: Floats) -> None:
    """Entry of the hat matrix: how much the value at one row depends on the target of another. O(m)."""
    for lane in range(LANES):
        share[lane] = 1.0 / count
    for column in range(one.shape[0]):
        for lane in range(LANES):
            share[lane] += one[column, lane] * other[column, lane] * factor[column, column, lane]


@kernel
def held_out_errors(
    points: Floats,
    targets: Floats,
    own_points: Floats,
    own_targets: Floats,
    at: int,
    count: int,
    solution: Solution,
    judging: Judging,
) -> None:
    """Leave-one-out errors of each lane's model on the donor ``others[at]``.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    own_points, own_targets : ndarray of shape (n_observed, LANES) and (LANES,)
        The donors whose models they are.
    count : int
        Number of learning neighbours of the models.
    solution : Solution
        The models, with the factors of their gram matrices.
    judging : Judging
        Prepared by :func:`rank_judges` and :func:`prepare_own`; receives ``fitted`` and ``own_level``.
        O(m^2).
    """
    gap, fitted, own_level = judging.gap, judging.fitted, judging.own_level
    leverage, pull, factor = judging.leverage, judging.pull, solution.factor
    n_observed = gap.shape[0]
    for lane in range(LANES):
        other = judging.others[at, lane]
        fitted[lane] = targets[other] - own_targets[lane] - solution.level[lane]
        for column in range(n_observed):
            gap[column, lane] = points[other, column] - own_points[column, lane]
    for column in range(n_observed):
        for lane in range(LANES):
            fitted[lane] -= solution.slopes[column, lane] * gap[column, lane]
        for lane in range(LANES):
            gap[column, lane] -= solution.mean[column, lane]
    forward_substitute(factor, gap)
    hat_entries(gap, gap, factor, count, judging.leverage)
    hat_entries(gap, judging.own, factor, count, judging.pull)
    for lane in range(LANES):
        if judging.rank[at, lane] < count:
            fitted[lane] /= max(1.0 - leverage[lane], LEAST_FREEDOM)
            own_level[lane] = fitted[lane] + (solution.level[lane] - pull[lane] * fitted[lane])
        else:
            own_level[lane] = fitted[lane] + solution.level[lane]
