"""Sums and solutions against numpy's own least squares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.kernels.gram import add_rows, factorise, penalise_intercept, solve, substitute
from reference import paper
from strategies import SMOOTH, complete_tables, untied


def sums(points, targets, found, place):
    m = points.shape[1]
    products = np.zeros((m + 2, m + 2))
    add_rows(products, np.empty(m + 2), points, targets, np.asarray(found), 0, len(found), place)
    return products


def model(points, targets, found, place, alpha, penalty):
    """Intercept and slopes in the coordinates given."""
    m = points.shape[1]
    products = sums(points, targets, found, place)
    factor, floor, slopes = np.empty((m, m)), np.empty(m), np.empty(m)
    level = solve(products, alpha, factor, floor, slopes)
    if penalty == "all":
        level = penalise_intercept(
            products, alpha, factor, slopes, level, points[place], targets[place], np.empty(m), np.empty(m)
        )
    return np.concatenate([[targets[place] + level - slopes @ points[place]], slopes])


def test_sums_by_hand():
    points, targets = np.array([[1.0], [3.0], [6.0]]), np.array([10.0, 20.0, 50.0])
    # Relative to place 0, the rows (1, F, A) are (1, 0, 0), (1, 2, 10) and (1, 5, 40).
    expected = [[3, 0, 0], [7, 29, 0], [50, 220, 1700]]
    assert sums(points, targets, [0, 1, 2], 0).tolist() == expected


@given(table=complete_tables(min_rows=2, min_columns=2, cells=SMOOTH), cut=st.integers(0, 24))
def test_sums_grow_to_the_same_bits(table, cut):
    # Proposition 3: what is added in two steps is what is added in one.
    points, targets = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    found, m = np.arange(len(table)), points.shape[1]
    cut = min(cut, len(table))
    grown = np.zeros((m + 2, m + 2))
    add_rows(grown, np.empty(m + 2), points, targets, found, 0, cut, 0)
    add_rows(grown, np.empty(m + 2), points, targets, found, cut, len(table), 0)
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


def test_factors_solve_a_symmetric_system():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(9, 6))
    matrix, vector = half.T @ half, rng.normal(size=6)
    factor, solution = np.tril(matrix), vector.copy()
    factorise(factor, np.zeros(6))
    substitute(factor, solution)
    np.testing.assert_allclose(matrix @ solution, vector, rtol=1e-10)


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
