"""Not in the paper: cells missing from all columns at once, and scikit-learn's imputers beside IIM."""

from __future__ import annotations

import numpy as np

from iim.evaluation.scoring import rms_error
from iim.paper.datasets import DATASETS
from iim.paper.efforts import Effort
from iim.paper.records import Found, Record
from iim.paper.results import Better, Number, Table
from iim.paper.scattering import IMPUTERS
from iim.paper.scoring import Metric, number, seconds
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.tasks import Task
from iim.present.numbers import count

DATA = ("asf", "ccs", "ccpp", "da", "road")
SHARES = (0.05, 0.2, 0.4)
SEEDS, QUICK_SEEDS = 3, 1
QUICK_ROWS = 500

COLUMNS = {f"{DATASETS[data].title}, {share:.0%}": (data, share) for data in DATA for share in SHARES}


def tasks_of(column: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one cell."""
    data, share = COLUMNS[column]
    n_rows = effort.pick(DATASETS[data].n_rows, QUICK_ROWS)
    cut = {"n_rows": n_rows} if n_rows < DATASETS[data].n_rows else {}
    inputs = {"data": data, "share": share, **cut, "method": method}
    return [
        Task("scatter", {**inputs, "seed": seed}, weight=n_rows / 4000)
        for seed in range(effort.pick(SEEDS, QUICK_SEEDS))
    ]


def tasks(effort: Effort) -> list[Task]:
    """All tasks."""
    return [task for column in COLUMNS for method in IMPUTERS for task in tasks_of(column, method, effort)]


def score(effort: Effort, found: Found) -> Findings:
    """Errors and times."""
    errors = _table(found, effort, "holes-errors", "Normalised RMS error", normalised_error, "low")
    times = _table(found, effort, "holes-times", "Seconds of fit_transform", seconds("all"), None)
    return Findings(
        (
            "Not in the paper: 5, 20 and 40 % of all cells go missing at random, from every column at "
            "once, and scikit-learn's imputers fill them, too. All settings are defaults, except where "
            "the name says otherwise. Errors are RMS errors in standard deviations of the column, mean "
            f"over columns; medians over {count(effort.pick(SEEDS, QUICK_SEEDS), 'draw')}. IIM's defaults "
            "were chosen on these tables, with other draws (`python benchmarks/defaults.py`, `python -m "
            "benchmarks.accuracy`), those of its rounds on ASF, CCS and CCPP (`python "
            "benchmarks/rounds.py`).",
        ),
        (errors, times),
        _verdict(errors),
    )


def normalised_error(record: Record) -> float:
    """RMS error in standard deviations of the column, mean over columns that lost a cell."""
    return float(
        np.mean(
            [
                rms_error(np.array(one["truth"]), np.array(one["filled"])) / one["spread"]
                for one in record["columns"]
                if one["truth"]
            ]
        )
    )


def _table(
    found: Found, effort: Effort, key: str, title: str, metric: Metric, better: Better | None
) -> Table:
    cells: dict[tuple[str, str], Number | str] = {
        (method, column): number(found, tasks_of(column, method, effort), metric)
        for column in COLUMNS
        for method in IMPUTERS
    }
    return Table(
        key,
        title,
        "imputer",
        tuple(IMPUTERS),
        tuple(COLUMNS),
        cells,
        difference="none",
        better=better,
    )


def _verdict(errors: Table) -> tuple[str, ...]:
    said = []
    peers = [name for name in IMPUTERS if "Imputer" in name]
    ahead, n_cases = 0, 0
    for column in errors.columns:
        ours = errors.cells["IIM", column]
        theirs = [errors.cells[name, column] for name in peers]
        known = [cell.ours for cell in theirs if isinstance(cell, Number) and cell.ours is not None]
        if isinstance(ours, Number) and ours.ours is not None and known:
            n_cases += 1
            ahead += ours.ours < min(known)
            if ours.ours >= min(known):
                said.append(f"{column}: IIM {ours.ours:.3g}, the best of scikit-learn's {min(known):.3g}.")
    first = f"IIM with its defaults is ahead of all of scikit-learn's in {ahead} of {n_cases} cases."
    return (first, *said) if n_cases else ()


EXPERIMENT = Experiment("holes", "Holes everywhere, beside scikit-learn's imputers", tasks, score)
