"""From a pattern to the regression problem that is solved for it: donors, coordinates, known values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.donors import Fallback, choose_donors
from iim.core.means import column_means
from iim.core.patterns import Pattern
from iim.core.scaling import Scaling, learn_scaling
from iim.matrix import MaskedMatrix


@dataclass(frozen=True)
class Problem:
    """Predict A from F, given donors that know both.

    Attributes
    ----------
    observed : tuple of int
        The columns used; at least one.
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
    center, spread : float
        How the target itself is scaled, in the unit of ``targets``; the spread of a constant one is
        infinite, and its center its value.
    """

    observed: tuple[int, ...]
    target: int
    rows: Integers
    points: Floats
    targets: Floats
    exponent: int
    center: float
    spread: float

    def target_coordinates(self, values: Floats) -> Floats:
        """Scaled coordinates of values in the unit of ``targets``; 0 for a constant column."""
        return (values - self.center) / self.spread


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

    def pose(self, pattern: Pattern) -> tuple[Problem | None, Fallback]:
        """The problem to solve for a pattern; None if only the column mean is left. What was given up."""
        choice = choose_donors(self.matrix.missing, pattern, which=self.which, min_donors=self.min_donors)
        if choice.fallback is Fallback.MEAN:
            return None, choice.fallback
        values = self.matrix.values[choice.rows]
        exponent = int(np.frexp(np.abs(values[:, pattern.target]).max())[1])
        problem = Problem(
            choice.observed,
            pattern.target,
            choice.rows,
            self.scaling.coordinates(values, choice.observed),
            np.ldexp(values[:, pattern.target], -exponent),
            exponent,
            *self._target_scale(pattern.target, exponent),
        )
        return problem, choice.fallback

    def _target_scale(self, target: int, exponent: int) -> tuple[float, float]:
        if np.isinf(self.scaling.spread[target]):
            return float(np.ldexp(self.means[target], -exponent)), np.inf
        shift = int(self.scaling.exponent[target]) - exponent
        return (
            float(np.ldexp(self.scaling.center[target], shift)),
            float(np.ldexp(self.scaling.spread[target], shift)),
        )


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
