"""Distances learned from slopes: by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.core.distances import FLOOR, IDENTITY, mean_outer_product, square_root, submetric, transformed
from iim.core.held_out.tuning import ColumnTuning
from reference import better

SLOPES = hnp.arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.floats(-100, 100).map(lambda value: round(value, 3)),
)


def test_the_outer_product_by_hand():
    # Divided by the power of four that brings the largest entry below 1.
    np.testing.assert_allclose(
        mean_outer_product(np.array([[3.0, 0.0], [0.0, 3.0]])), np.diag([4.5, 4.5]) / 16
    )
    np.testing.assert_allclose(
        mean_outer_product(np.array([[0.5, 0.25]])), [[0.25, 0.125], [0.125, 0.0625]]
    )
    # Of 21 lengths, the quantile of 95 % is the last but one: the longest is cut down to it.
    slopes = np.r_[np.full(20, 0.5), 1000.0][:, None]
    np.testing.assert_allclose(mean_outer_product(slopes), [[0.25 / 1024**2]])
    assert mean_outer_product(np.zeros((4, 3))).tolist() == np.zeros((3, 3)).tolist()


@given(SLOPES)
def test_the_outer_product_is_that_of_the_witness(slopes):
    product = mean_outer_product(slopes)
    assert (product == product.T).all()
    unit = 2.0 ** (2 * np.frexp(np.abs(slopes).max())[1])
    np.testing.assert_allclose(product * unit, better.metric(slopes), rtol=1e-9, atol=1e-12)


def test_the_root_by_hand():
    # Roots 4 and 3, of mean square 12.5.
    np.testing.assert_allclose(square_root(np.diag([16.0, 9.0])), np.diag([4.0, 3.0]) / np.sqrt(12.5))
    # The second counts as 5 % of the first.
    lifted = square_root(np.diag([1.0, 0.0]))
    np.testing.assert_allclose(lifted, np.diag([1.0, FLOOR]) / np.sqrt((1 + FLOOR**2) / 2))
    np.testing.assert_allclose(square_root(np.eye(3) * 7), np.eye(3))
    assert square_root(np.array([[5.0]])).tolist() == [[1.0]]


@given(SLOPES)
def test_what_holds_of_every_root(slopes):
    assume(np.abs(slopes).max() > 0)
    metric = mean_outer_product(slopes)
    transform = square_root(metric)
    assert (transform == transform.T).all()
    strength = np.linalg.eigvalsh(transform)
    assert np.mean(strength**2) == pytest.approx(1.0)
    assert strength.min() >= FLOOR * strength.max() * (1 - 1e-9)
    np.testing.assert_allclose(transform, better.root(metric), rtol=1e-6, atol=1e-6)
    # Powers of two are exact: the size of the slopes means nothing.
    np.testing.assert_array_equal(square_root(metric * 2.0**40), transform)
    np.testing.assert_array_equal(square_root(mean_outer_product(slopes * 2.0**-60)), transform)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e-100, 1.0, 1e100, 1e170, 1e300])
def test_slopes_of_any_size(size):
    slopes = np.array([[1.0, 0.5], [1.0, -0.5], [0.25, 0.25]])
    np.testing.assert_allclose(
        square_root(mean_outer_product(slopes * size)), square_root(mean_outer_product(slopes)), rtol=1e-12
    )
    metric = mean_outer_product(slopes)
    np.testing.assert_allclose(square_root(metric * size), square_root(metric), rtol=1e-12)


@pytest.mark.parametrize(
    "metric",
    [np.zeros((2, 2)), IDENTITY, np.full((2, 2), np.nan), np.diag([1.0, np.inf]), -np.eye(2)],
    ids=["zero", "empty", "nan", "inf", "negative"],
)
def test_a_metric_that_says_nothing_is_the_identity(metric):
    assert square_root(metric) is IDENTITY


def test_parts_of_a_metric():
    metric = np.array([[4.0, 1.0], [1.0, 2.0]])
    assert submetric(metric, (0, 2), (0, 2)).tolist() == metric.tolist()
    assert submetric(metric, (0, 2), (2,)).tolist() == [[2.0]]
    assert submetric(metric, (0, 2), (2, 0)).tolist() == [[2.0, 1.0], [1.0, 4.0]]
    # A column that was not learned counts as the others do on average, and goes with none.
    assert submetric(metric, (0, 2), (0, 1, 2)).tolist() == [[4, 0, 1], [0, 3, 0], [1, 0, 2]]
    assert submetric(metric, (0, 2), (5,)).tolist() == [[3.0]]


def test_a_tuning_transforms_by_the_part_that_a_pattern_knows():
    metric = np.array([[4.0, 1.0], [1.0, 2.0]])
    tuning = ColumnTuning((0, 2), metric, "fitted", "votes", 0.5)
    np.testing.assert_array_equal(tuning.transform((0, 2)), square_root(metric))
    assert tuning.transform((2,)).tolist() == [[1.0]]
    assert tuning.transform((1, 3)).tolist() == np.eye(2).tolist()
    assert ColumnTuning((), IDENTITY, "fitted", "votes", np.nan).transform((0, 1)) is IDENTITY


@given(
    rows=hnp.arrays(float, st.tuples(st.integers(1, 40), st.just(3)), elements=st.floats(-1e150, 1e150)),
    slopes=hnp.arrays(float, (6, 3), elements=st.floats(-10, 10)),
)
def test_a_row_is_transformed_the_same_in_any_company(rows, slopes):
    transform = square_root(mean_outer_product(slopes))
    together = transformed(rows, transform)
    alone = np.vstack([transformed(row[None].copy(), transform) for row in rows])
    assert together.tobytes() == alone.tobytes()
    assert (np.abs(together) <= 1e150).all()
    backwards = np.ascontiguousarray(rows[::-1])
    assert transformed(backwards, transform)[::-1].tobytes() == together.tobytes()


def test_rows_stay_where_they_are_without_a_map():
    rows = np.ones((2, 3))
    assert transformed(rows, IDENTITY) is rows
