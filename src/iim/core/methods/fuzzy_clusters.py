"""Fuzzy c-means with missing values: every point belongs to every centre, more to nearer ones."""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats
from iim.core.execution.context import Context
from iim.core.methods.kmeans import squared_distances


def memberships(points: Floats, missing: Booleans, centers: Floats, *, fuzziness: float) -> Floats:
    """Membership of each point in each centre, by the distance on the point's known columns.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; values in missing cells are not used.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    centers : ndarray of shape (c, m)
        Centres.
    fuzziness : float
        Exponent above 1.

    Returns
    -------
    ndarray of shape (n, c)
        Proportional to ``distance ** (-2 / (fuzziness - 1))``, summing to 1 for each point. A point that
        lies on centres belongs to these alone. No point depends on others. O(n c m).
    """
    square = squared_distances(points, centers, missing)
    least = square.min(axis=1, keepdims=True)
    # Relative to the nearest centre, so that no power overflows; 0 / 0 is a centre that the point lies on.
    nearness = np.divide(least, square, out=np.ones_like(square), where=square > 0)
    shares = nearness ** (1.0 / (fuzziness - 1.0))
    total = np.zeros(points.shape[0])
    for center in range(centers.shape[0]):
        total += shares[:, center]
    return np.asarray(shares / total[:, None])


def blend(shares: Floats, centers: Floats) -> Floats:
    """Centres averaged by memberships: (n, c) and (c, m) give (n, m), row by row."""
    total = np.zeros((shares.shape[0], centers.shape[1]))
    for center in range(centers.shape[0]):
        total += shares[:, center, None] * centers[center]
    return np.clip(total, centers.min(axis=0), centers.max(axis=0))


def learn_centers(
    points: Floats,
    missing: Booleans,
    centers: Floats,
    *,
    fuzziness: float,
    tol: Floats,
    max_iter: int,
    context: Context,
) -> tuple[Floats, int]:
    """Alternate memberships, fills and centres until the centres converge.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing; each column has a known one.
    centers : ndarray of shape (c, m)
        Initial centres.
    fuzziness : float
        Exponent above 1.
    tol : ndarray of shape (m,)
        Tolerance by column: converged if no centre moves further.
    max_iter : int
        Most iterations, 1 or more.
    context : Context
        Threads and progress (iterations, of ``max_iter``).

    Returns
    -------
    centers : ndarray of shape (c, m)
        The centres.
    n_iter : int
        Iterations done.
    """
    lowest = np.where(missing, np.inf, points).min(axis=0)
    highest = np.where(missing, -np.inf, points).max(axis=0)
    for n_iter in range(1, max_iter + 1):
        shares = memberships(points, missing, centers, fuzziness=fuzziness)
        filled = np.where(missing, blend(shares, centers), points)
        # Each centre's weights relative to its largest, so that high powers do not underflow.
        largest = shares.max(axis=0)
        weights = (shares / np.where(largest > 0, largest, 1.0)) ** fuzziness
        total = weights.sum(axis=0)[:, None]
        moved = np.divide(weights.T @ filled, total, out=centers.copy(), where=total > 0)
        # Rounding may move the mean of a constant column off its value.
        moved = np.clip(moved, lowest, highest)
        rests = bool((np.abs(moved - centers) <= tol).all())
        centers = moved
        context.report(n_iter, max_iter)
        if rests:
            break
    return centers, n_iter
