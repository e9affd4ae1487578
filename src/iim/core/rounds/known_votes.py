"""The vote for a missing cell on what its row knows: nearest donors, and their models, on those columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.execution.context import Context
from iim.core.learning import PatternModels, learn_models
from iim.core.neighbors import Neighbors, boxes_help
from iim.core.rounds.choices import ColumnChoice
from iim.core.scaling import in_table_units
from iim.core.settings import Settings
from iim.core.voting import CODES, Votes, candidate_limits
from iim.kernels.known import answer_known_block
from iim.kernels.known_search import TILE, lay_tiles, nearest_known_block
from iim.kernels.search import nearest_block
from iim.kernels.votes import combine_block


@dataclass(frozen=True)
class Receivers:
    """Rows to fill a column of.

    Attributes
    ----------
    points : ndarray of shape (n_receivers, n_observed)
        Scaled coordinates on all other columns.
    missing : ndarray of shape (n_receivers, n_observed)
        Where they are missing: those coordinates are not used.
    """

    points: Floats
    missing: Booleans


@dataclass(frozen=True)
class Answers:
    """What the nearest donors' models say of some receivers.

    Attributes
    ----------
    neighbors : Neighbors
        The nearest donors of each receiver, on the columns that it knows.
    said : dict
        By level and ridge weight, (n_receivers, k): the predictions of their models, learned on the columns
        that the receiver knows; in the models' unit.
    slopes : ndarray of shape (n_receivers, k, n_observed), or None
        Slopes of these models per unit of the scaled coordinates, if they were asked for.
    """

    neighbors: Neighbors
    said: dict[tuple[str, float], Floats]
    slopes: Floats | None


def ask_known(
    models: PatternModels,
    points: Floats,
    receivers: Receivers,
    *,
    n_neighbors: int,
    alphas: Sequence[float],
    settings: Settings,
    with_slopes: bool = False,
    context: Context,
) -> tuple[PatternModels, Answers]:
    """Find the nearest donors of some receivers, and ask their models.

    Parameters
    ----------
    models : PatternModels
        The donors of a column. Their models on all other columns choose how many neighbours each learns
        from.
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates of the donors in row order, not transformed.
    receivers : Receivers
        The rows to fill.
    n_neighbors : int
        How many donors to ask; all if there are fewer.
    alphas : sequence of float
        Ridge weights of their models.
    settings : Settings
        All parameters; its ridge weight is that with which donors choose how many neighbours to learn from.
    with_slopes : bool
        Whether slopes are wanted, with the last of ``alphas``.
    context : Context
        How to run.

    Returns
    -------
    models : PatternModels
        With the models of all donors that were asked.
    answers : Answers
        Time O(n_receivers (n_donors m^2 + k m^3)), memory O(n_receivers k).
    """
    points = np.ascontiguousarray(points)
    neighbors = _nearest(models, points, receivers, n_neighbors, context)
    models = learn_models(models, neighbors.place, settings=settings, context=context)
    said, slopes = _answer(
        models,
        points,
        receivers,
        neighbors.place,
        alphas=np.array(alphas, float),
        intercept_penalised=settings.penalty == "all",
        with_slopes=with_slopes,
        context=context,
    )
    return models, Answers(neighbors, said, slopes)


def _nearest(
    models: PatternModels, points: Floats, receivers: Receivers, n_neighbors: int, context: Context
) -> Neighbors:
    """The nearest donors of each receiver, on the columns that it knows."""
    shape = (receivers.points.shape[0], min(n_neighbors, models.tree.donor.size))
    distance, donor = np.empty(shape), np.empty(shape, np.intp)
    metric, centre = _metric(models.transform, points.shape[1]), points.mean(axis=0)
    tiles = np.empty((-(-points.shape[0] // TILE), 2 * points.shape[1] + 3, TILE), np.float32)
    lay_tiles(points, metric, centre, tiles)
    context.silent.run(
        lambda first, stop: nearest_known_block(
            points,
            tiles,
            centre,
            metric,
            receivers.points[first:stop],
            receivers.missing[first:stop],
            distance[first:stop],
            donor[first:stop],
        ),
        shape[0],
    )
    return Neighbors(distance, models.tree.place[donor])


def _metric(transform: Floats, n_observed: int) -> Floats:
    return np.eye(n_observed) if transform.size == 0 else np.ascontiguousarray(transform @ transform)


def _answer(
    models: PatternModels,
    points: Floats,
    receivers: Receivers,
    places: Integers,
    *,
    alphas: Floats,
    intercept_penalised: bool,
    with_slopes: bool,
    context: Context,
) -> tuple[dict[tuple[str, float], Floats], Floats | None]:
    """Predictions of each receiver's nearest donors; donor by donor, so that each is searched for once."""
    scaled = np.ascontiguousarray(points[models.tree.donor])
    order, asked, first = _by_donor(places, models.n_learning)
    levels = {level: np.empty((alphas.size, order.size)) for level in ("fitted", "own")}
    slopes, back = np.empty((order.size if with_slopes else 0, points.shape[1])), np.argsort(order)
    sizes, counts = np.unique(models.n_learning[asked], return_counts=True)
    pruned = {size: boxes_help(models.tree, size, count) for size, count in zip(sizes, counts, strict=True)}

    def work(begin: int, end: int) -> None:
        pairs = slice(first[begin], first[end])
        answer_known_block(
            scaled,
            models.targets,
            _learning_rows(models, asked[begin:end], pruned=pruned),
            models.n_learning[asked[begin:end]],
            first[begin : end + 1] - first[begin],
            order[pairs] // places.shape[1],
            receivers.points,
            receivers.missing,
            alphas,
            intercept_penalised,
            levels["fitted"][:, pairs],
            levels["own"][:, pairs],
            slopes[pairs] if with_slopes else slopes,
        )

    context.silent.run(work, asked.size)
    said = {
        (level, alpha): np.ascontiguousarray(levels[level][turn, back].reshape(places.shape))
        for level, (turn, alpha) in product(levels, enumerate(alphas.tolist()))
    }
    return said, slopes[back].reshape(*places.shape, slopes.shape[1]) if with_slopes else None


