"""Column means: the last fallback of every method."""

from __future__ import annotations

import math

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.exact_sums import exact_parts
from iim.matrix import MaskedMatrix


def column_means(matrix: MaskedMatrix) -> Floats:
    """Mean of each column's known values; each column has at least one.

    No sum overflows. Rounding never moves a mean out of the range of its values, so the mean of a constant
    column is its value.
    """
    means = np.empty(matrix.n_columns)
    for column in range(matrix.n_columns):
        known = matrix.values[~matrix.missing[:, column], column]
        exponent = int(np.frexp(np.abs(known).max())[1])
        mean = np.ldexp(math.fsum(exact_parts(np.ldexp(known, -exponent))) / known.size, exponent)
        means[column] = np.clip(mean, known.min(), known.max())
    return means
