"""From records to ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cliffs.tables import TABLES, Table
from trials.averages import Average, averages, geometric_mean
from trials.methods import in_order
from trials.records import Record, Records

PEERS = ("mean", "knn", "knn-scaled", "iterative")
"""The simple methods: ratios are to the best of them on each table."""

LEAST_ERROR = 0.01
"""Errors below count as this much in ratios: no ratio is about the last digits of a perfect fill."""


@dataclass(frozen=True)
class Scores:
    """Errors on the tables.

    Attributes
    ----------
    measured : mapping
        By method, then by name of the table.
    records : list of Record
        What they were made from.
    """

    measured: Mapping[str, Mapping[str, Average]]
    records: list[Record]

    def tables(self, *, half: str | None = None, kind: str | None = None) -> list[Table]:
        """Those of which there is a record, in the order of the list."""
        known = {name for cells in self.measured.values() for name in cells}
        return [
            table
            for table in TABLES.values()
            if table.name in known and half in (None, table.half) and kind in (None, table.kind)
        ]

    def error(self, method: str, table: Table) -> float:
        """Mean over seeds; NaN if it was not measured, or failed."""
        average = self.measured.get(method, {}).get(table.name)
        return math.nan if average is None else average.error

    def best(self, table: Table) -> float:
        """The smallest error of the simple methods; NaN unless all of them were measured."""
        if any(table.name not in self.measured.get(peer, {}) for peer in PEERS):
            return math.nan
        known = [error for peer in PEERS if not math.isnan(error := self.error(peer, table))]
        return min(known, default=math.nan)

    def ratio(self, method: str, table: Table) -> float:
        """The error of a method, divided by the smallest of the simple methods; NaN if one is not known."""
        error, best = self.error(method, table), self.best(table)
        if math.isnan(error) or math.isnan(best):
            return math.nan
        return max(error, LEAST_ERROR) / max(best, LEAST_ERROR)

    def to_mean(self, method: str, table: Table) -> float:
        """The error of a method, divided by that of the mean; NaN if one is not known."""
        return self.error(method, table) / self.error("mean", table)

    def mean_ratio(self, method: str, tables: Iterable[Table]) -> float:
        """Geometric mean of the ratios; NaN if there is none."""
        return geometric_mean(self.ratio(method, table) for table in tables)

    def worst(self, method: str, n: int) -> list[tuple[Table, float]]:
        """The tables with the largest ratios, largest first."""
        ratios = [(table, self.ratio(method, table)) for table in self.tables()]
        known = [(table, ratio) for table, ratio in ratios if not math.isnan(ratio)]
        return sorted(known, key=lambda pair: -pair[1])[:n]


def read_scores(folder: Path, *, half: str | None = None) -> Scores:
    """The scores of a folder of records.

    Parameters
    ----------
    folder : path
        Where they are.
    half : {"choosing", "last"} or None, default=None
        Of which tables; None for all.

    Returns
    -------
    Scores
        Records of tables that are no longer in the list are left out.
    """
    wanted = {table.name for table in TABLES.values() if half in (None, table.half)}
    found = _with_common_seeds(
        [one for one in Records(folder).read().values() if one["trial"]["table"] in wanted]
    )
    measured = {
        method: {name: average for (name,), average in cells.items()}
        for method, cells in averages(found, by=("table",)).items()
    }
    return Scores({name: measured[name] for name in in_order(set(measured))}, found)


def _with_common_seeds(records: Iterable[Record]) -> list[Record]:
    """The records of those draws of each table that all its methods have: ratios compare the same holes."""
    found = list(records)
    seeds: dict[str, dict[str, set[int]]] = {}
    for one in found:
        trial = one["trial"]
        seeds.setdefault(trial["table"], {}).setdefault(trial["method"], set()).add(trial["seed"])
    common = {table: set.intersection(*by_method.values()) for table, by_method in seeds.items()}
    return [one for one in found if one["trial"]["seed"] in common[one["trial"]["table"]]]
