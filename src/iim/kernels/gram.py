"""Sums of products around a donor, grown neighbour by neighbour, and the ridge model they give.

One matrix holds all sums: the lower triangle of ``R'R``, where a row of R is ``(1, F, A)`` of a learning
neighbour, *relative to the donor*, which avoids cancellation far from zero. Its blocks are the count, the
sums of coordinates and targets, the gram matrix U and the moment V of the paper. A model has a *level*, its
value at the donor, and *slopes*.

LANES models are computed in parallel by SIMD: the lane is the last axis of every array. (A linear algebra
library is made for one large matrix, not for a million small ones.) Lanes are independent. Each loop over
lanes writes to one array only; with two, the compiler does not vectorise, because they might overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats
from iim.kernels._jit import kernel

RANK_TOLERANCE = 4.0 * float(np.finfo(np.float64).eps)
"""A pivot below this share of its diagonal, times the number of columns, is rounding: its slope is 0."""

SMALLEST_PIVOT = float(np.finfo(np.float64).tiny)
"""The inverse of a smaller number overflows."""

HUGE_ALPHA = 1e290
"""From here on, ``count alpha`` may overflow, and ``count alpha / (count + alpha)`` equals ``count``."""

LANES = 16
"""Models computed together: four SIMD vectors on most machines."""

ROWS_AT_ONCE = 4
"""Neighbours whose products are added in one pass over the sums."""


class Solution(NamedTuple):
    """The models of all lanes, and their scratch arrays."""

    slopes: Floats
    """(n_observed, LANES)"""
    level: Floats
    """(LANES,): value at the donor, relative to the donor's own."""
    factor: Floats
    """(n_observed, n_observed, LANES): from :func:`factorise`."""
    floor: Floats
    """(n_observed, LANES): smallest pivots allowed."""
    mean: Floats
    """(n_observed, LANES): mean coordinates; scratch."""
    pull: Floats
    """(n_observed, LANES): scratch of :func:`penalise_intercept`."""
    miss: Floats
    """(LANES,): scratch."""
    share: Floats
    """(LANES,): scratch."""


@kernel
def make_solution(n_observed: int) -> Solution:
    """Arrays for a model in each lane."""
    # Zeros, because factors and means are read, without effect, before a first solution: a model of one
    # neighbour needs none.
    return Solution(
        np.empty((n_observed, LANES)),
        np.empty(LANES),
        np.zeros((n_observed, n_observed, LANES)),
        np.empty((n_observed, LANES)),
        np.zeros((n_observed, LANES)),
        np.empty((n_observed, LANES)),
        np.empty(LANES),
        np.empty(LANES),
    )


@kernel
def add_rows(products: Floats, rows: Floats, n_rows: int) -> None:
    """Add the products of up to ROWS_AT_ONCE neighbours, one after the other: Proposition 3. O(m^2) each.

    Parameters
    ----------
    products : ndarray of shape (n_observed + 2, n_observed + 2, LANES)
        The sums; the lower triangle grows.
    rows : ndarray of shape (ROWS_AT_ONCE, n_observed + 2, LANES)
        ``(1, F, A)`` of each neighbour, relative to the lane's donor.
    n_rows : int
        How many there are.
    """
    if n_rows < ROWS_AT_ONCE:
        for at in range(n_rows):
            for line in range(products.shape[0]):
                for entry in range(line + 1):
                    for lane in range(LANES):
                        products[line, entry, lane] += rows[at, line, lane] * rows[at, entry, lane]
        return
    for line in range(products.shape[0]):
        for entry in range(line + 1):
            for lane in range(LANES):
                total = products[line, entry, lane] + rows[0, line, lane] * rows[0, entry, lane]
                total += rows[1, line, lane] * rows[1, entry, lane]
                total += rows[2, line, lane] * rows[2, entry, lane]
                products[line, entry, lane] = total + rows[3, line, lane] * rows[3, entry, lane]


@kernel
def factorise(factor: Floats, floor: Floats) -> None:
    """Factor symmetric matrices in place as L D L'; pivots not above ``floor`` become 0. O(m^3).

    A zero pivot drops its column from the model: the slope of a redundant (collinear) column is 0, and the
    solution stays finite.
    """
    for row in range(factor.shape[0]):
        for column in range(row):
            inner = column % 2
            if inner == 1:
                for lane in range(LANES):
                    factor[row, column, lane] -= factor[row, 0, lane] * factor[column, 0, lane]
            while inner < column:
                for lane in range(LANES):
                    total = (
                        factor[row, column, lane] - factor[row, inner, lane] * factor[column, inner, lane]
                    )
                    total -= factor[row, inner + 1, lane] * factor[column, inner + 1, lane]
                    factor[row, column, lane] = total
                inner += 2
        # The row is L times D so far; the pivot needs L and L D, so it comes before the division.
        for column in range(row):
            for lane in range(LANES):
                lower = factor[row, column, lane] * factor[column, column, lane]
                factor[row, row, lane] -= factor[row, column, lane] * lower
            for lane in range(LANES):
                factor[row, column, lane] *= factor[column, column, lane]
        # The diagonal holds inverse pivots: one division per column instead of one per entry.
        for lane in range(LANES):
            pivot = factor[row, row, lane]
            factor[row, row, lane] = 1.0 / pivot if pivot > floor[row, lane] else 0.0


