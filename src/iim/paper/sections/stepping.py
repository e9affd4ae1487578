"""Figure "Varying stepping h over ASF"."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iim.paper.cases import CASES
from iim.paper.efforts import Effort
from iim.paper.learning_times import WAYS
from iim.paper.records import Found
from iim.paper.results import Figure, Panel
from iim.paper.scoring import Metric, error, seconds
from iim.paper.sections.curves import N_HOLES, Points, lines_of
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.tasks import Task
from iim.present.numbers import count

STEPS = (1, 2, 5, 10, 20, 50, 100)
QUICK_STEPS = (5, 20, 100)
ENDS = {"l up to 100": 100, "l up to n": 1403}
"""Last candidate: as in the authors' program, or the number of complete tuples."""


def points(last: int, way: str, effort: Effort) -> Points:
    """Tasks of one curve."""
    return {
        step: [
            Task(
                "learn",
                {
                    "data": "asf",
                    "target": CASES["asf"].target,
                    "hide": N_HOLES["asf"],
                    "step": step,
                    "last": last,
                    "way": way,
                    "seed": seed,
                },
                weight=last / step / (1000 if way == "incremental" else 100),
            )
            for seed in range(effort.n_figure_seeds)
        ]
        for step in effort.pick(STEPS, QUICK_STEPS)
    }


def tasks(effort: Effort) -> list[Task]:
    """Tasks of all curves."""
    return [
        task
        for last in ENDS.values()
        for way in WAYS
        for several in points(last, way, effort).values()
        for task in several
    ]


def score(effort: Effort, found: Found) -> Findings:
    """Errors and times, and whether both ways give the same models."""
    curves = {f"{way}, {end}": points(last, way, effort) for end, last in ENDS.items() for way in WAYS}

    def panel(title: str, y_label: str, metric: Metric) -> Panel:
        return Panel(title, "stepping h", y_label, lines_of(found, curves, metric), log_x=True, log_y=True)

    figure = Figure(
        "stepping",
        "ASF, A2 missing in 100 tuples",
        (
            panel("(a) error", "RMS error", error),
            panel("(b) time of learning", "seconds", seconds("total")),
        ),
    )
    return Findings(
        (
            "Every h-th number of learning neighbours is a candidate: up to 100 as in the authors' "
            "program, and up to all 1,403 complete tuples. Medians over "
            f"{count(effort.n_figure_seeds, 'draw')}.",
        ),
        (figure,),
        (*_sameness(list(curves.values()), found), *_trends(figure.panels[0])),
    )


def _sameness(curves: Sequence[Points], found: Found) -> list[str]:
    """Whether straightforward and incremental learning give bit-identical models."""
    digests = [
        (found.of(one), found.of(other))
        for slow, fast in zip(curves[::2], curves[1::2], strict=True)
        for step in slow
        for one, other in zip(slow[step], fast[step], strict=True)
    ]
    same = [
        one["digest"] == other["digest"] for one, other in digests if one is not None and other is not None
    ]
    if not same:
        return []
    return [
        "Straightforward and incremental learning give the same models, to the last bit, in "
        f"{sum(same)} of {len(same)} cases."
    ]


def _trends(panel: Panel) -> list[str]:
    said = []
    for one in panel.lines:
        way, _, end = one.name.partition(", ")
        if way == "incremental":
            known = [(x, y) for x, y in zip(one.x, one.y, strict=True) if not math.isnan(y)]
            said.append(f"Error, {end}: {', '.join(f'{y:.4g} (h = {x:g})' for x, y in known)}.")
    return said


EXPERIMENT = Experiment("stepping", "Varying stepping h", tasks, score, "exp:asf-stepping")
