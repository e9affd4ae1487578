"""Bayesian linear regression: the estimate, and draws of coefficients and variance around it.

As ``norm`` and ``pmm`` of the R package mice draw them: under a flat prior, the residual sum of squares
divided by a chi-square draw gives the variance, and given that the coefficients are normal around the
estimate.
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
    """A linear model and a noise level, drawn together."""

    line: Line
    sigma: Annotated[float, real(0, np.inf)]


@dataclass(frozen=True)
class Posterior:
    """What the donors tell of a linear law.

    Attributes
    ----------
    line : Line
        The estimate; its level is the mean of the targets.
    spread : ndarray of shape (n_observed, n_observed)
        A square root S of the slopes' covariance for noise 1: S S' = (X'X + ridge)^-1, X centred.
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
        """Draw a noise level, then a model."""
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
        Share of the diagonal of X'X, X centred, that is added to it.

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
    # Columns of one length: then a ridge of one size is the wanted share of each diagonal entry.
    correlation = gram * unit * unit[:, None] + np.diag(np.where(varies, ridge, 1.0))
    units = np.concatenate([[1.0], unit, [1.0]])
    products = products * units * units[:, None]
    slopes = np.empty(n_observed)
    level = solve_around(products, center, reference, float(ridge), INTERCEPT_FREE, slopes)
    eigenvalue, eigenvector = np.linalg.eigh(correlation)
    # Directions in which the donors do not differ at all tell nothing: their slope stays at the estimate.
    known = eigenvalue > np.finfo(np.float64).eps * n_observed
    root = np.where(known, 1.0 / np.sqrt(np.where(known, eigenvalue, 1.0)), 0.0)
    # The symmetric root: signs and order of eigenvectors, which rounding decides, do not change it.
    spread = unit[:, None] * ((eigenvector * root) @ eigenvector.T)
    line = Line(center, level, slopes * unit)
    residual = float(np.sum((targets - line.predict(points)) ** 2))
    return Posterior(line, spread, residual, len(targets))
