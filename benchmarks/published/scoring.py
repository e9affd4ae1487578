"""From records to ratios and ranks beside the printed methods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from iim.evaluation.scoring import ranks
from published.suites import SUITES, Cell, Suite
from trials.averages import Average, averages, geometric_mean
from trials.methods import in_order
from trials.records import Record, Records


@dataclass(frozen=True)
class Scores:
    """Errors on the tables of a suite.

    Attributes
    ----------
    suite : Suite
        The comparison.
    printed : mapping
        Printed errors: by cell, then by printed method.
    measured : mapping
        Measured ones: by method, then by cell.
    records : list of Record
        What they were made from.
    """

    suite: Suite
    printed: Mapping[Cell, Mapping[str, float]]
    measured: Mapping[str, Mapping[Cell, Average]]
    records: list[Record]

    @property
    def cells(self) -> list[Cell]:
        """Tables and rates of which there is a record, in the order of the suite."""
        listed = [(table, rate) for table in self.suite.tables for rate in self.suite.rates]
        return [cell for cell in listed if cell in self.printed]

    def of(self, tables: Iterable[str]) -> list[Cell]:
        """The cells of some tables."""
        wanted = set(tables)
        return [cell for cell in self.cells if cell[0] in wanted]

    def bar(self, cell: Cell) -> float:
        """The printed error that ratios are to."""
        printed = self.printed[cell]
        return min(printed.values()) if self.suite.bar is None else printed[self.suite.bar]

    def ratio(self, method: str, cell: Cell) -> float:
        """The error of a method divided by that of the bar; NaN if it was not measured, or failed."""
        average = self.measured[method].get(cell)
        return math.nan if average is None else average.error / self.bar(cell)

    def mean_ratio(self, method: str, cells: Iterable[Cell]) -> float:
        """Geometric mean of the ratios over cells; NaN if there is none."""
        return geometric_mean(self.ratio(method, cell) for cell in cells)

    def rank(self, method: str, cell: Cell) -> float:
        """The place of a method among the printed ones; the last one if it failed, NaN if not measured."""
        average = self.measured[method].get(cell)
        if average is None:
            return math.nan
        return float(ranks(np.array([average.error, *self.printed[cell].values()]))[0])

    def mean_rank(self, method: str, cells: Iterable[Cell]) -> float:
        """Mean over the cells that were measured; NaN if there is none."""
        known = [rank for cell in cells if not math.isnan(rank := self.rank(method, cell))]
        return sum(known) / len(known) if known else math.nan


def records_of(suite: Suite, folder: Path) -> Records:
    """The files of a suite."""
    return Records(folder, prefix=f"{suite.key}-")


def read_scores(key: str, folder: Path, *, methods: Iterable[str] | None = None) -> Scores:
    """The scores of a suite.

    Parameters
    ----------
    key : {"scattered", "density"}
        Which.
    folder : path
        Where the records are.
    methods : iterable of str or None, default=None
        Which; None for all that have records.

    Returns
    -------
    Scores
    """
    suite = SUITES[key]
    wanted = None if methods is None else set(methods)
    found = list(records_of(suite, folder).read().values())
    # Of all methods: the printed errors are the same in each record.
    printed = {(one["trial"]["table"], one["trial"]["rate"]): one["printed"] for one in found}
    found = [one for one in found if wanted is None or one["trial"]["method"] in wanted]
    measured = averages(found, by=("table", "rate"))
    return Scores(suite, printed, {name: measured[name] for name in in_order(set(measured))}, found)
