"""Candidates from the parts of the donors, and the vote over the candidates of all parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.cluster.partition.parts import NONE, PartedProblem
from iim.core.neighbors import Neighbors
from iim.core.scaling import in_table_units
from iim.core.voting import CODES
from iim.kernels.tree import Tree
from iim.kernels.votes import combine_block, predict_block


@dataclass(frozen=True)
class Answers:
    """Candidates of a part's nearest donors for some receivers; nearest first.

    Attributes
    ----------
    distance : ndarray of shape (n_receivers, k)
        Squared distances; infinite where the part has no more donors.
    rows : ndarray of shape (n_receivers, k)
        The donors' rows in the whole table; NONE where there are no more.
    said : ndarray of shape (n_receivers, k)
        Their candidates, in the unit of the problem.
    """

    distance: Floats
    rows: Integers
    said: Floats


def ask_part(
    tree: Tree,
    rows: Integers,
    coef: Floats,
    queries: Floats,
    found: Neighbors,
    problem: PartedProblem,
    k: int,
) -> Answers:
    """Compute the candidates of a part's nearest donors.

    Parameters
    ----------
    tree : Tree
        The part's own donors.
    rows : ndarray of shape (n_donors,)
        Their rows in the whole table, increasing.
    coef : ndarray of shape (n_donors, n_observed + 1)
        Their models, in the same order; at least of the donors found.
    queries : ndarray of shape (n_receivers, n_observed)
        The receivers.
    found : Neighbors
        Their nearest donors in the part.
    problem : PartedProblem
        The common data of all parts.
    k : int
        Number of donors used.

    Returns
    -------
    Answers
    """
    n_found = found.place.shape[1]
    answers = Answers(
        np.full((queries.shape[0], k), np.inf),
        np.full((queries.shape[0], k), NONE, np.intp),
        np.zeros((queries.shape[0], k)),
    )
    said = np.empty(found.place.shape)
    predict_block(tree.points, coef[tree.donor], queries, found.place, problem.low, problem.high, said)
    answers.distance[:, :n_found] = found.distance
    answers.rows[:, :n_found] = rows[tree.donor[found.place]]
    answers.said[:, :n_found] = said
    return answers


def vote_over_parts(
    receiver: Integers, answers: Answers, problem: PartedProblem
) -> tuple[Integers, Floats]:
    """Combine the candidates of several parts: the nearest k donors of all vote.

    Parameters
    ----------
    receiver : ndarray of shape (n_answers,)
        The receiver of each line of ``answers``; lines of one receiver come from different parts.
    answers : Answers
        Lines from any number of parts, in any order.
    problem : PartedProblem
        The common data of all parts.

    Returns
    -------
    receivers : ndarray of shape (n_receivers,)
        Each once, increasing; those with fewer candidates than donors to use are left out.
    values : ndarray of shape (n_receivers,)
        Their fills, in units of the table.
    """
    k = answers.rows.shape[1]
    n_asked = min(k, problem.n_donors)
    named = answers.rows.ravel() != NONE
    who = np.repeat(receiver, k)[named]
    distance, said = answers.distance.ravel()[named], answers.said.ravel()[named]
    order = np.lexsort((answers.rows.ravel()[named], distance, who))
    receivers, first, counts = np.unique(who[order], return_index=True, return_counts=True)
    # With fewer lines, the next receiver's would be taken for theirs.
    receivers, first = receivers[counts >= n_asked], first[counts >= n_asked]
    nearest = order[first[:, None] + np.arange(n_asked)]
    weights, values = np.empty(nearest.shape), np.empty(receivers.size)
    combine_block(said[nearest], distance[nearest], CODES[problem.weights], weights, values)
    return receivers, in_table_units(values, problem.exponent)
