"""Names that options take, known without loading what they name: help and completion answer at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from iim.imputers import METHODS

DATASET_KEYS = (
    "asf",
    "ccs",
    "ccpp",
    "sn",
    "phase",
    "ca",
    "da",
    "mam",
    "hep",
    "road",
    "airfoil",
    "asf_a2_missing",
)
"""Keys of ``iim.paper.datasets.DATASETS``."""

FORMATS = ("csv", "tsv", "parquet", "feather")
"""``iim.files.FORMATS``."""

ENGINES = ("dask",)
"""What can work on folders."""

REPORTS = (".html", ".htm", ".md", ".json")
"""Endings that a report can have."""


EXPERIMENT_KEYS = (
    "complexity",
    "datasets",
    "various",
    "by-attribute",
    "complete-attributes",
    "complete-tuples",
    "clusters",
    "neighbors",
    "adaptive",
    "scalability",
    "stepping",
    "applications",
    "today",
    "holes",
)
"""Keys of ``iim.paper.EXPERIMENTS``."""


def completing(names: Iterable[str]) -> Callable[[str], list[str]]:
    """A function that gives those names that begin so."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


complete_experiment, complete_method = completing(EXPERIMENT_KEYS), completing(METHODS)
complete_dataset, complete_format = completing(DATASET_KEYS), completing(FORMATS)
complete_engine = completing(ENGINES)
