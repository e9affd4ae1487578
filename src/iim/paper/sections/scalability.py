"""Figure "Scalability of adaptive learning (with straightforward and incremental computation)"."""

from __future__ import annotations

import math

from iim.paper.cases import CASES, LARGE_GRID
from iim.paper.efforts import Effort
from iim.paper.learning_times import WAYS
from iim.paper.records import Found
from iim.paper.results import Figure, Panel
from iim.paper.scoring import seconds
from iim.paper.sections.curves import Points, lines_of
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.step_times import growth
from iim.paper.tasks import Task
from iim.present.numbers import count

SIZES = {
    "sn": (10_000, 20_000, 40_000, 60_000, 80_000, 100_000),
    "ca": (2500, 5000, 10_000, 15_000, 20_640),
}
QUICK_SIZES = (1000, 2000)
STEP, LAST = LARGE_GRID.step, LARGE_GRID[-1]
"""The paper's step h of this figure; the paper does not give the last candidate."""

REPEATS = 3


def points(data: str, way: str, effort: Effort) -> Points:
    """Tasks of one curve."""
    return {
        n_rows: [
            Task(
                "learn",
                {
                    "data": data,
                    "target": CASES[data].target,
                    "n_rows": n_rows,
                    "step": STEP,
                    "last": LAST,
                    "way": way,
                    "seed": repeat,
                },
                weight=n_rows / 12_000,
            )
            for repeat in range(effort.pick(REPEATS, 1))
        ]
        for n_rows in effort.pick(SIZES[data], QUICK_SIZES)
    }


def tasks(effort: Effort) -> list[Task]:
    """Tasks of both panels."""
    return [
        task
        for data in SIZES
        for way in WAYS
        for several in points(data, way, effort).values()
        for task in several
    ]


def score(effort: Effort, found: Found) -> Findings:
    """Both panels twice: all of adaptive learning, and its learning step alone."""
    totals = tuple(_panel(data, "total", effort, found) for data in SIZES)
    steps = tuple(_panel(data, "learning", effort, found) for data in SIZES)
    figures = (
        Figure("scalability", "Time of adaptive learning, neighbour search included", totals),
        Figure("scalability-learning", "The learning step alone, on the same neighbours", steps),
    )
    return Findings(
        (
            f"All tuples learn models for l = 1, {1 + STEP}, ..., {LAST} (h = {STEP} as in the paper; the "
            "end is ours), are validated and choose. Straightforward and incremental learning differ in "
            "one thing: whether the sums behind a model are computed from scratch or extend those of the "
            "previous l. "
            f"Medians over {count(effort.pick(REPEATS, 1), 'run')}. SN is a stand-in.",
        ),
        figures,
        tuple(_verdict(panel) for panel in (*totals, *steps)),
    )


def _panel(data: str, phase: str, effort: Effort, found: Found) -> Panel:
    curves = {way: points(data, way, effort) for way in WAYS}
    name = f"{CASES[data].name} (stand-in)" if data == "sn" else CASES[data].name
    title = name if phase == "total" else f"{name}, learning alone"
    return Panel(
        title, "tuples n", "seconds", lines_of(found, curves, seconds(phase)), log_x=True, log_y=True
    )


def _verdict(panel: Panel) -> str:
    lines = {one.name: dict(zip(one.x, one.y, strict=True)) for one in panel.lines}
    if set(lines) != set(WAYS):
        return f"{panel.title}: not all was measured."
    slow, fast = (lines[way] for way in WAYS)
    sizes = [x for x in slow if not math.isnan(slow[x] + fast[x])]
    if len(sizes) < 2:
        return f"{panel.title}: not all was measured."
    ratios = [slow[x] / fast[x] for x in sizes]
    exponents = [f"n^{growth(sizes, [lines[way][x] for x in sizes]):.2f} ({way})" for way in WAYS]
    return (
        f"{panel.title}: incremental is {min(ratios):.1f} to {max(ratios):.1f} times as fast; time grows "
        f"as {' and '.join(exponents)}."
    )


EXPERIMENT = Experiment(
    "scalability", "Scalability of adaptive learning", tasks, score, "exp:determineL-time"
)
