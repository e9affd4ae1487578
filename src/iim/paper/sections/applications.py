"""Table "Clustering purity on ASF and CA, and classification f1-score on MAM and HEP"."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping

import numpy as np

from iim.paper.applications import CLASSIFYING, CLUSTERING, weighted_f1
from iim.paper.applications import purity as share_of_common
from iim.paper.cases import NAMES, ORDER, paper_settings
from iim.paper.datasets import DATASETS
from iim.paper.efforts import Effort
from iim.paper.published import published_number
from iim.paper.records import Found, Record
from iim.paper.results import Number, Table
from iim.paper.scoring import Metric, measured, number, place_of
from iim.paper.sections.experiment import SECONDS, Experiment, Findings
from iim.paper.tasks import Task
from iim.present.numbers import count

MISSING = "missing"
"""Nothing is imputed: rows are discarded before clustering, missing values go to the classifier."""

LABELS = {MISSING: "Missing", **NAMES}
CLASSIFIED = ("mam", "hep")


def cluster_tasks(data: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one purity."""
    n_rows = effort.rows(DATASETS[data].n_rows)
    cut = {"n_rows": n_rows} if n_rows < DATASETS[data].n_rows else {}
    return _tasks("cluster", data, method, effort.n_figure_seeds, n_rows, {**cut, **CLUSTERING[data]})


def classify_tasks(data: str, method: str, effort: Effort) -> list[Task]:
    """Tasks of one F1."""
    return _tasks("classify", data, method, effort.n_seeds, 10 * DATASETS[data].n_rows, CLASSIFYING)


def tasks(effort: Effort) -> list[Task]:
    """All tasks."""
    clustered = [(data, cluster_tasks) for data in CLUSTERING]
    classified = [(data, classify_tasks) for data in CLASSIFIED]
    return [
        task
        for data, tasks_of in (*clustered, *classified)
        for method in LABELS
        for task in tasks_of(data, method, effort)
    ]


def score(effort: Effort, found: Found) -> Findings:
    """Both halves of the table."""
    clustering = _table(
        found, effort, "purity", "Purity of clusters", tuple(CLUSTERING), cluster_tasks, purity
    )
    classifying = _table(
        found, effort, "f1", "F1 of the classifier, weighted by class", CLASSIFIED, classify_tasks, f1
    )
    chosen = "; ".join(
        f"{DATASETS[data].title} {one['n_clusters']} clusters, {one['share']:.0%} of the tuples incomplete"
        for data, one in CLUSTERING.items()
    )
    return Findings(
        (
            "Clustering: k-means, on columns brought to the range from 0 to 1, gives the true clusters "
            "of the complete table; then values are removed at random, one of a tuple, and imputed, and "
            "k-means runs again from the same initial tuples. Purity is the share of tuples that belong to "
            "the majority class of their cluster, the true clusters being the classes. Missing: incomplete "
            "tuples are discarded, and the rest is clustered, from other initial tuples since some of "
            "those are gone. The paper gives neither the number of clusters nor the share of incomplete "
            f"tuples. Ours: {chosen}. They were chosen among a few so that all methods together come close "
            "to the printed table, so agreement with it is no evidence.",
            f"Classification: the {CLASSIFYING['n_neighbors']} nearest tuples vote, on columns brought to "
            f"the range from 0 to 1; {CLASSIFYING['n_folds']} folds with the classes in proportion; real "
            "missing values in training and test folds. The imputer learns from the training folds, "
            "never from a label or from the test fold. Missing: as in Weka's IBk, a missing value is as "
            "far away as it can be. The number of neighbours and the average over classes (weighted by "
            "size) are not in the paper, and were chosen in the same way.",
            f"Medians over {count(effort.n_figure_seeds, 'draw')} of holes and "
            f"{count(effort.n_seeds, 'draw')} of folds, the worst one in brackets.",
        ),
        (clustering, classifying),
        (*_verdict(clustering), *_verdict(classifying), *_warnings(effort, found)),
    )


def purity(record: Record) -> float:
    """Share of the clustered tuples in the most common true cluster of their cluster."""
    return share_of_common(np.array(record["counts"]))


def f1(record: Record) -> float:
    """F1 over the predictions of all folds."""
    truth = [label for fold in record["folds"] for label in fold["truth"]]
    predicted = [label for fold in record["folds"] for label in fold["predicted"]]
    return weighted_f1(truth, predicted)


def _tasks(
    kind: str, data: str, method: str, n_seeds: int, n_rows: int, coordinates: Mapping[str, float]
) -> list[Task]:
    settings = {} if method == MISSING else paper_settings(method, data, DATASETS[data].n_rows)
    return [
        Task(
            kind,
            {"data": data, **coordinates, "method": method, "settings": settings, "seed": seed},
            weight=n_rows / 30_000 * (SECONDS.get(method, 0.003) / 0.003),
        )
        for seed in range(n_seeds)
    ]


def _table(
    found: Found,
    effort: Effort,
    key: str,
    title: str,
    data: tuple[str, ...],
    tasks_of: Callable[[str, str, Effort], list[Task]],
    metric: Metric,
) -> Table:
    cells: dict[tuple[str, str], Number | str] = {
        (label, DATASETS[one].title): number(
            found,
            tasks_of(one, method, effort),
            metric,
            paper=published_number("applications", DATASETS[one].title, label),
            worst=min,
        )
        for one in data
        for method, label in LABELS.items()
    }
    titles = tuple(DATASETS[one].title for one in data)
    return Table(
        key, title, "method", tuple(LABELS.values()), titles, cells, difference="absolute", better="high"
    )


def _verdict(table: Table) -> list[str]:
    said = []
    for column in table.columns:
        cells = {row: table.cells[row, column] for row in table.rows}
        numbers = {row: cell for row, cell in cells.items() if isinstance(cell, Number)}
        ours = {row: cell.ours for row, cell in numbers.items() if cell.ours is not None}
        if NAMES["iim"] in ours:
            best = ", ".join(
                f"{row} {ours[row]:.3f}" for row in sorted(ours, key=lambda row: -ours[row])[:3]
            )
            spreads = [abs(cell.ours - cell.worst) for cell in numbers.values() if cell.ours and cell.worst]
            said.append(
                f"{column}: the best are {best}; IIM is number "
                f"{place_of(NAMES['iim'], ours, best='high')} of {len(ours)}. All lie between "
                f"{min(ours.values()):.3f} and {max(ours.values()):.3f}"
                + (
                    f"; the worst draw of a method is typically {statistics.median(spreads):.3f} below "
                    "its median."
                    if spreads
                    else "."
                )
            )
    return said


def _warnings(effort: Effort, found: Found) -> list[str]:
    """Methods that warned on the tables with real missing values."""

    def has_warned(record: Record) -> float:
        return float(any(fold["warned"] for fold in record["folds"]))

    said = []
    for data in CLASSIFIED:
        names = [
            LABELS[method]
            for method in ORDER
            if any(measured(found, classify_tasks(data, method, effort), has_warned))
        ]
        if names:
            said.append(
                f"{DATASETS[data].title}: in some folds {', '.join(names)} warned; the raw records hold "
                "the warnings."
            )
    return said


EXPERIMENT = Experiment("applications", "Clustering and classification", tasks, score, "table:application")
