"""Groups of near points: seeds by k-means++, groups by Lloyd's rounds.

Own code in place of scikit-learn's ``KMeans``, whose sums are added in the order in which threads end: on
tables with ties the groups, and all that is learned from them, would not be the same twice.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers

LLOYD_ROUNDS = 100
"""Groups are only a start for other methods: they need not be final."""


def squared_distances(points: Floats, centers: Floats, missing: Booleans) -> Floats:
    """Squared distances of all points to all centres, over each point's known columns.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; what they hold at missing columns does not count.
    centers : ndarray of shape (c, m)
        Centres.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.

    Returns
    -------
    ndarray of shape (n, c)
        Summed in column order, each point by itself. O(n c m).
    """
    total = np.zeros((points.shape[0], centers.shape[0]))
    for column in range(points.shape[1]):
        square = (points[:, column, None] - centers[:, column]) ** 2
        square[missing[:, column]] = 0.0
        total += square
    return total


def best_known(missing: Booleans, n_wanted: int) -> Integers:
    """Rows to begin with: complete ones if there are as many as wanted, or else those with fewest holes.

    An incomplete row with guesses in its holes often lies apart from all others, where k-means++ likes to
    draw; and a centre drawn there has its guesses confirmed by the very row that it fills.

    Parameters
    ----------
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    n_wanted : int
        How many rows are enough.

    Returns
    -------
    ndarray of int
        Increasing; ``n_wanted`` or more, unless there are fewer. Of rows with equally many holes, all.
    """
    n_holes = missing.sum(axis=1)
    enough = np.sort(n_holes)[min(n_wanted, n_holes.size) - 1]
    return np.flatnonzero(n_holes <= enough)


def spread_centers(
    points: Floats, missing: Booleans, n_centers: int, generator: np.random.Generator
) -> Floats:
    """Points far from each other, by k-means++ [1]_, with as few holes as can be.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one; their holes hold a guess.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing: no distance comes from a point's guess.
    n_centers : int
        How many are wanted.
    generator : Generator
        A point is drawn with a chance that grows with its squared distance to those already drawn.

    Returns
    -------
    ndarray of shape (c, m)
        All different; fewer than wanted if no other point differs in what it knows.

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
        # By the largest first: the sum of squares might overflow.
        chances = np.cumsum(nearest[apart] / nearest[apart].max())
        drawn = np.searchsorted(chances, generator.random() * chances[-1], side="right")
        chosen.append(int(apart[min(drawn, apart.size - 1)]))
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]], missing)[:, 0])
    return points[chosen]


def known_means(points: Floats, missing: Booleans) -> Floats:
    """Mean of each column's known coordinates; where none is known, that of the guesses."""
    n_known = (~missing).sum(axis=0)
    total = np.where(missing, 0.0, points).sum(axis=0)
    means: Floats = np.divide(total, n_known, out=points.mean(axis=0), where=n_known > 0)
    return means


def group_points(
    points: Floats, missing: Booleans, n_groups: int, generator: np.random.Generator
) -> Integers:
    """Groups of near points, by k-means over what is known.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        At least one; their holes hold a guess.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
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
    centers = spread_centers(points, missing, n_groups, generator)
    group = np.full(points.shape[0], -1)
    for _ in range(LLOYD_ROUNDS):
        former, group = group, np.argmin(squared_distances(points, centers, missing), axis=1)
        if np.array_equal(group, former):
            break
        for at in np.unique(group):
            centers[at] = known_means(points[group == at], missing[group == at])
    return np.asarray(np.unique(group, return_inverse=True)[1], np.intp)
