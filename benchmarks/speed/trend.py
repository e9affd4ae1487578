"""The few ratios that the history keeps, of whatever iim is imported: through its front door only.

Run by ``history.py`` in a process of its own, with an earlier commit of the package on the path. So nothing
here may use what an earlier commit does not have.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from scipy.spatial import cKDTree
from sklearn.impute import KNNImputer

import iim
from speed.measuring import Target, Task, compared, interleaved
from speed.plan import GRID_96, GRID_951, Plan, settings
from speed.tables import Holed, california, made_with_holes


def measure(plan: Plan) -> dict[str, dict[str, Any]]:
    """Ratios by name, ours to theirs: smaller is better."""
    few, many = (range(1, 21, 5), range(1, 61, 20)) if plan.quick else (GRID_96, GRID_951)
    ca, large = california(plan), made_with_holes(600 if plan.quick else 100_000)
    n_few, n_many = (20, 60) if plan.quick else (100, 1000)
    fitted = iim.IIMImputer(**settings(few), n_jobs=plan.workers).fit(large.values)
    holes, receivers, tree = large.values[large.rows], large.receivers(), cKDTree(large.donors())
    short = min(plan.rounds, 3)
    tasks = [
        _ours("ca, few", ca, few, plan),
        _query("SciPy, few", ca, n_few, plan),
        Task("KNNImputer", lambda: KNNImputer(n_neighbors=10).fit_transform(ca.values), rounds=short),
        _ours("ca, many", ca, many, plan, rounds=short),
        _query("SciPy, many", ca, n_many, plan, rounds=short),
        _ours("generated", large, few, plan, rounds=short),
        _query("SciPy, generated", large, n_few, plan, rounds=short),
        Task("transform", lambda: fitted.transform(holes)),
        Task("SciPy, transform", lambda: tree.query(receivers, 10, workers=plan.workers)),
    ]
    for task in tasks[::3] + tasks[-2:]:
        task.run()
    times = interleaved(tasks, plan.rounds)
    pairs = {
        "fit_transform, ca, l to 96 / SciPy's query of 100": ("ca, few", "SciPy, few"),
        "fit_transform, ca, l to 96 / KNNImputer": ("ca, few", "KNNImputer"),
        "fit_transform, ca, l to 951 / SciPy's query of 1000": ("ca, many", "SciPy, many"),
        "fit_transform, 100k x 5, l to 96 / SciPy's query of 100": ("generated", "SciPy, generated"),
        "transform, 5,000 rows of 100k x 5 / SciPy's query of 10": ("transform", "SciPy, transform"),
    }
    ratios = {name: compared(times, Target(*pair)) for name, pair in pairs.items()}
    return {name: {key: ratio[key] for key in ("ratio", "rounds")} for name, ratio in ratios.items()}


def _ours(name: str, table: Holed, grid: range, plan: Plan, rounds: int | None = None) -> Task:
    imputer = iim.IIMImputer(**settings(grid), n_jobs=plan.workers)
    return Task(name, lambda: imputer.fit_transform(table.values), rounds)


def _query(name: str, table: Holed, count: int, plan: Plan, rounds: int | None = None) -> Task:
    donors = table.donors()
    return Task(name, lambda: cKDTree(donors).query(donors, count, workers=plan.workers), rounds)


if __name__ == "__main__":
    print(json.dumps(measure(Plan(**json.loads(sys.argv[1])))))
