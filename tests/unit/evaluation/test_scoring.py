"""Scores, against numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import rankdata

from iim.evaluation.scoring import normalised_error, r_squared, ranks, rms_error, spread

TRUTH = np.array([1.0, 2.0, 4.0, 5.0])
FILLED = np.array([1.0, 4.0, 4.0, 1.0])  # errors 0, -2, 0, 4


class TestRmsError:
    def test_by_hand(self):
        assert rms_error(TRUTH, FILLED) == pytest.approx(math.sqrt((4 + 16) / 4))

    def test_perfect_fills_have_none(self):
        assert rms_error(TRUTH, TRUTH) == 0.0

    @pytest.mark.parametrize("unit", [1e300, 1e-300])
    def test_no_square_overflows(self, unit):
        assert rms_error(TRUTH * unit, FILLED * unit) == pytest.approx(math.sqrt(5) * unit)

    def test_a_difference_beyond_all_numbers_is_infinite(self):
        assert rms_error(np.array([1.7e308, 0.0]), np.array([-1.7e308, 0.0])) == math.inf


class TestNormalisedError:
    def test_by_hand(self):
        # Mean 3, squared deviations 4, 1, 1, 4.
        assert spread(TRUTH) == pytest.approx(math.sqrt(10 / 4))
        assert normalised_error(math.sqrt(5), TRUTH) == pytest.approx(math.sqrt(2))

    @pytest.mark.parametrize("unit", [1e300, 1e-300])
    def test_no_square_overflows(self, unit):
        assert spread(TRUTH * unit) == pytest.approx(math.sqrt(2.5) * unit)

    def test_nothing_of_nothing_is_nothing(self):
        assert normalised_error(0.0, np.array([7.0, 7.0])) == 0.0
        assert normalised_error(0.0, np.zeros(3)) == 0.0

    def test_a_constant_that_is_missed_is_infinitely_far_off(self):
        assert normalised_error(0.5, np.array([7.0, 7.0])) == math.inf
        assert normalised_error(1e-300, np.zeros(3)) == math.inf

    def test_rounding_does_not_miss_a_constant(self):
        constant = np.full(3, 0.1)
        assert constant.mean() != 0.1  # or this test would show nothing
        assert normalised_error(abs(constant.mean() - 0.1), constant) == 0.0


class TestRSquared:
    def test_by_hand(self):
        # Of the known values the mean is 2: squared deviations of the truth 1, 0, 4, 9.
        assert r_squared(TRUTH, FILLED, 2.0) == pytest.approx(1 - 20 / 14)

    def test_the_mean_is_of_what_is_still_known_not_of_the_truth(self):
        assert r_squared(TRUTH, np.full(4, 3.0), 3.0) == 0.0
        assert r_squared(TRUTH, np.full(4, 3.0), 0.0) == pytest.approx(1 - 10 / 46)

    def test_draws_with_means_of_their_own_are_pooled(self):
        means = np.array([1.0, 1.0, 6.0, 6.0])
        assert r_squared(TRUTH, FILLED, means) == pytest.approx(1 - 20 / (0 + 1 + 4 + 1))

    def test_perfect_and_undefined(self):
        assert r_squared(TRUTH, TRUTH, 2.0) == 1.0
        assert math.isnan(r_squared(np.array([2.0, 2.0]), np.array([2.0, 3.0]), 2.0))

    def test_huge_values(self):
        assert r_squared(TRUTH * 1e300, FILLED * 1e300, 2e300) == pytest.approx(1 - 20 / 14)


class TestRanks:
    @pytest.mark.parametrize(
        ("errors", "expected"),
        [
            ([3.0, 1.0, 2.0], [3, 1, 2]),
            ([1.0, 1.0, 2.0], [1.5, 1.5, 3]),
            ([5.0, 5.0, 5.0], [2, 2, 2]),
            ([np.nan, 1.0, np.inf, np.nan], [3.5, 1, 2, 3.5]),
            ([np.nan], [1]),
        ],
    )
    def test_by_hand(self, errors, expected):
        assert ranks(np.array(errors)).tolist() == expected

    @given(hnp.arrays(np.float64, st.integers(1, 9), elements=st.integers(0, 4).map(float)))
    def test_as_scipy_ranks(self, errors):
        assert ranks(errors).tolist() == rankdata(errors).tolist()
