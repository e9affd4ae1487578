"""Errors by hand: scales, quantiles, draws, and the spread of candidates."""

import numpy as np
import pytest

from iim.core.uncertainty.error_scale import ErrorScale, candidate_spread, learn_scale

NINE = ErrorScale(2.0, 9.0, 4.0, np.array([-4.0, -3, -2, -1, 0, 1, 2, 3, 9]))


def test_a_scale_is_the_root_of_floor_and_squared_spread_in_units_of_the_column():
    # 2 * sqrt(9 + 4 * (4 / 2)**2) = 2 * 5
    np.testing.assert_allclose(NINE.scales(np.array([0.0, 4.0, np.nan])), [6.0, 10.0, 6.0])


def test_std_is_the_scale_times_the_root_mean_square_score():
    # 16 + 9 + 4 + 1 + 0 + 1 + 4 + 9 + 81 = 125
    np.testing.assert_allclose(NINE.std(np.array([4.0])), 10 * np.sqrt(125 / 9))


@pytest.mark.parametrize(
    ("coverage", "width"),
    # Sizes 0 1 1 2 2 3 3 4 9; of nine and one more, the (10 * coverage)-th.
    [(0.05, 0.0), (0.5, 2.0), (0.51, 2.1), (0.8, 4.0), (0.85, 6.5), (0.9, 9.0), (0.99, 9.0)],
)
def test_the_half_width_is_the_conformal_quantile_of_the_sizes(coverage, width):
    assert NINE.half_width(coverage) == pytest.approx(width)


def test_draws_follow_the_scores_and_are_linear_between_them():
    scale = ErrorScale(1.0, 1.0, 0.0, np.array([-1.0, 3.0]))
    drawn = scale.draw(np.array([0.01, 0.25, 0.5, 0.75, 0.99]))
    np.testing.assert_allclose(drawn, [-1, -1, 1, 3, 3])


def test_without_scores_nothing_is_claimed():
    scale = ErrorScale(1.0, 1.0, 0.0, np.empty(0))
    assert np.isnan(scale.std(np.zeros(1))).all()
    assert scale.half_width(0.5) == np.inf
    assert scale.draw(np.array([0.3])) == 0.0


def test_errors_that_grow_with_the_spread_make_equal_scores():
    spread = np.linspace(0.1, 10, 200)
    signs = np.where(np.arange(200) % 2, 1.0, -1.0)
    scale = learn_scale(2 * spread * signs, spread, 1.0)
    ratio = scale.scales(np.array([10.0])) / scale.scales(np.array([1.0]))
    assert 7 < ratio[0] <= 10
    assert scale.slope > 0
    assert (np.diff(scale.scores) >= 0).all()


def test_errors_that_do_not_depend_on_the_spread_keep_one_scale():
    generator = np.random.default_rng(0)
    scale = learn_scale(generator.normal(size=400), generator.uniform(0.1, 10, size=400), 1.0)
    assert scale.scales(np.array([10.0])) / scale.scales(np.array([1.0])) < 1.3


def test_one_huge_error_does_not_decide_the_scale():
    generator = np.random.default_rng(1)
    spread = generator.uniform(0.1, 10, size=400)
    errors = generator.normal(size=400)
    errors[np.argmax(spread)] = 1e6
    assert learn_scale(errors, spread, 1.0).scales(np.array([10.0])) < 1.5


@pytest.mark.parametrize("spread", [np.zeros(4), np.full(4, 1e-300), np.full(4, np.inf)])
def test_scores_are_numbers_whatever_the_spread(spread):
    scale = learn_scale(np.array([-1e308, 0.0, 1e308, 1.0]), spread, 1e-3)
    assert np.isfinite(scale.scores).all()
    assert np.isfinite([scale.floor, scale.slope]).all()
    assert np.isfinite(scale.std(spread)).all()


def test_perfect_fills_have_no_error():
    scale = learn_scale(np.zeros(30), np.ones(30), 1.0)
    assert scale.std(np.ones(1)) == scale.half_width(0.9) == 0


def test_no_cell_is_no_score():
    assert learn_scale(np.empty(0), np.empty(0), 1.0).scores.size == 0


def test_the_spread_is_the_weighted_standard_deviation():
    candidates = np.array([[1.0, 5, np.nan], [2, 2, 2], [7, 8, 9]])
    weights = np.array([[0.75, 0.25, 0], [0.5, 0.25, 0.25], [0, 0, 0]])
    # Mean 2, squares 0.75 * 1 + 0.25 * 9 = 3.
    np.testing.assert_allclose(candidate_spread(candidates, weights), [np.sqrt(3), 0, np.nan])


def test_the_spread_of_huge_candidates_is_a_number():
    spread = candidate_spread(np.array([[-1e308, 1e308]]), np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(spread, [1e308])
