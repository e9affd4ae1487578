"""Errors of models on donors that they have not learned from.

A donor i is judged on donors j that lie near it, and these are mostly among its learning neighbours: a
model of few neighbours would be praised for repeating what it was told. What i's model would say of j, had
j been left out, needs no new model: with the leverage ``h`` of j among the learning neighbours, its error
is ``e / (1 - h)`` (Sherman and Morrison's formula once more), and the value at i moves by as much as i
feels j.

All lanes are judged side by side, on one donor each at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES, Solution
from iim.kernels.validation import Validation

MOST_JUDGES = 64
"""Donors that a donor's models are judged on, at most: a donor that all others have near needs no more."""

LEAST_FREEDOM = 1e-3
"""Of a model that a donor decides all but alone, not more than this is taken to be left without it."""


class Judging(NamedTuple):
    """Whom the models of a group of donors are judged on, and what they are computed with."""

    rank_of: Integers
    """(n_donors,): scratch; zeros between uses."""
    others: Integers
    """(n_judges, LANES): places of the donors judged on."""
    rank: Integers
    """(n_judges, LANES): their ranks among the learning neighbours; past the last if they are none."""
    counted: Floats
    """(n_judges, LANES): 1, or 0 where a lane has no more of them."""
    gap: Floats
    """(n_observed, LANES): scratch."""
    own: Floats
    """(n_observed, LANES): the donors themselves, seen through the factors of their models."""
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
    """Room for LANES donors, each judged on ``n_judges`` at most."""
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
def note_judges(places: Integers, found: Integers, validation: Validation, judging: Judging) -> int:
    """Note whom each lane is judged on, and how early these come among its learning neighbours.

    Parameters
    ----------
    places : ndarray of shape (n_places,)
        The donors, LANES at most.
    found : ndarray of shape (LANES, l_max)
        Their learning neighbours.
    validation : Validation
        Who is judged on whom.
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
def see_through(factor: Floats, vector: Floats) -> None:
    """Multiply by the inverse of the lower factor, in place. O(m^2)."""
    for row in range(vector.shape[0]):
        for column in range(row):
            for lane in range(LANES):
                vector[row, lane] -= factor[row, column, lane] * vector[column, lane]


@kernel
def see_donors(solution: Solution, judging: Judging) -> None:
    """Prepare ``own`` for the models of one number of neighbours."""
    own = judging.own
    for column in range(own.shape[0]):
        for lane in range(LANES):
            own[column, lane] = -solution.mean[column, lane]
    see_through(solution.factor, own)


@kernel
def feel(one: Floats, other: Floats, factor: Floats, count: int, share: Floats) -> None:
    """How much a model's value at one row depends on the known value of another. O(m)."""
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
    """Errors of each lane's model on the donor ``others[at]``, which it has not learned from.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    own_points, own_targets : ndarray of shape (n_observed, LANES) and (LANES,)
        Whose models they are.
    count : int
        Number of learning neighbours of the models.
    solution : Solution
        The models, with the factors of their gram matrices.
    judging : Judging
        Prepared by :func:`note_judges` and :func:`see_donors`; receives ``fitted`` and ``own_level``.
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
    see_through(factor, gap)
    feel(gap, gap, factor, count, judging.leverage)
    feel(gap, judging.own, factor, count, judging.pull)
    for lane in range(LANES):
        if judging.rank[at, lane] < count:
            fitted[lane] /= max(1.0 - leverage[lane], LEAST_FREEDOM)
            own_level[lane] = fitted[lane] + (solution.level[lane] - pull[lane] * fitted[lane])
        else:
            own_level[lane] = fitted[lane] + solution.level[lane]
