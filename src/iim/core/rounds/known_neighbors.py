"""Nearest donors of missing cells, on the observed values of their rows, and first fills from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.arithmetic.row_products import averaged
from iim.core.execution.context import Context
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.rounds.completed_table import CompletedTable
from iim.core.scaling import in_table_units
from iim.kernels.known import nearest_known_block


@dataclass(frozen=True)
class KnownNeighbors:
    """The nearest donors of the missing cells of some rows.

    Attributes
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        The rows' missing cells.
    cell : ndarray of shape (n_rows, n_columns)
        For each missing cell, its row in ``distance`` and ``donor``.
    distance, donor : ndarray of shape (n_cells, largest n_asked)
        Squared distances and numbers of the nearest donors.
    n_asked : ndarray of shape (n_columns,)
        Number of neighbours for each column: k, or all its donors if they are fewer.
    """

    missing: Booleans
    cell: Integers
    distance: Floats
    donor: Integers
    n_asked: Integers

    def donors(self, rows: Integers, column: int) -> Integers:
        """Numbers of the nearest donors for a column's cells in some rows."""
        return self.donor[self.cell[rows, column], : self.n_asked[column]]

    def among(self, models: PatternModels, rows: Integers) -> Neighbors:
        """The same, by their places in the models of a column."""
        column = models.problem.pattern.target
        distance = self.distance[self.cell[rows, column], : self.n_asked[column]]
        at = np.searchsorted(models.problem.rows, self.donors(rows, column))
        return Neighbors(distance, models.tree.place[at])


def find_known_neighbors(
    completed: CompletedTable,
    values: Floats,
    missing: Booleans,
    *,
    n_neighbors: int,
    shared: bool = False,
    context: Context,
) -> KnownNeighbors:
    """Nearest donors of every missing cell: among the donors of its column, on its row's known values.

    Parameters
    ----------
    completed : CompletedTable
        The donors.
    values, missing : ndarray of shape (n_rows, n_columns)
        The rows, and their missing cells; values in missing cells are not used.
    n_neighbors : int
        How many to find.
    shared : bool
        Whether to use columns that are observed in the donor too only: for the first fills.
    context : Context
        How to run.

    Returns
    -------
    KnownNeighbors
        Time O(n_rows n_completed m), memory O(n_cells k).
    """
    n_asked = np.minimum(np.count_nonzero(completed.donors, axis=0), n_neighbors)
    n_holes = np.count_nonzero(missing, axis=1)
    first_cell = np.cumsum(n_holes) - n_holes
    shape = (int(n_holes.sum()), int(n_asked.max()))
    distance, donor = np.empty(shape), np.empty(shape, np.intp)
    by_column, queries = completed.by_column, completed.coordinates(values)
    context.silent.run(
        lambda first, stop: nearest_known_block(
            *by_column,
            shared,
            queries[first:stop],
            missing[first:stop],
            first_cell[first:stop],
            n_asked,
            distance,
            donor,
        ),
        missing.shape[0],
    )
    cell = np.cumsum(missing).reshape(missing.shape) - 1
    return KnownNeighbors(missing, cell, distance, donor, n_asked)


def start_from_neighbors(completed: CompletedTable, found: KnownNeighbors, values: Floats) -> Floats:
    """Rows with the mean of their nearest donors in each missing cell."""
    values = values.copy()
    exponent = completed.source.scaling.exponent
    for column in np.flatnonzero(found.missing.any(axis=0)).tolist():
        rows = np.flatnonzero(found.missing[:, column])
        given = completed.source.matrix.values[found.donors(rows, column), column]
        mean = averaged(np.ldexp(given, -exponent[column]))
        values[rows, column] = in_table_units(mean, int(exponent[column]))
    return values
