"""The time of one step of learning, from l neighbours to l + h: incremental, and straightforward."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.learning_size import grid_steps
from iim.core.neighbors import index_donors
from iim.core.settings import PAPER
from iim.kernels.gram import LANES
from iim.kernels.straightforward import extend_models, list_block
from iim.paper.learning_times import PENALISED, WAYS


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

    Tables are normal random numbers, neighbours are real; neither their search nor validation is timed.
    Cases take turns, ``rounds`` times, and the shortest time of each counts, since other work on the
    machine can only make it longer. One thread.

    Parameters
    ----------
    n_known, n_more, n_columns : sequence of int
        l, h and m, increasing; each varies alone, the others are taken from ``base``.
    base : Step
        Defaults 400, 50 and 8.
    n_models : int, default=256
        Models learned in one go; rounded up to a multiple of LANES.
    rounds : int, default=7
        Repeats of every case.
    seed : int, default=0
        Seed of the tables.

    Returns
    -------
    dict
        For each of ``n_known``, ``n_more`` and ``n_columns``: their ``values``, the seconds per model
        ``straightforward`` and ``incremental``, and the slope of each on logarithmic axes: of all points
        (``exponents``) and of the last two (``last_exponents``), where constant work weighs least. And
        ``base``, ``same`` (whether the models of both ways are bit-identical), ``rounds``.
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
    """The slope of times over sizes on logarithmic axes: 1 is linear, 0 is constant.

    Parameters
    ----------
    sizes, times : sequence of float
        Positive; at least two different sizes.
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(times), 1)
    return float(slope)


@dataclass(frozen=True)
class _Ready:
    """A step with its neighbours found and its first l sums computed."""

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
        """Models of l + h neighbours: from the sums of the first l, or from scratch."""
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
