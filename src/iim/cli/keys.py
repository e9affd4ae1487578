"""Names that options take, known without loading what they name: help and completion answer at once."""

from __future__ import annotations

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
"""Keys of ``iim.experiments.datasets.DATASETS``."""

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
"""Keys of ``iim.experiments.EXPERIMENTS``."""


def complete_experiment(incomplete: str) -> list[str]:
    """Keys that begin so."""
    return [key for key in EXPERIMENT_KEYS if key.startswith(incomplete)]


def complete_method(incomplete: str) -> list[str]:
    """Keys that begin so."""
    return [key for key in METHODS if key.startswith(incomplete)]


def complete_dataset(incomplete: str) -> list[str]:
    """Data sets that begin so."""
    return [key for key in DATASET_KEYS if key.startswith(incomplete)]


def complete_format(incomplete: str) -> list[str]:
    """Formats that begin so."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def complete_engine(incomplete: str) -> list[str]:
    """Engines that begin so."""
    return [name for name in ENGINES if name.startswith(incomplete)]
