"""The time of adaptive learning: incremental, and straightforward.

Adaptive learning (Algorithm 3 of the paper) is all that comes before a cell is filled, for *every* donor:
find its neighbours, learn its models for every candidate number of them, validate these, choose one. The
two ways differ in one point: whether the sums of a candidate extend those of the previous one (Proposition
3), or are computed from scratch. All other code is shared, so the difference in time is that of the
proposition. The learned models are bit-identical.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.learning_size import grid_steps
from iim.core.neighbors import boxes_help, nearest_donors
from iim.core.patterns import all_others
from iim.core.scaling import in_table_units
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.core.voting import cast_votes
from iim.kernels.gram import LANES
from iim.kernels.straightforward import learn_listed, list_block
from iim.matrix import MaskedMatrix

LISTED = 2**22
"""Learning neighbours in memory at a time, over all donors: 32 MB."""

PENALISED = PAPER["penalty"] == "all"
WAYS = ("straightforward", "incremental")


def adaptive_learning(
    points: Floats,
    targets: Floats,
    grid: Sequence[int],
    *,
    n_neighbors: int = PAPER["n_neighbors"],
    alpha: float = PAPER["alpha"],
    incremental: bool,
    n_threads: int = 1,
    block_rows: int | None = None,
) -> dict[str, Any]:
    """Learn the models of all donors, as the paper does it, and time each stage.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors, unscaled, without missing values.
    grid : sequence of int
        Candidate numbers of learning neighbours; those above the number of donors are dropped.
    n_neighbors : int, default=10
        k: number of other donors that validate each donor's models.
    alpha : float, default=0.001
        Ridge weight, on the intercept too.
    incremental : bool
        Whether sums extend those of the previous candidate, or are computed from scratch.
    n_threads : int, default=1
        Threads. Changes times only.
    block_rows : int, optional
        Donors whose neighbour lists are in memory at a time; by default, as many as LISTED allows. Changes
        memory only.

    Returns
    -------
    dict
        ``seconds``: wall-clock times of ``search`` (index, validation rows and neighbour lists),
        ``learning``, and ``total``. By donor: ``n_learning``, the chosen numbers of neighbours, and
        ``coef``, of shape (n_donors, n_observed + 1), the model's value at its donor and its slopes.
    """
    _compile_first()
    return _learn(
        points,
        targets,
        _settings(grid, n_neighbors, alpha),
        incremental=incremental,
        context=Context(n_threads=n_threads),
        block_rows=block_rows,
    )


def fill_from_models(
    points: Floats,
    targets: Floats,
    coef: Floats,
    queries: Floats,
    *,
    n_neighbors: int = PAPER["n_neighbors"],
    n_threads: int = 1,
) -> Floats:
    """Fills voted by the models of :func:`adaptive_learning`.

    Parameters
    ----------
    points, targets, coef : ndarray
        The donors and their models.
    queries : ndarray of shape (n_receivers, n_observed)
        The known values of the rows to fill.
    n_neighbors : int, default=10
        k: number of donors used.
    n_threads : int, default=1
        Threads.

    Returns
    -------
    ndarray of shape (n_receivers,)
    """
    context = Context(n_threads=n_threads)
    # A grid of one: nothing is chosen, so nothing is validated.
    models = _prepare(points, targets, _settings((1,), n_neighbors, 0.0), context)
    models = replace(models, coef=np.ldexp(coef, -models.exponent)[models.tree.donor])
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    neighbors = nearest_donors(models.tree, queries, n_neighbors=n_neighbors, context=context)
    return cast_votes(models, queries, neighbors, reach=np.inf, context=context).values


def _settings(grid: Sequence[int], n_neighbors: int, alpha: float) -> Settings:
    own = ("n_neighbors", "learning_grid", "alpha", "reach")
    decisions = {one.name: PAPER[one.name] for one in fields(Settings) if one.name not in own}
    return Settings(
        n_neighbors=n_neighbors, learning_grid=tuple(grid), alpha=alpha, reach=np.inf, **decisions
    )


def _prepare(points: Floats, targets: Floats, settings: Settings, context: Context) -> PatternModels:
    values = np.ascontiguousarray(np.column_stack([points, targets]), dtype=np.float64)
    n_donors, target = values.shape[0], values.shape[1] - 1
    matrix = MaskedMatrix(values, np.isnan(values), tuple(range(target + 1)))
    pattern = all_others(target, target + 1)
    problem = Problem(pattern, pattern.observed, np.arange(n_donors), Fallback.NONE)
    source = learn_source(matrix, scale=settings.scale, which="complete", min_donors=1)
    return IndividualModels(settings).solve(source, problem, None, context)


def _learn(
    points: Floats,
    targets: Floats,
    settings: Settings,
    *,
    incremental: bool,
    context: Context,
    block_rows: int | None,
) -> dict[str, Any]:
    begun = time.perf_counter()
    models = _prepare(points, targets, settings, context)
    searching, learning = time.perf_counter() - begun, 0.0
    n_donors = models.targets.size
    size = block_rows or max(context.block_size, LISTED // int(models.grid[-1]))
    pruned = boxes_help(models.tree, int(models.grid[-1]), n_donors)
    lists = np.empty((min(size, n_donors), models.grid[-1]), np.intp)
    for first in range(0, n_donors, size):
        places = np.arange(first, min(first + size, n_donors))
        before = time.perf_counter()
        _find(models, places, lists, pruned=pruned, context=context)
        found = time.perf_counter()
        _learn_from(models, places, lists, alpha=settings.alpha, incremental=incremental, context=context)
        searching, learning = searching + found - before, learning + time.perf_counter() - found
    total = time.perf_counter() - begun
    by_donor = models.tree.place
    return {
        "seconds": {"search": searching, "learning": learning, "total": total},
        "n_learning": models.n_learning[by_donor],
        "coef": in_table_units(models.coef, models.exponent)[by_donor],
    }


def _find(
    models: PatternModels, places: Integers, lists: Integers, *, pruned: bool, context: Context
) -> None:
    steps = grid_steps(models.grid)

    def work(first: int, stop: int) -> None:
        list_block(models.tree, places[first:stop], models.grid, steps, pruned, lists[first:stop])

    context.run(work, places.size)


def _learn_from(
    models: PatternModels,
    places: Integers,
    lists: Integers,
    *,
    alpha: float,
    incremental: bool,
    context: Context,
) -> None:
    """Fill in ``coef`` and ``n_learning`` of some donors."""

    def work(first: int, stop: int) -> None:
        learn_listed(
            models.tree.points,
            models.targets,
            places[first:stop],
            lists[first:stop],
            models.grid,
            models.validation,
            alpha,
            PENALISED,
            not incremental,
            models.coef,
            models.n_learning,
        )

    context.run(work, places.size)


@cache
def _compile_first() -> None:
    """Compile before anything is timed; once in a process."""
    table = np.random.default_rng(0).normal(size=(2 * LANES, 2))
    for incremental in (True, False):
        _learn(
            table[:, :1],
            table[:, 1],
            _settings((1, 4), 3, 0.001),
            incremental=incremental,
            context=Context(),
            block_rows=None,
        )
