"""Column means: the last resort of every method."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.matrix import MaskedMatrix


def column_means(matrix: MaskedMatrix) -> Floats:
    """Mean of each column's known values, of which each column has one.

    No sum can overflow, and no mean leaves the range of its values by rounding: that of a constant column
    is its value.
    """
    largest = np.nanmax(np.abs(matrix.values), axis=0, initial=0.0)
    exponent = np.frexp(largest)[1]
    means: Floats = np.ldexp(np.nanmean(np.ldexp(matrix.values, -exponent), axis=0), exponent)
    low, high = np.fmin.reduce(matrix.values, axis=0), np.fmax.reduce(matrix.values, axis=0)
    return np.clip(means, low, high)
