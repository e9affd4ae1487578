"""The paper's experiments, run again: every table and figure, our numbers beside the printed ones.

"Learning Individual Models for Imputation" (ICDE 2019) compares fourteen methods in five tables and ten
figures. Most of them remove known values from a table, let a method fill them, and measure the error. We
repeat this on the same data with the same settings, as far as these are published.

::

    experiments ─► tasks ─► run ────► raw records ─► score ────► page ────────────► layout
                   (data)    (an hour) (JSON files)   (seconds)  (plain data)       (index.md, plots, CSV)

Three steps never mix. *Run* (``running``, ``measuring``) does each task that has no record yet, and writes
the filled values, times, seed and versions into one file named by the task's inputs: an interrupted run
continues where it stopped. *Score* (``scoring``, ``sections``) computes tables and figures from records
only: a new metric needs no new run. *Layout* writes plain results, and imports neither of the others.

Where to look:

=================  =====================================================================================
``reproduction``   the story: :func:`reproduce` calls all of the below in order
``sections``       a module or a row for a table or figure: its tasks, and how their records are scored
``efforts``        the full run and the small pass: numbers of seeds, rows and points
``tasks``          a task is a kind of measurement and its inputs, which also name its record
``measuring``      the kinds of measurement: ``attribute_fills``, ``scattering``, ``applications``, ...
``cases``          settings that the paper names, and those inferred from its numbers, with reasons
``published``      the printed numbers as CSV
``datasets``       the data: catalogue, reading with checksums, downloads, stand-ins for unpublished tables
``results``        tables, figures, sections and pages as plain data
``layout``         a page as Markdown, SVG plots and CSV numbers
=================  =====================================================================================

To add an experiment: write a module in ``sections`` with an ``EXPERIMENT``, and add its row there.

Nothing else in the library imports this package. The command line finds ``iim reproduce`` and
``iim datasets`` by the names of their modules.
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
"""Imported at first use: listing the data sets needs no method."""

__all__ = ["DATASETS", "EXPERIMENTS", "Data", "Dataset", "Reproduction", "load", "reproduce"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
