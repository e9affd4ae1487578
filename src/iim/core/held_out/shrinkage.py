"""Shrinkage: how far the models of a column are drawn towards one global regression and the mean.

A column that nothing predicts is filled best by its mean, and one that follows one linear formula by one
regression over all donors. So every model of a column becomes a mixture of itself, that regression and the
mean; candidates, votes and explanations follow. The shares are chosen by held-out errors. If the rows to
fill lie beyond the donors, as after an outage or at the end of a series, the donors next to them are held
out together: to leave out one donor at a time would not show how far the models extrapolate.
"""

from __future__ import annotations

from itertools import product
from typing import Annotated, NamedTuple

import numpy as np

from iim._arrays import Floats
from iim.persistence.fields import floats, real

RIDGE = 1e-3
"""Ridge weight of the regression, relative to the variance of each column."""

LEAST = 2.0**-10
"""Least share of the models: with none, candidates would no longer tell where fills are uncertain."""

SHARES = tuple(
    (max(a / 4, LEAST), min(b / 4, 1.0 - max(a / 4, LEAST)))
    for a, b in product(range(4, -1, -1), range(5))
    if a + b <= 4
)
"""Shares of the models and of the regression that are tried, the models alone first."""

GAIN = 0.01
"""A share of the regression or of the mean must lower the error by this share."""

TINY = 1e-12
"""Errors below this, in standard deviations, are none."""

LEAST_LEFT = 1e-3
"""Lower bound on 1 - leverage."""

NARROWEST = 1e-150
"""Columns whose values lie closer together are constant: slopes stay finite."""


class Shares(NamedTuple):
    """The parts of the models of a column; the rest is its mean."""

    models: Annotated[float, real(0, 1)]
    """Of the individual models."""
    regression: Annotated[float, real(0, 1)]
    """Of one regression over all donors."""


NO_SHRINKAGE = Shares(1.0, 0.0)
"""The individual models alone."""


class Shrinkage(NamedTuple):
    """What the models of a problem are drawn towards, and how far."""

    share: Annotated[float, real(0, 1)]
    """Of each model itself."""
    base: Annotated[Floats, floats("observed + 1")]
    """The rest, a linear function of the transformed coordinates: its value at 0, then its slopes."""

    def apply(self, coef: Floats, points: Floats) -> Floats:
        """Shrink models.

        Parameters
        ----------
        coef : ndarray of shape (n_models, n_observed + 1)
            Value at the donor, then slopes.
        points : ndarray of shape (n_models, n_observed)
            Transformed coordinates of the donors.

        Returns
        -------
        ndarray of shape (n_models, n_observed + 1)
        """
        if self.share == 1.0:
            return coef
        at_donor = np.full(points.shape[0], self.base[0])
        for column, slope in zip(points.T, self.base[1:], strict=True):
            at_donor += slope * column
        shrunk = self.share * coef
        shrunk[:, 0] += at_donor
        shrunk[:, 1:] += self.base[1:]
        return shrunk


class Regression(NamedTuple):
    """One ridge regression over a sample of donors."""

    coef: Floats
    """(n_observed + 1,): value at 0, then slopes."""
    left_out: Floats
    """(n_donors,): prediction of each donor by the regression over the others."""

    def predict(self, points: Floats) -> Floats:
        """Predictions for rows of coordinates."""
        return np.asarray(self.coef[0] + np.einsum("ij,j->i", points, self.coef[1:]))


def regress(points: Floats, targets: Floats) -> Regression:
    """Regress on all columns; O(n m^2 + m^3).

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates.
    targets : ndarray of shape (n_donors,)
        Their values, between -1 and 1.

    Returns
    -------
    Regression
    """
    center, mean = points.mean(axis=0), targets.mean()
    unit = np.abs(points - center).max(axis=0)
    unit = np.where(unit > NARROWEST, unit, np.inf)
    scaled = (points - center) / unit
    # Products without BLAS: their bits do not depend on its threads.
    gram = np.einsum("ij,ik->jk", scaled, scaled)
    gram[np.diag_indices_from(gram)] *= 1.0 + RIDGE
    gram[np.diag_indices_from(gram)] += np.isinf(unit)
    pull = np.linalg.solve(gram, scaled.T)
    slopes = np.einsum("ji,i->j", pull, targets - mean)
    leverage = 1.0 / targets.size + np.einsum("ij,ji->i", scaled, pull)
    apart = targets - mean - np.einsum("ij,j->i", scaled, slopes)
    raw = slopes / unit
    return Regression(
        np.concatenate([[mean - float(np.einsum("j,j->", raw, center))], raw]),
        targets - apart / np.maximum(1.0 - leverage, LEAST_LEFT),
    )


def choose_shares(models: Floats, regression: Floats, mean: Floats, truth: Floats) -> Shares:
    """The shares with the smallest error; the models alone, unless another lowers it by more than GAIN.

    Parameters
    ----------
    models, regression, mean : ndarray of shape (n,)
        Held-out predictions of the same values.
    truth : ndarray of shape (n,)
        The values.

    Returns
    -------
    Shares
    """
    unit = float(truth.std()) or 1.0
    losses = np.array(
        [loss_of((a * models + b * regression + (1.0 - a - b) * mean - truth) / unit) for a, b in SHARES]
    )
    best = int(np.argmin(losses))
    return Shares(*SHARES[best]) if losses[best] < losses[0] - 2.0 * GAIN else NO_SHRINKAGE


def shrink_towards(points: Floats, targets: Floats, shares: Shares, transform: Floats) -> Shrinkage:
    """The shrinkage of a problem's models.

    Parameters
    ----------
    points, targets : ndarray
        See :func:`regress`: a sample of the problem's donors.
    shares : Shares
        Of the column.
    transform : ndarray of shape (n_observed, n_observed) or (0, 0)
        Of the scaled coordinates; IDENTITY if empty.

    Returns
    -------
    Shrinkage
    """
    if shares.models == 1.0:
        return no_shrinkage(points.shape[1])
    coef = shares.regression * regress(points, targets).coef
    coef[0] += (1.0 - shares.models - shares.regression) * targets.mean()
    if transform.size:
        coef[1:] = np.linalg.solve(transform, coef[1:])
    return Shrinkage(shares.models, coef)


def no_shrinkage(n_observed: int) -> Shrinkage:
    """Models as they are."""
    return Shrinkage(1.0, np.zeros(n_observed + 1))


def loss_of(errors: Floats) -> float:
    """Logarithms of the mean absolute and the root mean square error, added, so that both count.

    Parameters
    ----------
    errors : ndarray
        In standard deviations of the column.

    Returns
    -------
    float
    """
    size = np.abs(errors) if errors.size else np.ones(1)
    return float(np.log(size.mean() + TINY) + 0.5 * np.log((size**2).mean() + TINY**2))
