"""Rows as linear combinations of other rows."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.core.scaling import LARGEST


def combine_rows(points: Floats, others: Floats, values: Floats) -> Floats:
    """Write each point as a linear combination of others, and combine their values with the same weights.

    With T the others, the weights w are the minimum-norm least squares solution of ``T' w = x``.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        The rows x.
    others : ndarray of shape (n, k, m)
        The rows T that each is combined from.
    values : ndarray of shape (n, k)
        Their values.

    Returns
    -------
    ndarray of shape (n,)
        ``values . w``, row by row. O(k m min(k, m)) for each row.
    """
    # In units of the largest coordinate, because the inverse of a tiny singular value overflows.
    exponent = np.frexp(np.abs(others).max(axis=(1, 2)))[1]
    others = np.ldexp(others, -exponent[:, None, None])
    with np.errstate(over="ignore"):
        points = np.clip(np.ldexp(points, -exponent[:, None]), -LARGEST, LARGEST)
    left, singular, right = np.linalg.svd(others, full_matrices=False)
    smallest = np.finfo(np.float64).eps * max(others.shape[1:]) * singular[:, :1]
    kept = singular > smallest
    inverse = np.where(kept, 1.0 / np.where(kept, singular, 1.0), 0.0)
    # Summed in order, component by component: a row's bits do not depend on the number of rows.
    total = np.zeros(len(points))
    for at in range(singular.shape[1]):
        known = _dots(right[:, at], points)
        total += _dots(left[:, :, at], values) * (inverse[:, at] * known)
    return total


def _dots(one: Floats, other: Floats) -> Floats:
    total = np.zeros(len(one))
    for column in range(one.shape[1]):
        total += one[:, column] * other[:, column]
    return total
