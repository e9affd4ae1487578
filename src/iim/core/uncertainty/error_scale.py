"""Uncertainty of fills: a scale for each cell, from the spread of its candidates, and scores per column.

The error of a fill is a score times the cell's scale, ``unit * sqrt(floor + slope * s**2)``, where ``s`` is
the spread of its candidates in the column's units. Floor and slope are learned for each column from hidden
cells. The scores are the errors of these cells, each divided by its scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from iim._arrays import Floats
from iim.core.scaling import LARGEST
from iim.persistence import fields
from iim.persistence.fields import SMALLEST, Refused, Sizes, floats, real

SHARES = np.concatenate([[0.0], np.geomspace(0.01, 0.5, 12), 1.0 - np.geomspace(0.4, 0.01, 11)])
"""Candidates for the share of the squared scale that comes from the spread, at a typical cell."""

ORDINARY = 0.98
"""Errors are clipped to this quantile before the share is chosen."""

SMALLEST_SPREAD = 1e-100
"""A smaller spread of candidates, in the column's units, counts as 0."""

_FINITE = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class ErrorScale:
    """The distribution of errors in a column.

    Attributes
    ----------
    unit : float
        Unit of scales: the column's standard deviation, or 1 if that is 0.
    floor, slope : float
        Of the squared scale; see above.
    scores : ndarray of shape (n_cells,)
        Errors (truth minus fill) of hidden cells, divided by their scales, increasing.
    """

    unit: Annotated[float, real(SMALLEST, fields.LARGEST)]
    floor: Annotated[float, real(0, fields.LARGEST)]
    slope: Annotated[float, real(0, fields.LARGEST)]
    scores: Annotated[Floats, floats("scores")]

    own_sizes: ClassVar[bool] = True

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse scores out of order."""
        del sizes
        if np.any(self.scores[:-1] > self.scores[1:]):
            raise Refused("`ErrorScale.scores`: increasing numbers are needed")

    def scales(self, spread: Floats) -> Floats:
        """The scale of cells, by the spread of their candidates; NaN (no candidates) counts as 0."""
        with np.errstate(over="ignore"):
            spread = np.minimum(np.nan_to_num(spread) / self.unit, LARGEST)
            # hypot, because the squares could overflow.
            relative = np.hypot(math.sqrt(self.floor), math.sqrt(self.slope) * spread)
            return np.minimum(self.unit * relative, _FINITE)

    def std(self, spread: Floats) -> Floats:
        """The standard deviation of the errors of cells; NaN without scores."""
        if self.scores.size == 0:
            return np.full(spread.shape, np.nan)
        typical = float(np.sqrt(np.mean(self.scores**2)))
        with np.errstate(over="ignore"):
            return np.minimum(typical * self.scales(spread), _FINITE)

    def half_width(self, coverage: float) -> float:
        """Half the width of an interval with this coverage, in scales.

        The conformal quantile: the ``(n + 1) * coverage``-th smallest of n absolute scores. It interpolates
        linearly between two scores, so that small n do not give too wide intervals. If n is too small for
        the coverage, it is the largest score; infinite without scores.
        """
        if self.scores.size == 0:
            return math.inf
        return float(np.quantile(np.abs(self.scores), coverage, method="weibull"))

    def draw(self, uniforms: Floats) -> Floats:
        """Quantiles of the scores, with linear interpolation."""
        n_scores = self.scores.size
        if n_scores == 0:
            return np.zeros(uniforms.shape)
        return np.interp(uniforms, (np.arange(n_scores) + 0.5) / n_scores, self.scores)


def learn_scale(errors: Floats, spread: Floats, unit: float) -> ErrorScale:
    """Learn how errors grow with the spread of candidates.

    The share of the squared scale that comes from the spread maximises the likelihood of the errors under
    a Laplace distribution, after clipping them to the quantile ORDINARY. A normal likelihood would be
    decided by the few largest errors.

    Parameters
    ----------
    errors : ndarray of shape (n_cells,)
        Truth minus fill.
    spread : ndarray of shape (n_cells,)
        Spread of the candidates.
    unit : float
        Unit of both.

    Returns
    -------
    ErrorScale
    """
    with np.errstate(over="ignore"):
        # Clipped, because squares would overflow.
        errors = np.clip(errors / unit, -LARGEST, LARGEST)
        spread = np.minimum(spread / unit, LARGEST)
    size = np.abs(errors)
    if size.size:
        size = np.minimum(size, np.quantile(size, ORDINARY))
    apart = spread[spread > SMALLEST_SPREAD]
    floor, slope = 1.0, 0.0
    if size.any() and apart.size:
        typical = float(np.median(apart))
        shapes = [np.hypot(math.sqrt(1 - share), math.sqrt(share) * (spread / typical)) for share in SHARES]
        surprise = [math.log(np.mean(size / shape)) + np.mean(np.log(shape)) for shape in shapes]
        share = float(SHARES[int(np.argmin(surprise))])
        floor, slope = 1 - share, share / typical**2
    without_unit = ErrorScale(1.0, floor, slope, np.empty(0))
    return ErrorScale(unit, floor, slope, np.sort(errors / without_unit.scales(spread)))


def candidate_spread(candidates: Floats, weights: Floats) -> Floats:
    """Weighted standard deviation of each cell's candidates around their weighted mean.

    Parameters
    ----------
    candidates, weights : ndarray of shape (n_cells, k)
        The candidates and their weights; NaN where a cell has fewer candidates.

    Returns
    -------
    ndarray of shape (n_cells,)
        NaN for cells without any weight.
    """
    weights = np.where(np.isnan(candidates), 0.0, weights)
    # Divided by the largest, so that no square overflows.
    largest = np.nan_to_num(np.abs(candidates), nan=0.0).max(axis=1, initial=0.0)
    largest = np.where(largest > 0, largest, 1.0)
    scaled = np.nan_to_num(candidates, nan=0.0) / largest[:, None]
    total = weights.sum(axis=1)
    weights = weights / np.where(total > 0, total, np.nan)[:, None]
    center = (weights * scaled).sum(axis=1)
    variance = (weights * (scaled - center[:, None]) ** 2).sum(axis=1)
    return np.asarray(largest * np.sqrt(variance))
