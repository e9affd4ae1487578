"""The time of adaptive learning: incremental, and straightforward.

Adaptive learning (Algorithm 3 of the paper) is all that comes before a hole is filled, for *every* donor:
find its neighbours, learn its models for every candidate number of them, validate these, choose one. The
two ways differ in one thing: whether the sums of a candidate extend those of the previous one
(Proposition 3), or are computed from scratch. Everything else is the same code, so the difference in time
is that of the proposition, and both learn the same models to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.learning_size import grid_steps
from iim.core.neighbors import boxes_help, index_donors, nearest_donors
from iim.core.patterns import all_others
from iim.core.scaling import in_table_units
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.core.voting import cast_votes
from iim.kernels.gram import LANES
from iim.kernels.straightforward import extend_models, learn_listed, list_block
from iim.matrix import MaskedMatrix

LISTED = 2**22
"""Learning neighbours kept at a time, of all donors together: 32 MB."""

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
        The donors, values as they are; no holes.
    grid : sequence of int
        Candidate numbers of learning neighbours; those above the number of donors are dropped.
    n_neighbors : int, default=10
        k: how many others each donor is tried on.
    alpha : float, default=0.001
        Ridge weight, on the intercept too.
    incremental : bool
        Whether sums extend those of the previous candidate, or are computed from scratch.
    n_threads : int, default=1
        Threads. Changes times only.
    block_rows : int, optional
        Donors whose neighbour lists are kept at a time; as many as LISTED allows by default. Changes
        memory only.

    Returns
    -------
    dict
        ``seconds``: wall-clock times of ``search`` (index, judges and neighbour lists), ``learning``, and
        ``total``. By donor: ``n_learning``, the chosen numbers of neighbours, and ``coef``, of shape
        (n_donors, n_observed + 1), the model's value at its donor and its slopes.
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
    """Values that the models of :func:`adaptive_learning` vote for.

    Parameters
    ----------
    points, targets, coef : ndarray
        The donors and their models.
    queries : ndarray of shape (n_receivers, n_observed)
        The known values of the rows to fill.
    n_neighbors : int, default=10
        k: donors asked.
    n_threads : int, default=1
        Threads.

    Returns
    -------
    ndarray of shape (n_receivers,)
    """
    context = Context(n_threads=n_threads)
    # A grid of one: nothing is left to choose or to validate.
    models = _prepare(points, targets, _settings((1,), n_neighbors, 0.0), context)
    models = replace(models, coef=np.ldexp(coef, -models.exponent)[models.tree.donor])
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    neighbors = nearest_donors(models.tree, queries, n_neighbors=n_neighbors, context=context)
    return cast_votes(models, queries, neighbors, reach=np.inf, context=context).values


@dataclass(frozen=True)
class Step:
    """One step of learning: from l neighbours to l + h, in a table of m columns."""

    n_known: int = 400
    n_more: int = 50
    n_columns: int = 8


def step_times(
    *,
    n_known: Sequence[int] = (100, 200, 400, 800, 1600),
    n_more: Sequence[int] = (25, 50, 100, 200, 400),
    n_columns: Sequence[int] = (2, 4, 8, 16, 32),
    base: Step = Step(),  # noqa: B008 (frozen)
    n_models: int = 256,
    rounds: int = 7,
    seed: int = 0,
) -> dict[str, Any]:
    """Time of learning the model of l + h neighbours, as l, h or the number of columns m grows.

    Tables are normal numbers, neighbours the real ones; neither their search nor validation is timed.
    All cases take turns, ``rounds`` times, and the shortest time of each counts: what else a machine does
    can only make it longer. One thread.

    Parameters
    ----------
    n_known, n_more, n_columns : sequence of int
        l, h and m, increasing; each varies alone, the others are those of ``base``.
    base : Step
        400, 50 and 8.
    n_models : int, default=256
        Models learned in one go; rounded up to a multiple of LANES.
    rounds : int, default=7
        Turns.
    seed : int, default=0
        Of the tables.

    Returns
    -------
    dict
        For each of ``n_known``, ``n_more`` and ``n_columns``: their ``values``, the seconds per model
        ``straightforward`` and ``incremental``, and the slope of each on logarithmic axes: of all points
        (``exponents``) and of the last two (``last_exponents``), where what does not grow weighs least.
        And ``base``, ``same`` (whether both ways learned the same bits everywhere), ``rounds``.
    """
    series = {
        "n_known": [replace(base, n_known=value) for value in n_known],
        "n_more": [replace(base, n_more=value) for value in n_more],
        "n_columns": [replace(base, n_columns=value) for value in n_columns],
    }
    cases = list(dict.fromkeys(step for steps in series.values() for step in steps))
    n_donors = max(step.n_known + step.n_more for step in cases) + 100
    n_places = LANES * -(-n_models // LANES)
    ready = {step: _Ready.make(step, max(n_donors, n_places), n_places, seed) for step in cases}
    shortest: dict[tuple[Step, str], float] = {}
    same = all(step.learns_the_same() for step in ready.values())
    for _ in range(rounds):
        for step, models in ready.items():
            for way in WAYS:
                taken = _seconds(lambda models=models, way=way: models.learn(way)) / n_places  # type: ignore[misc]
                shortest[step, way] = min(taken, shortest.get((step, way), taken))
    found: dict[str, Any] = {
        name: _series([getattr(step, name) for step in steps], steps, shortest)
        for name, steps in series.items()
    }
    return {**found, "base": vars(base), "same": same, "rounds": rounds}


def growth(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of times over sizes on logarithmic axes: 1 is linear, 0 does not grow.

    Parameters
    ----------
    sizes, times : sequence of float
        Positive; two different sizes or more.
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(times), 1)
    return float(slope)


def _settings(grid: Sequence[int], n_neighbors: int, alpha: float) -> Settings:
    names = ("penalty", "scale", "validation", "distance", "level", "weights", "donors", "min_donors")
    decisions = {name: PAPER[name] for name in names}
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
    """Let the compiler do its work before anything is timed; once in a process."""
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


@dataclass(frozen=True)
class _Ready:
    """A step whose neighbours are found and whose sums over the first l are made."""

    step: Step
    points: Floats
    targets: Floats
    places: Integers
    lists: Integers
    nothing: Floats
    sums: Floats
    room: Floats
    coef: Floats

    @classmethod
    def make(cls, step: Step, n_donors: int, n_places: int, seed: int) -> _Ready:
        table = np.random.default_rng([seed, step.n_columns]).normal(size=(n_donors, step.n_columns))
        tree = index_donors(table[:, :-1])
        grid = np.array([step.n_known, step.n_known + step.n_more], np.intp)
        places = np.arange(n_places)
        lists = np.empty((n_places, grid[-1]), np.intp)
        list_block(tree, places, grid, grid_steps(grid), pruned=True, lists=lists)
        shape = (n_places // LANES, step.n_columns + 1, step.n_columns + 1, LANES)
        coef = np.empty((n_places, step.n_columns))
        nothing, sums, room = np.zeros(shape), np.empty(shape), np.empty(shape)
        made = cls(step, tree.points, table[tree.donor, -1], places, lists, nothing, sums, room, coef)
        made._extend(nothing, 0, step.n_known, sums)
        return made

    def learn(self, way: str) -> Floats:
        """Models of l + h neighbours: from those of the first l, or from nothing."""
        count = self.step.n_known + self.step.n_more
        if way == "incremental":
            self._extend(self.sums, self.step.n_known, count, self.room)
        else:
            self._extend(self.nothing, 0, count, self.room)
        return self.coef

    def learns_the_same(self) -> bool:
        one, other = (self.learn(way).copy() for way in WAYS)
        return bool(np.array_equal(one, other))

    def _extend(self, sums: Floats, known: int, count: int, grown: Floats) -> None:
        extend_models(
            self.points,
            self.targets,
            self.places,
            self.lists,
            known,
            count,
            PAPER["alpha"],
            PENALISED,
            sums,
            grown,
            self.coef,
        )


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _series(
    values: list[int], steps: list[Step], shortest: dict[tuple[Step, str], float]
) -> dict[str, Any]:
    times = {way: [shortest[step, way] for step in steps] for way in WAYS}
    several = len(set(values)) > 1
    exponents = {way: growth(values, times[way]) if several else None for way in WAYS}
    last = {way: growth(values[-2:], times[way][-2:]) if several else None for way in WAYS}
    return {"values": values, **times, "exponents": exponents, "last_exponents": last}
