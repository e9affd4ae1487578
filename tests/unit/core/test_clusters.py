import numpy as np

from iim.core.clusters import group_points, spread_centers, squared_distances
from strategies import untied

CORNERS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])


def generator(seed=0):
    return np.random.default_rng(seed)


def test_distances_by_hand():
    points = np.array([[0.0, 3.0], [1.0, np.nan]])
    missing = np.isnan(points)
    assert squared_distances(points, np.array([[4.0, 0.0]]), missing).tolist() == [[25.0], [9.0]]
    assert squared_distances(points[:1], CORNERS).tolist() == [[9.0, 109.0, 49.0]]


def test_seeds_are_different_points():
    points = np.repeat(CORNERS, 20, axis=0)
    for seed in range(20):
        seeds = spread_centers(points, 3, generator(seed))
        assert sorted(map(tuple, seeds)) == sorted(map(tuple, CORNERS))
    assert spread_centers(points, 9, generator()).shape == (3, 2)
    assert spread_centers(points[:5], 9, generator()).tolist() == [[0.0, 0.0]]


def test_seeds_of_huge_values():
    assert spread_centers(CORNERS * 1e149, 3, generator()).shape == (3, 2)


def test_groups_of_separate_points():
    truth = np.arange(90) % 3
    points = CORNERS[truth] + 0.1 * untied(90, 2)
    group = group_points(points, 3, generator())
    assert sorted(np.bincount(group).tolist()) == [30, 30, 30]
    assert all(np.unique(group[truth == at]).size == 1 for at in range(3))


def test_groups_are_numbered_without_gap():
    for n_groups in (1, 2, 5, 40):
        group = group_points(untied(30, 3), n_groups, generator())
        assert np.unique(group).tolist() == list(range(group.max() + 1))
        assert group.max() < min(n_groups, 30)


def test_a_group_s_points_are_nearest_to_its_mean():
    points = untied(200, 3)
    group = group_points(points, 6, generator())
    means = np.stack([points[group == at].mean(axis=0) for at in range(6)])
    np.testing.assert_array_equal(squared_distances(points, means).argmin(axis=1), group)
