"""The vote: what the nearest donors' models say of a receiver, and what becomes of it (Algorithm 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Floats
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.scaling import in_table_units
from iim.core.workers import Workers
from iim.kernels.votes import DISTANCE, UNIFORM, VOTES, vote_block

WEIGHTS = {"votes": VOTES, "uniform": UNIFORM, "distance": DISTANCE}
"""Ways to weigh candidates, by name."""


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
    models: PatternModels, queries: Floats, neighbors: Neighbors, *, weights: str, workers: Workers
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
    weights : {"votes", "uniform", "distance"}
        How candidates are weighed.
    workers : Workers
        Who does the work.

    Returns
    -------
    Votes
    """
    shape = neighbors.place.shape
    votes = Votes(np.empty(shape), np.empty(shape), np.empty(shape[0]))

    def work(first: int, stop: int) -> None:
        rows = slice(first, stop)
        vote_block(
            models.tree.points,
            models.coef,
            queries[rows],
            neighbors.distance[rows],
            neighbors.place[rows],
            WEIGHTS[weights],
            votes.candidates[rows],
            votes.weights[rows],
            votes.values[rows],
        )

    workers.run(work, shape[0])
    return replace(
        votes,
        candidates=in_table_units(votes.candidates, models.exponent),
        values=in_table_units(votes.values, models.exponent),
    )
