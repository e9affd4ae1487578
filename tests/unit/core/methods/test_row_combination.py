"""Rows as combinations of rows, against the pseudo-inverse."""

import numpy as np
import pytest

from iim.core.methods.row_combination import combine_rows
from strategies import untied


def combined(point, others, values):
    """The value of one point."""
    return combine_rows(
        np.asarray([point], float), np.asarray([others], float), np.asarray([values], float)
    )[0]


def problems(n_rows, n_others, n_columns, seed=0):
    random = np.random.default_rng(seed)
    return (
        random.normal(size=(n_rows, n_columns)),
        random.normal(size=(n_rows, n_others, n_columns)),
        random.normal(size=(n_rows, n_others)),
    )


@pytest.mark.parametrize(
    ("point", "others", "values", "expected"),
    [
        ([2, 2], [[1, 1]], [5], 10),  # twice the row
        ([3, 1], [[1, 1]], [5], 10),  # twice the row is the nearest multiple of it
        ([1, -1], [[1, 1]], [5], 0),  # at a right angle
        ([5, 4], [[1, 0], [1, 2]], [10, 100], 3 * 10 + 2 * 100),
        ([10], [[1], [3]], [7, 11], 1 * 7 + 3 * 11),  # 10 = 1 w + 3 v, least for w = 1 and v = 3
        ([4, 6], [[2, 3], [2, 3]], [1, 5], 6),  # the same row twice: once each
        ([4, 6, 9], [[2, 3, 0], [0, 0, 0]], [1, 1000], 2),  # a row of zeros has no weight
    ],
)
def test_by_hand(point, others, values, expected):
    assert combined(point, others, values) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_a_row_among_independent_others_has_its_own_value():
    _, others, values = problems(12, 4, 6)
    for at in range(4):
        np.testing.assert_allclose(combine_rows(others[:, at], others, values), values[:, at], rtol=1e-10)


def test_values_that_a_plane_explains_are_recovered_where_the_others_span_everything():
    points, others, _ = problems(20, 5, 3)
    slopes = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(combine_rows(points, others, others @ slopes), points @ slopes, rtol=1e-9)


def test_others_in_another_order_combine_to_the_same():
    points, others, values = problems(20, 7, 4)
    order = np.random.default_rng(1).permutation(7)
    shuffled = combine_rows(points, others[:, order], values[:, order])
    np.testing.assert_allclose(shuffled, combine_rows(points, others, values), rtol=1e-10)


def test_nothing_but_zeros_combines_to_0():
    points, others, values = problems(5, 3, 2)
    assert combine_rows(points, np.zeros_like(others), values).tolist() == [0] * 5
    assert combine_rows(np.zeros_like(points), others, values).tolist() == [0] * 5


@pytest.mark.parametrize("exponent", [-1000, -40, 3, 1000])
def test_a_unit_of_any_size_cancels_without_rounding(exponent):
    points, others, values = problems(10, 3, 4)
    scaled = combine_rows(np.ldexp(points, exponent), np.ldexp(others, exponent), values)
    assert scaled.tolist() == combine_rows(points, others, values).tolist()


def test_numbers_whose_inverse_is_no_number_are_combined():
    assert combined([6e-315], [[2e-315]], [4.0]) == pytest.approx(12, rel=1e-6)
    assert combined([1.6e308], [[0.8e308]], [4.0]) == pytest.approx(8, rel=1e-14)


def test_a_point_beyond_all_measure_is_cut_off():
    assert combined([1e150], [[1e-300]], [4.0]) == pytest.approx(combined([1e300], [[1e-300]], [4.0]))
    told = combine_rows(np.array([[1e300], [-1e300]]), np.full((2, 1, 1), 1e-300), np.ones((2, 1)))
    # In units of the largest of the others, which is between 1/2 and 1 then.
    assert 1e150 <= told[0] <= 2e150
    assert told[1] == -told[0]


@pytest.mark.parametrize(("n_others", "n_columns"), [(1, 1), (1, 5), (3, 5), (5, 5), (9, 4), (20, 1)])
def test_the_pseudo_inverse_agrees(n_others, n_columns):
    points, others, values = problems(30, n_others, n_columns)
    expected = [v @ np.linalg.pinv(t.T) @ x for x, t, v in zip(points, others, values, strict=True)]
    np.testing.assert_allclose(combine_rows(points, others, values), expected, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("n_others", [4, 8])
def test_others_that_lie_in_a_plane_are_combined_by_least_squares_of_least_norm(n_others):
    random = np.random.default_rng(0)
    points = random.normal(size=(30, 6))
    others = random.normal(size=(30, n_others, 2)) @ random.normal(size=(30, 2, 6))
    values = random.normal(size=(30, n_others))
    weights = [np.linalg.lstsq(t.T, x, rcond=1e-12)[0] for t, x in zip(others, points, strict=True)]
    expected = np.sum(values * weights, axis=1)
    np.testing.assert_allclose(combine_rows(points, others, values), expected, rtol=1e-8, atol=1e-11)


def test_a_row_does_not_know_of_others():
    points, values = untied(40, 5), untied(40, 6, seed=1)
    others = untied(240, 5, seed=2).reshape(40, 6, 5)
    others[::2] *= 1e200
    alone = [combined(*one) for one in zip(points, others, values, strict=True)]
    assert combine_rows(points, others, values).tolist() == alone
