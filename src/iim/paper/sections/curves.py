"""The paper's pairs of panels: error and time of imputation as one coordinate varies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iim.paper.cases import CASES, NAMES, ORDER, Case
from iim.paper.efforts import Effort
from iim.paper.records import Found
from iim.paper.results import Figure, Line, Panel
from iim.paper.scoring import Metric, error, line, seconds
from iim.paper.sections.experiment import Experiment, Findings, count_holes, fill_task
from iim.paper.tasks import Task
from iim.present.numbers import count

Points = Mapping[float, Sequence[Task]]
"""Tasks, one for each seed, by the varying value."""

DISCUSSED = ("IIM", "kNN", "kNNE", "ILLS", "GLR", "LOESS")
"""Methods that the paper discusses when it explains its figures."""

N_HOLES = {"asf": 100, "ca": 1000}
"""Incomplete tuples of the figures: the paper's."""


@dataclass(frozen=True)
class Variation:
    """One coordinate varies, all else is fixed; one figure for each data set.

    Attributes
    ----------
    key, title : str
        As in an experiment.
    label : str
        In the paper's source.
    x_label : str
        Name of the varying coordinate.
    vary : callable
        From a value to the inputs of the task that it changes, as :func:`fill_task` takes them.
    full : mapping of str to tuple of int
        The values, by data set.
    quick : tuple of int
        The values of the small pass.
    intro : str
        What is measured.
    methods : tuple of str
        Methods to compare.
    log_x : bool
        Whether values are spread over orders of magnitude.
    """

    key: str
    title: str
    label: str
    x_label: str
    vary: Callable[[int], dict[str, Any]]
    full: Mapping[str, tuple[int, ...]]
    quick: tuple[int, ...]
    intro: str
    methods: tuple[str, ...] = ORDER
    log_x: bool = False

    def points(self, data: str, method: str, effort: Effort) -> Points:
        """Tasks of one curve."""
        return {
            value: [
                fill_task(CASES[data], method, seed, effort, hide=N_HOLES[data], **self.vary(value))
                for seed in range(effort.n_figure_seeds)
            ]
            for value in effort.pick(self.full[data], self.quick)
        }

    def tasks(self, effort: Effort) -> list[Task]:
        """Tasks of all figures."""
        return [
            task
            for data in self.full
            for method in self.methods
            for several in self.points(data, method, effort).values()
            for task in several
        ]

    def figure(self, data: str, effort: Effort, found: Found) -> Figure:
        """The pair of panels of one data set."""
        curves = {NAMES[method]: self.points(data, method, effort) for method in self.methods}

        def panel(title: str, y_label: str, metric: Metric) -> Panel:
            drawn = lines_of(found, curves, metric)
            return Panel(title, self.x_label, y_label, drawn, log_x=self.log_x, log_y=True)

        case = CASES[data]
        return Figure(
            f"{self.key}-{data}",
            f"{case.name}, {case.target} missing in {n_holes(case, effort):,} tuples",
            (
                panel("(a) error", "RMS error", error),
                panel("(b) time of imputation", "seconds", seconds("fill")),
            ),
        )

    def score(self, effort: Effort, found: Found) -> Findings:
        """All figures, and the best method at each point."""
        figures = {data: self.figure(data, effort, found) for data in self.full}
        draws = (
            f"Medians over {count(effort.n_figure_seeds, 'draw')}; the band is the best and the worst one."
        )
        verdict = [
            f"{CASES[data].name}: {sentence}"
            for data, one in figures.items()
            for sentence in (leaders(one.panels[0]), *map(changes, one.panels))
        ]
        intro = (f"{self.intro} {draws}",)
        return Findings(intro, tuple(figures.values()), tuple(verdict))

    def experiment(self) -> Experiment:
        """The experiment of this variation."""
        return Experiment(self.key, self.title, self.tasks, self.score, self.label)


def n_holes(case: Case, effort: Effort) -> int:
    """Incomplete tuples of a figure: the paper's, or fewer if the table is cut."""
    return count_holes(N_HOLES[case.data], effort.rows(case.n_rows))


def lines_of(found: Found, curves: Mapping[str, Points], metric: Metric) -> tuple[Line, ...]:
    """One line for each curve with a measurement."""
    drawn = (line(found, name, points, metric) for name, points in curves.items())
    return tuple(one for one in drawn if one is not None)


def changes(panel: Panel) -> str:
    """First and last values of the lines discussed in the paper."""
    lines = [one for one in panel.lines if one.name in DISCUSSED]
    if not lines:
        return f"{panel.y_label}: nothing was measured."
    ends = {one.name: (one.y[0], one.y[-1]) for one in lines}
    ends_written = ", ".join(
        f"{name} {first:.3g} to {last:.3g}"
        for name, (first, last) in ends.items()
        if not math.isnan(first + last)
    )
    return f"{panel.y_label} from {lines[0].x[0]:,g} to {lines[0].x[-1]:,g}: {ends_written}."


def leaders(panel: Panel) -> str:
    """The lowest line at each point, in a sentence."""
    best: dict[str, list[str]] = {}
    for at, x in enumerate(panel.lines[0].x if panel.lines else ()):
        known = [one for one in panel.lines if not math.isnan(one.y[at])]
        least = min((one.y[at] for one in known), default=math.nan)
        if known:
            # Lines that share the least error share the rank.
            names = " and ".join(one.name for one in known if one.y[at] == least)
            best.setdefault(names, []).append(f"{x:,g}")
    won = "; ".join(f"{name} at {', '.join(places)}" for name, places in best.items())
    return f"least error, by {panel.x_label}: {won}." if won else "nothing was measured."
