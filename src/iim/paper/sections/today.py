"""Not in the paper: every method with the library's defaults, on every attribute of every real table."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import numpy as np
from scipy.stats import studentized_range

from iim._arrays import Floats
from iim.evaluation.scoring import ranks
from iim.paper.cases import NAMES, ORDER
from iim.paper.datasets import DATASETS
from iim.paper.efforts import Effort
from iim.paper.records import Found
from iim.paper.results import Number, Ranking, Table
from iim.paper.scoring import Metric, measured, normalised_error, place_of, seconds
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.tasks import Task
from iim.present.numbers import count

DATA = ("asf", "ccs", "ccpp", "da", "ca", "road")
"""Real tables without missing values, all columns."""

CASES = tuple((data, column) for data in DATA for column in DATASETS[data].columns)
"""All attributes."""

SHARE = 0.05
SEEDS, QUICK_SEEDS = 3, 1
SIGNIFICANCE = 0.05
SECONDS = {"ifc": 0.16, "gmm": 0.1, "iim": 0.015, "xgb": 0.016}
"""Methods as in the other sections, with defaults."""

ALL = "all"


def tasks_of(data: str, target: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one attribute and method, one for each seed."""
    n_rows = effort.rows(DATASETS[data].n_rows)
    inputs = {"data": data, "target": target, "hide": SHARE, "method": method, "settings": {}}
    if n_rows < DATASETS[data].n_rows:
        inputs["n_rows"] = n_rows
    return [
        Task("fill", {**inputs, "seed": seed}, weight=n_rows / 1000 * SECONDS.get(method, 0.005))
        for seed in range(effort.pick(SEEDS, QUICK_SEEDS))
    ]


def tasks(effort: Effort) -> list[Task]:
    """All tasks."""
    return [
        task
        for data, target in CASES
        for method in ORDER
        for task in tasks_of(data, target, method, effort)
    ]


def score(effort: Effort, found: Found) -> Findings:
    """Errors by data set, ranks over attributes, and times."""
    errors = _Scores.of(found, effort, normalised_error)
    table, ranking = _error_table(errors), _ranking(errors)
    times = _time_table({phase: _Scores.of(found, effort, seconds(phase)) for phase in ("fit", "fill")})
    n_draws = count(effort.pick(SEEDS, QUICK_SEEDS), "draw")
    return Findings(
        (
            "Not in the paper: scaled columns and each method's own defaults, as a user of the library "
            "gets them who sets nothing. Every attribute of every real table loses 5 % of its values, "
            f"one attribute at a time; medians over {n_draws}. The road excerpt is of the network that SN "
            "probably comes from. IIM's own defaults were chosen on these tables, with other draws "
            "(`python benchmarks/defaults.py`, `python -m benchmarks.accuracy`).",
        ),
        tuple(one for one in (table, ranking, _attribute_table(errors), times) if one is not None),
        (*_leaders(table), *_order(ranking)),
    )


@dataclass(frozen=True)
class _Scores:
    """A metric of every method on every attribute that was measured.

    Attributes
    ----------
    cases : list of (str, str)
        Data set and attribute.
    medians, worst : ndarray of shape (n_cases, n_methods)
        Over draws; NaN for a method that was not measured.
    n_draws : int
        Number of draws.
    """

    cases: list[tuple[str, str]]
    medians: Floats
    worst: Floats
    n_draws: int

    @classmethod
    def of(cls, found: Found, effort: Effort, metric: Metric) -> _Scores:
        values = {
            case: [measured(found, tasks_of(*case, method, effort), metric) for method in ORDER]
            for case in CASES
        }
        cases = [case for case, methods in values.items() if any(methods)]
        shape = (len(cases), len(ORDER))
        medians = [[statistics.median(one) if one else math.nan for one in values[case]] for case in cases]
        worst = [[max(one, default=math.nan) for one in values[case]] for case in cases]
        n_draws = effort.pick(SEEDS, QUICK_SEEDS)
        return cls(cases, np.array(medians).reshape(shape), np.array(worst).reshape(shape), n_draws)

    def by_data(self, method: str) -> dict[str, Number]:
        """Means over the attributes of each data set, by its title."""
        at = ORDER.index(method)
        means = {}
        for data in dict.fromkeys(data for data, _ in self.cases):
            rows = [row for row, case in enumerate(self.cases) if case[0] == data]
            mean, worst = float(self.medians[rows, at].mean()), float(self.worst[rows, at].mean())
            known = Number(mean, worst if self.n_draws > 1 else None)
            means[DATASETS[data].title] = Number(None, why="not measured") if math.isnan(mean) else known
        return means


