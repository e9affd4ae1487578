"""The vote: what the nearest donors' models say of a receiver, and what becomes of it (Algorithm 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Floats
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.scaling import in_table_units
from iim.core.weighing import WEIGHTS, reach_of
from iim.core.workers import Workers
from iim.kernels.votes import combine_block, say_block


@dataclass(frozen=True)
class Votes:
    """Candidates for some receivers.

    Attributes
    ----------
    candidates : ndarray of shape (n_receivers, k)
        What each donor's model says, nearest donor first.
    weights : ndarray of shape (n_receivers, k)
        Their weights; each row sums to one.
    values : ndarray of shape (n_receivers,)
        The weighted candidates' sum.
    """

    candidates: Floats
    weights: Floats
    values: Floats


def cast_votes(
    models: PatternModels, queries: Floats, neighbors: Neighbors, *, reach: float, workers: Workers
) -> Votes:
    """Let the models of the nearest donors vote.

    Parameters
    ----------
    models : PatternModels
        With a model for every donor asked.
    queries : ndarray of shape (n_receivers, n_observed)
        Scaled coordinates of the receivers.
    neighbors : Neighbors
        The donors asked.
    reach : float
        How far candidates may lie beyond the donors' values, in widths of their range.
    workers : Workers
        Who does the work.

    Returns
    -------
    Votes
    """
    shape = neighbors.place.shape
    low, high = reach_of(models.targets, reach)
    votes = Votes(np.empty(shape), np.empty(shape), np.empty(shape[0]))

    def work(first: int, stop: int) -> None:
        rows = slice(first, stop)
        place = neighbors.place[rows]
        say_block(models.tree.points, models.coef, queries[rows], place, low, high, votes.candidates[rows])
        combine_block(
            votes.candidates[rows],
            neighbors.distance[rows],
            WEIGHTS[models.weights],
            votes.weights[rows],
            votes.values[rows],
        )

    workers.run(work, shape[0])
    return replace(
        votes,
        candidates=in_table_units(votes.candidates, models.exponent),
        values=in_table_units(votes.values, models.exponent),
    )
