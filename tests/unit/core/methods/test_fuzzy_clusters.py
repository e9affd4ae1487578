"""Shares by distance, and centres by shares: limits of the fuzziness, holes, and k-means."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from iim.core.execution.context import Context
from iim.core.methods.fuzzy_clusters import blend, learn_centers, memberships
from strategies import holed, untied

THREE = np.array([[0.0], [3.0], [6.0]])


def shares_of(points, centers, fuzziness=2.0):
    points = np.asarray(points, float)
    return memberships(points, np.isnan(points), np.asarray(centers, float), fuzziness=fuzziness)


def learned(points, centers, fuzziness=2.0, tol=0.0, max_iter=100, told=None):
    points, centers = np.asarray(points, float), np.asarray(centers, float)
    context = Context(progress=None if told is None else lambda *done: told.append(done))
    rounds = {"tol": np.broadcast_to(tol, centers.shape[1:]), "max_iter": max_iter, "context": context}
    return learn_centers(np.nan_to_num(points), np.isnan(points), centers, fuzziness=fuzziness, **rounds)


@pytest.mark.parametrize(
    ("fuzziness", "expected"),
    # From 1 the distances are 1, 2 and 5: their inverses to the power 2 / (fuzziness - 1).
    [(2.0, np.array([100, 25, 4]) / 129), (3.0, np.array([10, 5, 2]) / 17)],
)
def test_shares_by_hand(fuzziness, expected):
    np.testing.assert_allclose(shares_of([[1.0]], THREE, fuzziness), [expected], rtol=1e-14)


def test_a_row_that_lies_on_a_centre_belongs_to_it_alone_and_one_that_knows_nothing_to_all():
    for fuzziness in (1.0 + 1e-9, 2.0, 1e6):
        assert shares_of(THREE, THREE, fuzziness).tolist() == np.eye(3).tolist()
        assert shares_of([[np.nan]], THREE, fuzziness).tolist() == [[1 / 3] * 3]


def test_the_ends_of_fuzziness_are_the_nearest_alone_and_all_alike():
    points, centers = untied(40, 3), untied(5, 3, seed=1)
    nearest = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert shares_of(points, centers, 1.0 + 1e-12).tolist() == np.eye(5)[nearest].tolist()
    np.testing.assert_allclose(shares_of(points, centers, 1e9), 0.2, rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-140, 1e140])
def test_shares_do_not_depend_on_the_unit(unit):
    points, centers = untied(40, 3), untied(5, 3, seed=1)
    expected = shares_of(points, centers, 1.3)
    np.testing.assert_allclose(shares_of(points * unit, centers * unit, 1.3), expected, rtol=1e-10)
    np.testing.assert_allclose(expected.sum(axis=1), 1, rtol=1e-14)


def test_blends_are_averages_that_stay_within_the_centres():
    assert blend(np.array([[0.25, 0.75]]), np.array([[4.0, 0], [8, 2]])).tolist() == [[7, 1.5]]
    shares, centers = shares_of(untied(200, 3), untied(7, 3, seed=1)), untied(7, 3, seed=1)
    np.testing.assert_allclose(blend(shares, centers), shares @ centers, rtol=1e-12, atol=1e-15)
    assert (blend(shares, np.full((7, 2), 0.1)) == 0.1).all()


def test_one_centre_by_hand():
    # The hole is filled by the centre itself: (0 + 4 + 1) / 3, then (0 + 4 + 5 / 3) / 3, at last the mean.
    table = [[0.0], [4.0], [np.nan]]
    for rounds, expected in ((1, 5 / 3), (2, 17 / 9), (100, 2.0)):
        assert learned(table, [[1.0]], max_iter=rounds)[0] == pytest.approx(expected, rel=1e-14)
    # It moves by 2 / 3, 2 / 9, 2 / 27, 2 / 81.
    told = []
    assert learned(table, [[1.0]], tol=0.08, told=told, max_iter=9)[1] == 3
    assert told == [(1, 9), (2, 9), (3, 9)]
    # Beside a column that rests, which is measured by itself.
    assert learned([[0, 5.0], [4, 5], [np.nan, 5]], [[1.0, 5.0]], tol=[0.07, 0.0])[1] == 4
    assert learned([[0.0], [0.0], [6.0]], [[0.0], [6.0]])[1] == 1


@pytest.mark.parametrize("fuzziness", [1.5, 3.0, 5000.0])
def test_two_centres_by_hand(fuzziness):
    # Points at distances 1 and 3: as shares to the power of the fuzziness, 1 and 9 ** (-f / (f - 1)).
    far = 9.0 ** (-fuzziness / (fuzziness - 1))
    centers, _ = learned([[0.0], [4.0]], [[1.0], [3.0]], fuzziness, max_iter=1)
    np.testing.assert_allclose(centers, [[4 * far / (1 + far)], [4 / (1 + far)]], rtol=1e-10)


def test_a_centre_that_nobody_belongs_to_stays():
    centers, n_iter = learned([[0.0], [0.5], [10.0]], [[0.0], [10.0], [5.6]], fuzziness=1.0 + 1e-9)
    assert (centers.tolist(), n_iter) == ([[0.25], [10.0], [5.6]], 2)


def test_centres_of_a_constant_column_are_its_constant():
    table = np.column_stack([holed(50, 2, share=0.2), np.where(np.arange(50) % 3, 0.1, np.nan)])
    centers, _ = learned(table, untied(4, 3, seed=1), max_iter=7)
    assert centers[:, 2].tolist() == [0.1] * 4


@pytest.mark.parametrize("fuzziness", [1.4, 3.0])
def test_centres_at_rest_are_means_of_the_points_by_powers_of_their_shares(fuzziness):
    table = holed(60, 3, share=0.2)
    centers, n_iter = learned(table, untied(4, 3, seed=1), fuzziness, tol=1e-12, max_iter=5000)
    assert n_iter < 5000
    shares = shares_of(table, centers, fuzziness)
    filled = np.where(np.isnan(table), shares @ centers, table)
    expected = [np.average(filled, axis=0, weights=column**fuzziness) for column in shares.T]
    np.testing.assert_allclose(centers, expected, rtol=1e-8, atol=1e-9)


def test_without_fuzziness_centres_are_those_of_k_means():
    points, start = untied(150, 3), untied(150, 3)[:4]
    theirs = KMeans(4, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(points)
    centers, n_iter = learned(points, start, fuzziness=1.0 + 1e-9)
    assert n_iter < 100
    np.testing.assert_allclose(centers, theirs.cluster_centers_, rtol=1e-9, atol=1e-12)
