"""The paper's experiments: every table and every figure, ours beside theirs.

Three steps that never mix::

    plan ─► tasks ─► run: raw records, one file each ─► score: tables and figures ─► layout: the page

``datasets`` reads or makes the data. Each table or figure of the paper is one module of ``sections``: which
tasks it needs, as data, and how their records become numbers beside the published ones. ``running`` does
the tasks that have no record yet, so an interrupted run goes on where it stopped. ``layout`` turns plain
results into Markdown, HTML and plots, and knows nothing of how they came about.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iim.paper.datasets import DATASETS, Data, Dataset, load
    from iim.paper.reproduction import Reproduction, reproduce
    from iim.paper.sections import EXPERIMENTS

_HOME_OF = {
    "DATASETS": "datasets",
    "EXPERIMENTS": "sections",
    "Data": "datasets",
    "Dataset": "datasets",
    "Reproduction": "reproduction",
    "load": "datasets",
    "reproduce": "reproduction",
}
"""Loaded when asked for: to list the data sets, no method is needed."""

__all__ = ["DATASETS", "EXPERIMENTS", "Data", "Dataset", "Reproduction", "load", "reproduce"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
