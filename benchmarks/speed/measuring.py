"""Clocks, medians, ratios and exponents."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LONG = 20.0
"""Seconds of a task after which it is not repeated any more, where sizes differ much."""


@dataclass(frozen=True)
class Task:
    """Something to be timed.

    Attributes
    ----------
    name : str
        What it is called in tables and records.
    run : callable
        Does it.
    rounds : int, optional
        Rounds that it takes part in, if not in all: for what is slow.
    """

    name: str
    run: Callable[[], object]
    rounds: int | None = None


@dataclass(frozen=True)
class Target:
    """A ratio of two tasks of one run, and what is asked of it.

    Attributes
    ----------
    ours, theirs : str
        Names of the tasks.
    most : float, optional
        Ours may take this many times as long as theirs.
    least : float, optional
        Ours has to be this many times as fast as theirs.
    """

    ours: str
    theirs: str
    most: float | None = None
    least: float | None = None


def seconds_of(run: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def interleaved(tasks: Sequence[Task], rounds: int, *, long: float = np.inf) -> dict[str, list[float]]:
    """Seconds of each task in each round; all tasks take turns, so that noise hits them alike.

    Parameters
    ----------
    tasks : sequence of Task
        What to time; each has been run once before, if compiling or loading should not count.
    rounds : int
        How often.
    long : float
        A task that has taken longer than this in all takes no further part.

    Returns
    -------
    dict
        By name.
    """
    times: dict[str, list[float]] = {task.name: [] for task in tasks}
    for done in range(rounds):
        for task in tasks:
            last = rounds if task.rounds is None else task.rounds
            if done < last and sum(times[task.name]) <= long:
                times[task.name].append(float(f"{seconds_of(task.run):.5g}"))
    return times


def compared(times: dict[str, list[float]], target: Target) -> dict[str, Any]:
    """A ratio as a record: of the medians, with the smallest and largest of single rounds.

    Where a target is stated as "times as fast", so is the ratio.
    """
    ours, theirs = times[target.ours], times[target.theirs]
    of_rounds = [mine / other for mine, other in zip(ours, theirs, strict=False)]
    ratio = statistics.median(ours) / statistics.median(theirs)
    record: dict[str, Any] = {"ours": target.ours, "theirs": target.theirs}
    if target.least is not None:
        record["times as fast"] = round(1 / ratio, 3)
        record["rounds"] = [round(1 / max(of_rounds), 3), round(1 / min(of_rounds), 3)]
        record["at least"] = target.least
    else:
        record["ratio"] = round(ratio, 4)
        record["rounds"] = [round(min(of_rounds), 4), round(max(of_rounds), 4)]
        if target.most is not None:
            record["at most"] = target.most
    return record


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log seconds over log size, by least squares: time grows as size to this power."""
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def exponent_between_ends(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The same from the first and the last point only."""
    return float(np.log(seconds[-1] / seconds[0]) / np.log(sizes[-1] / sizes[0]))
