"""Distances learned from the slopes of the individual models.

A slope is the direction in which the target changes fastest around a donor. The mean outer product M of all
slopes is a metric: two rows are near if their targets are likely to be close. Coordinates are multiplied by
the symmetric square root of M, the *transform*. The learned distance is the Euclidean distance between
transformed rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from iim._arrays import Floats
from iim.core.scaling import LARGEST
from iim.kernels.products import multiply_rows

FLOOR = 0.05
"""Eigenvalues of the transform are raised to this share of the largest, so that no direction is ignored."""

STEEPEST = 0.95
"""Slopes longer than this quantile are shortened to it, so that a few outliers do not decide."""

IDENTITY: Floats = np.empty((0, 0))
"""The empty matrix stands for the identity transform, which then costs nothing."""


def mean_outer_product(slopes: Floats) -> Floats:
    """Mean outer product of slopes, the longest shortened to the quantile STEEPEST.

    Parameters
    ----------
    slopes : ndarray of shape (n_models, n_observed)
        Per unit of the scaled columns.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
        Symmetric, for slopes divided by a power of two so that none is above 1. O(n m^2).
    """
    # Dividing by a power of two is exact, and keeps squares of very large or small slopes finite.
    slopes = np.ldexp(slopes, -np.frexp(np.abs(slopes).max())[1])
    length = np.sqrt(np.sum(slopes**2, axis=1))
    limit = np.quantile(length, STEEPEST)
    shorter = slopes * np.minimum(1.0, limit / np.where(length > 0.0, length, 1.0))[:, None]
    product = np.empty((slopes.shape[1], slopes.shape[1]))
    multiply_rows(np.ascontiguousarray(shorter.T), shorter, product)
    product /= slopes.shape[0]
    return product


METRICS: dict[str, Callable[[Floats], Floats] | None] = {"learned": mean_outer_product, "scaled": None}
"""How each of ``DISTANCES`` learns its metric from slopes; None for Euclidean on the scaled columns."""


def square_root(metric: Floats) -> Floats:
    """The transform of a metric: its symmetric square root.

    Small eigenvalues are raised to FLOOR; scaled to mean square 1, so that the ridge weight keeps its
    meaning.

    Parameters
    ----------
    metric : ndarray of shape (n_observed, n_observed)
        Symmetric, of any size.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
        Symmetric; IDENTITY for a metric that is empty, 0, or without a positive eigenvalue.
    """
    largest = float(np.abs(metric).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return IDENTITY
    eigenvalues, eigenvectors = np.linalg.eigh(metric / largest)
    strength = np.sqrt(np.maximum(eigenvalues, 0.0))
    if strength.max() == 0.0:
        return IDENTITY
    strength = np.maximum(strength, FLOOR * strength.max())
    strength /= np.sqrt(np.mean(strength**2))
    found: Floats = (eigenvectors * strength) @ eigenvectors.T
    return np.ascontiguousarray((found + found.T) / 2.0)


def submetric(metric: Floats, known: tuple[int, ...], observed: tuple[int, ...]) -> Floats:
    """The metric of some columns, from that of others.

    Parameters
    ----------
    metric : ndarray of shape (n_known, n_known)
        Learned for the columns ``known``.
    known, observed : tuple of int
        Columns it was learned for, and columns wanted. A column that it was not learned for gets the mean
        weight of the others.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
    """
    place = {column: at for at, column in enumerate(known)}
    part = np.zeros((len(observed), len(observed)))
    np.fill_diagonal(part, np.trace(metric) / max(len(known), 1))
    found = [(at, place[column]) for at, column in enumerate(observed) if column in place]
    for at, here in found:
        for other, there in found:
            part[at, other] = metric[here, there]
    return part


def transformed(points: Floats, transform: Floats) -> Floats:
    """Rows multiplied by a transform, one by one; unchanged for IDENTITY."""
    if transform.size == 0:
        return points
    out = np.empty_like(points)
    multiply_rows(points, transform, out)
    return np.clip(out, -LARGEST, LARGEST)
