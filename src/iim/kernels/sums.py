"""Exact sums, so that no order and no partition of the values changes a digit."""

from __future__ import annotations

from iim._arrays import Floats
from iim.kernels._jit import kernel

ROOM = 64
"""Most parts of a sum: 40 non-overlapping numbers reach from the smallest double to the largest."""


@kernel
def add_exactly(values: Floats, parts: Floats, n_parts: int) -> int:
    """Add values to a sum that is stored as several numbers (Shewchuk's expansions).

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite, and small enough that no partial sum overflows.
    parts : ndarray of shape (ROOM,)
        The sum so far in its first ``n_parts`` numbers, non-overlapping and increasing. Changed.
    n_parts : int
        Number of parts.

    Returns
    -------
    int
        The new number of parts. O(n n_parts), with mostly two parts.
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
