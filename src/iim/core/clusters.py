"""Groups of near points: seeds by k-means++, groups by Lloyd's rounds.

Own code in place of scikit-learn's ``KMeans``, whose sums are added in the order in which threads end: on
tables with ties the groups, and all that is learned from them, would not be the same twice.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers

LLOYD_ROUNDS = 100
"""Groups are only a start for other methods: they need not be final."""


def squared_distances(points: Floats, centers: Floats, missing: Booleans | None = None) -> Floats:
    """Squared distances of all points to all centres, over each point's known columns.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; what they hold at missing columns does not count.
    centers : ndarray of shape (c, m)
        Centres.
    missing : ndarray of shape (n, m), optional
        True where a coordinate is missing; without it all are known.

    Returns
    -------
    ndarray of shape (n, c)
        Summed in column order, each point by itself. O(n c m).
    """
    total = np.zeros((points.shape[0], centers.shape[0]))
    for column in range(points.shape[1]):
        square = (points[:, column, None] - centers[:, column]) ** 2
        if missing is not None:
            square[missing[:, column]] = 0.0
        total += square
    return total


def spread_centers(points: Floats, n_centers: int, generator: np.random.Generator) -> Floats:
    """Points far from each other, by k-means++ [1]_.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one.
    n_centers : int
        How many are wanted.
    generator : Generator
        A point is drawn with a chance that grows with its squared distance to those already drawn.

    Returns
    -------
    ndarray of shape (c, m)
        All different; fewer than wanted if there are not as many different points.

    References
    ----------
    .. [1] D. Arthur, S. Vassilvitskii: "k-means++: The Advantages of Careful Seeding", SODA 2007.
    """
    chosen = [int(generator.integers(points.shape[0]))]
    nearest = squared_distances(points, points[chosen])[:, 0]
    while len(chosen) < n_centers and nearest.max() > 0:
        apart = np.flatnonzero(nearest > 0)
        # By the largest first: the sum of squares might overflow.
        chances = np.cumsum(nearest[apart] / nearest.max())
        drawn = np.searchsorted(chances, generator.random() * chances[-1], side="right")
        chosen.append(int(apart[min(drawn, apart.size - 1)]))
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def group_points(points: Floats, n_groups: int, generator: np.random.Generator) -> Integers:
    """Groups of near points, by k-means.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one.
    n_groups : int
        How many groups are wanted.
    generator : Generator
        For the seeds.

    Returns
    -------
    ndarray of shape (n,)
        The group of each point: 0, 1, ... without gap; fewer than wanted if there are not as many
        different points. O(n c m) per round.
    """
    centers = spread_centers(points, n_groups, generator)
    group = np.full(points.shape[0], -1)
    for _ in range(LLOYD_ROUNDS):
        former, group = group, np.argmin(squared_distances(points, centers), axis=1)
        if np.array_equal(group, former):
            break
        for at in np.unique(group):
            centers[at] = points[group == at].mean(axis=0)
    return np.asarray(np.unique(group, return_inverse=True)[1], np.intp)
