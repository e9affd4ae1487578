"""Sums without rounding, so that no order and no partition of the values can change a digit."""

from __future__ import annotations

from iim._arrays import Floats
from iim.kernels._jit import kernel

ROOM = 64
"""Parts of a sum, at most: 40 numbers that do not overlap reach from the smallest double to the largest."""


@kernel
def add_exactly(values: Floats, parts: Floats, n_parts: int) -> int:
    """Add values to a sum that is kept as several numbers (Shewchuk's expansions).

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite, and such that no sum of them overflows.
    parts : ndarray of shape (ROOM,)
        The sum so far: its first ``n_parts`` numbers, which do not overlap and grow. Changed.
    n_parts : int
        How many they are.

    Returns
    -------
    int
        How many they are now. O(n), for each value as many additions as there are parts: mostly two.
    """
    for at in range(values.shape[0]):
        value = values[at]
        kept = 0
        for part in range(n_parts):
            larger, smaller = value, parts[part]
            if abs(larger) < abs(smaller):
                larger, smaller = smaller, larger
            value = larger + smaller
            rest = smaller - (value - larger)
            if rest != 0.0:
                parts[kept] = rest
                kept += 1
        parts[kept] = value
        n_parts = kept + 1
    return n_parts
