"""Sums that are exact: math.fsum is the witness."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.core.arithmetic.column_means import column_means
from iim.core.arithmetic.exact_sums import exact_parts, total
from iim.core.scaling import learn_scaling
from iim.matrix import MaskedMatrix

VALUES = hnp.arrays(float, st.integers(0, 60), elements=st.floats(-1.0, 1.0))


def exact_sum(values):
    return total([exact_parts(values)])


def test_by_hand():
    # Rounded after each step, the small one is lost, and nothing is left.
    values = np.array([1.0, 1e-30, -1.0])
    assert values.sum() == 0.0
    assert exact_sum(values) == 1e-30
    assert exact_sum(np.empty(0)) == 0.0


@given(VALUES)
def test_sums_are_those_of_fsum(values):
    assert exact_sum(values) == math.fsum(values)


@given(VALUES, st.lists(st.integers(0, 60), max_size=5), st.randoms(use_true_random=False))
def test_no_division_and_no_order_of_the_values_changes_a_sum(values, cuts, random):
    parts = [exact_parts(part) for part in np.split(values, sorted(cuts))]
    random.shuffle(parts)
    assert total(parts) == math.fsum(values)


def test_the_order_of_rows_changes_no_digit_of_scaling_and_means():
    random = np.random.default_rng(0)
    values = random.normal(size=(1000, 3)) * [1e-9, 1.0, 1e9] + [1.0, 1e6, 0.0]
    tables = [
        MaskedMatrix(rows, np.isnan(rows), ("a", "b", "c")) for rows in (values, random.permutation(values))
    ]
    one, other = (learn_scaling(table, "standard") for table in tables)
    assert one.center.tolist() == other.center.tolist()
    assert one.spread.tolist() == other.spread.tolist()
    assert column_means(tables[0]).tolist() == column_means(tables[1]).tolist()
