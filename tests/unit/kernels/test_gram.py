"""Sums and solutions against numpy's own least squares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.kernels.gram import (
    LANES,
    ROWS_AT_ONCE,
    add_rows,
    factorise,
    make_solution,
    penalise_intercept,
    solve,
    substitute,
)
from reference import paper
from strategies import SMOOTH, complete_tables, untied


def in_lanes(array):
    """The same in every lane."""
    return np.repeat(np.asarray(array, float)[..., None], LANES, axis=-1)


def grow(products, points, targets, found, place):
    for first in range(0, len(found), ROWS_AT_ONCE):
        others = np.asarray(found)[first : first + ROWS_AT_ONCE]
        rows = np.empty((ROWS_AT_ONCE, points.shape[1] + 2))
        rows[: len(others), 0] = 1.0
        rows[: len(others), 1:-1] = points[others] - points[place]
        rows[: len(others), -1] = targets[others] - targets[place]
        add_rows(products, in_lanes(rows), len(others))


def sums(points, targets, found, place):
    m = points.shape[1]
    products = np.zeros((m + 2, m + 2, LANES))
    grow(products, points, targets, found, place)
    assert (products == products[..., :1]).all()
    return products


def model(points, targets, found, place, alpha, penalty):
    """Intercept and slopes in the coordinates given."""
    products = sums(points, targets, found, place)
    solution = make_solution(points.shape[1])
    solve(products, alpha, solution)
    if penalty == "all":
        penalise_intercept(products, alpha, in_lanes(points[place]), in_lanes(targets[place]), solution)
    slopes, level = solution.slopes[:, 0], solution.level[0]
    assert (solution.slopes == slopes[:, None]).all()
    assert (solution.level == level).all()
    return np.concatenate([[targets[place] + level - slopes @ points[place]], slopes])


def test_sums_by_hand():
    points, targets = np.array([[1.0], [3.0], [6.0]]), np.array([10.0, 20.0, 50.0])
    # Relative to place 0, the rows (1, F, A) are (1, 0, 0), (1, 2, 10) and (1, 5, 40).
    expected = [[3, 0, 0], [7, 29, 0], [50, 220, 1700]]
    assert np.tril(sums(points, targets, [0, 1, 2], 0)[..., 0]).tolist() == expected


@given(table=complete_tables(min_rows=2, min_columns=2, cells=SMOOTH), cut=st.integers(0, 24))
def test_sums_grow_to_the_same_bits(table, cut):
    # Proposition 3: what is added in two steps is what is added in one.
    points, targets = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    found, m = np.arange(len(table)), points.shape[1]
    cut = min(cut, len(table))
    grown = np.zeros((m + 2, m + 2, LANES))
    grow(grown, points, targets, found[:cut], 0)
    grow(grown, points, targets, found[cut:], 0)
    assert (grown == sums(points, targets, found, 0)).all()


@pytest.mark.parametrize("penalty", ["all", "slopes"])
@given(
    table=complete_tables(min_rows=2, min_columns=2, cells=SMOOTH),
    alpha=st.sampled_from([0.001, 0.1, 3.0]),
)
def test_solution_is_the_ridge_of_the_witness(penalty, table, alpha):
    points, targets = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    ours = model(points, targets, range(len(table)), 0, alpha, penalty)
    theirs = paper.LR(points, targets, alpha, penalty)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6 * (1 + np.abs(table).max()))


def exact_ridge(points, targets, alpha, penalty):
    """The ridge formula in rational numbers: Gauss elimination without any rounding."""
    rows = [[Fraction(1), *map(Fraction, point)] for point in points.tolist()]
    size = len(rows[0])
    system = []
    for i in range(size):
        line = [sum(row[i] * row[j] for row in rows) for j in range(size)]
        line[i] += Fraction(alpha) if i or penalty == "all" else 0
        system.append(
            [*line, sum(row[i] * Fraction(y) for row, y in zip(rows, targets.tolist(), strict=True))]
        )
    for i in range(size):
        system[i] = [entry / system[i][i] for entry in system[i]]
        for j in range(size):
            if j != i:
                system[j] = [a - system[j][i] * b for a, b in zip(system[j], system[i], strict=True)]
    return [line[-1] for line in system]


@pytest.mark.parametrize("penalty", ["all", "slopes"])
@pytest.mark.parametrize("shift", [0.0, 1e4, 1e9])
def test_far_from_zero_no_digits_are_lost(penalty, shift):
    table = untied(30, 4)
    points, targets = np.ascontiguousarray(table[:, :-1] + shift), table[:, -1] + shift / 10
    exact = exact_ridge(points, targets, 0.001, penalty)
    ours = model(points, targets, range(30), 0, 0.001, penalty)
    np.testing.assert_allclose(ours[1:], [float(slope) for slope in exact[1:]], rtol=1e-8)
    # The intercept is what is left of large products: it has the digits of the largest of them.
    assert ours[0] == pytest.approx(
        float(exact[0]), abs=1e-13 * max(1.0, shift) * np.abs(ours[1:]).sum() + 1e-9
    )


@pytest.mark.parametrize("alpha", [1e280, 1e300, 1e308])
def test_a_ridge_weight_near_the_largest_number_does_not_overflow(alpha):
    table = untied(30, 4)
    points, targets = np.ascontiguousarray(table[:, :-1]), table[:, -1]
    exact = exact_ridge(points, targets, alpha, "all")
    ours = model(points, targets, range(30), 0, alpha, "all")
    # What is left of the donor's own value is rounding.
    np.testing.assert_allclose(ours, [float(entry) for entry in exact], rtol=1e-8, atol=1e-14)


def test_factors_solve_a_symmetric_system():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(9, 6))
    matrix, vector = half.T @ half, rng.normal(size=6)
    factor, solution = in_lanes(np.tril(matrix)), in_lanes(vector)
    factorise(factor, np.zeros((6, LANES)))
    substitute(factor, solution)
    np.testing.assert_allclose(matrix @ solution, in_lanes(vector), rtol=1e-10)


def test_no_lane_knows_of_the_others():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(ROWS_AT_ONCE, 6, LANES))
    rows[:, 0] = 1.0
    alone = np.empty((5, LANES))
    for lane in range(LANES):
        products = np.zeros((6, 6, LANES))
        add_rows(products, in_lanes(rows[..., lane]), ROWS_AT_ONCE)
        solution = make_solution(4)
        solve(products, 0.1, solution)
        alone[:, lane] = [*solution.slopes[:, 0], solution.level[0]]
    products, together = np.zeros((6, 6, LANES)), make_solution(4)
    add_rows(products, rows, ROWS_AT_ONCE)
    solve(products, 0.1, together)
    assert (np.vstack([together.slopes, together.level]) == alone).all()


def test_a_column_that_others_explain_gets_no_slope():
    rng = np.random.default_rng(0)
    first = rng.normal(size=20)
    points = np.column_stack([first, 2.0 * first, rng.normal(size=20)])
    targets = points @ [1.0, 0.0, -1.0] + 3.0
    phi = model(points, targets, range(20), 0, 0.0, "slopes")
    assert phi[2] == 0.0
    np.testing.assert_allclose(phi, [3.0, 1.0, 0.0, -1.0], atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_column_that_others_explain_up_to_rounding_gets_no_slope(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(20, 3))
    points[:, 2] = 0.1 * points[:, 0] + 0.7 * points[:, 1]  # the pivot is rounding, not exactly 0
    phi = model(points, points @ [1.0, -1.0, 0.0] + 3.0, range(20), 0, 0.0, "slopes")
    assert phi[3] == 0.0
    np.testing.assert_allclose(phi, [3.0, 1.0, -1.0, 0.0], atol=1e-12)


def test_a_column_that_others_nearly_explain_keeps_its_slope():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3))
    points[:, 2] = points[:, 0] + 1e-5 * points[:, 2]  # a pivot of 1e-10: small, but far above rounding
    phi = model(points, points @ [-1.0, 0.0, 1.0] * 1e5, range(20), 0, 0.0, "slopes")
    np.testing.assert_allclose(phi, [0.0, -1e5, 0.0, 1e5], rtol=1e-3, atol=100)


def test_without_ridge_and_spread_the_model_is_the_mean():
    points, targets = np.full((4, 2), 7.0), np.array([1.0, 2.0, 3.0, 6.0])
    assert model(points, targets, range(4), 0, 0.0, "slopes").tolist() == [3.0, 0.0, 0.0]
