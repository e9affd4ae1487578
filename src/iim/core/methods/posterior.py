"""Bayesian linear regression: the estimate, and posterior draws of coefficients and variance.

The draws are those of ``norm`` and ``pmm`` in the R package mice, under a flat prior. The variance is the
residual sum of squares divided by a chi-square draw. Given the variance, the coefficients are normal around
the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim.core.methods.linear import Line, learn_products
from iim.kernels.local import solve_around
from iim.persistence.fields import real

INTERCEPT_FREE = False


@dataclass(frozen=True)
class PosteriorDraw:
    """A linear model and a residual standard deviation, drawn together."""

    line: Line
    sigma: Annotated[float, real(0, np.inf)]


@dataclass(frozen=True)
class Posterior:
    """The posterior of a linear model, given the donors.

    Attributes
    ----------
    line : Line
        The estimate; its level is the mean of the targets.
    spread : ndarray of shape (n_observed, n_observed)
        A square root S of the slopes' covariance for residual variance 1: S S' = (X'X + ridge)^-1, X
        centred.
    residual : float
        Residual sum of squares.
    n_donors : int
        Number of donors.
    """

    line: Line
    spread: Floats
    residual: float
    n_donors: int

    def draw(self, generator: np.random.Generator) -> PosteriorDraw:
        """Draw a residual standard deviation, then a model."""
        freedom = max(self.n_donors - self.spread.shape[0] - 1, 1)
        sigma = float(np.sqrt(self.residual / generator.chisquare(freedom)))
        normals = generator.standard_normal(self.spread.shape[0] + 1)
        level = self.line.level + sigma * normals[0] / np.sqrt(self.n_donors)
        slopes = self.line.slopes + sigma * (self.spread @ normals[1:])
        return PosteriorDraw(Line(self.line.center, float(level), slopes), sigma)


def learn_posterior(points: Floats, targets: Floats, *, ridge: float) -> Posterior:
    """Regress targets on points.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates.
    targets : ndarray of shape (n_donors,)
        Values.
    ridge : float
        Ridge weight as a share of the diagonal of X'X, X centred.

    Returns
    -------
    Posterior
        Constant columns have slope 0 in the estimate and in every draw.
    """
    n_observed = points.shape[1]
    center, reference = points.mean(axis=0), float(targets.mean())
    products = learn_products(points, targets, center, reference)
    gram = products[1:-1, 1:-1] + np.tril(products[1:-1, 1:-1], -1).T
    length = np.sqrt(np.diagonal(gram))
    varies = length > 0.0
    unit = np.where(varies, 1.0 / np.where(varies, length, 1.0), 0.0)
    # Columns of unit length: then one ridge weight is the wanted share of each diagonal entry.
    correlation = gram * unit * unit[:, None] + np.diag(np.where(varies, ridge, 1.0))
    units = np.concatenate([[1.0], unit, [1.0]])
    products = products * units * units[:, None]
    slopes = np.empty(n_observed)
    level = solve_around(products, center, reference, float(ridge), INTERCEPT_FREE, slopes)
    eigenvalue, eigenvector = np.linalg.eigh(correlation)
    # Directions without variance in the donors: the slope stays at the estimate in every draw.
    known = eigenvalue > np.finfo(np.float64).eps * n_observed
    root = np.where(known, 1.0 / np.sqrt(np.where(known, eigenvalue, 1.0)), 0.0)
    # The symmetric root does not depend on the signs and order of eigenvectors, which rounding decides.
    spread = unit[:, None] * ((eigenvector * root) @ eigenvector.T)
    line = Line(center, level, slopes * unit)
    residual = float(np.sum((targets - line.predict(points)) ** 2))
    return Posterior(line, spread, residual, len(targets))
