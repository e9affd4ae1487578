"""Regressions around a point that is not a donor: over all donors, or over a receiver's nearest ones.

Not by a linear algebra library: it splits sums among threads, so that their number changes the last digits,
and it is slow for many small regressions.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES, make_solution, penalise_intercept, solve

EQUALLY_FAR = 1e-9
"""Relative tolerance of squared distances: neighbours that differ by less are equally far."""

BLOCK_ROWS = 128
"""Rows per partial sum: rounding errors then grow with this and n over this, not with n."""


@kernel
def add_weighted(products: Floats, row: Floats, weight: Floats) -> None:
    """Add ``weight * row row'`` to the lower triangle of each lane's sums. O(m^2)."""
    for line in range(row.shape[0]):
        for entry in range(line + 1):
            for lane in range(LANES):
                products[line, entry, lane] += (weight[lane] * row[line, lane]) * row[entry, lane]


@kernel
def sum_products(
    points: Floats, targets: Floats, center: Floats, reference: float, products: Floats
) -> None:
    """Sums of products of ``(1, F, A)`` over all donors, relative to a point and a value. O(n m^2).

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        Donors.
    center, reference : ndarray of shape (n_observed,) and float
        Subtracted from coordinates and targets; values near their means avoid cancellation.
    products : ndarray of shape (n_observed + 2, n_observed + 2)
        Receives the sums in its lower triangle.
    """
    n_observed = points.shape[1]
    part = np.empty(products.shape)
    row = np.empty(n_observed + 2)
    row[0] = 1.0
    products[:] = 0.0
    for first in range(0, points.shape[0], BLOCK_ROWS):
        part[:] = 0.0
        for donor in range(first, min(first + BLOCK_ROWS, points.shape[0])):
            for column in range(n_observed):
                row[1 + column] = points[donor, column] - center[column]
            row[1 + n_observed] = targets[donor] - reference
            for line in range(n_observed + 2):
                for entry in range(line + 1):
                    part[line, entry] += row[line] * row[entry]
        products += part


@kernel
def solve_around(
    products: Floats,
    center: Floats,
    reference: float,
    alpha: float,
    intercept_penalised: bool,
    slopes: Floats,
) -> float:
    """Ridge regression from sums relative to a point: writes the slopes, returns the value there. O(m^3).

    Parameters
    ----------
    products : ndarray of shape (n_observed + 2, n_observed + 2)
        From :func:`sum_products`, or weighted.
    center, reference : ndarray of shape (n_observed,) and float
        The point and value that the sums are relative to.
    alpha : float
        Ridge weight.
    intercept_penalised : bool
        Whether the ridge penalises the intercept, at the origin of the coordinates, too.
    slopes : ndarray of shape (n_observed,)
        Receives the slopes.

    Returns
    -------
    float
        The model's value at ``center``.
    """
    n_observed = slopes.shape[0]
    # A single model uses the solver for many, in all lanes: a second solver is not worth its code.
    sums = np.empty((n_observed + 2, n_observed + 2, LANES))
    origin = np.empty((n_observed, LANES))
    for lane in range(LANES):
        sums[:, :, lane] = products
        origin[:, lane] = center
    solution = make_solution(n_observed)
    solve(sums, alpha, solution)
    if intercept_penalised:
        penalise_intercept(sums, alpha, origin, np.full(LANES, reference), solution)
    slopes[:] = solution.slopes[:, 0]
    return reference + solution.level[0]


@kernel
def tricube_weights(distance: Floats, weights: Floats) -> None:
    """Tricube kernel ``(1 - (d / h)^3)^3`` with bandwidth h, the distance of the last neighbour.

    Normalised to a largest weight of 1. If all neighbours are as far as the last, the kernel would be 0 or
    rounding error, so the weights are equal.

    Parameters
    ----------
    distance : ndarray of shape (k,)
        Squared distances, increasing.
    weights : ndarray of shape (k,)
        Receives the weights; the first is 1.
    """
    last = distance[distance.shape[0] - 1]
    if distance[0] >= (1.0 - EQUALLY_FAR) * last:
        weights[:] = 1.0
        return
    for at in range(distance.shape[0]):
        weights[at] = (1.0 - np.sqrt(distance[at] / last) ** 3) ** 3
    largest = weights[0]
    for at in range(distance.shape[0]):
        weights[at] /= largest


@kernel
def fit_local_block(
    points: Floats,
    targets: Floats,
    queries: Floats,
    distance: Floats,
    found: Integers,
    tricube: bool,
    alpha: float,
    intercept_penalised: bool,
    values: Floats,
) -> None:
    """Regress over each query's nearest donors and predict the value at the query.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        Donors by place.
    queries : ndarray of shape (n_queries, n_observed)
        Receivers.
    distance, found : ndarray of shape (n_queries, k)
        Their nearest donors: squared distances and places, nearest first.
    tricube : bool
        Whether donors are weighted by the tricube kernel.
    alpha : float
        Ridge weight.
    intercept_penalised : bool
        Whether the ridge penalises the intercept too, in the coordinates given.
    values : ndarray of shape (n_queries,)
        Receives the values. O(k m^2 + m^3) per query.
    """
    n_observed, n_found = points.shape[1], found.shape[1]
    products = np.empty((n_observed + 2, n_observed + 2, LANES))
    row = np.empty((n_observed + 2, LANES))
    row[0] = 1.0
    centers, references = np.empty((n_observed, LANES)), np.empty(LANES)
    weights, weight = np.ones((LANES, n_found)), np.empty(LANES)
    solution = make_solution(n_observed)
    for first in range(0, queries.shape[0], LANES):
        for lane in range(LANES):
            query = min(first + lane, queries.shape[0] - 1)
            centers[:, lane] = queries[query]
            references[lane] = targets[found[query, 0]]
            if tricube:
                tricube_weights(distance[query], weights[lane])
        products[:] = 0.0
        for at in range(n_found):
            for lane in range(LANES):
                other = found[min(first + lane, queries.shape[0] - 1), at]
                for column in range(n_observed):
                    row[1 + column, lane] = points[other, column] - centers[column, lane]
                row[1 + n_observed, lane] = targets[other] - references[lane]
                weight[lane] = weights[lane, at]
            add_weighted(products, row, weight)
        solve(products, alpha, solution)
        if intercept_penalised:
            penalise_intercept(products, alpha, centers, references, solution)
        for lane in range(min(LANES, queries.shape[0] - first)):
            values[first + lane] = references[lane] + solution.level[lane]
