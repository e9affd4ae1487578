"""Rows without holes to learn from, one set of models per column, and whom a row with holes asks."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import DonorChoice, Fallback
from iim.core.learning import PatternModels, prepare_models
from iim.core.library import writable
from iim.core.manners import plain_manner
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern
from iim.core.rows import averaged
from iim.core.scaling import in_table_units
from iim.core.settings import Rounds
from iim.core.training import Training
from iim.core.voting import Votes, cast_votes
from iim.core.workers import Workers
from iim.kernels.known import nearest_known_block


@dataclass(frozen=True)
class Completed:
    """Rows to learn from, their holes filled.

    A donor of a column is a row that really knows it and was chosen for it. Donors are numbered as the
    completed rows are.

    Attributes
    ----------
    training : Training
        The completed rows as a table; scaling, means and settings are those of the whole table.
    known, donors : ndarray of shape (n_completed, n_columns)
        Where a value is real, and which rows are donors of a column.
    rows : ndarray of shape (n_completed,)
        Their rows in the table given to ``fit``, increasing.
    turns : ndarray of shape (n_columns,)
        The columns in the order of their turns: fewest holes first.
    low, high : ndarray of shape (n_columns,)
        The range of each column's known values.
    fallbacks : tuple of Fallback
        For each column, what was given up in choosing its donors.
    rounds : Rounds
        How rows with holes are filled.
    """

    training: Training
    known: Booleans
    donors: Booleans
    rows: Integers
    turns: Integers
    low: Floats
    high: Floats
    fallbacks: tuple[Fallback, ...]
    rounds: Rounds

    @cached_property
    def columns(self) -> Floats:
        """(n_columns, n_completed): scaled coordinates, one line per column."""
        return np.ascontiguousarray(self.coordinates(self.training.matrix.values).T)

    @cached_property
    def knows(self) -> Booleans:
        """(n_columns, n_completed): who really knows a column."""
        return np.ascontiguousarray(self.known.T)

    @cached_property
    def asked(self) -> Booleans:
        """(n_columns, n_completed): who can be asked for a column."""
        return np.ascontiguousarray(self.donors.T)

    def __getstate__(self) -> dict[str, Any]:
        # Without what can be computed again.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: writable(value) for name, value in state.items()})

    def coordinates(self, values: Floats) -> Floats:
        """Scaled coordinates of rows, on all columns."""
        return self.training.scaling.coordinates(values, tuple(range(self.known.shape[1])))

    def with_values(self, values: Floats) -> Completed:
        """The same rows with other fills."""
        matrix = replace(self.training.matrix, values=values)
        return replace(self, training=replace(self.training, matrix=matrix))

    def pattern(self, column: int) -> Pattern:
        """A column from all the others."""
        return Pattern(tuple(other for other in range(self.known.shape[1]) if other != column), column)

    def prepare(self, column: int, workers: Workers) -> PatternModels:
        """Index the donors of a column; learn nothing yet."""
        donors = np.flatnonzero(self.donors[:, column])
        return prepare_models(
            self.training.matrix,
            self.training.scaling,
            DonorChoice(self.pattern(column).observed, donors, self.fallbacks[column]),
            column,
            plain_manner(self.training.settings),
            settings=self.training.settings,
            workers=workers,
        )

    def vote(
        self, models: PatternModels, receivers: Floats, neighbors: Neighbors, workers: Workers
    ) -> Votes:
        """What the nearest donors' models say of some rows, as these are filled by now."""
        queries = models.coordinates(self.training.scaling, receivers)
        return cast_votes(models, queries, neighbors, reach=self.training.settings.reach, workers=workers)

    def within(self, column: int, votes: Floats) -> Floats:
        """The nearest values in the range of the column's known ones: no wrong guess drives the next."""
        return np.clip(votes, self.low[column], self.high[column])


def settle(before: Floats, votes: Floats, turn: int) -> Floats:
    """The mean of a cell's votes over the rounds so far.

    Votes alone swing to and fro where two columns are missing together; their mean comes to rest.

    Parameters
    ----------
    before : ndarray of shape (n_cells,)
        The mean so far; what it holds before the first turn has no part.
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


@dataclass(frozen=True)
class Askers:
    """Rows that are being filled, and whom they ask.

    Attributes
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Their holes.
    cell : ndarray of shape (n_rows, n_columns)
        The line of the next two for each missing cell.
    distance, donor : ndarray of shape (n_cells, largest n_asked)
        Squared distances and numbers of the nearest donors.
    n_asked : ndarray of shape (n_columns,)
        How many there are to ask for a column: all its donors, if they are few.
    """

    missing: Booleans
    cell: Integers
    distance: Floats
    donor: Integers
    n_asked: Integers

    def donors(self, rows: Integers, column: int) -> Integers:
        """Numbers of the nearest donors for a column's cells in some rows."""
        return self.donor[self.cell[rows, column], : self.n_asked[column]]

    def neighbors(self, rows: Integers, models: PatternModels, column: int) -> Neighbors:
        """The same, by their places in a column's models."""
        distance = self.distance[self.cell[rows, column], : self.n_asked[column]]
        at = np.searchsorted(models.choice.rows, self.donors(rows, column))
        return Neighbors(distance, models.tree.place[at])


def find_donors(
    completed: Completed, values: Floats, missing: Booleans, *, shared: bool = False, workers: Workers
) -> Askers:
    """Nearest donors of every missing cell: of the donors of its column, on what its row knows.

    Parameters
    ----------
    completed : Completed
        The donors.
    values, missing : ndarray of shape (n_rows, n_columns)
        The rows, and their holes; what the holes hold does not matter.
    shared : bool
        Whether the donors' own holes do not matter, either: for a start, before these are filled.
    workers : Workers
        Who does the work.

    Returns
    -------
    Askers
        Time O(n_rows n_completed m), memory O(n_cells k).
    """
    n_neighbors = completed.training.settings.n_neighbors
    n_asked = np.minimum(np.count_nonzero(completed.donors, axis=0), n_neighbors)
    n_holes = np.count_nonzero(missing, axis=1)
    first_cell = np.cumsum(n_holes) - n_holes
    shape = (int(n_holes.sum()), int(n_asked.max()))
    distance, donor = np.empty(shape), np.empty(shape, np.intp)
    columns, knows, asked = completed.columns, completed.knows, completed.asked
    queries = completed.coordinates(values)

    def work(first: int, stop: int) -> None:
        rows = slice(first, stop)
        nearest_known_block(
            columns,
            knows,
            asked,
            shared,
            queries[rows],
            missing[rows],
            first_cell[rows],
            n_asked,
            distance,
            donor,
        )

    workers.run(work, missing.shape[0])
    cell = np.cumsum(missing).reshape(missing.shape) - 1
    return Askers(missing, cell, distance, donor, n_asked)


def start_from_neighbors(completed: Completed, askers: Askers, values: Floats) -> Floats:
    """Rows with the mean value of their nearest donors in each hole."""
    values = values.copy()
    exponent = completed.training.scaling.exponent
    for column in np.flatnonzero(askers.missing.any(axis=0)).tolist():
        rows = np.flatnonzero(askers.missing[:, column])
        given = completed.training.matrix.values[askers.donors(rows, column), column]
        mean = averaged(np.ldexp(given, -exponent[column]))
        values[rows, column] = in_table_units(mean, int(exponent[column]))
    return values
