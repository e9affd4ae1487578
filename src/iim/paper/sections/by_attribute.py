"""Table "Imputation RMS error on various incomplete attributes over ASF"."""

from __future__ import annotations

from dataclasses import replace

from iim.paper.cases import CASES, ORDER
from iim.paper.efforts import Effort
from iim.paper.records import Found
from iim.paper.sections.error_tables import claims, coefficient_table, error_table, reproduced
from iim.paper.sections.experiment import Experiment, Findings, fill_task
from iim.paper.tasks import Task
from iim.present.numbers import count

N_HOLES = 100
"""Incomplete tuples: the paper's."""

ATTRIBUTES = ("A1", "A2", "A3", "A4", "A5", "A6")


def tasks_of(attribute: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one cell."""
    case = replace(CASES["asf"], target=attribute)
    return [fill_task(case, method, seed, effort, hide=N_HOLES) for seed in range(effort.n_seeds)]


def tasks(effort: Effort) -> list[Task]:
    """Tasks of the table."""
    return [task for name in ATTRIBUTES for method in ORDER for task in tasks_of(name, method, effort)]


def score(effort: Effort, found: Found) -> Findings:
    """The table, R2, and conclusions."""

    def of(attribute: str, method: str) -> list[Task]:
        return tasks_of(attribute, method, effort)

    printed = {name: name for name in ATTRIBUTES}
    errors = error_table(found, "attribute-errors", "by_attribute", printed, of)
    coefficients = coefficient_table(found, "attribute-coefficients", "by_attribute", printed, of)
    return Findings(
        (
            f"ASF; {N_HOLES} tuples lose their value of one attribute; medians over "
            f"{count(effort.n_seeds, 'draw')}, the worst draw in brackets. XGB has as many rounds of "
            "boosting as fit these errors, 6.",
        ),
        (errors, coefficients),
        (*claims(errors, ATTRIBUTES), *reproduced(errors, ATTRIBUTES, fitted=("xgb",))),
    )


EXPERIMENT = Experiment(
    "by-attribute", "RMS error by incomplete attribute on ASF", tasks, score, "table:performance"
)
