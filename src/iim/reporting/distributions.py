"""Where values lie: quartiles and histograms, for numbers of any size."""

from __future__ import annotations

import math

import numpy as np

from iim._arrays import Floats
from iim.reporting.records import Distribution, Histogram

MOST_BINS = 24
"""Bins of a histogram."""

MOST_SINGLE = 12
"""Distinct values up to which each has a bin of its own."""

FAR = 4.0
"""Outer values are put into the outer bins if they would make the picture this many times as wide as the
middle 96 % of the values."""


def describe(values: Floats) -> Distribution | None:
    """Quartiles, mean and deviation; None of nothing.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite numbers.

    Returns
    -------
    Distribution or None
    """
    if not values.size:
        return None
    scaled, exponent = _scaled(values)
    quartiles = np.quantile(scaled, [0.0, 0.25, 0.5, 0.75, 1.0])
    figures = [*quartiles, scaled.mean(), scaled.std()]
    low, first, median, third, high, mean, deviation = (_ldexp(one, exponent) for one in figures)
    return Distribution(values.size, low, first, median, third, high, mean, deviation)


def count_in_bins(observed: Floats, filled: Floats) -> Histogram | None:
    """Count known and filled values in the same bins; None of nothing.

    Parameters
    ----------
    observed, filled : ndarray of shape (n_known,) and (n_filled,)
        Finite numbers.

    Returns
    -------
    Histogram or None
        Few distinct values have a bin each. Otherwise bins are equally wide, and if a few values lie far
        out, the outer bins are open.
    """
    both = np.concatenate([observed, filled])
    if not both.size:
        return None
    distinct = np.unique(both[: 50 * MOST_SINGLE])
    if distinct.size <= MOST_SINGLE:
        # Most columns are known not to be so by their first values: sorting all of them takes time.
        distinct = np.unique(both)
    if distinct.size <= MOST_SINGLE:
        known, new = (_count_single(part, distinct) for part in (observed, filled))
        return Histogram(tuple(distinct.tolist()), known, new, single=True, open_low=False, open_high=False)
    scaled, exponent = _scaled(both)
    low, high = float(scaled.min()), float(scaled.max())
    left, right = _limits(scaled, low, high)
    edges = np.linspace(left, right, MOST_BINS + 1)
    clipped = np.clip(scaled, left, right)
    known, new = (
        # By number and range, not by the edges: those it would search for every value.
        tuple(np.histogram(part, MOST_BINS, (left, right))[0].tolist())
        for part in (clipped[: observed.size], clipped[observed.size :])
    )
    return Histogram(
        tuple(_ldexp(edge, exponent) for edge in edges),
        known,
        new,
        single=False,
        open_low=left > low,
        open_high=right < high,
    )


def _limits(values: Floats, low: float, high: float) -> tuple[float, float]:
    inner_low, inner_high = np.quantile(values, [0.02, 0.98]).tolist()
    width = inner_high - inner_low
    # Without a middle to speak of, all there is to show is how far the others are.
    if width <= 0.0 or high - low <= FAR * width:
        return low, high
    return max(low, inner_low - width / 4), min(high, inner_high + width / 4)


def _count_single(values: Floats, distinct: Floats) -> tuple[int, ...]:
    counts = np.bincount(np.searchsorted(distinct, values), minlength=distinct.size)
    return tuple(counts.tolist())


def _scaled(values: Floats) -> tuple[Floats, int]:
    """The values times a power of two, none above one: no sum or difference of them overflows."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    return np.ldexp(values, -exponent), exponent


def _ldexp(value: float, exponent: int) -> float:
    # What rounding carried above the largest number there is, is that number.
    with np.errstate(over="ignore", under="ignore"):
        return float(np.nan_to_num(np.ldexp(value, exponent)))
