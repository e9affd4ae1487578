"""Means of columns of any size, against sums of fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.core.arithmetic.column_means import column_means
from iim.matrix import MaskedMatrix
from strategies import holed

LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 5e-324
EPSILON = 2.0**-52

COLUMNS = hnp.arrays(float, st.integers(1, 40), elements=st.floats(allow_nan=False, allow_infinity=False))


def means(table):
    table = np.asarray(table, float)
    missing = np.isnan(table)
    return column_means(MaskedMatrix(table, missing, tuple(range(table.shape[1])))).tolist()


def mean(*values):
    return means(np.reshape(values, (-1, 1)))[0]


def test_by_hand():
    assert means([[1, 4, np.nan], [np.nan, 8, -3], [3, np.nan, np.nan]]) == [2, 6, -3]


def test_what_lies_in_a_hole_does_not_count():
    values, missing = np.array([[1.0], [5.0], [1e300]]), np.array([[False], [False], [True]])
    assert column_means(MaskedMatrix(values, missing, ("a",))).tolist() == [3]


@pytest.mark.parametrize("value", [0.1, -123456.789, 1e300, -LARGEST, SMALLEST, 3e-310, 0.0])
@pytest.mark.parametrize("n_rows", [1, 3, 10, 49])
def test_the_mean_of_a_constant_column_is_its_value(value, n_rows):
    assert mean(*[value] * n_rows) == value


def test_sums_that_overflow_have_a_mean():
    assert mean(LARGEST, LARGEST, 0.5 * LARGEST, 0.5 * LARGEST) == 0.75 * LARGEST
    assert mean(LARGEST, LARGEST, -LARGEST) == pytest.approx(LARGEST / 3, rel=1e-15)
    assert mean(LARGEST, -LARGEST) == 0


def test_numbers_below_full_precision_have_a_mean_among_them():
    assert mean(SMALLEST, 3 * SMALLEST) == 2 * SMALLEST
    assert mean(SMALLEST, SMALLEST, 2 * SMALLEST) in (SMALLEST, 2 * SMALLEST)


def test_small_values_are_not_lost_between_large_ones():
    assert mean(1e16, 1.0, -1e16, 1.0) == 0.5
    assert mean(1.0, *[1e-17] * 1000) == pytest.approx((1 + 1e-14) / 1001, rel=2 * EPSILON, abs=0)


@pytest.mark.parametrize("exponent", [-900, 900])
def test_a_power_of_two_comes_out_as_it_went_in(exponent):
    table = holed(60, 3, share=0.2)
    assert means(np.ldexp(table, exponent)) == np.ldexp(means(table), exponent).tolist()


def test_columns_do_not_know_of_each_other():
    table = holed(60, 4, share=0.2) * [1e-300, 1.0, 1e10, 1e300]
    assert means(table) == [means(table[:, [column]])[0] for column in range(4)]
    assert means(np.empty((3, 0))) == []


def test_numpy_agrees():
    table = holed(200, 5, share=0.3) + [0, 1, 10, 100, 1000]
    np.testing.assert_allclose(means(table), np.nanmean(table, axis=0), rtol=1e-12)


@given(COLUMNS)
def test_the_mean_of_any_column_is_that_of_fractions(column):
    exact = sum(map(Fraction, column.tolist())) / column.size
    told = mean(*column)
    assert column.min() <= told <= column.max()
    # Of parts that are smaller than the largest value by the whole range of exponents, digits are lost.
    lost = Fraction(max(abs(column.max()), abs(column.min()))) * Fraction(2) ** -1000
    assert abs(Fraction(told) - exact) <= abs(exact) * Fraction(EPSILON) + lost + Fraction(SMALLEST)


@given(COLUMNS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_digit(column, random):
    shuffled = column.tolist()
    random.shuffle(shuffled)
    assert mean(*shuffled) == mean(*column)
