"""One ridge regression over all donors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.row_products import times
from iim.kernels.local import solve_around, sum_products
from iim.persistence.fields import floats, real


@dataclass(frozen=True)
class Line:
    """A linear model, ``level + (point - center) . slopes``.

    Attributes
    ----------
    center : ndarray of shape (n_observed,)
        The point where the model has the value ``level``; centring avoids cancellation.
    level : float
        The model's value at ``center``.
    slopes : ndarray of shape (n_observed,)
        The coefficients.
    """

    # Mostly coordinates, but ERACER's last one is in the unit of a target, and can be larger.
    center: Annotated[Floats, floats("slopes")]
    level: Annotated[float, real(-np.inf, np.inf)]
    slopes: Annotated[Floats, floats("slopes", finite=False)]

    def predict(self, points: Floats) -> Floats:
        """Values at points of shape (n, n_observed), row by row."""
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
        Whether the ridge penalises the slopes only, or the intercept (at the origin) too.

    Returns
    -------
    Line
        If columns are collinear and ``alpha`` is 0, redundant columns have slope 0. O(n m^2).
    """
    center, reference = points.mean(axis=0), float(targets.mean())
    products = learn_products(points, targets, center, reference)
    slopes = np.empty(points.shape[1])
    level = solve_around(products, center, reference, float(alpha), penalty == "all", slopes)
    return Line(center, level, slopes)


def learn_products(points: Floats, targets: Floats, center: Floats, reference: float) -> Floats:
    """Sums of products of (1, F, A), relative to a point and a value: (m + 2, m + 2), lower triangle."""
    products = np.empty((points.shape[1] + 2, points.shape[1] + 2))
    sum_products(np.ascontiguousarray(points), np.ascontiguousarray(targets), center, reference, products)
    return products
