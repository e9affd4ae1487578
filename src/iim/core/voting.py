"""The vote: predictions of the nearest donors' models for a receiver, and their weights (Algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Floats
from iim.core.execution.context import Context
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.scaling import in_table_units
from iim.core.settings import WEIGHTS
from iim.core.uncertainty.error_scale import candidate_spread
from iim.kernels.votes import combine_block, predict_block

CODES = {name: code for code, name in enumerate(WEIGHTS)}
"""Codes of the weightings in kernels."""


@dataclass(frozen=True)
class Votes:
    """Candidates of some receivers, their weights, and their weighted mean.

    Attributes
    ----------
    candidates : ndarray of shape (n_receivers, k)
        Prediction of each donor's model, nearest donor first.
    weights : ndarray of shape (n_receivers, k)
        Their weights; each row sums to one.
    values : ndarray of shape (n_receivers,)
        Weighted mean of the candidates.
    share : float
        The part of the candidates that is the models' own: shrinkage draws them together by this factor.
    """

    candidates: Floats
    weights: Floats
    values: Floats
    share: float = 1.0

    @property
    def spread(self) -> Floats:
        """(n_receivers,): weighted standard deviation of the candidates before shrinkage."""
        spread = candidate_spread(self.candidates, self.weights)
        return spread / self.share if self.share > 0.0 else np.zeros_like(spread)


def cast_votes(
    models: PatternModels, queries: Floats, neighbors: Neighbors, *, reach: float, context: Context
) -> Votes:
    """Predict by the models of the nearest donors, and average.

    Parameters
    ----------
    models : PatternModels
        With a model for every nearest donor.
    queries : ndarray of shape (n_receivers, n_observed)
        Coordinates of the receivers in the space of the donors.
    neighbors : Neighbors
        The nearest donors.
    reach : float
        Limit of extrapolation: how far candidates may lie beyond the donors' values, in widths of their
        range.
    context : Context
        How to run.

    Returns
    -------
    Votes
    """
    shape = neighbors.place.shape
    low, high = candidate_limits(models.targets, reach)
    votes = Votes(np.empty(shape), np.empty(shape), np.empty(shape[0]), models.shrinkage.share)

    said, points, coef, how = votes.candidates, models.tree.points, models.coef, CODES[models.weights]
    place, distance = neighbors.place, neighbors.distance
    context.silent.run(
        lambda first, stop: predict_block(
            points, coef, queries[first:stop], place[first:stop], low, high, said[first:stop]
        ),
        shape[0],
    )
    context.silent.run(
        lambda first, stop: combine_block(
            said[first:stop], distance[first:stop], how, votes.weights[first:stop], votes.values[first:stop]
        ),
        shape[0],
    )
    return replace(
        votes,
        candidates=in_table_units(votes.candidates, models.exponent),
        values=in_table_units(votes.values, models.exponent),
    )


def candidate_limits(known: Floats, reach: float) -> tuple[float, float]:
    """The bounds that candidates are clipped to.

    Parameters
    ----------
    known : ndarray of shape (n_donors,)
        The donors' values.
    reach : float
        How far candidates may lie beyond them, in widths of their range.

    Returns
    -------
    low, high : float
    """
    if np.isinf(reach):
        return -np.inf, np.inf
    low, high = float(known.min()), float(known.max())
    beyond = reach * (high - low)
    return low - beyond, high + beyond
