"""IIM against SciPy's and scikit-learn's own routines: same coordinates, same workers, same run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.impute import KNNImputer
from sklearn.neighbors import NearestNeighbors

import iim
from speed.layout import ratios_table, times_table
from speed.measuring import Target, Task, compared, interleaved
from speed.plan import GRID_96, GRID_951, Plan, grid_text, settings
from speed.steps import fit_transform, learn_everyone
from speed.tables import Holed, california, made, made_with_holes

WHOLE, EVERYONE = "IIM fit_transform", "IIM fit_transform, every donor learned"
KNN = "KNNImputer(n_neighbors=10) fit_transform"
SLOW_ROUNDS = 3


def measure(plan: Plan) -> dict[str, Any]:
    """All three cases."""
    ca = california(plan)
    few, many = (range(1, 21, 5), range(1, 61, 20)) if plan.quick else (GRID_96, GRID_951)
    return {"cases": [few_neighbors(plan, ca, few), many_neighbors(plan, ca, many), large_table(plan)]}


def few_neighbors(plan: Plan, table: Holed, grid: Sequence[int]) -> dict[str, Any]:
    """About a hundred learning neighbours, on the table that the paper has, too."""
    donors, count = table.donors(), _rounded_up(grid[-1])
    scipy = f"SciPy cKDTree, build and query of {count}"
    tasks = [
        Task(WHOLE, lambda: fit_transform(table, grid, plan.workers)),
        Task(EVERYONE, lambda: learn_everyone(table, grid, plan.workers)),
        Task(scipy, lambda: cKDTree(donors).query(donors, count, workers=plan.workers)),
        Task(KNN, lambda: KNNImputer(n_neighbors=10).fit_transform(table.values)),
    ]
    tasks += [
        Task(
            f"NearestNeighbors({how!r}), fit and query of {count}",
            lambda how=how: _sklearn_query(donors, count, how, plan.workers),
            rounds=SLOW_ROUNDS,
        )
        for how in ("kd_tree", "brute")
    ]
    targets = [
        Target(WHOLE, scipy, most=1.25),
        Target(WHOLE, KNN, least=4),
        Target(EVERYONE, scipy),
        Target(EVERYONE, KNN),
        *(Target(WHOLE, task.name) for task in tasks[4:]),
    ]
    return _case(plan, "few neighbours", table.about, grid_text(grid), tasks, targets)


def many_neighbors(plan: Plan, table: Holed, grid: Sequence[int]) -> dict[str, Any]:
    """About a thousand learning neighbours."""
    donors, count = table.donors(), _rounded_up(grid[-1])
    scipy = f"SciPy cKDTree, build and query of {count}"
    tasks = [
        Task(WHOLE, lambda: fit_transform(table, grid, plan.workers)),
        Task(EVERYONE, lambda: learn_everyone(table, grid, plan.workers)),
        Task(
            scipy,
            lambda: cKDTree(donors).query(donors, count, workers=plan.workers),
            rounds=SLOW_ROUNDS,
        ),
    ]
    targets = [Target(WHOLE, scipy, most=0.5), Target(EVERYONE, scipy)]
    return _case(plan, "many neighbours", table.about, grid_text(grid), tasks, targets)


def large_table(plan: Plan) -> dict[str, Any]:
    """100,000 rows: end to end, and a fitted model that fills new rows."""
    grid = range(1, 21, 5) if plan.quick else GRID_96
    table = made_with_holes(600 if plan.quick else 100_000)
    imputer = iim.IIMImputer(**settings(grid, prepare="single"), n_jobs=plan.workers).fit(table.values)
    theirs = KNNImputer(n_neighbors=10).fit(table.values)
    holes = table.values[table.rows]
    new = made(len(table.values), table.values.shape[1], batch=1)
    new[:, table.target] = np.nan
    tree, receivers, queries = cKDTree(table.donors()), table.receivers(), _like(table, new)
    rows, all_rows = f"{len(holes):,} rows", f"{len(new):,} rows"
    filled, query = f"IIM transform of {all_rows}", f"SciPy cKDTree, query of 10 for {all_rows}"
    ours, knn = f"IIM transform of {rows}", f"KNNImputer transform of {rows}"
    asked = f"SciPy cKDTree, query of 10 for {rows}"
    tasks = [
        Task(WHOLE, lambda: fit_transform(table, grid, plan.workers), rounds=SLOW_ROUNDS),
        # Half a minute each: once is enough to tell a factor of ten.
        Task(KNN, lambda: KNNImputer(n_neighbors=10).fit_transform(table.values), rounds=1),
        Task(knn, lambda: theirs.transform(holes), rounds=1),
        Task(ours, lambda: imputer.transform(holes)),
        Task(asked, lambda: tree.query(receivers, 10, workers=plan.workers)),
        Task(filled, lambda: imputer.transform(new), rounds=SLOW_ROUNDS),
        Task(query, lambda: tree.query(queries, 10, workers=plan.workers), rounds=SLOW_ROUNDS),
        Task("IIM transform of one row", lambda: imputer.transform(holes[:1])),
    ]
    targets = [
        Target(WHOLE, KNN, least=12),
        Target(ours, knn, least=100),
        Target(ours, asked),
        Target(filled, query),
    ]
    about = f"{table.about}; new rows: batch 1 of the same; the fitted model has prepare='single'"
    return _case(plan, "large table", about, grid_text(grid), tasks, targets, slow={KNN, knn})


def lines(record: dict[str, Any]) -> Iterator[str]:
    """The tables."""
    for case in record["cases"]:
        yield f"{case['name']}: {case['data']}"
        yield f'{{**iim.PAPER, "scale": "standard"}}, k = 10, {case["grid"]}; interleaved rounds'
        yield ""
        yield from times_table(case["seconds"])
        yield ""
        yield from ratios_table(case["ratios"])
        yield ""


def _case(
    plan: Plan,
    name: str,
    about: str,
    grid: str,
    tasks: list[Task],
    targets: list[Target],
    slow: frozenset[str] | set[str] = frozenset(),
) -> dict[str, Any]:
    for task in tasks:
        # Once without a clock, to compile and to warm up; not what is slow and compiles nothing.
        if task.name not in slow:
            task.run()
    times = interleaved(tasks, plan.rounds)
    ratios = [compared(times, target) for target in targets]
    return {"name": name, "data": about, "grid": grid, "seconds": times, "ratios": ratios}


def _sklearn_query(donors: np.ndarray, count: int, how: str, workers: int) -> None:
    NearestNeighbors(n_neighbors=count, algorithm=how, n_jobs=workers).fit(donors).kneighbors(donors)


def _rounded_up(last: int) -> int:
    """The round number that a grid ends below: 100 for 96, 1000 for 951."""
    return -(-last // 50) * 50


def _like(table: Holed, new: np.ndarray) -> np.ndarray:
    """Coordinates of new rows, in the scales of the table."""
    known = np.delete(table.values, table.target, axis=1)
    return (np.delete(new, table.target, axis=1) - known.mean(axis=0)) / known.std(axis=0)
