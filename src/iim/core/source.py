"""The training table, and the arrays of the problems on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim._checks import one_of, whole_number
from iim.core.arithmetic.column_means import column_means
from iim.core.donors import Problem, choose_donors
from iim.core.patterns import Pattern
from iim.core.scaling import Scaling, learn_scaling
from iim.matrix import MaskedMatrix
from iim.persistence.fields import floats, real, scalar


@dataclass(frozen=True)
class DonorValues:
    """The donors of a problem as arrays, in row order.

    Attributes
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Their scaled coordinates.
    targets : ndarray of shape (n_donors,)
        Their known values, in units of two to the power ``exponent``: exact, and safe to square.
    exponent : int
        See ``targets``.
    """

    points: Floats
    targets: Floats
    exponent: int


@dataclass(frozen=True)
class TargetScale:
    """Scaling of the column to fill, in the unit of a problem's targets.

    Attributes
    ----------
    center, spread : float
        For a constant column: its value, and infinity.
    """

    center: Annotated[float, real(-np.inf, np.inf)]
    spread: Annotated[float, real(0, np.inf)]

    def coordinates(self, values: Floats) -> Floats:
        """Scaled coordinates of values; 0 for a constant column."""
        return (values - self.center) / self.spread


@dataclass(frozen=True)
class Source:
    """The training table with its scaling and means, and which rows may be donors.

    Attributes
    ----------
    matrix : MaskedMatrix
        The table; every column has a known value.
    scaling : Scaling
        Of its columns.
    means : ndarray of shape (n_columns,)
        Mean of each column's known values: the last fallback.
    which : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer donors than this are too few.
    """

    matrix: MaskedMatrix
    scaling: Scaling
    means: Annotated[Floats, floats("columns")]
    which: Annotated[str, scalar(one_of("available", "complete"))]
    min_donors: Annotated[int, scalar(whole_number(least=1))]

    def pose(self, pattern: Pattern) -> Problem:
        """The problem to solve for a pattern: donors, columns used, fallback."""
        return choose_donors(self.matrix.missing, pattern, which=self.which, min_donors=self.min_donors)

    def points(self, problem: Problem) -> Floats:
        """(n_donors, n_observed): scaled coordinates of a problem's donors."""
        return self.scaling.coordinates(self.matrix.values[problem.rows], problem.observed)

    def targets(self, problem: Problem) -> tuple[Floats, int]:
        """Known values of a problem's donors, in units of a power of two, and its exponent."""
        values = self.matrix.values[problem.rows, problem.pattern.target]
        exponent = int(np.frexp(np.abs(values).max())[1])
        return np.ldexp(values, -exponent), exponent

    def donor_values(self, problem: Problem) -> DonorValues:
        """The arrays of a problem's donors; without columns if the fallback is the column mean."""
        return DonorValues(self.points(problem), *self.targets(problem))

    def target_scale(self, target: int, exponent: int) -> TargetScale:
        """Scaling of a column, in units of two to the power ``exponent``."""
        if np.isinf(self.scaling.spread[target]):
            return TargetScale(float(np.ldexp(self.means[target], -exponent)), np.inf)
        shift = int(self.scaling.exponent[target]) - exponent
        with np.errstate(over="ignore"):
            center = float(np.ldexp(self.scaling.center[target], shift))
            spread = float(np.ldexp(self.scaling.spread[target], shift))
        if np.isinf(center) or np.isinf(spread):
            # These donors are so small beside the column's largest value that on its scale they are equal.
            return TargetScale(0.0, np.inf)
        return TargetScale(center, spread)


def learn_source(matrix: MaskedMatrix, *, scale: str, which: str, min_donors: int) -> Source:
    """Learn a table's scales and means.

    Parameters
    ----------
    matrix : MaskedMatrix
        Each column has a known value.
    scale : {"standard", "robust", "none"}
        How columns are brought to one scale.
    which : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer donors than this are too few.

    Returns
    -------
    Source
    """
    return Source(matrix, learn_scaling(matrix, scale), column_means(matrix), which, min_donors)
