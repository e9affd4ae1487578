import numpy as np

from iim.core.methods.kmeans import best_known, group_points, known_means, spread_centers, squared_distances
from strategies import untied

CORNERS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])


def generator(seed=0):
    return np.random.default_rng(seed)


def none(points):
    """That nothing is missing."""
    return np.zeros(points.shape, bool)


def test_distances_by_hand():
    points = np.array([[0.0, 3.0], [1.0, np.nan]])
    missing = np.isnan(points)
    assert squared_distances(points, np.array([[4.0, 0.0]]), missing).tolist() == [[25.0], [9.0]]
    assert squared_distances(points[:1], CORNERS, none(points[:1])).tolist() == [[9.0, 109.0, 49.0]]


def test_seeds_are_different_points():
    points = np.repeat(CORNERS, 20, axis=0)
    for seed in range(20):
        seeds = spread_centers(points, none(points), 3, generator(seed))
        assert sorted(map(tuple, seeds)) == sorted(map(tuple, CORNERS))
    assert spread_centers(points, none(points), 9, generator()).shape == (3, 2)
    assert spread_centers(points[:5], none(points[:5]), 9, generator()).tolist() == [[0.0, 0.0]]


def test_seeds_of_huge_values():
    assert spread_centers(CORNERS * 1e149, none(CORNERS * 1e149), 3, generator()).shape == (3, 2)


def test_groups_of_separate_points():
    truth = np.arange(90) % 3
    points = CORNERS[truth] + 0.1 * untied(90, 2)
    group = group_points(points, none(points), 3, generator())
    assert sorted(np.bincount(group).tolist()) == [30, 30, 30]
    assert all(np.unique(group[truth == at]).size == 1 for at in range(3))


def test_groups_are_numbered_without_gap():
    for n_groups in (1, 2, 5, 40):
        group = group_points(untied(30, 3), none(untied(30, 3)), n_groups, generator())
        assert np.unique(group).tolist() == list(range(group.max() + 1))
        assert group.max() < min(n_groups, 30)


def test_a_group_s_points_are_nearest_to_its_mean():
    points = untied(200, 3)
    group = group_points(points, none(points), 6, generator())
    means = np.stack([points[group == at].mean(axis=0) for at in range(6)])
    np.testing.assert_array_equal(squared_distances(points, means, none(points)).argmin(axis=1), group)


def test_complete_rows_are_best_known_or_else_those_with_fewest_holes():
    missing = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 0, 1]], bool)
    assert best_known(missing, 1).tolist() == best_known(missing, 2).tolist() == [0, 2]
    assert best_known(missing, 3).tolist() == best_known(missing, 4).tolist() == [0, 1, 2, 4]
    assert best_known(missing, 5).tolist() == best_known(missing, 10**30).tolist() == [0, 1, 2, 3, 4]


def test_seeds_are_complete_while_these_last():
    points = np.vstack([CORNERS, [[10.0, 5.0], [20.0, 5.0], [0.0, 5.0]]])
    missing = none(points)
    missing[3:, 1] = True
    for seed in range(20):
        assert {tuple(row) for row in spread_centers(points, missing, 3, generator(seed))} == set(
            map(tuple, CORNERS)
        )
    # Where complete ones are all the same, others serve, if what they know differs: a guess is not enough.
    guessed, apart = [0, 0, 5], [0, 0, 4]
    assert spread_centers(points[guessed], missing[guessed], 2, generator()).tolist() == [[0.0, 0.0]]
    beside = spread_centers(points[apart], missing[apart], 2, generator())
    assert beside.tolist() == [[0.0, 0.0], [20.0, 5.0]]


def test_means_of_what_is_known():
    points = np.array([[1.0, 5.0], [3.0, 5.0], [7.0, 5.0]])
    missing = np.array([[False, True], [False, True], [True, True]])
    assert known_means(points, missing).tolist() == [2.0, 5.0]
