"""From a pattern to the regression problem that is solved for it: donors, coordinates, known values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.donors import DonorChoice, choose_donors
from iim.core.means import column_means
from iim.core.patterns import Pattern
from iim.core.scaling import Scaling, in_table_units, learn_scaling
from iim.matrix import MaskedMatrix


@dataclass(frozen=True)
class TargetScale:
    """How the column to fill is scaled itself, in the unit of a problem's targets.

    Attributes
    ----------
    center, spread : float
        A constant column has its value as center, and infinite spread.
    """

    center: float
    spread: float

    def coordinates(self, values: Floats) -> Floats:
        """Scaled coordinates of values; 0 for a constant column."""
        return (values - self.center) / self.spread


@dataclass(frozen=True)
class Problem:
    """Predict A from F, given donors that know both.

    Attributes
    ----------
    observed : tuple of int
        The columns used.
    target : int
        The column to fill.
    rows : ndarray of shape (n_donors,)
        Rows of the training table, increasing.
    points : ndarray of shape (n_donors, n_observed)
        Their scaled coordinates.
    targets : ndarray of shape (n_donors,)
        Their known values, in units of two to the power ``exponent``: exact, and safe to square.
    exponent : int
        See ``targets``.
    target_scale : TargetScale
        How the target itself is scaled.
    """

    observed: tuple[int, ...]
    target: int
    rows: Integers
    points: Floats
    targets: Floats
    exponent: int
    target_scale: TargetScale


@dataclass(frozen=True)
class Source:
    """A table to learn from, and the rules by which it is divided into problems.

    Attributes
    ----------
    matrix : MaskedMatrix
        The table; every column has a known value.
    scaling : Scaling
        Of its columns.
    means : ndarray of shape (n_columns,)
        Mean of each column's known values.
    which : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer donors than this are too few.
    """

    matrix: MaskedMatrix
    scaling: Scaling
    means: Floats
    which: str
    min_donors: int

    def choose(self, pattern: Pattern) -> DonorChoice:
        """The donors of a pattern, the columns used, and what was given up."""
        return choose_donors(self.matrix.missing, pattern, which=self.which, min_donors=self.min_donors)

    def pose(self, pattern: Pattern, choice: DonorChoice) -> Problem:
        """The problem to solve for a pattern; without columns if only the column mean is left."""
        values = self.matrix.values[choice.rows]
        exponent = int(np.frexp(np.abs(values[:, pattern.target]).max())[1])
        return Problem(
            observed=choice.observed,
            target=pattern.target,
            rows=choice.rows,
            points=self.scaling.coordinates(values, choice.observed),
            targets=np.ldexp(values[:, pattern.target], -exponent),
            exponent=exponent,
            target_scale=self._target_scale(pattern.target, exponent),
        )

    def _target_scale(self, target: int, exponent: int) -> TargetScale:
        if np.isinf(self.scaling.spread[target]):
            return TargetScale(float(np.ldexp(self.means[target], -exponent)), np.inf)
        shift = int(self.scaling.exponent[target]) - exponent
        # Cut off, not infinite: with raw values, the unit 1 is beyond all measure for the smallest targets.
        center, spread = in_table_units(
            np.array([self.scaling.center[target], self.scaling.spread[target]]), shift
        )
        return TargetScale(float(center), float(spread))


def take_in(matrix: MaskedMatrix, *, scale: str, which: str, min_donors: int) -> Source:
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
