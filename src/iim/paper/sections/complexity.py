"""Table "Time complexity for learning parameter phi": measured growth beside what the paper proves."""

from __future__ import annotations

from typing import Any

from iim.paper.efforts import Effort
from iim.paper.published import published
from iim.paper.records import Found
from iim.paper.results import Figure, Line, Panel, Table
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.tasks import Task

WAYS = {"straightforward": "From scratch", "incremental": "Incremental"}
"""The two ways, and their columns in the paper."""

SERIES = {"n_known": "l", "n_more": "h", "n_columns": "m"}
FULL: dict[str, Any] = {
    "n_known": [100, 200, 400, 800, 1600],
    "n_more": [25, 50, 100, 200, 400],
    "n_columns": [2, 4, 8, 16, 32],
    "n_models": 256,
    "rounds": 7,
}
QUICK: dict[str, Any] = {
    "n_known": [100, 400],
    "n_more": [25, 100],
    "n_columns": [2, 8],
    "n_models": 64,
    "rounds": 3,
}
THEORY = {
    "n_known": {"straightforward": "at most 1", "incremental": "0"},
    "n_more": {"straightforward": "below 1", "incremental": "at most 1"},
    "n_columns": {"straightforward": "2 to 3", "incremental": "2 to 3"},
}
"""Exponents by the paper's formulas, if the other sizes are fixed."""


def task_of(effort: Effort) -> Task:
    """One task for everything, since cases take turns."""
    return Task("steps", effort.pick(FULL, QUICK), weight=effort.pick(2.0, 0.5))


def tasks(effort: Effort) -> list[Task]:
    """The one task."""
    return [task_of(effort)]


def score(effort: Effort, found: Found) -> Findings:
    """Formulas, exponents, and the times behind them."""
    printed = published("complexity")
    parts = tuple(dict.fromkeys(row for row, _ in printed))
    formulas = Table(
        "complexity-paper",
        "What the paper proves",
        "computing",
        parts,
        tuple(WAYS.values()),
        printed,
        difference="none",
    )
    record = found.of(task_of(effort))
    blocks: tuple[Table | Figure, ...] = (formulas,)
    verdict: tuple[str, ...] = (found.why(task_of(effort)),)
    if record is not None:
        blocks = (formulas, _exponents(record), _times(record))
        same = "the same models, to the last bit" if record["same"] else "DIFFERENT models"
        slow, fast = (record["n_known"][way][-1] for way in WAYS)
        verdict = (
            f"Both ways learn {same}.",
            "In m, time grows less than the formulas predict up to 32 columns: the work of every row and "
            "every model that does not depend on m still counts, and 16 models are computed side by side.",
            f"At l = {record['n_known']['values'][-1]:,}, a step takes {slow / fast:.1f} times as long "
            "from scratch.",
        )
    return Findings(
        (
            "From l to l + h learning neighbours, in a table of m columns, of normal numbers. One thing "
            "varies, the others are l = 400, h = 50, m = 8; one thread, the shortest of several turns, "
            "per model. An exponent is the slope of time on logarithmic axes, over all and over the last "
            "two points: constant work lowers it, least at the end.",
        ),
        blocks,
        verdict,
    )


def _exponents(record: Any) -> Table:
    cells: dict[tuple[str, str], str] = {}
    for series, letter in SERIES.items():
        for way, name in WAYS.items():
            exponent = record[series]["exponents"][way]
            last = record[series]["last_exponents"][way]
            cells[f"in {letter}", f"{name}, measured"] = f"{exponent:.2f}, at the end {last:.2f}"
            cells[f"in {letter}", f"{name}, by the formulas"] = THEORY[series][way]
    columns = tuple(f"{name}, {kind}" for name in WAYS.values() for kind in ("by the formulas", "measured"))
    rows = tuple(f"in {letter}" for letter in SERIES.values())
    return Table(
        "complexity-growth", "Exponents of growth", "time grows", rows, columns, cells, difference="none"
    )


def _times(record: Any) -> Figure:
    panels = []
    for series, letter in SERIES.items():
        values = tuple(float(value) for value in record[series]["values"])
        lines = tuple(Line(way, values, tuple(1e6 * t for t in record[series][way])) for way in WAYS)
        panels.append(Panel(f"time over {letter}", letter, "microseconds", lines, log_x=True, log_y=True))
    return Figure("complexity", "Time of one step of learning", tuple(panels))


EXPERIMENT = Experiment("complexity", "Time complexity of learning", tasks, score, "table-increment-time")
