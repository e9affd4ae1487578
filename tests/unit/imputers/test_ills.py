"""IllsImputer: rows as combinations of rows."""

import numpy as np
import pytest

from iim import IllsImputer
from iim.core.methods.row_combination import combine_rows
from strategies import untied, with_hole_column


def filled(table, **parameters):
    return IllsImputer(**{"min_donors": 1, "scale": "none", **parameters}).fit_transform(table)


def test_by_hand():
    # The nearest two of (2, 2) are (1, 1) and (3, 1); twice the first gives it.
    table = np.array([[1, 1, 5.0], [3, 1, 7], [40, 40, 1], [2, 2, np.nan]])
    assert filled(table, n_neighbors=2, rounds=1)[3, 2] == pytest.approx(10)


def test_the_least_weights_by_hand():
    # One known column: 6 = 1 w0 + 2 w1 with the least weights is w = 6 / 5 (1, 2).
    table = np.array([[1, 10.0], [2, 20.5], [6, np.nan]])
    assert filled(table, n_neighbors=2, rounds=1)[2, 1] == pytest.approx(6 / 5 * (10 + 2 * 20.5))


def test_exactly_linear_rows_are_recovered():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 6))
    truth = table.copy()
    table[:30, 4] = np.nan
    np.testing.assert_allclose(filled(table, n_neighbors=10), truth, atol=1e-9)


def test_least_squares_of_numpy_agrees():
    table, rows = with_hole_column(untied(100, 5), 2, 10)
    donors = np.delete(table, rows, axis=0)
    known = [0, 1, 3, 4]
    for k in (2, 4, 9):
        expected = []
        for row in rows:
            near = np.argsort(np.linalg.norm(donors[:, known] - table[row, known], axis=1))[:k]
            weights = np.linalg.lstsq(donors[near][:, known].T, table[row, known], rcond=None)[0]
            expected.append(weights @ donors[near, 2])
        np.testing.assert_allclose(filled(table, n_neighbors=k, rounds=1)[rows, 2], expected, rtol=1e-8)


def test_the_next_round_looks_for_neighbors_of_the_whole_row():
    # Round 1: nearest of 5 is row 1 (5.5): 5 / 5.5 * 22 = 20. Round 2: nearest of (5, 20) is row 2.
    table = np.array([[100, 1.0], [5.5, 22], [6, 20], [5, np.nan]])
    assert filled(table, n_neighbors=1, rounds=1)[3, 1] == pytest.approx(20)
    assert filled(table, n_neighbors=1, rounds=2)[3, 1] == pytest.approx(5 / 6 * 20)


def test_rounds_end_when_the_neighbors_stay():
    table, _ = with_hole_column(untied(60, 4), 1, 10)
    # All donors are neighbours from the first round on.
    assert filled(table, n_neighbors=50, rounds=1).tobytes() == filled(table, n_neighbors=50).tobytes()


@pytest.mark.parametrize("constant", [0.1, 123456.789])
def test_a_constant_column_stays_constant(constant):
    table, _ = with_hole_column(untied(40, 3), 2, 5)
    table[:, 2] = np.where(np.isnan(table[:, 2]), np.nan, constant)
    assert (IllsImputer().fit_transform(table)[:, 2] == constant).all()


@pytest.mark.parametrize("n_columns", [18, 20, 21, 22, 30])
def test_as_many_neighbors_as_columns_are_avoided(n_columns):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(400, 4)) @ rng.normal(size=(4, n_columns)) + 0.3 * rng.normal(
        size=(400, n_columns)
    )
    truth = table[:40, 0].copy()
    table[:40, 0] = np.nan
    errors = IllsImputer().fit_transform(table)[:40, 0] - truth
    assert np.sqrt(np.mean(errors**2)) < 0.6 * truth.std()


def test_rows_of_zeros_combine_to_zero():
    assert combine_rows(np.ones((1, 2)), np.zeros((1, 3, 2)), np.ones((1, 3))).tolist() == [0]


def test_raw_numbers_whose_inverse_is_no_number_are_combined():
    table = np.full((8, 2), 1e-314)
    table[3, 1] = np.nan
    imputer = IllsImputer(**IllsImputer.PAPER).fit(table)
    np.testing.assert_allclose(imputer.transform(table)[3, 1], 1e-314, rtol=1e-9)
    # Nor does a row beyond all measure divide by them.
    assert np.isfinite(imputer.transform([[1e150, np.nan]])).all()
