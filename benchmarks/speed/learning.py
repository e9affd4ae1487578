"""Incremental against straightforward learning: the learning step alone, on the same neighbour lists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from speed.layout import ratios_table, times_table
from speed.lists import learn_from_lists, neighbor_lists
from speed.measuring import Target, Task, compared, interleaved
from speed.plan import GRID_951, Plan, grid_text
from speed.tables import california

TARGETS = {50: 4.0, 5: 10.0}
"""Steps of the grid, and how many times as fast incremental learning has to be."""

ROUNDS = 3


def measure(plan: Plan) -> dict[str, Any]:
    """Both steps."""
    table = california(plan)
    points, targets = table.donors(), table.targets()
    last = 60 if plan.quick else GRID_951[-1]
    # Straightforward learning adds 200 million rows or more for all donors: some of them, from all over the
    # table, tell the ratio as well.
    shares = {20: 1, 5: 4} if plan.quick else {50: 1, 5: 8}
    places = np.arange(0, len(points), min(shares.values()))
    lists = neighbor_lists(points, places, last, plan.workers)
    cases = []
    for step, share in shares.items():
        every = share // min(shares.values())
        learn = partial(
            learn_from_lists,
            points,
            targets,
            places[::every],
            lists[::every].copy(),
            range(1, last + 1, step),
            workers=plan.workers,
        )
        assert np.array_equal(learn(incremental=True), learn(incremental=False))
        tasks = [
            Task("incremental", partial(learn, incremental=True)),
            Task("straightforward", partial(learn, incremental=False)),
        ]
        times = interleaved(tasks, min(plan.rounds, ROUNDS))
        target = Target("incremental", "straightforward", least=TARGETS.get(step, 1.0))
        n_learned = len(places[::every])
        cases.append(
            {
                "step": step,
                "data": f"{table.about}; {n_learned:,} of {len(points):,} donors learned",
                "grid": grid_text(range(1, last + 1, step)),
                "seconds": times,
                "ratios": [compared(times, target)],
            }
        )
    return {"cases": cases}


def lines(record: dict[str, Any]) -> Iterator[str]:
    """The tables."""
    for case in record["cases"]:
        yield f"learning step alone, {case['grid']}: {case['data']}"
        yield ""
        yield from times_table(case["seconds"])
        yield ""
        yield from ratios_table(case["ratios"])
        yield ""
