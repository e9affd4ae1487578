import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

import iim
from iim import GmmImputer
from iim.core.methods.mixture import (
    Mixture,
    begin_mixture,
    fill_block,
    improve,
    split_blocks,
    training_blocks,
)
from strategies import holed, holed_groups, holed_line, untied

LINE = np.array([[-1.0, -2.0], [-1.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
"""Means 0, variances 1 and 2, covariance 1: the regression of the second column on the first is x."""


def two_groups(n_rows=400, seed=0):
    """Rows of two overlapping groups with different laws."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, 3))
    second = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, 3)) + [3.0, -2.0, 1.0]
    return np.where(rng.random((n_rows, 1)) < 0.4, first, second)


def start_of(points, n_components=2):
    """Some mixture to begin with."""
    group = np.arange(len(points)) % n_components
    return begin_mixture(points, np.zeros(points.shape, bool), group, reg_covar=1e-6)


@pytest.mark.parametrize(("fill", "expected"), [("conditional", 3.0), ("mean", 0.0)])
def test_one_component_by_hand(fill, expected):
    imputer = GmmImputer(1, fill=fill, reg_covar=1e-9).fit(LINE)
    np.testing.assert_allclose(imputer.covariances_, [[[1, 1], [1, 2]]], atol=1e-8)
    np.testing.assert_allclose(imputer.means_, [[0, 0]], atol=1e-12)
    assert imputer.transform([[3.0, np.nan]])[0, 1] == pytest.approx(expected, abs=1e-6)


def test_two_components_by_hand():
    # Unit variances, no covariance, means (-1, 0) and (1, 10): at x the odds of the second are exp(2 x).
    mixture = Mixture(np.array([0.5, 0.5]), np.array([[-1.0, 0.0], [1.0, 10.0]]), np.stack([np.eye(2)] * 2))
    missing = np.array([[False, True]])
    (block,) = split_blocks(missing)
    for x in (-2.0, 0.0, 0.3, 60.0):
        for how in ("conditional", "mean"):
            filled = fill_block(mixture, block, np.array([[x]]), how=how)
            np.testing.assert_allclose(filled, [[10 / (1 + np.exp(-2 * x))]], rtol=1e-12)


def test_one_component_is_the_closed_form():
    table = untied(200, 4)
    imputer = GmmImputer(1, reg_covar=1e-9, tol=0.0).fit(table)
    center, covariance = table.mean(axis=0), np.cov(table.T, bias=True)
    rows = untied(6, 4, seed=3)
    for observed, targets in (([0, 1, 3], [2]), ([1, 2], [0, 3]), ([3], [0, 1, 2])):
        slopes = np.linalg.solve(
            covariance[np.ix_(observed, observed)], covariance[np.ix_(observed, targets)]
        )
        expected = center[targets] + (rows[:, observed] - center[observed]) @ slopes
        holes = rows.copy()
        holes[:, targets] = np.nan
        np.testing.assert_allclose(imputer.transform(holes)[:, targets], expected, rtol=1e-6)


def test_complete_tables_as_scikit_learn_does():
    points = two_groups()
    mixture = start_of(points)
    theirs = GaussianMixture(
        2,
        max_iter=12,
        tol=0.0,
        weights_init=mixture.weights,
        means_init=mixture.means,
        precisions_init=np.linalg.inv(mixture.covariances),
    )
    with pytest.warns(UserWarning, match="did not converge"):
        theirs.fit(points)
    blocks = training_blocks(np.zeros(points.shape, bool))
    for _ in range(12):
        mixture, _ = improve(mixture, points, blocks, reg_covar=1e-6)
    _, log_likelihood = improve(mixture, points, blocks, reg_covar=1e-6)
    np.testing.assert_allclose(mixture.weights, theirs.weights_, rtol=1e-8)
    np.testing.assert_allclose(mixture.means, theirs.means_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(mixture.covariances, theirs.covariances_, rtol=1e-7, atol=1e-8)
    assert log_likelihood == pytest.approx(theirs.score(points), rel=1e-10)


def plain_round(mixture, table, reg_covar):
    """One round of expectation and maximisation, row by row."""
    n_columns = mixture.means.shape[1]
    shares, first, second = [], [], []
    log_likelihood = 0.0
    for row in table:
        at, to = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        likely, rows, squares = [], [], []
        for weight, mean, covariance in zip(
            mixture.weights, mixture.means, mixture.covariances, strict=True
        ):
            inner = covariance[np.ix_(at, at)]
            likely.append(weight * multivariate_normal(mean[at], inner).pdf(row[at]))
            slopes = covariance[np.ix_(to, at)] @ np.linalg.inv(inner)
            expected = row.copy()
            expected[to] = mean[to] + slopes @ (row[at] - mean[at])
            left = np.zeros((n_columns, n_columns))
            left[np.ix_(to, to)] = covariance[np.ix_(to, to)] - slopes @ covariance[np.ix_(at, to)]
            rows.append(expected)
            squares.append(np.outer(expected, expected) + left)
        log_likelihood += np.log(sum(likely))
        shares.append(np.array(likely) / sum(likely))
        first.append(rows)
        second.append(squares)
    shares = np.array(shares)
    total = shares.sum(axis=0)
    means = np.einsum("nc,ncm->cm", shares, first) / total[:, None]
    covariances = np.einsum("nc,ncml->cml", shares, second) / total[:, None, None]
    covariances = covariances - means[:, :, None] * means[:, None, :] + reg_covar * np.eye(n_columns)
    return Mixture(total / len(table), means, covariances), log_likelihood / len(table)


def test_tables_with_holes_as_the_plain_formulas_do():
    table = two_groups(60)
    table[np.random.default_rng(1).random(table.shape) < 0.3] = np.nan
    table = table[~np.isnan(table).all(axis=1)]
    points, blocks = np.nan_to_num(table), training_blocks(np.isnan(table))
    ours = plain = start_of(points)
    for _ in range(8):
        ours, log_likelihood = improve(ours, points, blocks, reg_covar=1e-3)
        plain, expected = plain_round(plain, table, 1e-3)
        assert log_likelihood == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(ours.weights, plain.weights, rtol=1e-9)
    np.testing.assert_allclose(ours.means, plain.means, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.covariances, plain.covariances, rtol=1e-8, atol=1e-9)


def test_the_likelihood_never_falls():
    table = two_groups()
    table[np.random.default_rng(1).random(table.shape) < 0.25] = np.nan
    points, blocks = np.nan_to_num(table), training_blocks(np.isnan(table))
    mixture, told = start_of(points, 4), []
    for _ in range(60):
        # Without what is added to the variances: that is not part of the likelihood.
        mixture, log_likelihood = improve(mixture, points, blocks, reg_covar=0.0)
        told.append(log_likelihood)
    assert np.diff(told).min() > -1e-12
    assert told[-1] > told[0] + 0.1


def test_blocks_change_no_fill_and_learning_only_by_rounding(monkeypatch):
    table = two_groups()
    table[np.random.default_rng(1).random(table.shape) < 0.2] = np.nan
    imputer = GmmImputer(3).fit(table)
    filled = imputer.transform(table)
    monkeypatch.setattr("iim.core.methods.mixture.BLOCK_ROWS", 7)
    assert imputer.transform(table).tobytes() == filled.tobytes()
    np.testing.assert_allclose(GmmImputer(3).fit_transform(table), filled, rtol=1e-6)


def test_groups_with_different_laws_are_told_apart():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=600)
    group = rng.integers(2, size=600)
    y = np.where(group == 0, 3 * x, 5 - 3 * x)
    table = np.column_stack([x, y, 10.0 * group]) + 0.01 * rng.normal(size=(600, 3))
    holes = table.copy()
    holes[:60, 1] = np.nan
    filled = GmmImputer(2).fit_transform(holes)
    np.testing.assert_allclose(filled[:60, 1], y[:60], atol=0.2)


def error(imputer, table, truth):
    return np.sqrt(np.mean((imputer.fit_transform(table) - truth)[np.isnan(table)] ** 2))


@pytest.mark.parametrize("seed", range(8))
def test_no_component_starts_from_a_guess(seed):
    # Seeded with column means in the holes, components stayed there: errors of up to 0.16 and 5.1.
    assert error(GmmImputer(random_state=seed), *holed_line(seed)) < 0.02
    assert error(GmmImputer(random_state=seed), *holed_groups(seed)) < 1.3


def test_the_order_of_training_rows_does_not_matter():
    table = np.vstack([holed(120, share=0.1), np.full((2, 4), np.nan)])
    shuffled = table[np.random.default_rng(0).permutation(len(table))]
    for settings in ({}, {"n_components": 4}, GmmImputer.PAPER):
        fills = [GmmImputer(**settings).fit(rows).transform(table) for rows in (table, shuffled)]
        assert fills[0].tobytes() == fills[1].tobytes()


def test_progress_is_told_by_rounds():
    told = []
    imputer = GmmImputer(max_iter=4, tol=0.0, progress=told.append).fit(holed())
    assert told == [0.25, 0.5, 0.75, 1.0]
    told.clear()
    imputer.transform(holed(share=0.3))
    assert told[-1] == 1.0


def test_a_group_that_does_not_know_a_column_may_lie_anywhere_in_it():
    points, missing = np.zeros((6, 2)), np.zeros((6, 2), bool)
    points[:, 0], points[3:, 1], missing[:3, 1] = [0, 1, 2, 10, 11, 12], [4, 6, 8], True
    mixture = begin_mixture(points, missing, np.array([0, 0, 0, 1, 1, 1]), reg_covar=0.0)
    np.testing.assert_allclose(mixture.means, [[1, 0], [11, 6]])
    # The second column's known values, 4, 6 and 8, have the variance 8 / 3.
    np.testing.assert_allclose(mixture.covariances[0], [[2 / 3, 0], [0, 8 / 3]])
    np.testing.assert_allclose(mixture.covariances[1], [[2 / 3, 4 / 3], [4 / 3, 8 / 3]])


@pytest.mark.parametrize("reg_covar", [1e-9, 1e3])
def test_the_ends_of_reg_covar(reg_covar):
    filled = GmmImputer(3, reg_covar=reg_covar).fit_transform(holed())
    assert np.isfinite(filled).all()


def test_the_number_of_components():
    assert GmmImputer().fit(untied(60, 4)).weights_.shape == (1,)
    assert GmmImputer().fit(untied(160, 4)).weights_.shape == (5,)
    assert GmmImputer().fit(untied(1000, 4)).means_.shape == (10, 4)
    assert GmmImputer(7).fit(LINE[:3]).covariances_.shape == (3, 2, 2)
    assert GmmImputer(7).fit(np.repeat(LINE, 5, axis=0)).weights_.shape == (4,)


def test_the_scale_of_columns_matters_only_for_the_start():
    table = holed(200)
    units = np.array([1e-200, 1e9, 1.0, 1e200])
    plain = GmmImputer(3).fit_transform(table)
    np.testing.assert_allclose(GmmImputer(3).fit_transform(table * units), plain * units, rtol=1e-6)
    one = GmmImputer(1).fit_transform(table)
    np.testing.assert_allclose(GmmImputer(1, scale="none").fit_transform(table), one, rtol=1e-9)


def test_collinear_and_constant_columns():
    table = untied(100, 2)
    table = np.column_stack([table, table[:, 0] * 3 + 1e6, np.full(100, 0.1)])
    holes = table.copy()
    holes[:20, 2] = np.nan
    holes[10:30, 3] = np.nan
    filled = GmmImputer(3).fit_transform(holes)
    np.testing.assert_allclose(filled, table, rtol=1e-7)
    assert (filled[:, 3] == 0.1).all()


def test_a_row_with_nothing_known_gets_the_means():
    table = holed()
    filled = GmmImputer(3).fit(table).transform(np.full((1, 4), np.nan))
    np.testing.assert_allclose(filled[0], np.nanmean(table, axis=0))


def test_rounds_end_by_tol_or_max_iter():
    table = holed()
    assert GmmImputer(2, max_iter=3, tol=0.0).fit(table).n_iter_ == 3
    assert GmmImputer(2, tol=1e9).fit(table).n_iter_ == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"n_components": 0},
            "`n_components` of GmmImputer: 'auto', or a whole number, 1 or more, is needed",
        ),
        ({"fill": "median"}, "`fill` of GmmImputer: 'conditional' or 'mean' is needed; received 'median'"),
        ({"reg_covar": 0}, "`reg_covar` of GmmImputer: a number from 1e-09 to 1000 is needed; received 0"),
        ({"reg_covar": 1.7e308}, "a number from 1e-09 to 1000 is needed; received 1.7e[+]308"),
        ({"reg_covar": np.nan}, "a number from 1e-09 to 1000 is needed; received nan"),
        ({"scale": "raw"}, "'standard' or 'robust' or 'none' is needed; received 'raw'"),
        ({"max_iter": 0}, "a whole number, 1 or more, is needed; received 0"),
        ({"tol": -1}, "a finite number, 0 or more, is needed; received -1"),
        ({"random_state": -1}, "`random_state` of GmmImputer: .* is needed; received -1"),
    ],
)
def test_impossible_values_are_refused(parameters, message):
    with pytest.raises(iim.InvalidParameter, match=message):
        GmmImputer(**parameters).fit(LINE)
