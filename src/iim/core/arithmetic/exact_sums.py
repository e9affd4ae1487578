"""Sums of columns that do not depend on the order of the rows, nor on how the rows are divided.

Each is the exact sum, rounded once. So a column has the same mean and standard deviation on one machine and
on many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from iim._arrays import Floats
from iim.kernels.sums import ROOM, add_exactly


def exact_parts(values: Floats) -> Floats:
    """The exact sum of some values, as a few floats that :func:`total` adds.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite, and small enough that no partial sum overflows.

    Returns
    -------
    ndarray of shape (n_parts,)
        Empty for no values.
    """
    parts = np.empty(ROOM)
    return parts[: add_exactly(np.ascontiguousarray(values), parts, 0)].copy()


def total(parts: Iterable[Floats]) -> float:
    """The sum of all parts, rounded once."""
    return math.fsum(number for part in parts for number in part)
