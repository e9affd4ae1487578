"""EracerImputer: columns and neighbours in one regression, iterated."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from iim import EracerImputer
from strategies import untied, with_hole_column


def test_by_hand():
    # With k = 1 the neighbour mean is the other's value: (x, mean) = (0, 2), (1, 0), (4, 10), (5, 8). These
    # span the plane, so y = 2 x is the only exact fit, whatever the nearest donor of 4.4 has.
    table = np.array([[0, 0.0], [1, 2], [4, 8], [5, 10], [4.4, np.nan]])
    imputer = EracerImputer(n_neighbors=1, alpha=0, min_donors=1).fit(table[:4])
    assert imputer.transform(table)[4, 1] == pytest.approx(8.8)


def test_against_ridge_on_columns_and_neighbors_means():
    table, rows = with_hole_column(untied(200, 3), 2, 1)
    donors = np.delete(table, rows, axis=0)

    def near_mean(point, others, values):
        return values[np.argsort(np.linalg.norm(others - point, axis=1))[:5]].mean()

    means = [
        near_mean(donor[:2], np.delete(donors, at, 0)[:, :2], np.delete(donors, at, 0)[:, 2])
        for at, donor in enumerate(donors)
    ]
    own = near_mean(table[rows[0], :2], donors[:, :2], donors[:, 2])
    # At fit the incomplete row's own estimate is a neighbour of others: nearly the same regression.
    ridge = Ridge(alpha=1e-9).fit(np.column_stack([donors[:, :2], means]), donors[:, 2])
    expected = ridge.predict([[*table[rows[0], :2], own]])[0]
    ours = EracerImputer(n_neighbors=5, alpha=1e-9, scale="none").fit_transform(table)[rows[0], 2]
    assert ours == pytest.approx(expected, abs=0.02)
    # A new row, with every donor known at fit: exactly.
    imputer = EracerImputer(n_neighbors=5, alpha=1e-9, scale="none").fit(donors)
    assert imputer.transform(table[rows])[0, 2] == pytest.approx(expected, rel=1e-9)


def test_rounds_end_when_the_estimates_are_stable():
    # Half of the values are missing: without smaller steps these estimates would chase each other for ever.
    table, _ = with_hole_column(untied(300, 3), 0, 150)
    n_rounds = [
        EracerImputer(n_neighbors=5, tol=tol, max_iter=200).fit(table).n_iter_
        for tol in (1e-2, 1e-6, 1e-10)
    ]
    assert 1 < n_rounds[0] < n_rounds[1] < n_rounds[2] < 200
    # Stable: what more rounds would change is below the tolerance.
    early, late = (
        EracerImputer(n_neighbors=5, tol=tol, max_iter=200).fit_transform(table) for tol in (1e-6, 1e-12)
    )
    np.testing.assert_allclose(early, late, atol=1e-4)


def test_max_iter_is_the_end():
    table, _ = with_hole_column(untied(300, 3), 0, 150)
    assert EracerImputer(n_neighbors=5, tol=0.0, max_iter=3).fit(table).n_iter_ == 3


def test_nothing_to_iterate_is_one_round():
    assert EracerImputer().fit(untied(30, 3)).n_iter_ == 1