def _by_donor(places: Integers, n_learning: Integers) -> tuple[Integers, Integers, Integers]:
    """Pairs of receiver and donor, donor by donor: their order, the donors, and where each one's begin.

    Donors that learn from as many neighbours are together: a block searches for no more than it needs.
    """
    turn_of = np.empty(n_learning.size, np.intp)
    turn_of[np.argsort(n_learning, kind="stable")] = np.arange(n_learning.size)
    turns = turn_of[places.ravel()]
    order = np.argsort(turns, kind="stable")
    _, first = np.unique(turns[order], return_index=True)
    return order, places.ravel()[order[first]], np.append(first, order.size)


def _learning_rows(models: PatternModels, donors: Integers, *, pruned: Mapping[int, bool]) -> Integers:
    """The rows that each of some donors learns from, by place; further columns are not used."""
    tree, most = models.tree, int(models.n_learning[donors[-1]])
    found = np.empty((donors.size, most), np.intp)
    # In the order of leaves: those that learn from as many neighbours are in order already.
    every = np.argsort(donors, kind="stable")
    home = donors[every] // tree.leaves.shape[2]
    nearest_block(
        tree, tree.points[donors], donors, every, home, pruned[most], np.empty(found.shape), found
    )
    return found


def combine(models: PatternModels, answers: Answers, choice: ColumnChoice, *, reach: float) -> Votes:
    """The vote of the nearest donors, in units of the table.

    Parameters
    ----------
    models : PatternModels
        The donors.
    answers : Answers
        What their models say.
    choice : ColumnChoice
        How many of them vote, with which models and weights.
    reach : float
        Limit of extrapolation, see :func:`~iim.core.voting.candidate_limits`.

    Returns
    -------
    Votes
    """
    low, high, k = *candidate_limits(models.targets, reach), choice.n_neighbors
    said = np.ascontiguousarray(np.clip(answers.said[choice.level, choice.alpha][:, :k], low, high))
    distance = np.ascontiguousarray(answers.neighbors.distance[:, :k])
    shares, values = np.empty_like(said), np.empty(said.shape[0])
    combine_block(said, distance, CODES[choice.weights], shares, values)
    exponent = models.exponent
    return Votes(in_table_units(said, exponent), shares, in_table_units(values, exponent))
