"""A local regression around each receiver, over its nearest donors."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import penalise_intercept, solve


@kernel
def tricube_weights(distance: Floats, weights: Floats) -> None:
    """Weights ``(1 - (d / h)^3)^3`` with h the distance of the last neighbour; equal ones if h is 0.

    Equal ones, too, if all neighbours are as far as the last: each weight would be 0.

    Parameters
    ----------
    distance : ndarray of shape (k,)
        Squared distances, increasing.
    weights : ndarray of shape (k,)
        Receives the weights.
    """
    last = distance.shape[0] - 1
    if distance[0] == distance[last]:
        weights[:] = 1.0
        return
    for at in range(distance.shape[0]):
        share = np.sqrt(distance[at] / distance[last])
        weights[at] = (1.0 - share**3) ** 3


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
    """Regress over each query's nearest donors and tell the value at the query.

    All sums are relative to the query, so that the level of the model is the value wanted.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        Donors by place.
    queries : ndarray of shape (n_queries, n_observed)
        Receivers.
    distance, found : ndarray of shape (n_queries, k)
        Their nearest donors: squared distances and places, nearest first.
    tricube : bool
        Whether near donors weigh more.
    alpha : float
        Ridge weight.
    intercept_penalised : bool
        Whether the ridge weighs on the intercept too, in the coordinates given.
    values : ndarray of shape (n_queries,)
        Receives the values. O(k m^2 + m^3) per query.
    """
    n_observed, n_found = points.shape[1], found.shape[1]
    products = np.empty((n_observed + 2, n_observed + 2))
    row = np.empty(n_observed + 2)
    factor = np.empty((n_observed, n_observed))
    floor = np.empty(n_observed)
    slopes = np.empty(n_observed)
    origin = np.empty(n_observed)
    pull = np.empty(n_observed)
    weights = np.ones(n_found)
    for query in range(queries.shape[0]):
        if tricube:
            tricube_weights(distance[query], weights)
        reference = targets[found[query, 0]]
        products[:] = 0.0
        row[0] = 1.0
        for at in range(n_found):
            other = found[query, at]
            for column in range(n_observed):
                row[1 + column] = points[other, column] - queries[query, column]
            row[1 + n_observed] = targets[other] - reference
            for line in range(n_observed + 2):
                value = weights[at] * row[line]
                for entry in range(line + 1):
                    products[line, entry] += value * row[entry]
        level = solve(products, alpha, factor, floor, slopes)
        if intercept_penalised:
            level = penalise_intercept(
                products, alpha, factor, slopes, level, queries[query], reference, origin, pull
            )
        values[query] = reference + level
