"""Products with one row at a time: a row's result does not depend on other rows."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.kernels.products import multiply_rows


def times(rows: Floats, matrix: Floats) -> Floats:
    """``rows @ matrix``, every sum in column order, so that no row's digits depend on the others.

    Parameters
    ----------
    rows : ndarray of shape (n, a)
        Rows.
    matrix : ndarray of shape (a, b) or (a,)
        A matrix or a vector.

    Returns
    -------
    ndarray of shape (n, b) or (n,)
    """
    right = np.ascontiguousarray(matrix if matrix.ndim == 2 else matrix[:, None])
    out = np.empty((rows.shape[0], right.shape[1]))
    multiply_rows(np.ascontiguousarray(rows), right, out)
    return out if matrix.ndim == 2 else out[:, 0]


def averaged(values: Floats, weights: Floats | None = None) -> Floats:
    """Mean of each row's values, weighted if weights are given, summed in order.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        Values.
    weights : ndarray of shape (n, k), optional
        Their weights; each row has at least one positive weight.

    Returns
    -------
    ndarray of shape (n,)
        Within the range of each row's values.
    """
    total, weight = np.zeros(values.shape[0]), np.zeros(values.shape[0])
    for at in range(values.shape[1]):
        share = np.ones(values.shape[0]) if weights is None else weights[:, at]
        total += share * values[:, at]
        weight += share
    return np.clip(total / weight, values.min(axis=1), values.max(axis=1))
