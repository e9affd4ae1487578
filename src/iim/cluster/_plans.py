"""How the partitions of one table are filled: found out once, from the description of the table alone.

Locally, a column of whole numbers comes back as float64 if it has a hole, and as it came if it has none.
Some partitions have holes and some have none, and all must have one type. So a column gets the type that it
would have with a hole, in all partitions, if it can have holes at all.
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
        Names of the columns of the table.
    kept : tuple of int
        Which of them are in the result, by position; what comes after them there are indicators.
    filled : tuple of int
        Which of those may get new values, by position in the result.
    result : DataFrame of shape (0, n_columns_out)
        Names and types of the columns of the result.
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
            Fitted; it is not changed.
        frame : DataFrame of shape (n_rows, n_columns)
            The rows; there may be none.
        place : Place
            Where they stand in the table, for messages.

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
            # There is nobody in a worker to hear a warning, and one for each partition would be too many.
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
                f"The columns {list(self.columns)!r:.300} are needed, in this order, by the description of "
                f"the table; received {list(frame.columns)!r:.300}. Give all partitions the same columns."
            )


def plan_filling(imputer: Imputer, empty: Any, *, never_null: Collection[Any] = ()) -> Plan:
    """The plan for a table; errors are those of ``imputer.transform``, as far as no row is needed for them.

    Parameters
    ----------
    imputer : Imputer
        Fitted.
    empty : DataFrame of shape (0, n_columns)
        Names and types of the columns of the table.
    never_null : collection
        Names of columns that have no null, though their type has one.

    Returns
    -------
    Plan
    """
    table = open_table(imputer, _one_row(imputer, empty, never_null), reset=False)
    columns = tuple(empty.columns)
    imputer = without_company(imputer, columns)
    matrix = imputer._read(table)
    # What `transform` does, except that nothing is learned for a row that nobody has.
    written = imputer._write(
        table, imputer._new_values(matrix, np.zeros((1, imputer._known_places().size)))
    )
    kept = tuple(imputer._kept.tolist())
    chosen = set(imputer._chosen_columns.tolist())
    filled = tuple(at for at, position in enumerate(kept) if position in chosen)
    return Plan(columns, kept, filled, written.iloc[:0].set_axis(empty.index[:0], axis=0))


def _one_row(imputer: Imputer, empty: Any, never_null: Collection[Any]) -> Any:
    """A row of the table in which all is missing that can be."""
    names = empty.columns
    if names.nlevels > 1 or not names.is_unique:
        # For the imputer to refuse, which says what to do.
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
    """A plan and its model: all that a worker needs, besides the rows."""

    plan: Plan
    model: Model

    def fill(self, frame: Any, place: Place) -> Any:
        """Fill rows; see :meth:`Plan.fill`."""
        with place.named():
            imputer = self.model.open()
        return self.plan.fill(imputer, frame, place)
