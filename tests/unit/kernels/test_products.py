"""multiply_rows against numpy."""

import numpy as np

from iim.kernels.products import multiply_rows


def test_by_hand():
    out = np.empty((2, 1))
    multiply_rows(np.array([[1.0, 2], [3, 4]]), np.array([[10.0], [1]]), out)
    assert out.tolist() == [[12], [34]]


def test_sums_run_in_column_order():
    # (1 + 1e16) - 1e16 is 0, 1 + (1e16 - 1e16) would be 1.
    out = np.empty((1, 1))
    multiply_rows(np.array([[1.0, 1e16, -1e16]]), np.ones((3, 1)), out)
    assert out[0, 0] == 0


def test_nothing_to_sum_is_zero():
    out = np.full((2, 3), np.nan)
    multiply_rows(np.empty((2, 0)), np.empty((0, 3)), out)
    assert (out == 0).all()
