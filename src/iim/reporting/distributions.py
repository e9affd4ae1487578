"""Where values lie: quartiles and histograms, for numbers of any size."""

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
"""Outer values are put into the outer bins if they would make the picture this many times as wide as the
middle 96 % of the values."""


@dataclass(frozen=True)
class Distribution:
    """Where values lie.

    Attributes
    ----------
    n : int
        How many there are.
    low, lower_quartile, median, upper_quartile, high : float
        The smallest, the quartiles, the largest.
    mean, deviation : float
        The mean, and the standard deviation around it.
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
        Where bins end, one more than there are bins; for single values, these values.
    observed, filled : tuple of int
        Counts by bin.
    single : bool
        Whether each bin is one value, for columns with few of them.
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
        None of no values. Few distinct values have a bin each. Otherwise bins are equally wide, and if a
        few values lie far out, the outer bins are open.
    """
    both = np.concatenate([observed, filled])
    if not both.size:
        return None
    distinct = np.unique(both[: 50 * MOST_SINGLE])
    if distinct.size <= MOST_SINGLE:
        # Most columns are known not to be so by their first values: sorting all of them takes time.
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
    # Without a middle to speak of, all there is to show is how far the others are.
    if width > 0.0 and high - low > FAR * width:
        left, right = max(low, inner_low - width / 4), min(high, inner_high + width / 4)
    clipped = np.clip(scaled, left, right)
    known, new = (
        # By number and range, not by the edges: those it would search for every value.
        tuple(np.histogram(part, MOST_BINS, (left, right))[0].tolist())
        for part in (clipped[: observed.size], clipped[observed.size :])
    )
    edges = tuple(_unscaled(np.linspace(left, right, MOST_BINS + 1), exponent))
    return Histogram(edges, known, new, single=False, open_low=left > low, open_high=right < high)


def _scaled(values: Floats) -> tuple[Floats, int]:
    """The values times a power of two, none above one: no sum or difference of them overflows."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    return np.ldexp(values, -exponent), exponent


def _unscaled(values: Floats | list[float], exponent: int) -> list[float]:
    # What rounding carried above the largest number there is, is that number.
    with np.errstate(over="ignore", under="ignore"):
        found: list[float] = np.nan_to_num(np.ldexp(values, exponent)).tolist()
    return found
