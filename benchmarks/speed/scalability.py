"""The paper's scalability figure: time of adaptive learning and of imputation over the number of rows.

Adaptive learning is what comes before any hole is filled: neighbours, models for every candidate l,
judging, choosing, for *every* donor. It is measured as it is, incremental. The straightforward way differs
in the learning step only, so its time is the same plus what that step takes more; this difference is
measured on the neighbour lists of some donors, and counted for all.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np

import iim
from iim.core.execution.context import Context
from speed.layout import columns, seconds
from speed.lists import learn_from_lists, neighbor_lists
from speed.measuring import exponent, seconds_of
from speed.plan import GRID_951, Plan, grid_text, settings
from speed.steps import pose
from speed.tables import made_with_holes

SAMPLE = 1000
"""Donors that the straightforward learning step is measured on."""

N_HOLES = 1000
CURVES = ("straightforward", "incremental", "imputation")
ROUNDS = 3


def measure(plan: Plan) -> dict[str, Any]:
    """One point for each number of rows."""
    sizes = plan.sizes((10_000, 20_000, 40_000, 60_000, 80_000, 100_000), (300, 600))
    grid = range(1, 61, 20) if plan.quick else GRID_951
    sizes = [size for size in sizes if size <= plan.rows]
    points = [_measure_size(plan, size, grid) for size in sizes]
    curves = {name: [point[name] for point in points] for name in CURVES}
    return {
        "data": f"generated, n x 5, last column emptied in {_n_holes(plan):,} rows (seed 0)",
        "grid": grid_text(grid),
        "sizes": sizes,
        "curves": curves,
        "exponents": {name: round(exponent(sizes, times), 3) for name, times in curves.items()},
        "sample": _n_sample(plan),
    }


def lines(record: dict[str, Any]) -> Iterator[str]:
    """Seconds by number of rows."""
    yield f"{record['data']}; k = 10, {record['grid']}; every donor learned"
    yield f"straightforward: its learning step measured on {record['sample']:,} donors, counted for all"
    yield ""
    rows = [("seconds", *(f"{size:,}" for size in record["sizes"]), "exponent")]
    rows += [
        (name, *map(seconds, times), f"{record['exponents'][name]:.2f}")
        for name, times in record["curves"].items()
    ]
    yield from columns(rows)
    yield ""


def _measure_size(plan: Plan, size: int, grid: range) -> dict[str, float]:
    table = made_with_holes(size, share=_n_holes(plan) / size)
    problem, context = pose(table, grid), Context(n_threads=plan.workers)
    donors, targets = table.donors(), table.targets()
    places = np.random.default_rng(0).permutation(len(donors))[: _n_sample(plan)]
    lists = neighbor_lists(donors, places, grid[-1], plan.workers)
    fitted = iim.IIMImputer(**settings(grid), n_jobs=plan.workers).fit(table.values)
    holes = table.values[table.rows]
    taken: dict[str, list[float]] = {name: [] for name in (*CURVES, "more")}
    for _ in range(min(plan.rounds, ROUNDS)):
        taken["incremental"].append(seconds_of(lambda: problem.learn(problem.prepare(context), context)))
        taken["imputation"].append(seconds_of(lambda: fitted.transform(holes)))
        both = [
            seconds_of(
                lambda incremental=incremental: learn_from_lists(
                    donors, targets, places, lists, grid, incremental=incremental, workers=plan.workers
                )
            )
            for incremental in (True, False)
        ]
        taken["more"].append((both[1] - both[0]) * len(donors) / places.size)
    medians = {name: statistics.median(times) for name, times in taken.items() if times}
    medians["straightforward"] = medians["incremental"] + medians["more"]
    return {name: float(f"{medians[name]:.5g}") for name in CURVES}


def _n_holes(plan: Plan) -> int:
    return 20 if plan.quick else N_HOLES


def _n_sample(plan: Plan) -> int:
    return 50 if plan.quick else SAMPLE
