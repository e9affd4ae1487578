"""Figure "Comparison between adaptive learning and the learning over various fixed number of neighbors"."""

from __future__ import annotations

import math

from iim.paper.cases import CASES
from iim.paper.efforts import Effort
from iim.paper.records import Found
from iim.paper.results import Figure, Panel
from iim.paper.scoring import error
from iim.paper.sections.curves import N_HOLES, Points, lines_of, n_holes
from iim.paper.sections.experiment import Experiment, Findings, fill_task
from iim.paper.tasks import Task
from iim.present.numbers import count

FIXED = {
    "asf": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000, 1403),
    "ca": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
}
QUICK_FIXED = (1, 10, 50, 300)


def fixed(data: str, effort: Effort) -> Points:
    """Tasks by the fixed number of learning neighbours."""
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


def score(effort: Effort, found: Found) -> Findings:
    """Both panels, and the difference of adaptive learning from the best fixed number."""
    panels = tuple(_panel(data, effort, found) for data in FIXED)
    figure = Figure(
        "adaptive",
        "RMS error of IIM with a fixed number of learning neighbours, and with its own choice",
        panels,
    )
    return Findings(
        (
            "The same number l of learning neighbours for every tuple, against a number that each tuple "
            f"chooses by validation. ASF: {n_holes(CASES['asf'], effort):,} incomplete tuples, l chosen "
            f"from 1, 6, ..., 96; CA: {n_holes(CASES['ca'], effort):,} incomplete tuples, l chosen from "
            f"1, 51, ..., 951. Medians over {count(effort.n_figure_seeds, 'draw')}.",
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
    lines = {one.name: one for one in panel.lines}
    if set(lines) != {"adaptive", "fixed l"}:
        return f"{panel.title}: not all was measured."
    own, fixed_l = lines["adaptive"].y[0], lines["fixed l"]
    known = {x: y for x, y in zip(fixed_l.x, fixed_l.y, strict=True) if not math.isnan(y)}
    at = min(known, key=lambda x: known[x])
    better = sum(own < y for y in known.values())
    return (
        f"{panel.title}: adaptive {own:.4g}; the best fixed l, {at:,g}, gives {known[at]:.4g}; adaptive "
        f"learning is better than {better} of {len(known)} fixed numbers."
    )


EXPERIMENT = Experiment("adaptive", "Adaptive against fixed learning", tasks, score, "exp:adaptive-fixl")
