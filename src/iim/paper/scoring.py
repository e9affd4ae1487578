"""Numbers from raw records, so that a new metric needs no new run."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from iim.evaluation.scoring import r_squared, rms_error
from iim.paper.records import Found, Record
from iim.paper.results import Better, Line, Number
from iim.paper.tasks import Task

Metric = Callable[[Record], float]


def error(record: Record) -> float:
    """RMS error over the removed values, the paper's criterion."""
    return rms_error(np.asarray(record["truth"]), np.asarray(record["filled"]))


def normalised_error(record: Record) -> float:
    """RMS error in standard deviations of the attribute."""
    return error(record) / float(record["spread"])


def determination(record: Record) -> float:
    """R2: R2_S of what kNN filled, R2_H of what GLR filled."""
    return r_squared(np.asarray(record["truth"]), np.asarray(record["filled"]), float(record["mean"]))


def seconds(phase: str) -> Metric:
    """A metric: the seconds of a phase."""
    return lambda record: float(record["seconds"][phase])


def measured(found: Found, tasks: Iterable[Task], metric: Metric) -> list[float]:
    """The metric of every task that was done."""
    records = (found.of(task) for task in tasks)
    return [metric(record) for record in records if record is not None]


def number(
    found: Found,
    tasks: Sequence[Task],
    metric: Metric,
    *,
    paper: float | None = None,
    worst: Callable[[Iterable[float]], float] = max,
) -> Number:
    """The median over tasks that differ in their seed only, and the worst of them.

    Parameters
    ----------
    found : Found
        The records.
    tasks : sequence of Task
        At least one.
    metric : callable
        From a record to a number.
    paper : float or None, default=None
        The published number.
    worst : callable, default=max
        Chooses the worst of several.

    Returns
    -------
    Number
    """
    values = measured(found, tasks, metric)
    if not values:
        return Number(None, paper=paper, why=found.why(tasks[0]))
    several = worst(values) if len(values) > 1 else None
    partly = "" if len(values) == len(tasks) else f"{len(values)} of {len(tasks)} draws"
    return Number(statistics.median(values), several, paper, partly)


def place_of(name: str, values: Mapping[str, float], *, best: Better = "low") -> str:
    """The rank of a name by its value, 1 first: "3", or "3 to 5" for three that share these ranks."""
    sign = 1.0 if best == "low" else -1.0
    ahead = sum(sign * value < sign * values[name] for value in values.values())
    alike = sum(value == values[name] for value in values.values())
    return f"{ahead + 1}" if alike == 1 else f"{ahead + 1} to {ahead + alike}"


def line(found: Found, name: str, points: Mapping[float, Sequence[Task]], metric: Metric) -> Line | None:
    """A curve: median, minimum and maximum at every point; None if nothing was measured."""
    values = {x: measured(found, tasks, metric) for x, tasks in points.items()}
    if not any(values.values()):
        return None
    return Line(
        name,
        tuple(values),
        tuple(statistics.median(several) if several else math.nan for several in values.values()),
        tuple(min(several, default=math.nan) for several in values.values()),
        tuple(max(several, default=math.nan) for several in values.values()),
    )
