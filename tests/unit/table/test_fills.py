"""New values: limits, and narrower dtypes."""

import numpy as np
import pytest

from iim.table.fills import Filled, Limits, whole_range

INF = np.inf


def limits(low, high, *, whole=False):
    return Limits(np.array([low]), np.array([high]), np.array([whole]))


def into_dtype(values, dtype, low, high):
    column = np.reshape(values, (-1, 1))
    new = Filled(np.array([0]), column, np.ones(column.shape, dtype=bool), limits(low, high))
    return new.narrowed(0, dtype)


@pytest.mark.parametrize(
    ("value", "low", "high", "whole", "expected"),
    [
        (1.25, -INF, INF, False, 1.25),
        (1.25, 2.0, 3.0, False, 2.0),
        (9.0, 2.0, 3.0, False, 3.0),
        (1.25, -INF, INF, True, 1.0),
        (2.5, -INF, INF, True, 2.0),  # halves go to the even neighbour
        (9.7, 0.0, 9.0, True, 9.0),
        (1e300, -INF, INF, True, 1e300),
    ],
)
def test_values_are_rounded_and_limited(value, low, high, whole, expected):
    assert limits(low, high, whole=whole).apply(np.array([value]), np.array([0])).tolist() == [expected]


def test_zeros_keep_their_sign_unless_rounded():
    zero = np.array([-0.0])
    assert np.signbit(limits(0.0, 0.0).apply(zero, 0)).all()
    assert not np.signbit(limits(-INF, INF, whole=True).apply(np.array([-0.3]), 0)).any()


@pytest.mark.parametrize("bound", [0.1, 0.3, -0.7, 1 / 3, 1e-50, 16777217.0])
def test_single_precision_stays_on_the_inner_side(bound):
    single = np.dtype(np.float32)
    above = into_dtype(np.array([bound, bound + 1]), single, bound, INF)
    below = into_dtype(np.array([bound, bound - 1]), single, -INF, bound)
    assert (above.astype(np.float64) >= bound).all()
    assert (below.astype(np.float64) <= bound).all()
    # No farther than to the next number.
    assert abs(float(above[0]) - float(below[0])) <= float(np.spacing(np.float32(abs(bound)))) * 1.01


def test_without_a_number_between_the_limits_the_nearest_is_taken():
    assert into_dtype(np.array([0.1]), np.dtype(np.float32), 0.1, 0.1)[0] == np.float32(0.1)


def test_single_precision_stays_finite():
    single = np.dtype(np.float32)
    assert into_dtype(np.array([1e300, -1e300]), single, -INF, INF).tolist() == [
        np.finfo(single).max,
        np.finfo(single).min,
    ]
    assert np.isfinite(into_dtype(np.array([1e300]), single, 1e300, INF)).all()
    assert np.isfinite(into_dtype(np.array([0.0]), single, -1e300, 1e300)).all()


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "bool"])
def test_whole_numbers_stay_within_their_dtype(name):
    dtype = np.dtype(name)
    least, most = whole_range(dtype)
    cast = into_dtype(np.array([-1e30, least, most, 1e30]), dtype, -INF, INF)
    assert cast.dtype == dtype
    assert [int(value) for value in cast] == [int(least), int(least), int(most), int(most)]
    if name != "bool":
        assert np.iinfo(dtype).min == int(least)
        assert 0 <= np.iinfo(dtype).max - int(most) < 2048  # the next float64 below 2**64 is 2048 away


def test_only_kept_columns_with_holes_are_written():
    missing = np.array([[True, False, True]])
    new = Filled(
        np.array([1, 2, 5]), np.zeros((1, 3)), missing, Limits(*np.zeros((2, 3)), np.zeros(3, dtype=bool))
    )
    assert new.holed(np.array([0, 1, 2])) == [(0, 1)]
    assert new.holed(np.arange(6)) == [(0, 1), (2, 5)]
