"""A table as points: scaled coordinates, missing cells at the column means, and back to the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.column_means import column_means
from iim.core.scaling import LARGEST, Scaling, learn_scaling
from iim.matrix import MaskedMatrix
from iim.persistence.fields import SMALLEST, floats


@dataclass(frozen=True)
class Coordinates:
    """The coordinates in which a table is modelled as a whole.

    Attributes
    ----------
    scaling : Scaling
        Of its columns.
    means : ndarray of shape (n_columns,)
        Mean of each column's known values, in the units of the table.
    start : ndarray of shape (n_columns,)
        The means as coordinates: the first fill of a missing cell.
    unit : ndarray of shape (n_columns,)
        Standard deviation of each coordinate, 1 for a constant column. Changes are measured in it, so that
        convergence does not depend on the units of the table.
    """

    scaling: Scaling
    means: Annotated[Floats, floats("columns")]
    start: Annotated[Floats, floats("columns", least=-LARGEST, most=LARGEST)]
    unit: Annotated[Floats, floats("columns", least=SMALLEST)]

    def points(self, matrix: MaskedMatrix) -> Floats:
        """Coordinates of all rows, with the means in missing cells."""
        return np.where(matrix.missing, self.start, self.scaling.coordinates(matrix.values, self._columns))

    def fill(self, matrix: MaskedMatrix, points: Floats) -> Floats:
        """The values of a table, missing cells filled from points; rows without any value get the means."""
        unknown = matrix.missing.all(axis=1, keepdims=True)
        fills = np.where(unknown, self.means, self.table_units(points))
        return np.where(matrix.missing, fills, matrix.values)

    def table_units(self, points: Floats) -> Floats:
        """Points of shape (n, n_columns) in the units of the table."""
        return self.scaling.values(points, self._columns)

    def table_covariances(self, covariances: Floats) -> Floats:
        """Covariances of shape (n, n_columns, n_columns) in squared units of the table."""
        spread = self.scaling.table_spreads()
        largest = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            # Kept finite: infinity times the spread 0 of a constant column is NaN.
            once = np.clip(covariances * spread, -largest, largest)
            return np.clip(once * spread[:, None], -largest, largest)

    @property
    def _columns(self) -> tuple[int, ...]:
        return tuple(range(self.means.size))


def learn_coordinates(matrix: MaskedMatrix, scale: str) -> Coordinates:
    """Learn a table's scales and means.

    Parameters
    ----------
    matrix : MaskedMatrix
        Each column has a known value.
    scale : {"standard", "robust", "none"}
        How columns are brought to one scale.

    Returns
    -------
    Coordinates
    """
    scaling, means = learn_scaling(matrix, scale), column_means(matrix)
    columns = tuple(range(matrix.n_columns))
    spread = np.nanstd(scaling.coordinates(matrix.values, columns), axis=0)
    start = scaling.coordinates(means[None], columns)[0]
    return Coordinates(scaling, means, start, np.where(spread > 0, spread, 1.0))


def informed_rows(matrix: MaskedMatrix) -> MaskedMatrix:
    """The rows with a known value, sorted by value; all rows of a table without columns.

    Sorted, so that draws and sums do not depend on the order of the rows, not even by rounding.
    O(m n log n).
    """
    if matrix.n_columns == 0:
        return matrix
    order = np.lexsort(matrix.values.T[::-1])
    rows = order[~matrix.missing[order].all(axis=1)]
    return MaskedMatrix(matrix.values[rows], matrix.missing[rows], matrix.columns)
