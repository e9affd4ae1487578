"""Table "Imputation RMS error over various datasets"."""

from __future__ import annotations

from iim._showing import count
from iim.experiments.cases import CASES, ORDER
from iim.experiments.efforts import Effort
from iim.experiments.records import Found
from iim.experiments.results import Section
from iim.experiments.sections.error_tables import claims, coefficient_table, error_table, reproduced
from iim.experiments.sections.experiment import Experiment, fill_task
from iim.experiments.tasks import Task

SHARE = 0.05
"""Of all tuples, those that lose a value: the paper's."""

COLUMNS = {case.name: case for case in CASES.values()}


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

    errors = error_table(found, "various-errors", "RMS error", "various", tuple(COLUMNS), of)
    coefficients = coefficient_table(found, "various-coefficients", "various", tuple(COLUMNS), of)
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
            "PHASE and SN are stand-ins of the same size and character: their numbers can resemble the "
            "paper's, not reproduce them.",
        ),
        (errors, coefficients),
        (*claims(errors), reproduced(errors)),
    )


EXPERIMENT = Experiment("various", "RMS error over various data sets", tasks, score)
