"""The mean of the nearest donors' values, against sorting all donors by distance and row."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

from iim.core.execution.context import Context
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import index_values
from strategies import untied

LINE = np.array([[0.0], [1.0], [4.0], [9.0]])
VALUES = np.array([10.0, 20.0, 50.0, 100.0])


def mean_of(points, targets, queries, *, n_neighbors, weights="uniform", context=None):
    known = index_values(np.asarray(points, float), np.asarray(targets, float))
    queries = np.asarray(queries, float)
    return neighbors_mean(
        known, queries, n_neighbors=n_neighbors, weights=weights, context=context or Context()
    )


def test_by_hand():
    # From 3 the distances are 3, 2, 1, 6; from 0.5 they are 0.5, 0.5, 3.5, 8.5.
    queries = [[3.0], [0.5]]
    assert mean_of(LINE, VALUES, queries, n_neighbors=1).tolist() == [50, 10]
    assert mean_of(LINE, VALUES, queries, n_neighbors=2).tolist() == [35, 15]
    near = mean_of(LINE, VALUES, queries, n_neighbors=3, weights="distance")
    expected = [
        (50 / 1 + 20 / 2 + 10 / 3) / (1 + 1 / 2 + 1 / 3),
        (10 * 2 + 20 * 2 + 50 / 3.5) / (4 + 1 / 3.5),
    ]
    np.testing.assert_allclose(near, expected, rtol=1e-14)


def test_donors_at_distance_0_share_all_the_weight_among_them():
    points, targets = [[4.0], [4.0], [4.0 + 1e-9], [5.0]], [1.0, 2.0, 70.0, 80.0]
    assert mean_of(points, targets, [[4.0]], n_neighbors=4, weights="distance").tolist() == [1.5]
    assert mean_of(points, targets, [[4.0]], n_neighbors=4).tolist() == [38.25]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_single_donor_tells_its_own_value(weights):
    told = mean_of([[7.0, -1.0]], [0.1], untied(5, 2), n_neighbors=9, weights=weights)
    assert told.tolist() == [0.1] * 5


def test_more_neighbors_than_donors_are_all_of_them():
    assert mean_of(LINE, VALUES, [[-50.0], [3.0], [1e6]], n_neighbors=50).tolist() == [45] * 3


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_equal_values_have_exactly_their_value_as_mean(weights):
    told = mean_of(untied(60, 3), np.full(60, 0.1), untied(20, 3, seed=1), n_neighbors=7, weights=weights)
    assert told.tolist() == [0.1] * 20


def test_no_mean_lies_outside_of_the_values():
    targets = 0.1 + 1e-17 * np.arange(200) + np.where(np.arange(200) % 2, 1e-16, 0.0)
    for weights in ("uniform", "distance"):
        told = mean_of(untied(200, 2), targets, untied(80, 2, seed=1), n_neighbors=11, weights=weights)
        assert targets.min() <= told.min()
        assert told.max() <= targets.max()


@pytest.mark.parametrize("unit", [1e-140, 2.0**-40, 1e140])
def test_weights_by_distance_do_not_depend_on_the_unit(unit):
    points, targets, queries = untied(60, 3), untied(60, 1, seed=1)[:, 0], untied(20, 3, seed=2)
    plain, scaled = (
        mean_of(points * by, targets, queries * by, n_neighbors=6, weights="distance") for by in (1.0, unit)
    )
    np.testing.assert_allclose(scaled, plain, rtol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_scikit_learn_s_regressor_agrees(weights):
    points, targets, queries = untied(150, 4), untied(150, 1, seed=1)[:, 0], untied(40, 4, seed=2)
    theirs = KNeighborsRegressor(8, weights=weights).fit(points, targets).predict(queries)
    ours = mean_of(points, targets, queries, n_neighbors=8, weights=weights)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


@pytest.mark.parametrize("n_neighbors", [1, 4, 13])
def test_ties_go_to_the_first_rows(n_neighbors):
    points, queries = np.round(untied(120, 2), 1), np.round(untied(30, 2, seed=1), 1)
    targets = np.arange(120.0)
    told = mean_of(points, targets, queries, n_neighbors=n_neighbors)
    for query, value in zip(queries, told, strict=True):
        square = (points[:, 0] - query[0]) ** 2 + (points[:, 1] - query[1]) ** 2
        assert value == targets[np.argsort(square, kind="stable")[:n_neighbors]].mean()


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_point_s_mean_is_the_same_bits_alone_and_on_several_threads(weights):
    points, targets, queries = (
        np.round(untied(90, 3), 1),
        untied(90, 1, seed=1)[:, 0],
        untied(50, 3, seed=2),
    )
    together = mean_of(points, targets, queries, n_neighbors=5, weights=weights)
    threads = mean_of(points, targets, queries, n_neighbors=5, weights=weights, context=Context(2, 7))
    alone = [mean_of(points, targets, one[None], n_neighbors=5, weights=weights)[0] for one in queries]
    assert together.tolist() == threads.tolist() == alone
