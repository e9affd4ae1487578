"""How wrong a fill may be: a scale for each cell, from the spread of its candidates, and scores for all.

The error of a fill is a score times the cell's scale: ``scale = unit * sqrt(floor + slope * s**2)`` with
the spread ``s`` of its candidates in the column's units. Floor and slope are learned for each column from
cells whose truth is known, and the scores are the errors of these cells, each divided by its scale.
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
"""How much of the squared scale may come from the spread, at a cell of typical spread."""

ORDINARY = 0.98
"""Share of errors that decide how these grow with the spread; the others count as the largest of them."""

SMALLEST_SPREAD = 1e-100
"""Candidates that lie apart by less, in the column's units, are taken to agree."""

_FINITE = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class ErrorScale:
    """What is known of the errors in a column.

    Attributes
    ----------
    unit : float
        What scales are measured in: the column's standard deviation, or 1 if it has none.
    floor, slope : float
        Of the squared scale; see above.
    scores : ndarray of shape (n_cells,)
        Errors (truth minus fill) of cells with known truth, in their scales, increasing.
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
        """The scale of cells, by the spread of their candidates; NaN, as of no candidates, counts as 0."""
        with np.errstate(over="ignore"):
            spread = np.minimum(np.nan_to_num(spread) / self.unit, LARGEST)
            # By hypot: the squares themselves could overflow.
            relative = np.hypot(math.sqrt(self.floor), math.sqrt(self.slope) * spread)
            return np.minimum(self.unit * relative, _FINITE)

    def std(self, spread: Floats) -> Floats:
        """The standard deviation of the errors of cells; NaN if nothing is known of errors."""
        if self.scores.size == 0:
            return np.full(spread.shape, np.nan)
        typical = float(np.sqrt(np.mean(self.scores**2)))
        with np.errstate(over="ignore"):
            return np.minimum(typical * self.scales(spread), _FINITE)

    def half_width(self, coverage: float) -> float:
        """How many scales to both sides of a fill hold this share of the truths.

        The conformal quantile, the ``(n + 1) * coverage``-th of n sizes: of these and one more, each is as
        likely to be the largest. Between two sizes it is linear, so that small n do not hold more than
        they should. Where n is too small to tell, it is the largest; infinite without any.
        """
        if self.scores.size == 0:
            return math.inf
        return float(np.quantile(np.abs(self.scores), coverage, method="weibull"))

    def draw(self, uniforms: Floats) -> Floats:
        """Scores at places between 0 and 1 of their distribution, which is linear from each to the next."""
        n_scores = self.scores.size
        if n_scores == 0:
            return np.zeros(uniforms.shape)
        return np.interp(uniforms, (np.arange(n_scores) + 0.5) / n_scores, self.scores)


def learn_scale(errors: Floats, spread: Floats, unit: float) -> ErrorScale:
    """Learn how errors grow with the spread of candidates.

    The share of the squared scale that comes from the spread is the one under which the errors are most
    likely, if they had Laplace's distribution and the few largest were no larger than the others: these
    would decide alone if squares counted.

    Parameters
    ----------
    errors : ndarray of shape (n_cells,)
        Truth minus fill.
    spread : ndarray of shape (n_cells,)
        Of the candidates.
    unit : float
        What both are measured in.

    Returns
    -------
    ErrorScale
    """
    with np.errstate(over="ignore"):
        # Cut off where squares would overflow.
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
        What the donors say, and how much each counts; not numbers where fewer were asked.

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
