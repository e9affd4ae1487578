"""Sums of products around a donor, grown neighbour by neighbour, and the ridge model they give.

One matrix holds all sums: the lower triangle of ``R'R``, where a row of R is ``(1, F, A)`` of a learning
neighbour, *relative to the donor*, so that a table far from zero loses no digits. Its blocks are the
count, the sums of coordinates and targets, the gram matrix U and the moment V of the paper. A model is
written as a *level*, its value at the donor, and *slopes*.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel

RANK_TOLERANCE = 4.0 * float(np.finfo(np.float64).eps)
"""A pivot below this share of its diagonal, times the number of columns, is rounding: its slope is 0."""

SMALLEST_PIVOT = float(np.finfo(np.float64).tiny)
"""The inverse of a smaller number overflows."""


@kernel
def add_rows(
    products: Floats,
    row: Floats,
    points: Floats,
    targets: Floats,
    found: Integers,
    first: int,
    stop: int,
    place: int,
) -> None:
    """Add the learning neighbours ``found[first:stop]``: Proposition 3. O(m^2) each.

    Parameters
    ----------
    products : ndarray of shape (n_observed + 2, n_observed + 2)
        The sums; the lower triangle grows.
    row : ndarray of shape (n_observed + 2,)
        Scratch.
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place.
    found : ndarray of places
        Neighbours, in the order in which to add them.
    first, stop : int
        Which of them are new.
    place : int
        The donor that all is relative to.
    """
    n_observed = points.shape[1]
    row[0] = 1.0
    for at in range(first, stop):
        other = found[at]
        for column in range(n_observed):
            row[1 + column] = points[other, column] - points[place, column]
        row[1 + n_observed] = targets[other] - targets[place]
        for line in range(n_observed + 2):
            value = row[line]
            for entry in range(line + 1):
                products[line, entry] += value * row[entry]


@kernel
def factorise(factor: Floats, floor: Floats) -> None:
    """Factor a symmetric matrix in place as L D L'; pivots not above ``floor`` become 0. O(m^3).

    A zero pivot takes its column out of the model: the slope of a column that the others explain to the
    last digit is 0, and the solution stays finite.
    """
    n_observed = factor.shape[0]
    for row in range(n_observed):
        for column in range(row):
            total = factor[row, column]
            for inner in range(column):
                total -= factor[row, inner] * factor[column, inner]
            # L times D for now, divided below once this row no longer needs it.
            factor[row, column] = total
        pivot = factor[row, row]
        for column in range(row):
            scaled = factor[row, column]
            lower = scaled * factor[column, column]
            pivot -= scaled * lower
            factor[row, column] = lower
        # The diagonal keeps inverse pivots: one division per column instead of one per entry.
        factor[row, row] = 1.0 / pivot if pivot > floor[row] else 0.0


@kernel
def substitute(factor: Floats, vector: Floats) -> None:
    """Solve with the factors of :func:`factorise`, in place. O(m^2)."""
    n_observed = vector.shape[0]
    for row in range(n_observed):
        total = vector[row]
        for column in range(row):
            total -= factor[row, column] * vector[column]
        vector[row] = total
    for row in range(n_observed):
        vector[row] *= factor[row, row]
    for row in range(n_observed - 1, 0, -1):
        value = vector[row]
        for column in range(row):
            vector[column] -= factor[row, column] * value


@kernel
def solve(products: Floats, alpha: float, factor: Floats, floor: Floats, slopes: Floats) -> float:
    """Ridge with a free intercept: writes the slopes, returns the level relative to the donor.

    With ``s`` and ``t`` the sums of coordinates and targets over ``count`` neighbours:
    ``(U - s s' / count + alpha E) slopes = V - s t / count`` and ``level = (t - s . slopes) / count``.

    Parameters
    ----------
    products : ndarray of shape (n_observed + 2, n_observed + 2)
        From :func:`add_rows`.
    alpha : float
        Ridge weight.
    factor, floor : ndarray of shape (n_observed, n_observed) and (n_observed,)
        Receive the factors, for :func:`penalise_intercept`, and the smallest pivots allowed.
    slopes : ndarray of shape (n_observed,)
        Receives the slopes.

    Returns
    -------
    float
        The level. O(m^3), whatever the number of neighbours.
    """
    n_observed = slopes.shape[0]
    count, total = products[0, 0], products[1 + n_observed, 0]
    for row in range(n_observed):
        mean = products[1 + row, 0] / count
        slopes[row] = products[1 + n_observed, 1 + row] - mean * total
        for column in range(row + 1):
            factor[row, column] = products[1 + row, 1 + column] - mean * products[1 + column, 0]
        factor[row, row] += alpha
        floor[row] = max(RANK_TOLERANCE * n_observed * (products[1 + row, 1 + row] + alpha), SMALLEST_PIVOT)
    factorise(factor, floor)
    substitute(factor, slopes)
    level = total
    for column in range(n_observed):
        level -= products[1 + column, 0] * slopes[column]
    return level / count


@kernel
def penalise_intercept(
    products: Floats,
    alpha: float,
    factor: Floats,
    slopes: Floats,
    level: float,
    point: Floats,
    target: float,
    origin: Floats,
    pull: Floats,
) -> float:
    """Turn the solution of :func:`solve` into the printed formula, which penalises the intercept too.

    The penalty ``alpha intercept^2`` is one more observation, of weight alpha and value 0, at the origin
    of the coordinates. It adds a matrix of rank one, ``w v v'`` with v from the origin to the neighbours'
    mean and w = count alpha / (count + alpha). Sherman and Morrison's formula keeps the digits that adding
    it to the gram matrix would lose on data far from zero.

    Parameters
    ----------
    products, alpha, factor
        As given to, and left by, :func:`solve`.
    slopes : ndarray of shape (n_observed,)
        The slopes without that penalty; corrected in place.
    level : float
        The level without that penalty.
    point, target : ndarray of shape (n_observed,) and float
        The donor's coordinates and value.
    origin, pull : ndarray of shape (n_observed,)
        Scratch: v, and the direction in which it pulls the slopes.

    Returns
    -------
    float
        The corrected level, relative to the donor. O(m^2).
    """
    n_observed = slopes.shape[0]
    count = products[0, 0]
    for column in range(n_observed):
        origin[column] = products[1 + column, 0] / count + point[column]
        pull[column] = origin[column]
    substitute(factor, pull)
    miss = products[1 + n_observed, 0] / count + target
    strength = 0.0
    for column in range(n_observed):
        miss -= origin[column] * slopes[column]
        strength += origin[column] * pull[column]
    weight = count * alpha / (count + alpha)
    share = weight * miss / (1.0 + weight * strength)
    for column in range(n_observed):
        slopes[column] += share * pull[column]
        level -= products[1 + column, 0] / count * (share * pull[column])
    return level - alpha / (count + alpha) * (miss - share * strength)