@kernel
def substitute(factor: Floats, vector: Floats) -> None:
    """Solve with the factors of :func:`factorise`, in place. O(m^2)."""
    n_observed = vector.shape[0]
    for row in range(n_observed):
        for column in range(row):
            for lane in range(LANES):
                vector[row, lane] -= factor[row, column, lane] * vector[column, lane]
    for row in range(n_observed):
        for lane in range(LANES):
            vector[row, lane] *= factor[row, row, lane]
    for row in range(n_observed - 1, 0, -1):
        for column in range(row):
            for lane in range(LANES):
                vector[column, lane] -= factor[row, column, lane] * vector[row, lane]


@kernel
def solve(products: Floats, alpha: float, solution: Solution) -> None:
    """Ridge with a free intercept: writes slopes and levels.

    With ``s`` and ``t`` the sums of coordinates and targets over ``count`` neighbours:
    ``(U - s s' / count + alpha E) slopes = V - s t / count`` and ``level = (t - s . slopes) / count``.

    Parameters
    ----------
    products : ndarray of shape (n_observed + 2, n_observed + 2, LANES)
        From :func:`add_rows`.
    alpha : float
        Ridge weight.
    solution : Solution
        Receives the models, and the factors for :func:`penalise_intercept`. O(m^3), whatever the number
        of neighbours.
    """
    slopes, level, factor, floor = solution.slopes, solution.level, solution.factor, solution.floor
    mean = solution.mean
    n_observed = slopes.shape[0]
    last = 1 + n_observed
    # Of all columns, also where only the first ones are solved for.
    tolerance = RANK_TOLERANCE * factor.shape[1]
    for row in range(n_observed):
        for lane in range(LANES):
            mean[row, lane] = products[1 + row, 0, lane] / products[0, 0, lane]
        for lane in range(LANES):
            slopes[row, lane] = products[last, 1 + row, lane] - mean[row, lane] * products[last, 0, lane]
        for column in range(row + 1):
            for lane in range(LANES):
                shift = mean[row, lane] * products[1 + column, 0, lane]
                factor[row, column, lane] = products[1 + row, 1 + column, lane] - shift
        for lane in range(LANES):
            factor[row, row, lane] += alpha
        for lane in range(LANES):
            smallest = tolerance * (products[1 + row, 1 + row, lane] + alpha)
            floor[row, lane] = max(smallest, SMALLEST_PIVOT)
    factorise(factor, floor)
    substitute(factor, slopes)
    for lane in range(LANES):
        level[lane] = products[last, 0, lane]
    for column in range(n_observed):
        for lane in range(LANES):
            level[lane] -= products[1 + column, 0, lane] * slopes[column, lane]
    for lane in range(LANES):
        level[lane] /= products[0, 0, lane]


@kernel
def weigh_penalty(
    products: Floats, alpha: float, points: Floats, targets: Floats, solution: Solution
) -> None:
    """How far the penalty on the intercept moves the slopes (``share``), and the level (``miss``)."""
    slopes, mean, pull, miss, share = (
        solution.slopes,
        solution.mean,
        solution.pull,
        solution.miss,
        solution.share,
    )
    n_observed = slopes.shape[0]
    for lane in range(LANES):
        miss[lane] = products[1 + n_observed, 0, lane] / products[0, 0, lane] + targets[lane]
    for lane in range(LANES):
        share[lane] = 0.0
    for column in range(n_observed):
        for lane in range(LANES):
            miss[lane] -= (mean[column, lane] + points[column, lane]) * slopes[column, lane]
        for lane in range(LANES):
            share[lane] += (mean[column, lane] + points[column, lane]) * pull[column, lane]
    for lane in range(LANES):
        count, strength = products[0, 0, lane], share[lane]
        # Beyond HUGE_ALPHA the product may overflow, and its limit is reached.
        weight = count * alpha / (count + alpha) if alpha < HUGE_ALPHA else count
        share[lane] = weight * miss[lane] / (1.0 + weight * strength)
        miss[lane] = alpha / (count + alpha) * (miss[lane] - share[lane] * strength)


@kernel
def penalise_intercept(
    products: Floats, alpha: float, points: Floats, targets: Floats, solution: Solution
) -> None:
    """Turn the solution of :func:`solve` into the paper's formula, which penalises the intercept too.

    The penalty ``alpha intercept^2`` acts as one more observation, of weight alpha and value 0, at the
    origin of the coordinates. It adds a matrix of rank one, ``w v v'``, with v from the origin to the
    neighbours' mean and w = count alpha / (count + alpha). Adding it to the gram matrix would cancel digits
    on data far from zero; the Sherman-Morrison formula does not.

    Parameters
    ----------
    products, alpha
        As given to :func:`solve`.
    points, targets : ndarray of shape (n_observed, LANES) and (LANES,)
        The donors' coordinates and values.
    solution : Solution
        As left by :func:`solve`; slopes and levels are corrected in place. O(m^2).
    """
    slopes, level, mean, pull = solution.slopes, solution.level, solution.mean, solution.pull
    share = solution.share
    n_observed = slopes.shape[0]
    for column in range(n_observed):
        for lane in range(LANES):
            pull[column, lane] = mean[column, lane] + points[column, lane]
    substitute(solution.factor, pull)
    weigh_penalty(products, alpha, points, targets, solution)
    for column in range(n_observed):
        for lane in range(LANES):
            pull[column, lane] *= share[lane]
        for lane in range(LANES):
            slopes[column, lane] += pull[column, lane]
        for lane in range(LANES):
            level[lane] -= mean[column, lane] * pull[column, lane]
    for lane in range(LANES):
        level[lane] -= solution.miss[lane]
