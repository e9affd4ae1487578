"""From raw records to tasks, means, ranks and paired comparisons: a new number needs no new run."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, wilcoxon

from accuracy.contenders import contenders
from accuracy.tables import PATTERNS, STAGES
from iim.evaluation.scoring import ranks
from iim.paper.results import Ranking
from iim.paper.sections.today import critical_difference


class Task(NamedTuple):
    """What one error is about."""

    data: str
    pattern: str
    attribute: str


class Run(NamedTuple):
    """What one record is about."""

    data: str
    pattern: str
    seed: int
    method: str


@dataclass(frozen=True)
class Scores:
    """Errors of methods on tasks.

    Attributes
    ----------
    stage : {"development", "final"}
        Which runs.
    tasks : list of Task
        Rows of the arrays.
    methods : list of str
        Columns of the arrays: keys of contenders.
    errors : ndarray of shape (n_tasks, n_methods)
        Median over seeds of the normalised RMS error; NaN if there is none.
    measured : ndarray of bool of shape (n_tasks, n_methods)
        Whether all seeds were run, be it in vain: an error may be NaN because a method failed.
    seeds : list of int
        All that were found.
    records : mapping from Run to record
        The raw records.
    n_stale : int
        Records left out, because the method has other settings by now.
    """

    stage: str
    tasks: list[Task]
    methods: list[str]
    errors: np.ndarray
    measured: np.ndarray
    seeds: list[int]
    records: Mapping[Run, Mapping[str, Any]]
    n_stale: int = 0

    def of(self, method: str) -> np.ndarray:
        """The errors of one method; NaN everywhere if it has no record."""
        if method not in self.methods:
            return np.full(len(self.tasks), np.nan)
        return self.errors[:, self.methods.index(method)]

    def where(self, *, data: Sequence[str] | None = None, pattern: str | None = None) -> np.ndarray:
        """Which tasks are of some data sets, or of a pattern."""
        return np.array(
            [
                (data is None or task.data in data) and (pattern is None or task.pattern == pattern)
                for task in self.tasks
            ],
            dtype=bool,
        )

    def limited(self, where: np.ndarray) -> Scores:
        """The same of some tasks only; records stay."""
        tasks = [task for task, is_in in zip(self.tasks, where, strict=True) if is_in]
        return replace(self, tasks=tasks, errors=self.errors[where], measured=self.measured[where])

    def mean(self, method: str, where: np.ndarray | None = None) -> float:
        """Mean error of a method over the tasks on which it has one; NaN if there is none."""
        errors = self.of(method) if where is None else self.of(method)[where]
        return float(np.mean(errors[~np.isnan(errors)])) if (~np.isnan(errors)).any() else math.nan

    def ranking(self) -> Ranking | None:
        """Mean ranks of the methods that were run on all tasks; where one failed, it comes last."""
        known = self.measured.all(axis=0)
        methods = [method for method, is_known in zip(self.methods, known, strict=True) if is_known]
        if len(methods) < 2 or len(self.tasks) < 2:
            return None
        places = np.array([ranks(row[known]) for row in self.errors])
        notes = ()
        if len(methods) > 2:
            notes = (f"Friedman's test: p = {float(friedmanchisquare(*places.T).pvalue):.2g}.",)
        return Ranking(
            f"accuracy-{self.stage}",
            f"Mean ranks over {len(self.tasks)} tasks",
            dict(zip(methods, map(float, places.mean(axis=0)), strict=True)),
            critical_difference(len(methods), len(self.tasks)),
            len(self.tasks),
            notes,
        )

    def runs_of(self, method: str) -> Iterator[tuple[Run, Mapping[str, Any]]]:
        """The records of a method."""
        return ((run, record) for run, record in self.records.items() if run.method == method)

    def seconds(self, method: str) -> float:
        """Median over runs of the time to fit and fill; NaN if there is none."""
        times = [record["seconds"]["total"] for _, record in self.runs_of(method) if not record["failure"]]
        return statistics.median(times) if times else math.nan

    def time_ratio(self, method: str, other: str, phase: str) -> float:
        """Median over runs on the same table of the time of one method, in times of another."""
        ratios = []
        for run, record in self.runs_of(method):
            theirs = self.records.get(run._replace(method=other))
            if theirs is not None and not (record["failure"] or theirs["failure"]):
                ratios.append(record["seconds"][phase] / theirs["seconds"][phase])
        return statistics.median(ratios) if ratios else math.nan

    def overshoot(self, method: str) -> float:
        """The largest of all runs; NaN if there is none, infinity if a fill was not a number."""
        found = [record["overshoot"] for _, record in self.runs_of(method) if not record["failure"]]
        return max((math.inf if one is None else one for one in found), default=math.nan)


@dataclass(frozen=True)
class Comparison:
    """Two methods on the tasks that both have an error on.

    Attributes
    ----------
    ours, theirs : float
        Mean errors.
    wins, ties, losses : int
        Tasks on which ours has the lower, the same, the higher error.
    p_value : float
        Wilcoxon's signed-rank test, two-sided.
    """

    ours: float
    theirs: float
    wins: int
    ties: int
    losses: int
    p_value: float

    @property
    def n_tasks(self) -> int:
        """How many tasks."""
        return self.wins + self.ties + self.losses

    @property
    def below(self) -> float:
        """By which part of theirs our mean error is lower."""
        return 1.0 - self.ours / self.theirs


def compare_pair(scores: Scores, ours: str, theirs: str) -> Comparison | None:
    """Two methods side by side; None if no task has an error of both."""
    mine, other = scores.of(ours), scores.of(theirs)
    both = ~(np.isnan(mine) | np.isnan(other))
    if not both.any():
        return None
    mine, other = mine[both], other[both]
    gaps = mine - other
    return Comparison(
        float(mine.mean()),
        float(other.mean()),
        int((gaps < 0).sum()),
        int((gaps == 0).sum()),
        int((gaps > 0).sum()),
        # Ties are left out, as Wilcoxon did.
        float(wilcoxon(gaps[gaps != 0]).pvalue) if gaps.any() else 1.0,
    )


def read_scores(
    folder: Path,
    *,
    stage: str | None = None,
    methods: Sequence[str] | None = None,
    n_seeds: int | None = None,
) -> Scores | None:
    """The scores of a folder of records.

    Parameters
    ----------
    folder : path
        Where ``run`` has kept them.
    stage : {"development", "final"} or None, default=None
        Which runs; None for final ones, if there are any.
    methods : sequence of str or None, default=None
        Which; None for all that have records.
    n_seeds : int or None, default=None
        How many seeds; None for all that were found.

    Returns
    -------
    Scores or None
        None if there is no record.
    """
    if stage is None:
        stage = "final" if any((folder / "final").glob("*/*.json")) else "development"
    known, records, n_stale = contenders(), {}, 0
    for path in sorted((folder / stage).glob("*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        about = record["task"]
        run = Run(about["data"], about["pattern"], about["seed"], about["method"])
        if (methods is not None and run.method not in methods) or (
            n_seeds is not None and run.seed >= n_seeds
        ):
            continue
        if run.method not in known or about["settings"] != dict(known[run.method].settings):
            n_stale += 1
            continue
        records[run] = record
    order = [method for method in known if any(run.method == method for run in records)]
    return make_scores(records, order, stage=stage, n_stale=n_stale) if records else None


def make_scores(
    records: Mapping[Run, Mapping[str, Any]], methods: list[str], *, stage: str, n_stale: int = 0
) -> Scores:
    """The medians over seeds of some records."""
    seeds = sorted({run.seed for run in records})
    tasks = _tasks(records, stage)
    errors = np.full((len(tasks), len(methods)), np.nan)
    measured = np.zeros(errors.shape, dtype=bool)
    for row, task in enumerate(tasks):
        for column, method in enumerate(methods):
            runs = [Run(task.data, task.pattern, seed, method) for seed in seeds]
            if all(run in records for run in runs):
                measured[row, column] = True
                errors[row, column] = _median(task.attribute, [records[run] for run in runs])
    return Scores(stage, tasks, methods, errors, measured, seeds, records, n_stale)


def _tasks(records: Mapping[Run, Mapping[str, Any]], stage: str) -> list[Task]:
    found = {
        Task(run.data, run.pattern, attribute): None
        for run, record in records.items()
        for attribute in record.get("errors", ())
    }
    datasets, patterns = list(STAGES[stage]), list(PATTERNS)
    # Sorting is stable: attributes stay in the order of their table.
    return sorted(found, key=lambda task: (datasets.index(task.data), patterns.index(task.pattern)))


def _median(attribute: str, records: Sequence[Mapping[str, Any]]) -> float:
    """Median over seeds, a failure being worse than any error; NaN if the median is a failure."""
    values = []
    for record in records:
        if record["failure"]:
            values.append(math.inf)
        elif attribute in record["errors"]:
            error = record["errors"][attribute]
            values.append(math.inf if error is None else error)
    middle = statistics.median(values) if values else math.inf
    return middle if math.isfinite(middle) else math.nan
