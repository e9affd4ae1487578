"""BlrImputer: draws with the right mean and the right variance."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from iim import BlrImputer, GlrImputer
from strategies import untied, with_hole_column


def table_and_law(n_rows=40):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(n_rows, 2))
    return points, points @ [1.0, -2.0] + 5 + rng.normal(scale=0.7, size=n_rows)


def draws_at(points, targets, query, n_seeds):
    table = np.vstack([np.column_stack([points, targets]), [*query, np.nan]])
    return np.array(
        [BlrImputer(ridge=0.0, random_state=seed).fit_transform(table)[-1, 2] for seed in range(n_seeds)]
    )


def test_draws_have_the_mean_and_the_spread_of_the_posterior():
    points, targets = table_and_law()
    query = np.array([2.0, 1.0])
    drawn = draws_at(points, targets, query, 1500)
    # Closed form: Student's t with n - p degrees of freedom around the least squares prediction.
    design = np.column_stack([np.ones(len(points)), points])
    coef, residual, _, _ = np.linalg.lstsq(design, targets, rcond=None)
    at = np.array([1.0, *query])
    freedom = len(points) - 3
    scale = np.sqrt(residual[0] / freedom * (1 + at @ np.linalg.solve(design.T @ design, at)))
    predictive = stats.t(freedom, loc=at @ coef, scale=scale)
    assert drawn.mean() == pytest.approx(predictive.mean(), abs=4 * predictive.std() / np.sqrt(1500))
    assert drawn.var() == pytest.approx(predictive.var(), rel=0.15)
    assert stats.kstest(drawn, predictive.cdf).pvalue > 0.001


def test_without_known_columns_it_is_drawn_around_the_mean():
    rng = np.random.default_rng(0)
    table = np.vstack([rng.normal(5, 2, size=(30, 1)), [[np.nan]]])
    drawn = np.array([BlrImputer(random_state=seed).fit_transform(table)[-1, 0] for seed in range(1000)])
    known = table[:30, 0]
    predictive = stats.t(29, loc=known.mean(), scale=known.std(ddof=1) * np.sqrt(1 + 1 / 30))
    assert stats.kstest(drawn, predictive.cdf).pvalue > 0.001


@pytest.mark.parametrize("n_columns", [2, 5])
def test_the_order_of_the_rows_changes_a_draw_by_rounding_only(n_columns):
    # A factorial table: all directions have the same eigenvalue, and rounding decides which is which.
    levels = np.array(list(product([-1.0, 1.0], repeat=n_columns)) * 20)
    targets = levels.sum(axis=1) + np.random.default_rng(0).normal(size=len(levels))
    table = np.column_stack([levels, targets])
    new = np.full((1, n_columns + 1), 0.5)
    new[0, -1] = np.nan
    filled = [
        BlrImputer().fit(table[np.random.default_rng(seed).permutation(len(table))]).transform(new)[0, -1]
        for seed in range(5)
    ]
    np.testing.assert_allclose(filled, filled[0], rtol=1e-9)


def test_many_draws_come_close_to_the_regression():
    table, rows = with_hole_column(untied(200, 3), 2, 20)
    regression = GlrImputer(alpha=0).fit_transform(table)[rows, 2]
    one, many = (BlrImputer(draws=draws).fit_transform(table)[rows, 2] for draws in (1, 2000))
    spread = np.delete(table, rows, 0)[:, 2].std()
    assert np.abs(one - regression).max() > 0.5 * spread
    assert np.abs(many - regression).max() < 0.1 * spread


def test_rows_of_one_pattern_share_the_model_and_not_the_noise():
    points, targets = table_and_law(500)
    new = np.random.default_rng(5).normal(size=(300, 2))
    imputer = BlrImputer().fit(np.column_stack([points, targets]))
    filled = imputer.transform(np.column_stack([new, np.full(300, np.nan)]))[:, 2]
    noise = filled - LinearRegression().fit(points, targets).predict(new)
    assert noise.std() == pytest.approx(0.7, rel=0.15)
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 0.2


def test_another_seed_another_draw():
    table, rows = with_hole_column(untied(100, 3), 2, 20)
    fills = [BlrImputer(random_state=seed).fit_transform(table)[rows, 2] for seed in (0, 0, 1)]
    assert (fills[0] == fills[1]).all()
    assert (fills[0] != fills[2]).all()


def test_none_draws_anew_at_each_fit_and_not_at_transform():
    table, _ = with_hole_column(untied(100, 3), 2, 20)
    imputer = BlrImputer(random_state=None).fit(table)
    first = imputer.transform(table)
    assert imputer.transform(table).tobytes() == first.tobytes()
    assert imputer.fit_transform(table).tobytes() != first.tobytes()


def test_a_random_state_object_moves_on():
    table, _ = with_hole_column(untied(100, 3), 2, 20)
    state = np.random.RandomState(0)
    first, second = (BlrImputer(random_state=state).fit_transform(table).tobytes() for _ in range(2))
    assert first != second


@pytest.mark.parametrize("random_state", [-1, 2**32, "x", 1.5, np.random.default_rng(0)])
def test_impossible_random_states_are_refused(random_state):
    with pytest.raises(ValueError, match="`random_state` of BlrImputer: a whole number from 0 to"):
        BlrImputer(random_state=random_state).fit([[1.0]])
