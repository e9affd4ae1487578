"""How to fill the partitions of a table: planned once, from the description of the table alone.

In memory, a column of whole numbers becomes float64 if it has missing values, and keeps its type otherwise.
All partitions must have one type. So a column that can have missing values gets, in all partitions, the
type it would have with a missing value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from iim.cluster._models import Model, without_company
from iim.cluster._places import Place
from iim.cluster._types import into_type, one_hole, refuse_inexact
from iim.exceptions import UnusableTable
from iim.imputers import Imputer
from iim.imputers._containers import open_table
from iim.imputers._telling import silence


@dataclass(frozen=True)
class Plan:
    """How to fill a partition.

    Attributes
    ----------
    columns : tuple
        Column names of the table.
    kept : tuple of int
        Positions of the columns that are in the result; indicator columns follow them there.
    filled : tuple of int
        Positions in the result of the columns that may be filled.
    result : DataFrame of shape (0, n_columns_out)
        Column names and types of the result.
    """

    columns: tuple[Any, ...]
    kept: tuple[int, ...]
    filled: tuple[int, ...]
    result: Any

    def fill(self, imputer: Imputer, frame: Any, place: Place) -> Any:
        """Fill a partition, or a piece of one.

        Parameters
        ----------
        imputer : Imputer
        Fitted; not changed.
        frame : DataFrame of shape (n_rows, n_columns)
        The rows; may be empty.
        place : Place
        Their position in the table, for messages.

        Returns
        -------
        DataFrame of shape (n_rows, n_columns_out)
            With the index of ``frame``, and the types of ``result`` in the columns that may be filled.
        """
        with place.named():
            if frame.shape[0] == 0:
                return self.result.set_axis(frame.index, axis=0)
            self._check_columns(frame)
            for at, name, wanted in self._to_fill():
                refuse_inexact(frame.iloc[:, self.kept[at]], name, wanted, imputer._missing_values)
            # Nobody sees warnings of a worker, and one for each partition would be too many.
            with silence():
                filled = without_company(imputer, self.columns).transform(frame)
            for at, name, wanted in self._to_fill():
                filled.isetitem(at, into_type(filled.iloc[:, at], name, wanted))
            return filled

    def _to_fill(self) -> list[tuple[int, Any, Any]]:
        """Position in the result, name in the table, and type of each column that may be filled."""
        dtypes = self.result.dtypes
        return [(at, self.columns[self.kept[at]], dtypes.iloc[at]) for at in self.filled]

    def _check_columns(self, frame: Any) -> None:
        if tuple(frame.columns) != self.columns:
            raise UnusableTable(
                f"The columns {list(self.columns)!r:.300} are needed, in this order, as in the description "
                f"of the table; received {list(frame.columns)!r:.300}. Give all partitions the same "
                "columns."
            )


def plan_filling(imputer: Imputer, empty: Any, *, never_null: Collection[Any] = ()) -> Plan:
    """The plan for a table; raises the errors of ``imputer.transform`` that need no rows.

    Parameters
    ----------
    imputer : Imputer
        Fitted.
    empty : DataFrame of shape (0, n_columns)
        Column names and types of the table.
    never_null : collection
        Names of columns without nulls, although their types allow them.

    Returns
    -------
    Plan
    """
    table = open_table(imputer, _one_row(imputer, empty, never_null), reset=False)
    columns = tuple(empty.columns)
    imputer = without_company(imputer, columns)
    matrix = imputer._read(table)
    # The steps of `transform`, without learning anything for an artificial row.
    written = imputer._write(
        table, imputer._new_values(matrix, np.zeros((1, imputer._known_places().size)))
    )
    kept = tuple(imputer._kept.tolist())
    chosen = set(imputer._chosen_columns.tolist())
    filled = tuple(at for at, position in enumerate(kept) if position in chosen)
    return Plan(columns, kept, filled, written.iloc[:0].set_axis(empty.index[:0], axis=0))


def _one_row(imputer: Imputer, empty: Any, never_null: Collection[Any]) -> Any:
    """A row of the table in which every column that can be missing is missing."""
    names = empty.columns
    if names.nlevels > 1 or not names.is_unique:
        # The imputer refuses it, with advice.
        return empty
    row: Mapping[Any, Any] = {
        name: one_hole(empty[name], imputer._missing_values, nullable=name not in never_null)
        for name in names
    }
    frame = pd.DataFrame(row, index=range(1), columns=names)
    frame.attrs = empty.attrs
    return frame


@dataclass(frozen=True)
class Filling:
    """A plan and its model: what a worker needs besides the rows."""

    plan: Plan
    model: Model

    def fill(self, frame: Any, place: Place) -> Any:
        """Fill rows; see :meth:`Plan.fill`."""
        with place.named():
            imputer = self.model.open()
        return self.plan.fill(imputer, frame, place)
