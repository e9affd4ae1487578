"""One ridge regression over all donors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats
from iim.core.rows import times


@dataclass(frozen=True)
class Line:
    """A linear model, ``level + (point - center) . slopes``.

    Attributes
    ----------
    center : ndarray of shape (n_observed,)
        Where the level is taken; far from it no digits are lost.
    level : float
        The model's value there.
    slopes : ndarray of shape (n_observed,)
        Its slopes.
    """

    center: Floats
    level: float
    slopes: Floats

    def predict(self, points: Floats) -> Floats:
        """Values at points of shape (n, n_observed), each by itself."""
        return self.level + times(points - self.center, self.slopes)


def learn_line(points: Floats, targets: Floats, *, alpha: float, penalty: str) -> Line:
    """Ridge regression of targets on points.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Coordinates.
    targets : ndarray of shape (n_donors,)
        Values.
    alpha : float
        Ridge weight.
    penalty : {"slopes", "all"}
        Whether the ridge weighs on the slopes only, or on the intercept (at the origin) too.

    Returns
    -------
    Line
        Of least norm if columns depend on each other and ``alpha`` is 0. O(n m^2).
    """
    n_observed = points.shape[1]
    if penalty == "all":
        # One more observation: value 0 at the origin, with the weight of the ridge.
        design = np.vstack(
            [np.column_stack([np.ones(len(points)), points]), np.sqrt(alpha) * np.eye(n_observed + 1)]
        )
        coef = _least_squares(design, np.concatenate([targets, np.zeros(n_observed + 1)]))
        return Line(np.zeros(n_observed), float(coef[0]), coef[1:])
    center, level = points.mean(axis=0), float(targets.mean())
    design = np.vstack([points - center, np.sqrt(alpha) * np.eye(n_observed)])
    slopes = _least_squares(design, np.concatenate([targets - level, np.zeros(n_observed)]))
    return Line(center, level, slopes)


def _least_squares(design: Floats, values: Floats) -> Floats:
    # On the rows themselves, not on their squares: twice the digits where columns are nearly dependent.
    return np.asarray(np.linalg.lstsq(design, values, rcond=None)[0], np.float64)
