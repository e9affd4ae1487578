"""Propositions 1 and 2, against scikit-learn: l = 1 is kNN, l = n is one global ridge regression."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

import iim
from strategies import PLAIN, SMOOTH, complete_tables, untied, with_hole_column


def split(table, rows):
    known = np.delete(np.arange(len(table)), rows)
    return table[known, :-1], table[known, -1], table[rows, :-1]


@given(
    table=complete_tables(min_rows=4, min_columns=2, max_columns=5, cells=SMOOTH),
    k=st.integers(1, 6),
    scale=st.sampled_from(["none", "standard"]),
)
def test_one_learning_neighbour_and_equal_weights_are_knn(table, k, scale):
    table, rows = with_hole_column(table, table.shape[1] - 1, 2)
    X, Y, receivers = split(table, rows)
    k = min(k, len(X))
    if scale == "standard":
        scaler = StandardScaler().fit(table[:, :-1])
        assume((scaler.scale_ > 1e-6).all())
        X, receivers = scaler.transform(X), scaler.transform(receivers)
    distance = np.sort(((X[None] - receivers[:, None]) ** 2).sum(axis=2), axis=1)
    if k < len(X):
        # At a tie scikit-learn's choice is arbitrary, ours is by row.
        assume((distance[:, k] - distance[:, k - 1] > 1e-9 * (1 + distance[:, k])).all())
    ours = iim.IIMImputer(
        n_neighbors=k,
        learning_neighbors=1,
        distance="scaled",
        weights="uniform",
        shrinkage="none",
        scale=scale,
        donors="complete",
        strategy="patterns",
    ).fit_transform(table)
    theirs = KNeighborsRegressor(n_neighbors=k, algorithm="brute").fit(X, Y).predict(receivers)
    np.testing.assert_allclose(ours[rows, -1], theirs, rtol=1e-13, atol=1e-12)


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
@given(
    table=complete_tables(min_rows=4, min_columns=2, max_columns=5, cells=SMOOTH),
    alpha=st.sampled_from([0.001, 0.1, 10.0]),
    k=st.integers(1, 4),
)
def test_all_learning_neighbours_are_one_ridge_regression(table, alpha, k):
    table, rows = with_hole_column(table, table.shape[1] - 1, 2)
    X, Y, receivers = split(table, rows)
    everyone = {"learning_neighbors": len(X), "alpha": alpha, "donors": "complete", **PLAIN}
    everyone["strategy"] = "patterns"
    size = 1.0 + np.abs(table[~np.isnan(table)]).max()

    # penalty="all": the printed formula, on (1, F) as it is.
    ours = iim.IIMImputer(k, **everyone, penalty="all", scale="none").fit_transform(table)[rows, -1]
    ridge = Ridge(alpha=alpha, fit_intercept=False, solver="svd")
    one = np.ones
    theirs = ridge.fit(np.column_stack([one(len(X)), X]), Y).predict(
        np.column_stack([one(len(rows)), receivers])
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7 * size)

    # penalty="slopes": ridge with a free intercept, on the scaled columns.
    scaler = StandardScaler().fit(table[:, :-1])
    ours = iim.IIMImputer(k, **everyone).fit_transform(table)[rows, -1]
    ridge = Ridge(alpha=alpha, solver="svd")
    theirs = ridge.fit(scaler.transform(X), Y).predict(scaler.transform(receivers))
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7 * size)


@pytest.mark.parametrize("columns", [2, 4, 12])
def test_limits_on_a_larger_table(columns):
    table, rows = with_hole_column(untied(700, columns), columns - 1, 40)
    X, Y, receivers = split(table, rows)
    plain = {**PLAIN, "scale": "none", "strategy": "patterns"}
    knn = iim.IIMImputer(n_neighbors=7, learning_neighbors=1, **{**plain, "weights": "uniform"})
    theirs = KNeighborsRegressor(n_neighbors=7).fit(X, Y).predict(receivers)
    np.testing.assert_allclose(knn.fit_transform(table)[rows, -1], theirs, rtol=1e-13)
    glr = iim.IIMImputer(learning_neighbors=len(X), alpha=0.5, **plain)
    theirs = Ridge(alpha=0.5).fit(X, Y).predict(receivers)
    np.testing.assert_allclose(glr.fit_transform(table)[rows, -1], theirs, rtol=1e-9)
