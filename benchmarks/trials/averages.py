"""From records to errors: means over seeds."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trials.records import Record


@dataclass(frozen=True)
class Average:
    """The records of one method on one table.

    Attributes
    ----------
    error : float
        Mean over seeds; NaN if a seed failed.
    seconds : float
        Median over seeds; NaN if all failed.
    seeds : tuple of int
        Which were run.
    """

    error: float
    seconds: float
    seeds: tuple[int, ...]


def averages(records: Iterable[Record], by: Sequence[str]) -> dict[str, dict[tuple[Any, ...], Average]]:
    """Means over seeds, by method and by further coordinates.

    Parameters
    ----------
    records : iterable of Record
        Of any trials.
    by : sequence of str
        Names of the coordinates that identify a table.

    Returns
    -------
    dict
        By method, then by the values of the coordinates.
    """
    found: dict[str, dict[tuple[Any, ...], list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        trial = record["trial"]
        found[trial["method"]][tuple(trial[name] for name in by)].append(record)
    return {
        method: {cell: _average(some) for cell, some in cells.items()} for method, cells in found.items()
    }


def geometric_mean(ratios: Iterable[float]) -> float:
    """Geometric mean of those that are numbers; NaN if none is."""
    known = [ratio for ratio in ratios if not math.isnan(ratio)]
    return statistics.geometric_mean(known) if known else math.nan


def median_seconds(cells: Mapping[Any, Average]) -> float:
    """Median over tables; NaN if there is none."""
    known = [one.seconds for one in cells.values() if not math.isnan(one.seconds)]
    return statistics.median(known) if known else math.nan


def seeds_text(cells: Mapping[Any, Average]) -> str:
    """How many seeds tables have: "5", or "1 to 5" if it differs."""
    least, most = (pick(len(one.seeds) for one in cells.values()) for pick in (min, max))
    return str(most) if least == most else f"{least} to {most}"


def _average(records: Sequence[Record]) -> Average:
    times = [record["seconds"] for record in records if not record["failure"]]
    return Average(
        statistics.fmean(math.nan if record["failure"] else record["error"] for record in records),
        statistics.median(times) if times else math.nan,
        tuple(sorted(record["trial"]["seed"] for record in records)),
    )
