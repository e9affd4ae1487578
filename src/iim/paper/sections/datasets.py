"""Table "Dataset summary"."""

from __future__ import annotations

from iim.paper.cases import CASES
from iim.paper.datasets import DATASETS
from iim.paper.efforts import Effort
from iim.paper.published import published
from iim.paper.records import Found
from iim.paper.results import Number, Table
from iim.paper.sections.experiment import Experiment, Findings
from iim.paper.tasks import Task

PAPERS = ("asf", "ccs", "ccpp", "sn", "phase", "ca", "da", "mam", "hep")
"""In the order of the paper's table."""


def task_of(data: str) -> Task:
    """Count rows, columns and missing cells."""
    return Task("describe", {"data": data}, weight=0.03)


def tasks(effort: Effort) -> list[Task]:  # noqa: ARG001 (all experiments have one signature)
    """One for each data set."""
    return [task_of(data) for data in PAPERS]


def score(effort: Effort, found: Found) -> Findings:  # noqa: ARG001
    """Ours beside the paper's."""
    printed = published("datasets")
    cells: dict[tuple[str, str], Number | str] = {}
    for data in PAPERS:
        dataset, record, task = DATASETS[data], found.of(task_of(data)), task_of(data)
        name = CASES[data].name if data in CASES else dataset.title
        label = dataset.title
        here = {"rows": found.why(task), "attributes": "", "missing cells": ""}
        if record is not None:
            here = {
                "rows": f"{record['n_rows']:,}",
                "attributes": str(record["n_columns"]),
                "missing cells": f"{record['n_missing']:,}",
            }
        here |= {
            "rows in the paper": printed[name, "rows"],
            "attributes in the paper": printed[name, "attributes"],
            "source in the paper": printed[name, "source"],
            "property in the paper": printed.get((name, "property"), ""),
            "source of ours": "made here, a stand-in" if dataset.stand_in else dataset.source,
        }
        cells |= {(label, column): text for column, text in here.items()}
    columns = (
        "rows",
        "rows in the paper",
        "attributes",
        "attributes in the paper",
        "missing cells",
        "source in the paper",
        "property in the paper",
        "source of ours",
    )
    names = tuple(dict.fromkeys(name for name, _ in cells))
    table = Table("datasets", "Data sets", "data set", names, columns, cells, difference="none")
    return Findings(
        (
            "Attributes without the label of MAM and HEP. Of the nine of CCS, the paper has six, which "
            "it does not name; we take the first six in its experiments.",
            "SN and PHASE are not published. Stand-ins of the same size and character take their place, "
            "and are named so wherever they appear.",
        ),
        (table,),
    )


EXPERIMENT = Experiment("datasets", "Data sets", tasks, score, "table-dataset")