def _error_table(errors: _Scores) -> Table:
    cells: dict[tuple[str, str], Number | str] = {}
    for method in ORDER:
        means = errors.by_data(method)
        cells |= {(NAMES[method], title): number for title, number in means.items()}
        known = [number.ours for number in means.values() if number.ours is not None]
        if known and len(known) == len(means):
            cells[NAMES[method], ALL] = Number(statistics.fmean(known))
    titles = dict.fromkeys(title for _, title in cells if title != ALL)
    return Table(
        "today-errors",
        "Normalised RMS error",
        "method",
        tuple(NAMES.values()),
        (*titles, ALL),
        cells,
        difference="none",
        better="low",
        notes=(
            "RMS errors in standard deviations of the attribute, so that the column mean has about 1; mean "
            "over the attributes of a data set. In brackets: with the worst draw of every attribute.",
        ),
    )


def _attribute_table(errors: _Scores) -> Table:
    cells: dict[tuple[str, str], Number | str] = {}
    labels = [f"{DATASETS[data].title} {column}" for data, column in errors.cases]
    for at, label in enumerate(labels):
        for method, median, worst in zip(ORDER, errors.medians[at], errors.worst[at], strict=True):
            known = Number(float(median), float(worst) if errors.n_draws > 1 else None)
            cells[label, NAMES[method]] = Number(None, why="not measured") if math.isnan(median) else known
    return Table(
        "today-attributes",
        "Normalised RMS error by attribute",
        "attribute",
        tuple(labels),
        tuple(NAMES.values()),
        cells,
        difference="none",
    )


def _time_table(times: dict[str, _Scores]) -> Table:
    cells: dict[tuple[str, str], Number | str] = {}
    for method in ORDER:
        for phase, scores in times.items():
            cells |= {
                (NAMES[method], f"{title}, {phase}"): Number(number.ours, why=number.why)
                for title, number in scores.by_data(method).items()
            }
    columns = sorted(
        dict.fromkeys(column for _, column in cells), key=lambda column: column.rpartition(",")[0]
    )
    return Table(
        "today-times",
        "Seconds to fit, and to fill 5 % of the rows",
        "method",
        tuple(NAMES.values()),
        tuple(columns),
        cells,
        difference="none",
        digits=2,
        notes=("Of the median draw, mean over the attributes of a data set.",),
    )


def _ranking(errors: _Scores) -> Ranking | None:
    """Mean ranks over attributes, of the methods that were measured on all of them."""
    known = ~np.any(np.isnan(errors.medians), axis=0)
    methods = [NAMES[method] for method, is_known in zip(ORDER, known, strict=True) if is_known]
    n_cases, n_methods = len(errors.cases), len(methods)
    if n_cases < 2 or n_methods < 2:
        return None
    means = np.mean([ranks(row[known]) for row in errors.medians], axis=0)
    critical = critical_difference(n_methods, n_cases)
    return Ranking(
        "today-ranks",
        f"Mean ranks over {n_cases} attributes",
        dict(zip(methods, map(float, means), strict=True)),
        critical,
        n_cases,
        (
            "Methods whose bars overlap are a statistical tie (Nemenyi's test, 5 %: ranks less than "
            f"{critical:.2f} apart). Attributes of one table are not independent of each other, so the "
            "test overstates significance.",
        ),
    )


def critical_difference(n_methods: int, n_cases: int) -> float:
    """The least significant difference of two mean ranks: Nemenyi's test, as in Demsar (2006)."""
    quantile = float(studentized_range.ppf(1 - SIGNIFICANCE, n_methods, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_cases))


def _leaders(table: Table) -> list[str]:
    said = []
    for title in table.columns:
        cells = {name: table.cells.get((name, title)) for name in table.rows}
        numbers = {name: one for name, one in cells.items() if isinstance(one, Number)}
        ours = {name: one.ours for name, one in numbers.items() if one.ours is not None}
        order = sorted(ours, key=lambda name: ours[name])
        place = f"; IIM is number {place_of('IIM', ours)}" if "IIM" in ours else ""
        if order:
            said.append(f"{title}: {', '.join(f'{name} {ours[name]:.3g}' for name in order[:3])}{place}.")
    return said


def _order(ranking: Ranking | None) -> list[str]:
    if ranking is None:
        return []
    order = sorted(ranking.ranks, key=lambda name: ranking.ranks[name])
    alike = [name for name in order[1:] if ranking.ranks[name] - ranking.ranks[order[0]] < ranking.critical]
    said = [f"By mean rank: {', '.join(f'{name} {ranking.ranks[name]:.2f}' for name in order)}."]
    if alike:
        said.append(f"Statistical tie with {order[0]}: {', '.join(alike)}.")
    return said


EXPERIMENT = Experiment("today", "Today's view: defaults, all attributes, ranks", tasks, score)
