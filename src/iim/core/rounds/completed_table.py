"""The training rows of rounds, their missing cells filled."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._checks import FLAG
from iim.core.donors import Fallback, Problem
from iim.core.execution.model_cache import writable
from iim.core.patterns import all_others
from iim.core.rounds.gaussian import Gaussian, View
from iim.core.scaling import Scaling
from iim.core.source import Source
from iim.matrix import MaskedMatrix
from iim.persistence.fields import Refused, Sizes, booleans, integers, many, scalar

RECENT_BYTES = 2**28
"""Memory for the tables of columns, before the first round."""


@dataclass(frozen=True)
class CompletedTable:
    """The training rows, their missing cells filled.

    A donor of a column is a row whose value was observed and that was chosen for it. A donor's number is
    its position among the completed rows.

    Attributes
    ----------
    source : Source
        The completed rows as a table; scaling and means are those of the whole table.
    known, donors : ndarray of shape (n_completed, n_columns)
        Where a value was observed, and which rows are donors of a column.
    rows : ndarray of shape (n_completed,)
        Their rows in the table given to ``fit``, increasing.
    fallbacks : tuple of Fallback
        The fallback in choosing each column's donors, if one was needed.
    standard : Scaling
        By mean and standard deviation: the unit of ``gaussian``.
    gaussian : Gaussian
        Learned from the whole table.
    voted : bool
        Whether the fills come from votes. Before the first round they come from the Gaussian, for each
        column without its own value (:meth:`for_column`).
    """

    source: Source
    known: Annotated[Booleans, booleans("rows", "columns")]
    donors: Annotated[Booleans, booleans("rows", "columns")]
    rows: Annotated[Integers, integers("rows")]
    fallbacks: Annotated[tuple[Fallback, ...], many(size="columns")]
    standard: Scaling
    gaussian: Gaussian
    voted: Annotated[bool, scalar(FLAG)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse rows out of order, and columns without donors."""
        del sizes
        if np.any(self.rows[:-1] >= self.rows[1:]):
            raise Refused("`CompletedTable.rows`: increasing numbers are needed")
        known, donors = self.known, self.donors
        if not donors.any(axis=0).all() or np.any(donors & ~known) or self.source.matrix.missing.any():
            raise Refused("`CompletedTable`: rows without holes, and donors for every column, are needed")

    @property
    def as_it_came(self) -> MaskedMatrix:
        """The rows with their original missing cells."""
        matrix = self.source.matrix
        return MaskedMatrix(np.where(self.known, matrix.values, np.nan), ~self.known, matrix.columns)

    def with_values(self, values: Floats) -> CompletedTable:
        """The same rows with fills from votes."""
        matrix = replace(self.source.matrix, values=values)
        return replace(self, source=replace(self.source, matrix=matrix), voted=True)

    def pose(self, column: int) -> Problem:
        """The problem of a column: from all others, over the donors chosen for it."""
        pattern = all_others(column, self.known.shape[1])
        donors = np.flatnonzero(self.donors[:, column])
        return Problem(pattern, pattern.observed, donors, self.fallbacks[column])

    def for_column(self, column: int) -> Source:
        """The table that a column's models learn from."""
        if self.voted or self.known.all():
            return self.source
        recent = self._recent
        if column not in recent:
            points = self._standardised(self.source.matrix.values)
            filled = self._in_table_units(self.gaussian.without(points, ~self.known, column, self._views))
            values = np.where(self.known, self.source.matrix.values, filled)
            recent[column] = replace(self.source, matrix=replace(self.source.matrix, values=values))
            while len(recent) > max(1, RECENT_BYTES // values.nbytes):
                recent.popitem(last=False)
        return recent[column]

    @cached_property
    def _views(self) -> list[View] | None:
        # Where they are too large, each column looks again.
        n_rows, n_columns = self.known.shape
        if 8 * n_rows * n_columns**2 > RECENT_BYTES:
            return None
        return self.gaussian.look(self._standardised(self.source.matrix.values), ~self.known)

    @cached_property
    def _recent(self) -> OrderedDict[int, Source]:
        return OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        # Without cached properties.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: writable(value) for name, value in state.items()})

    def expected(self, values: Floats, missing: Booleans) -> Floats:
        """The Gaussian's conditional means in the missing cells of rows."""
        points = np.where(missing, 0.0, self._standardised(np.where(missing, 0.0, values)))
        return np.where(missing, self._in_table_units(self.gaussian.expected(points, missing)), values)

    def _standardised(self, values: Floats) -> Floats:
        return self.standard.coordinates(values, tuple(range(values.shape[1])))

    def _in_table_units(self, points: Floats) -> Floats:
        return self.standard.values(points, tuple(range(points.shape[1])))
