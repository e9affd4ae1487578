"""k-means with missing values: k-means++ seeds, Lloyd's iterations.

Not scikit-learn's ``KMeans``: it takes no missing values, and adds sums in the order in which threads end,
so that results differ between runs on tables with ties.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers

LLOYD_ROUNDS = 100
"""Most iterations. The groups only initialise other methods, so they need not converge."""


def squared_distances(points: Floats, centers: Floats, missing: Booleans) -> Floats:
    """Squared distances of all points to all centres, over each point's known columns.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; values in missing cells are not used.
    centers : ndarray of shape (c, m)
        Centres.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.

    Returns
    -------
    ndarray of shape (n, c)
        Summed in column order, point by point. O(n c m).
    """
    total = np.zeros((points.shape[0], centers.shape[0]))
    for column in range(points.shape[1]):
        square = (points[:, column, None] - centers[:, column]) ** 2
        square[missing[:, column]] = 0.0
        total += square
    return total


def best_known(missing: Booleans, n_wanted: int) -> Integers:
    """Candidate seeds: complete rows if there are as many as wanted, else the rows with fewest holes.

    An incomplete row with first fills is often an outlier, and k-means++ prefers outliers. A centre there
    would then fill that very row with its own first fills.

    Parameters
    ----------
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    n_wanted : int
        How many rows are enough.

    Returns
    -------
    ndarray of int
        Increasing; ``n_wanted`` or more, unless there are fewer. All rows on a tie in the number of holes.
    """
    n_holes = missing.sum(axis=1)
    enough = np.sort(n_holes)[min(n_wanted, n_holes.size) - 1]
    return np.flatnonzero(n_holes <= enough)


def spread_centers(
    points: Floats, missing: Booleans, n_centers: int, generator: np.random.Generator
) -> Floats:
    """k-means++ seeds [1]_ among the rows with fewest missing cells.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing; distances use known columns only.
    n_centers : int
        How many are wanted.
    generator : Generator
        Draws each seed with probability proportional to its squared distance to the nearest seed.

    Returns
    -------
    ndarray of shape (c, m)
        All different; fewer than wanted if there are not as many different points.

    References
    ----------
    .. [1] D. Arthur, S. Vassilvitskii: "k-means++: The Advantages of Careful Seeding", SODA 2007.
    """
    preferred = best_known(missing, n_centers)
    chosen = [int(generator.choice(preferred))]
    nearest = squared_distances(points, points[chosen], missing)[:, 0]
    while len(chosen) < n_centers and nearest.max() > 0:
        apart = preferred[nearest[preferred] > 0]
        if apart.size == 0:
            apart = np.flatnonzero(nearest > 0)
        # Divided by the largest, because the sum of squares might overflow.
        chances = np.cumsum(nearest[apart] / nearest[apart].max())
        drawn = np.searchsorted(chances, generator.random() * chances[-1], side="right")
        chosen.append(int(apart[min(drawn, apart.size - 1)]))
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]], missing)[:, 0])
    return points[chosen]


def known_means(points: Floats, missing: Booleans) -> Floats:
    """Mean of each column's known coordinates; of its first fills if none is known."""
    n_known = (~missing).sum(axis=0)
    total = np.where(missing, 0.0, points).sum(axis=0)
    means: Floats = np.divide(total, n_known, out=points.mean(axis=0), where=n_known > 0)
    return means


def group_points(
    points: Floats, missing: Booleans, n_groups: int, generator: np.random.Generator
) -> Integers:
    """Groups of points, by k-means on the known coordinates.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    n_groups : int
        How many groups are wanted.
    generator : Generator
        For the seeds.

    Returns
    -------
    ndarray of shape (n,)
        The group of each point: 0, 1, ... without gaps; fewer than wanted if there are not as many
        different points. O(n c m) per iteration.
    """
    centers = spread_centers(points, missing, n_groups, generator)
    group = np.full(points.shape[0], -1)
    for _ in range(LLOYD_ROUNDS):
        former, group = group, np.argmin(squared_distances(points, centers, missing), axis=1)
        if np.array_equal(group, former):
            break
        for at in np.unique(group):
            centers[at] = known_means(points[group == at], missing[group == at])
    return np.asarray(np.unique(group, return_inverse=True)[1], np.intp)
