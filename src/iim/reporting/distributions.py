"""Distributions of values: quartiles and histograms, for finite numbers of any size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats

MOST_BINS = 24
"""Bins of a histogram."""

MOST_SINGLE = 12
"""Distinct values up to which each has a bin of its own."""

FAR = 4.0
"""Outliers are counted in the outer bins if the axis would otherwise be this many times as wide as the
middle 96 % of the values."""


@dataclass(frozen=True)
class Distribution:
    """Quartiles, mean and standard deviation of some values.

    Attributes
    ----------
    n : int
        Number of values.
    low, lower_quartile, median, upper_quartile, high : float
        Minimum, quartiles and maximum.
    mean, deviation : float
        Mean, and standard deviation around it.
    """

    n: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    mean: float
    deviation: float


@dataclass(frozen=True)
class Histogram:
    """Counts of observed and of filled values in the same bins.

    Attributes
    ----------
    edges : tuple of float
        Edges of the bins, one more than there are bins. For single values, these values.
    observed, filled : tuple of int
        Counts by bin.
    single : bool
        Whether each bin is a single value, for columns with few distinct values.
    open_low, open_high : bool
        Whether values beyond the first or last edge are counted in the outer bins.
    """

    edges: tuple[float, ...]
    observed: tuple[int, ...]
    filled: tuple[int, ...]
    single: bool
    open_low: bool
    open_high: bool


def describe(values: Floats) -> Distribution | None:
    """Quartiles, mean and deviation of finite numbers; None if there are none."""
    if not values.size:
        return None
    scaled, exponent = _scaled(values)
    quartiles = np.quantile(scaled, [0.0, 0.25, 0.5, 0.75, 1.0])
    figures = [*quartiles, scaled.mean(), scaled.std()]
    return Distribution(values.size, *_unscaled(figures, exponent))


def count_in_bins(observed: Floats, filled: Floats) -> Histogram | None:
    """Count known and filled values in the same bins.

    Parameters
    ----------
    observed, filled : ndarray of shape (n_known,) and (n_filled,)
        Finite numbers.

    Returns
    -------
    Histogram or None
        None without values. Few distinct values have a bin each. Otherwise bins are equally wide. If there
        are outliers, the outer bins are open.
    """
    both = np.concatenate([observed, filled])
    if not both.size:
        return None
    distinct = np.unique(both[: 50 * MOST_SINGLE])
    if distinct.size <= MOST_SINGLE:
        # The first values show it for most columns, and sorting all of them takes time.
        distinct = np.unique(both)
    if distinct.size <= MOST_SINGLE:
        known, new = (
            tuple(np.bincount(np.searchsorted(distinct, part), minlength=distinct.size).tolist())
            for part in (observed, filled)
        )
        return Histogram(tuple(distinct.tolist()), known, new, single=True, open_low=False, open_high=False)
    scaled, exponent = _scaled(both)
    low, inner_low, inner_high, high = np.quantile(scaled, [0.0, 0.02, 0.98, 1.0]).tolist()
    left, right, width = low, high, inner_high - inner_low
    # Without a spread in the middle, only the range is left to choose the bins.
    if width > 0.0 and high - low > FAR * width:
        left, right = max(low, inner_low - width / 4), min(high, inner_high + width / 4)
    clipped = np.clip(scaled, left, right)
    known, new = (
        # With a number and a range, numpy computes the bin; with edges, it searches them for every value.
        tuple(np.histogram(part, MOST_BINS, (left, right))[0].tolist())
        for part in (clipped[: observed.size], clipped[observed.size :])
    )
    edges = tuple(_unscaled(np.linspace(left, right, MOST_BINS + 1), exponent))
    return Histogram(edges, known, new, single=False, open_low=left > low, open_high=right < high)


def _scaled(values: Floats) -> tuple[Floats, int]:
    """The values divided by a power of two, none above 1: no sum or difference of them overflows."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    return np.ldexp(values, -exponent), exponent


def _unscaled(values: Floats | list[float], exponent: int) -> list[float]:
    # Rounding can exceed the largest float; that float is the value then.
    with np.errstate(over="ignore", under="ignore"):
        found: list[float] = np.nan_to_num(np.ldexp(values, exponent)).tolist()
    return found
