"""GlrImputer: one regression for all, as scikit-learn's Ridge and as IIM with all neighbours."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import iim
from iim import GlrImputer
from strategies import PLAIN, untied, with_hole_column


def test_by_hand():
    # Least squares through (0, 1), (1, 3), (2, 8): slope 3.5, mean 4.
    table = np.array([[0, 1.0], [1, 3], [2, 8], [4, np.nan]])
    assert GlrImputer(alpha=0).fit_transform(table)[3, 1] == pytest.approx(14.5)


def test_ridge_by_hand():
    # Centred: x = -1, 0, 1; y = -3, -1, 4. Slope 7 / (2 + 1.5) = 2; at x = 4: 4 + 3 * 2.
    table = np.array([[0, 1.0], [1, 3], [2, 8], [4, np.nan]])
    assert GlrImputer(alpha=1.5, scale="none").fit_transform(table)[3, 1] == pytest.approx(10)


@pytest.mark.parametrize("alpha", [0.001, 1.0, 300.0])
def test_ridge_of_scikit_learn_on_scaled_columns(alpha):
    table, rows = with_hole_column(untied(300, 4) * [1, 50, 0.01, 7] + [0, 1000, 3, -5], 3, 40)
    donors = np.delete(table, rows, axis=0)
    # Each column is scaled by all its known values.
    center, spread = table[:, :3].mean(axis=0), table[:, :3].std(axis=0)
    ridge = Ridge(alpha=alpha).fit((donors[:, :3] - center) / spread, donors[:, 3])
    theirs = ridge.predict((table[rows, :3] - center) / spread)
    np.testing.assert_allclose(GlrImputer(alpha=alpha).fit_transform(table)[rows, 3], theirs, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.001, 1.0, 300.0])
def test_the_printed_formula_is_ridge_on_a_column_of_ones(alpha):
    table, rows = with_hole_column(untied(300, 4) + 20, 3, 40)
    donors = np.delete(table, rows, axis=0)
    design = np.column_stack([np.ones(len(table)), table[:, :3]])
    ridge = Ridge(alpha=alpha, fit_intercept=False).fit(np.delete(design, rows, axis=0), donors[:, 3])
    ours = GlrImputer(**{**GlrImputer.PAPER, "alpha": alpha}).fit_transform(table)
    np.testing.assert_allclose(ours[rows, 3], ridge.predict(design[rows]), rtol=1e-9)


@pytest.mark.parametrize("penalty", ["slopes", "all"])
def test_it_is_iim_with_all_donors_as_learning_neighbors(penalty):
    table, _ = with_hole_column(untied(120, 4), 1, 20)
    everyone = {"learning_neighbors": 10**6, "alpha": 0.5, "penalty": penalty}
    alike = iim.IIMImputer(**everyone, **PLAIN).fit_transform(table)
    np.testing.assert_allclose(
        GlrImputer(alpha=0.5, penalty=penalty).fit_transform(table), alike, rtol=1e-9
    )


def test_dependent_columns_are_no_problem_without_ridge():
    table, rows = with_hole_column(untied(100, 3), 2, 10)
    doubled = np.column_stack([table[:, 0], 2 * table[:, 0], table[:, 1:]])
    expected = LinearRegression().fit(np.delete(table, rows, 0)[:, :2], np.delete(table, rows, 0)[:, 2])
    ours = GlrImputer(alpha=0).fit_transform(doubled)[rows, 3]
    np.testing.assert_allclose(ours, expected.predict(table[rows, :2]), rtol=1e-9)


def test_far_from_zero_no_digits_are_lost():
    table, rows = with_hole_column(untied(200, 3), 2, 20)
    near = GlrImputer().fit_transform(table)
    far = GlrImputer().fit_transform(table + 1e7) - 1e7
    np.testing.assert_allclose(far[rows, 2], near[rows, 2], atol=1e-6)
