"""Distances learned from the models themselves: how much, and in which directions, a column changes.

The slopes of all individual models tell along which directions of the known columns the target really
changes. Their mean outer product M is a metric: two rows are near if their targets are likely to be close.
Rows are moved by the map M^(1/2), and plain distances between moved rows are the learned ones.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.core.scaling import LARGEST
from iim.kernels.products import multiply_rows

FLOOR = 0.05
"""No direction counts for less than this share of the strongest: a metric must not lose one for ever."""

STEEPEST = 0.95
"""Slopes steeper than this quantile are cut down to it: a few wild models must not decide."""

NO_MAP: Floats = np.empty((0, 0))
"""Stands for rows that stay where they are."""


def outer_product(slopes: Floats) -> Floats:
    """Mean outer product of slopes, the steepest cut off.

    Parameters
    ----------
    slopes : ndarray of shape (n_models, n_observed)
        Per unit of the scaled columns.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
        Symmetric; divided by a power of two, such that no slope is above 1. O(n m^2).
    """
    # In units of a power of two, which is exact: squares of very steep or flat slopes are no numbers.
    slopes = np.ldexp(slopes, -np.frexp(np.abs(slopes).max())[1])
    length = np.sqrt(np.sum(slopes**2, axis=1))
    limit = np.quantile(length, STEEPEST)
    shorter = slopes * np.minimum(1.0, limit / np.where(length > 0.0, length, 1.0))[:, None]
    product = np.empty((slopes.shape[1], slopes.shape[1]))
    multiply_rows(np.ascontiguousarray(shorter.T), shorter, product)
    product /= slopes.shape[0]
    return product


def root(metric: Floats) -> Floats:
    """The map whose square is the metric, small directions lifted; of mean square 1, so that a ridge fits.

    Parameters
    ----------
    metric : ndarray of shape (n_observed, n_observed)
        Symmetric, of any size.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
        Symmetric; NO_MAP if the metric says nothing, or is none: all its directions negative.
    """
    largest = float(np.abs(metric).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return NO_MAP
    strength, direction = np.linalg.eigh(metric / largest)
    strength = np.sqrt(np.maximum(strength, 0.0))
    if strength.max() == 0.0:
        return NO_MAP
    strength = np.maximum(strength, FLOOR * strength.max())
    strength /= np.sqrt(np.mean(strength**2))
    found: Floats = (direction * strength) @ direction.T
    return np.ascontiguousarray((found + found.T) / 2.0)


def part_of_metric(metric: Floats, known: tuple[int, ...], observed: tuple[int, ...]) -> Floats:
    """The metric of some columns, from that of others.

    Parameters
    ----------
    metric : ndarray of shape (n_known, n_known)
        Learned for the columns ``known``.
    known, observed : tuple of int
        Columns it was learned for, and columns wanted. One that was not learned counts as much as the
        others do on average.

    Returns
    -------
    ndarray of shape (n_observed, n_observed)
    """
    if known == observed:
        return metric
    place = {column: at for at, column in enumerate(known)}
    part = np.zeros((len(observed), len(observed)))
    np.fill_diagonal(part, np.trace(metric) / max(len(known), 1))
    found = [(at, place[column]) for at, column in enumerate(observed) if column in place]
    for at, here in found:
        for other, there in found:
            part[at, other] = metric[here, there]
    return part


def moved(points: Floats, move: Floats) -> Floats:
    """Rows moved by a map, each by itself; as they are for NO_MAP."""
    if move.size == 0:
        return points
    out = np.empty_like(points)
    multiply_rows(points, move, out)
    return np.clip(out, -LARGEST, LARGEST)
