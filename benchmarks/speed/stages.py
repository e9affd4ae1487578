"""Where the time goes, seen from outside: each step of ``iim.core`` called and timed alone.

Learning, its neighbours and choosing happen donor by donor in one kernel and cannot be timed inside it. So:
without anybody to judge the models on, choosing falls away; from given lists, the search does. What is left
is the difference.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from iim.core.execution.context import Context
from iim.core.neighbors import index_donors, nearest_donors, nearest_other_donors
from iim.core.voting import cast_votes
from speed.layout import columns, seconds
from speed.lists import learn_from_lists, neighbor_lists
from speed.measuring import Task, interleaved
from speed.plan import GRID_96, GRID_951, Plan, grid_text
from speed.steps import fit_transform, judged_by_nobody, pose
from speed.tables import Holed, california, made_with_holes

STAGES = (
    "index",
    "neighbours for judging",
    "neighbours for learning",
    "learning",
    "choosing",
    "neighbours of holes",
    "voting",
    "rest",
)
"""In the order of the work; neighbours of holes are searched twice, in ``fit`` and in ``transform``."""


def measure(plan: Plan) -> dict[str, Any]:
    """Three tables."""
    few, many = (range(1, 21, 5), range(1, 61, 20)) if plan.quick else (GRID_96, GRID_951)
    ca, large = california(plan), made_with_holes(600 if plan.quick else 100_000)
    cases = [("ca", ca, few), ("ca", ca, many), ("generated", large, few)]
    return {"cases": [_measure_case(plan, name, table, grid) for name, table, grid in cases]}


def lines(record: dict[str, Any]) -> Iterator[str]:
    """Seconds and shares."""
    for case in record["cases"]:
        yield f"{case['data']}; {case['grid']}; {case['asked']:,} of {case['donors']:,} donors learned"
        yield ""
        rows = [("stage", "seconds", "share")]
        rows += [
            (name, seconds(taken), f"{taken / case['whole']:.0%}") for name, taken in case["stages"].items()
        ]
        rows.append(("IIM fit_transform", seconds(case["whole"]), ""))
        yield from columns(rows)
        yield ""


def _measure_case(plan: Plan, name: str, table: Holed, grid: Sequence[int]) -> dict[str, Any]:
    context, n_jobs = Context(n_threads=plan.workers), plan.workers
    problem = pose(table, grid)
    k = problem.settings.n_neighbors
    points, queries = problem.points(), problem.queries(table.rows)
    models = problem.prepare(context)
    neighbors = nearest_donors(models.tree, queries, n_neighbors=k, context=context)
    asked = np.unique(neighbors.place)
    learned = problem.learn(models, context, asked)
    unjudged = judged_by_nobody(models)
    by_place = models.tree.points
    lists = neighbor_lists(by_place, asked, grid[-1], n_jobs)
    tasks = [
        Task("index", lambda: index_donors(points)),
        Task("judging", lambda: nearest_other_donors(models.tree, n_neighbors=k, context=context)),
        Task("prepare", lambda: problem.prepare(context)),
        Task("learn", lambda: problem.learn(models, context, asked)),
        Task("learn, unjudged", lambda: problem.learn(unjudged, context, asked)),
        Task(
            "learn from lists",
            lambda: learn_from_lists(
                by_place, models.targets, asked, lists, grid, incremental=True, n_judges=0, workers=n_jobs
            ),
        ),
        Task("holes", lambda: nearest_donors(models.tree, queries, n_neighbors=k, context=context)),
        Task("voting", lambda: cast_votes(learned, queries, neighbors, reach=np.inf, context=context)),
        Task("whole", lambda: fit_transform(table, grid, n_jobs)),
    ]
    for task in tasks:
        task.run()
    times = interleaved(tasks, plan.rounds)
    taken = {task: statistics.median(seconds) for task, seconds in times.items()}
    stages = _stages(taken)
    return {
        "name": name,
        "data": table.about,
        "grid": grid_text(grid),
        "donors": len(points),
        "asked": int(asked.size),
        "whole": taken["whole"],
        "stages": {stage: float(f"{stages[stage]:.4g}") for stage in STAGES},
    }


def _stages(taken: dict[str, float]) -> dict[str, float]:
    """Steps as they were timed, taken apart; noise can make a small one come out below nothing: then 0."""
    parts = {
        "index": taken["index"],
        "neighbours for judging": taken["judging"],
        "neighbours for learning": taken["learn, unjudged"] - taken["learn from lists"],
        "learning": taken["learn from lists"],
        # Who judges whom, and what the judges say.
        "choosing": taken["prepare"]
        - taken["index"]
        - taken["judging"]
        + taken["learn"]
        - taken["learn, unjudged"],
        "neighbours of holes": 2 * taken["holes"],
        "voting": taken["voting"],
    }
    parts = {name: max(0.0, part) for name, part in parts.items()}
    return parts | {"rest": max(0.0, taken["whole"] - sum(parts.values()))}
