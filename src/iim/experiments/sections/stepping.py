"""Figure "Varying stepping h over ASF"."""

from __future__ import annotations

from collections.abc import Sequence

from iim._showing import count
from iim.experiments.cases import CASES
from iim.experiments.efforts import Effort
from iim.experiments.records import Found
from iim.experiments.results import Figure, Panel, Section
from iim.experiments.scoring import Metric, error, seconds
from iim.experiments.sections.curves import N_HOLES, Points, lines_of
from iim.experiments.sections.experiment import Experiment
from iim.experiments.tasks import Task

STEPS = (1, 2, 5, 10, 20, 50, 100)
QUICK_STEPS = (5, 20, 100)
ENDS = {"l up to 100": 100, "l up to n": 1403}
"""Where candidates end: as in the authors' program, and all there are."""

WAYS = ("straightforward", "incremental")


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
                weight=1 + last / step / (10 if way == "incremental" else 1),
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


def score(effort: Effort, found: Found) -> Section:
    """Errors and times, and whether both ways give the same."""
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
    return Section(
        EXPERIMENT.key,
        EXPERIMENT.title,
        "exp:asf-stepping",
        (
            "Every h-th number of learning neighbours is a candidate: up to 100 as in the authors' "
            "program, and up to all 1,403 complete tuples. Medians over "
            f"{count(effort.n_figure_seeds, 'draw')}.",
        ),
        (figure,),
        (_sameness(list(curves.values()), found), *(_trend(figure.panels[0], end) for end in ENDS)),
    )


def _sameness(curves: Sequence[Points], found: Found) -> str:
    """Whether straightforward and incremental learning come to the same models, to the last bit."""
    pairs = same = 0
    for slow, fast in zip(curves[::2], curves[1::2], strict=True):
        for step, several in slow.items():
            for one, other in zip(several, fast[step], strict=True):
                first, second = found.of(one), found.of(other)
                if first is not None and second is not None:
                    pairs += 1
                    same += first["digest"] == second["digest"]
    return (
        f"Straightforward and incremental learning come to the same models, to the last bit, in {same} of "
        f"{pairs} cases."
    )


def _trend(panel: Panel, end: str) -> str:
    for one in panel.lines:
        if one.name == f"incremental, {end}":
            told = ", ".join(f"{y:.4g} (h = {x:g})" for x, y in zip(one.x, one.y, strict=True))
            return f"Error, {end}: {told}."
    return f"Error, {end}: not measured."


EXPERIMENT = Experiment("stepping", "Varying stepping h", tasks, score)
