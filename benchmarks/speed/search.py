"""Boxes first, or every donor: the two ways to search, and where the rule draws the line between them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from iim.core.execution.context import Context
from iim.core.neighbors import MANY_SEARCHES, MOST_LOOKS, boxes_help, index_donors
from iim.kernels.search import nearest_block
from iim.kernels.tree import Tree
from speed.layout import columns, seconds
from speed.measuring import Task, interleaved
from speed.plan import Plan
from speed.tables import california

ROUNDS = 3
N_ROWS = 10_000
WAYS = ("boxes", "every donor", "SciPy")


def measure(plan: Plan) -> dict[str, Any]:
    """Real rows, which fill few of their dimensions, and random ones, which fill all."""
    few, many = (5, 20) if plan.quick else (11, 96)
    tables = [("ca", california(plan).donors(), (few, many, 40 if plan.quick else 951))]
    for n_columns in (2, 20) if plan.quick else (4, 8, 12, 16, 24):
        points = np.random.default_rng(0).normal(size=(300 if plan.quick else N_ROWS, n_columns))
        tables.append(("normal", points, (few, many)))
    return {
        "most": MOST_LOOKS,
        "cases": [
            _measure_case(plan, name, points, limit) for name, points, limits in tables for limit in limits
        ],
    }


def lines(record: dict[str, Any]) -> Iterator[str]:
    """A line for each table and number of neighbours."""
    yield "nearest neighbours of all donors, ranked; building the tree is left out, except for SciPy"
    yield f"the rule: boxes first if they leave at most {record['most']:.0%} of the leaves to look at"
    yield ""
    rows = [("data", "neighbours", "leaves left", *(f"{way} s" for way in WAYS), "the rule takes")]
    for case in record["cases"]:
        taken = [seconds(case["seconds"][way]) for way in WAYS]
        rows.append(
            (case["data"], str(case["neighbors"]), f"{case['left']:.0%}", *taken, case["rule takes"])
        )
    yield from columns(rows)
    yield ""


def _measure_case(plan: Plan, name: str, points: np.ndarray, limit: int) -> dict[str, Any]:
    tree = index_donors(points)
    context = Context(n_threads=plan.workers)
    n_looks = 0

    def count_looks() -> None:
        nonlocal n_looks
        n_looks = sum(_nearest(tree, limit, context, pruned=True))

    count_looks()
    tasks = [
        Task("boxes", count_looks),
        Task("every donor", lambda: _nearest(tree, limit, context, pruned=False)),
        Task("SciPy", lambda: cKDTree(points).query(points, limit, workers=plan.workers)),
    ]
    times = interleaved(tasks, min(plan.rounds, ROUNDS))
    return {
        "data": f"{name}, {len(points):,} x {points.shape[1]}",
        "neighbors": limit,
        "left": round(n_looks / len(points) / len(tree.leaves), 3),
        "seconds": {way: statistics.median(taken) for way, taken in times.items()},
        "rule takes": "boxes" if boxes_help(tree, limit, MANY_SEARCHES) else "every donor",
    }


def _nearest(tree: Tree, limit: int, context: Context, *, pruned: bool) -> list[int]:
    places = np.arange(tree.donor.size)
    home = places // tree.leaves.shape[2]
    distance, found = np.empty((places.size, limit)), np.empty((places.size, limit), np.intp)
    n_looks: list[int] = []

    def work(first: int, stop: int) -> None:
        block = slice(first, stop)
        n_looks.append(
            nearest_block(tree, tree.points, places, places[block], home[block], pruned, distance, found)
        )

    context.run(work, places.size)
    return n_looks
