"""How time grows with rows, columns, learning neighbours and neighbours: exponents on log-log scales."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import iim
from speed.layout import columns, seconds
from speed.measuring import LONG, Task, exponent, exponent_between_ends, interleaved
from speed.plan import GRID_96, GRID_951, Plan, settings
from speed.tables import Holed, made_with_holes

MOST_IN_ROWS = 1.15
"""What the exponent over rows may be, from 10,000 to 1,000,000."""

SCIPY_ROWS = 300_000
"""SciPy's query is shown beside, as far as it takes seconds."""


@dataclass(frozen=True)
class Axis:
    """Something to vary."""

    name: str
    about: str
    sizes: list[int]
    tasks: Callable[[int], list[Task]]


def measure(plan: Plan) -> dict[str, Any]:
    """All axes."""
    return {"axes": [_measure_axis(plan, axis) for axis in _axes(plan)]}


def _axes(plan: Plan) -> list[Axis]:
    n_rows = 300 if plan.quick else 20_000
    steps = 4 if plan.quick else 20
    grid = range(1, 21, 5) if plan.quick else GRID_96
    step = 10 if plan.quick else GRID_951.step
    every_row = plan.sizes((10_000, 30_000, 100_000, 300_000, 1_000_000), (200, 400, 800))
    fixed = made_with_holes(n_rows)
    ends = plan.sizes((100, 200, 400, 800, 1600), (20, 40, 80))
    return [
        Axis(
            "rows",
            f"generated, n x 5, l up to {grid[-1]}, k = 10",
            [size for size in every_row if size <= plan.rows],
            lambda size: _row_tasks(plan, made_with_holes(size), grid),
        ),
        Axis(
            "columns",
            f"generated, {n_rows:,} x m, l up to {grid[-1]}, k = 10",
            plan.sizes((2, 4, 8, 16, 32), (2, 4, 6)),
            lambda size: _tasks(plan, made_with_holes(n_rows, size), learning_grid=grid),
        ),
        Axis(
            f"learning neighbours, {steps} steps",
            f"generated, {n_rows:,} x 5, {steps} equal steps up to l, k = 10",
            ends,
            lambda size: _tasks(plan, fixed, learning_grid=_spread(size, steps)),
        ),
        Axis(
            f"learning neighbours, step {step}",
            f"generated, {n_rows:,} x 5, l in steps of {step}, k = 10",
            ends,
            lambda size: _tasks(plan, fixed, learning_grid=range(1, size + 1, step)),
        ),
        Axis(
            "neighbours",
            f"generated, {n_rows:,} x 5, l up to {grid[-1]}",
            plan.sizes((5, 10, 20, 40, 80), (2, 4, 8)),
            lambda size: _tasks(plan, fixed, learning_grid=grid, n_neighbors=size),
        ),
    ]


def lines(record: dict[str, Any]) -> Iterator[str]:
    """Seconds by size, and exponents."""
    for axis in record["axes"]:
        yield f"over {axis['name']}: {axis['data']}; 5 % of the rows with a hole; medians"
        yield ""
        sizes = sorted({size for curve in axis["curves"] for size in curve["sizes"]})
        rows = [("seconds", *(f"{size:,}" for size in sizes), "exponent", "between ends", "target")]
        for curve in axis["curves"]:
            taken = dict(zip(curve["sizes"], curve["seconds"], strict=True))
            target = f"<= {curve['at most']:g}" if "at most" in curve else ""
            cells = [seconds(taken[size]) if size in taken else "" for size in sizes]
            powers = (f"{curve['exponent']:.2f}", f"{curve['between ends']:.2f}")
            rows.append((curve["name"], *cells, *powers, target))
        yield from columns(rows)
        yield ""


def _measure_axis(plan: Plan, axis: Axis) -> dict[str, Any]:
    curves: dict[str, dict[int, float]] = {}
    for size in axis.sizes:
        # One size after the other, so that large tables are not all kept; exponents over a range of a
        # hundred forgive what the machine does meanwhile.
        tasks = axis.tasks(size)
        times = interleaved(tasks, plan.rounds, long=LONG)
        for name, taken in times.items():
            curves.setdefault(name, {})[size] = statistics.median(taken)
    return {
        "name": axis.name,
        "data": axis.about,
        "curves": [_curve(axis.name, name, taken) for name, taken in curves.items()],
    }


def _curve(axis: str, name: str, taken: dict[int, float]) -> dict[str, Any]:
    sizes, times = list(taken), list(taken.values())
    curve = {
        "name": name,
        "sizes": sizes,
        "seconds": times,
        "exponent": round(exponent(sizes, times), 3),
        "between ends": round(exponent_between_ends(sizes, times), 3),
    }
    return curve | ({"at most": MOST_IN_ROWS} if axis == "rows" and name.startswith("IIM") else {})


def _row_tasks(plan: Plan, table: Holed, grid: range) -> list[Task]:
    tasks = _tasks(plan, table, learning_grid=grid)
    if len(table.values) <= SCIPY_ROWS:
        donors, count = table.donors(), min(100, len(table.values) // 2)
        tasks.append(
            Task(
                f"SciPy cKDTree, build and query of {count}",
                lambda: cKDTree(donors).query(donors, count, workers=plan.workers),
            )
        )
    return tasks


def _tasks(plan: Plan, table: Holed, **changes: Any) -> list[Task]:
    imputer = iim.IIMImputer(**settings(**changes), n_jobs=plan.workers)
    fitted = iim.IIMImputer(**settings(**changes), n_jobs=plan.workers).fit(table.values)
    return [
        Task("IIM fit_transform", lambda: imputer.fit_transform(table.values)),
        Task("IIM transform of the same rows", lambda: fitted.transform(table.values)),
    ]


def _spread(last: int, steps: int) -> list[int]:
    return [int(count) for count in np.linspace(last / steps, last, steps)]
