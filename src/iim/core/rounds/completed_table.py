"""The training rows of rounds, their missing cells filled."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import Fallback, Problem
from iim.core.execution.model_cache import writable
from iim.core.patterns import all_others
from iim.core.settings import RoundSettings
from iim.core.source import Source
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT, Refused, Sizes, booleans, floats, integers, many


class ByColumn(NamedTuple):
    """Completed rows, transposed; all of shape (n_columns, n_completed)."""

    coordinates: Floats
    """Scaled coordinates."""
    known: Booleans
    """True where the value was observed."""
    donors: Booleans
    """True where the row is a donor of the column."""


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
    turns : ndarray of shape (n_columns,)
        The columns in the order in which they are filled: fewest missing cells first.
    low, high : ndarray of shape (n_columns,)
        The range of each column's known values. Fills are clipped to it, so that errors do not grow over
        the rounds.
    fallbacks : tuple of Fallback
        The fallback in choosing each column's donors, if one was needed.
    rounds : RoundSettings
        How incomplete rows are filled.
    n_rounds : int
        Rounds needed to complete the rows.
    """

    source: Source
    known: Annotated[Booleans, booleans("rows", "columns")]
    donors: Annotated[Booleans, booleans("rows", "columns")]
    rows: Annotated[Integers, integers("rows")]
    turns: Annotated[Integers, integers("columns", below="columns")]
    low: Annotated[Floats, floats("columns")]
    high: Annotated[Floats, floats("columns")]
    fallbacks: Annotated[tuple[Fallback, ...], many(size="columns")]
    rounds: RoundSettings
    n_rounds: Annotated[int, COUNT]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse rows and columns out of order, and columns without donors."""
        del sizes
        if np.any(self.rows[:-1] >= self.rows[1:]):
            raise Refused("`CompletedTable.rows`: increasing numbers are needed")
        if np.unique(self.turns).size != self.turns.size:
            raise Refused("`CompletedTable.turns`: every column once is needed")
        known, donors = self.known, self.donors
        if not donors.any(axis=0).all() or np.any(donors & ~known) or self.source.matrix.missing.any():
            raise Refused("`CompletedTable`: rows without holes, and donors for every column, are needed")

    @cached_property
    def by_column(self) -> ByColumn:
        """The same rows, transposed: the layout that searches use."""
        return ByColumn(
            np.ascontiguousarray(self.coordinates(self.source.matrix.values).T),
            np.ascontiguousarray(self.known.T),
            np.ascontiguousarray(self.donors.T),
        )

    def __getstate__(self) -> dict[str, Any]:
        # Without cached properties.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: writable(value) for name, value in state.items()})

    @property
    def as_it_came(self) -> MaskedMatrix:
        """The rows with their original missing cells."""
        matrix = self.source.matrix
        return MaskedMatrix(np.where(self.known, matrix.values, np.nan), ~self.known, matrix.columns)

    def coordinates(self, values: Floats) -> Floats:
        """Scaled coordinates of rows, on all columns."""
        return self.source.scaling.coordinates(values, tuple(range(self.known.shape[1])))

    def with_values(self, values: Floats) -> CompletedTable:
        """The same rows with other fills."""
        matrix = replace(self.source.matrix, values=values)
        return replace(self, source=replace(self.source, matrix=matrix))

    def pose(self, column: int) -> Problem:
        """The problem of a column: from all others, over the donors chosen for it."""
        pattern = all_others(column, self.known.shape[1])
        donors = np.flatnonzero(self.donors[:, column])
        return Problem(pattern, pattern.observed, donors, self.fallbacks[column])


def running_mean(before: Floats, votes: Floats, turn: int) -> Floats:
    """The mean of a cell's votes over the rounds so far.

    Where two columns are missing together, single votes may oscillate; their mean converges.

    Parameters
    ----------
    before : ndarray of shape (n_cells,)
        The mean so far; ignored in the first round.
    votes : ndarray of shape (n_cells,)
        The new votes.
    turn : int
        Which round it is, from 1.

    Returns
    -------
    ndarray of shape (n_cells,)
    """
    # Divided first: the difference of two huge values could overflow.
    return votes if turn == 1 else before + (votes / turn - before / turn)
