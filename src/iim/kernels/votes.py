"""Candidates of the nearest donors' models, and how they are combined (Algorithm 2)."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel

VOTES, UNIFORM, DISTANCE, CLOSEST = 0, 1, 2, 3
"""Codes of the weightings: their places in ``WEIGHTS`` of ``iim.core.settings``."""


@kernel
def candidate(coef: Floats, points: Floats, place: int, query: Floats) -> float:
    """Prediction of ``query`` by the model of the donor at ``place``."""
    value = coef[place, 0]
    for column in range(query.shape[0]):
        value += coef[place, 1 + column] * (query[column] - points[place, column])
    return value


@kernel
def vote_weights(candidates: Floats, weights: Floats) -> None:
    """Weigh each candidate by the inverse of its summed distance to the others.

    ``w_i = (1 / c_i) / sum_j (1 / c_j)`` with ``c_i = sum_j |v_i - v_j|`` (Formulas for c and w). If the
    candidates all agree, every c is 0 and the weights are equal. Weights are formed as ``min(c) / c_i``,
    which cannot overflow. O(k^2).
    """
    n_candidates = candidates.shape[0]
    smallest = np.inf
    for at in range(n_candidates):
        apart = 0.0
        for other in range(n_candidates):
            apart += abs(candidates[at] - candidates[other])
        weights[at] = apart
        smallest = min(smallest, apart)
    total = 0.0
    for at in range(n_candidates):
        weights[at] = smallest / weights[at] if smallest > 0.0 else 1.0
        total += weights[at]
    for at in range(n_candidates):
        weights[at] /= total


@kernel
def near_weights(distance: Floats, rooted: bool, weights: Floats) -> None:
    """Weigh each candidate by the inverse of its donor's squared distance; if ``rooted``, of its distance.

    If there are donors at distance 0, they share the whole weight.
    """
    nearest = np.min(distance)
    nearest = np.sqrt(nearest) if rooted else nearest
    total = 0.0
    for at in range(distance.shape[0]):
        if nearest > 0.0:
            weights[at] = nearest / (np.sqrt(distance[at]) if rooted else distance[at])
        else:
            weights[at] = 1.0 if distance[at] == 0.0 else 0.0
        total += weights[at]
    for at in range(distance.shape[0]):
        weights[at] /= total


@kernel
def weigh(candidates: Floats, distance: Floats, how: int, weights: Floats) -> None:
    """Weigh the candidates of one receiver by the weighting ``how``; squared distances. O(k^2)."""
    if how == VOTES:
        vote_weights(candidates, weights)
    elif how in (DISTANCE, CLOSEST):
        near_weights(distance, how == DISTANCE, weights)
    else:
        weights[:] = 1.0 / weights.shape[0]


@kernel
def combine(candidates: Floats, weights: Floats, how: int) -> float:
    """The weighted mean of candidates, clipped to their range."""
    total = 0.0
    for at in range(candidates.shape[0]):
        # Equal weights: one division at the end gives exactly the mean.
        share = 1.0 if how == UNIFORM else weights[at]
        total += share * candidates[at]
    if how == UNIFORM:
        total /= candidates.shape[0]
    return min(max(total, np.min(candidates)), np.max(candidates))


@kernel
def combine_block(candidates: Floats, distance: Floats, how: int, weights: Floats, values: Floats) -> None:
    """Combine the candidates of each query.

    Parameters
    ----------
    candidates : ndarray of shape (n_queries, k)
        Predictions of its nearest donors' models.
    distance : ndarray of shape (n_queries, k)
        Squared distances of these donors.
    how : int
        VOTES, UNIFORM, DISTANCE or CLOSEST.
    weights : ndarray of shape (n_queries, k)
        Receives weights, which sum to one.
    values : ndarray of shape (n_queries,)
        Receives the imputed values, within the range of the candidates. O(k^2) per query.
    """
    for query in range(candidates.shape[0]):
        weigh(candidates[query], distance[query], how, weights[query])
        values[query] = combine(candidates[query], weights[query], how)


@kernel
def weigh_by_distance(distance: Floats, weights: Floats) -> None:
    """Weights by inverse distance, see :func:`near_weights`, for each line of squared distances."""
    for query in range(distance.shape[0]):
        near_weights(distance[query], rooted=True, weights=weights[query])


@kernel
def predict_block(
    points: Floats,
    coef: Floats,
    queries: Floats,
    found: Integers,
    low: float,
    high: float,
    candidates: Floats,
) -> None:
    """Predict each query by the models of its nearest donors.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Donors by place.
    coef : ndarray of shape (n_donors, n_observed + 1)
        Their models: value at the donor, slopes.
    queries : ndarray of shape (n_queries, n_observed)
        Receivers.
    found : ndarray of shape (n_queries, k)
        Places of their nearest donors.
    low, high : float
        Bounds that candidates are clipped to; infinite for no limit.
    candidates : ndarray of shape (n_queries, k)
        Receives the candidates. O(k m) per query.
    """
    for query in range(queries.shape[0]):
        for at in range(found.shape[1]):
            said = candidate(coef, points, found[query, at], queries[query])
            candidates[query, at] = min(max(said, low), high)
