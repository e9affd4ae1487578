"""Figure "Comparison between adaptive learning and the learning over various fixed number of neighbors"."""

from __future__ import annotations

from iim._showing import count
from iim.experiments.cases import CASES
from iim.experiments.efforts import Effort
from iim.experiments.records import Found
from iim.experiments.results import Figure, Line, Panel, Section
from iim.experiments.scoring import error
from iim.experiments.sections.curves import N_HOLES, Points, lines_of
from iim.experiments.sections.experiment import Experiment, fill_task
from iim.experiments.tasks import Task

FIXED = {
    "asf": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000, 1403),
    "ca": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
}
QUICK_FIXED = (1, 10, 50, 300)


def fixed(data: str, effort: Effort) -> Points:
    """Tasks by the number of learning neighbours that all tuples have."""
    return {
        n_learning: [
            fill_task(
                CASES[data],
                "iim",
                seed,
                effort,
                hide=N_HOLES[data],
                changes={"learning_neighbors": n_learning},
            )
            for seed in range(effort.n_figure_seeds)
        ]
        for n_learning in effort.pick(FIXED[data], QUICK_FIXED)
    }


def chosen(data: str, effort: Effort) -> list[Task]:
    """Tasks of adaptive learning."""
    return [
        fill_task(CASES[data], "iim", seed, effort, hide=N_HOLES[data])
        for seed in range(effort.n_figure_seeds)
    ]


def tasks(effort: Effort) -> list[Task]:
    """Tasks of both panels."""
    return [
        task
        for data in FIXED
        for several in (chosen(data, effort), *fixed(data, effort).values())
        for task in several
    ]


def score(effort: Effort, found: Found) -> Section:
    """Both panels, and how far adaptive learning is from the best fixed number."""
    panels = tuple(_panel(data, effort, found) for data in FIXED)
    figure = Figure(
        "adaptive",
        "RMS error of IIM with a fixed number of learning neighbours, and with its own choice",
        panels,
    )
    return Section(
        EXPERIMENT.key,
        EXPERIMENT.title,
        "exp:adaptive-fixl",
        (
            "The same number l of learning neighbours for every tuple, against a number that each tuple "
            "chooses by validation. ASF: 100 incomplete tuples, l chosen from 1, 6, ..., 96; CA: 1,000 "
            "incomplete tuples, l chosen from 1, 51, ..., 951. Medians over "
            f"{count(effort.n_figure_seeds, 'draw')}.",
        ),
        (figure,),
        tuple(_verdict(panel) for panel in panels),
    )


def _panel(data: str, effort: Effort, found: Found) -> Panel:
    points = fixed(data, effort)
    # The choice does not depend on x: the same draws at every point.
    level = dict.fromkeys(points, chosen(data, effort))
    drawn = lines_of(found, {"adaptive": level, "fixed l": points}, error)
    return Panel(CASES[data].name, "learning neighbours l", "RMS error", drawn, log_x=True, log_y=True)


def _verdict(panel: Panel) -> str:
    lines: dict[str, Line] = {one.name: one for one in panel.lines}
    if len(lines) < 2:
        return f"{panel.title}: nothing was measured."
    own, best = lines["adaptive"].y[0], min(lines["fixed l"].y)
    at = lines["fixed l"].x[lines["fixed l"].y.index(best)]
    worse = sum(own < y for y in lines["fixed l"].y)
    return (
        f"{panel.title}: adaptive {own:.4g}; the best fixed l, {at:,g}, gives {best:.4g}; adaptive "
        f"learning is better than {worse} of {len(lines['fixed l'].y)} fixed numbers."
    )


EXPERIMENT = Experiment("adaptive", "Adaptive against fixed learning", tasks, score)
