"""Table "Imputation RMS error over various datasets"."""

from __future__ import annotations

from iim._showing import count
from iim.experiments.cases import CASES, ORDER
from iim.experiments.datasets import DATASETS
from iim.experiments.efforts import Effort
from iim.experiments.records import Found
from iim.experiments.results import Section
from iim.experiments.sections.error_tables import claims, coefficient_table, error_table, reproduced
from iim.experiments.sections.experiment import Experiment, fill_task
from iim.experiments.tasks import Task

SHARE = 0.05
"""Of all tuples, those that lose a value: the paper's."""

COLUMNS = {
    f"{case.name} (stand-in)" if DATASETS[case.data].stand_in else case.name: case
    for case in CASES.values()
}
REAL = tuple(column for column, case in COLUMNS.items() if not DATASETS[case.data].stand_in)
"""Stand-ins were made to resemble the paper's numbers: to find these again says nothing."""


def tasks_of(column: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one cell."""
    return [fill_task(COLUMNS[column], method, seed, effort, hide=SHARE) for seed in range(effort.n_seeds)]


def tasks(effort: Effort) -> list[Task]:
    """Tasks of the table."""
    return [task for column in COLUMNS for method in ORDER for task in tasks_of(column, method, effort)]


def score(effort: Effort, found: Found) -> Section:
    """The table, R2, and what they show."""

    def of(column: str, method: str) -> list[Task]:
        return tasks_of(column, method, effort)

    printed = {column: case.name for column, case in COLUMNS.items()}
    errors = error_table(found, "various-errors", "various", printed, of)
    coefficients = coefficient_table(found, "various-coefficients", "various", printed, of)
    return Section(
        EXPERIMENT.key,
        EXPERIMENT.title,
        "table-all-type",
        (
            "5 % of the tuples lose their value of one attribute; medians over "
            f"{count(effort.n_seeds, 'draw')}, the worst draw in brackets. Which attribute, the paper "
            "does not say. Ours: "
            + "; ".join(f"{case.name} {case.target} ({case.why})" for case in CASES.values())
            + ".",
            "PHASE and SN are stand-ins, made to have the size and the R2 of the originals: their numbers "
            "resemble the paper's by construction, and are not counted below.",
        ),
        (errors, coefficients),
        (*claims(errors, REAL), reproduced(errors, REAL)),
    )


EXPERIMENT = Experiment("various", "RMS error over various data sets", tasks, score)
