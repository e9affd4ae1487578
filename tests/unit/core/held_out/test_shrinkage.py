"""Shrinkage: by hand, and against regressions that leave out one donor after another."""

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.held_out.shrinkage import (
    LEAST,
    NO_SHRINKAGE,
    RIDGE,
    SHARES,
    Shares,
    Shrinkage,
    choose_shares,
    loss_of,
    no_shrinkage,
    regress,
    shrink_towards,
)


def drawn(n_donors=40, n_observed=3, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_donors, n_observed))
    return points, points @ np.arange(1.0, n_observed + 1.0) + 0.3 * rng.normal(size=n_donors)


def ridge(points, targets, penalty):
    """Slopes and intercept of a ridge regression with a penalty for each column."""
    center, mean = points.mean(axis=0), targets.mean()
    away = points - center
    slopes = np.linalg.solve(away.T @ away + np.diag(penalty), away.T @ (targets - mean))
    return np.concatenate([[mean - center @ slopes], slopes])


def penalties(points):
    return RIDGE * ((points - points.mean(axis=0)) ** 2).sum(axis=0)


def test_a_model_is_drawn_by_hand():
    # At x = 2 the model has the value 5 and the slope 1; what it is drawn to is 1 + 3 x, by a half.
    shrunk = Shrinkage(0.5, np.array([0.5, 1.5])).apply(np.array([[5.0, 1.0]]), np.array([[2.0]]))
    assert shrunk.tolist() == [[0.5 * 5 + 0.5 * 7, 0.5 * 1 + 0.5 * 3]]


def test_no_shrinkage_leaves_models_as_they_are():
    coef = np.array([[5.0, 1.0, 2.0]])
    assert no_shrinkage(2).apply(coef, np.array([[2.0, 3.0]])) is coef


def test_the_regression_is_a_ridge_regression():
    points, targets = drawn()
    found = regress(points, targets)
    np.testing.assert_allclose(found.coef, ridge(points, targets, penalties(points)), rtol=1e-10)
    np.testing.assert_allclose(
        found.predict(points), found.coef[0] + points @ found.coef[1:], rtol=1e-10, atol=1e-12
    )


def test_a_donor_is_predicted_by_the_regression_over_the_others():
    points, targets = drawn(12)
    # The penalty is that of all donors, as in the identity for what is left out.
    penalty = penalties(points)
    left_out = []
    for donor in range(12):
        others = np.arange(12) != donor
        coef = ridge(points[others], targets[others], penalty)
        left_out.append(coef[0] + points[donor] @ coef[1:])
    np.testing.assert_allclose(regress(points, targets).left_out, left_out, rtol=1e-9, atol=1e-11)


def test_constant_columns_have_no_slope():
    points, targets = drawn()
    with_constant = np.column_stack([points, np.full(40, 7.0)])
    found = regress(with_constant, targets)
    assert found.coef[-1] == 0.0
    np.testing.assert_allclose(found.coef[:-1], regress(points, targets).coef, rtol=1e-10)


@pytest.mark.parametrize(("best", "share"), [(0, (1.0, 0.0)), (1, (LEAST, 1.0 - LEAST)), (2, (LEAST, 0.0))])
def test_the_prediction_that_is_right_gets_the_whole_share(best, share):
    truth = np.random.default_rng(0).normal(size=50)
    wrong = np.random.default_rng(1).normal(size=(3, 50))
    wrong[best] = truth
    assert choose_shares(*wrong, truth) == Shares(*share)


def test_the_models_alone_are_tried_first_and_kept_if_nothing_is_gained():
    assert SHARES[0] == NO_SHRINKAGE
    truth = np.random.default_rng(0).normal(size=50)
    said = truth + 0.5
    assert choose_shares(said, said, said, truth) == NO_SHRINKAGE


def test_models_are_drawn_to_the_regression_and_to_the_mean():
    points, targets = drawn()
    coef = regress(points, targets).coef
    found = shrink_towards(points, targets, Shares(0.5, 0.25), IDENTITY)
    assert found.share == 0.5
    np.testing.assert_allclose(found.base[1:], 0.25 * coef[1:], rtol=1e-12)
    assert found.base[0] == pytest.approx(0.25 * coef[0] + 0.25 * targets.mean())
    assert not shrink_towards(points, targets, NO_SHRINKAGE, IDENTITY).base.any()


def test_the_base_is_the_same_in_transformed_coordinates():
    points, targets = drawn()
    transform = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 3.0]])
    plain, found = (shrink_towards(points, targets, Shares(0.5, 0.5), one) for one in (IDENTITY, transform))
    values = plain.base[0] + points @ plain.base[1:]
    np.testing.assert_allclose(found.base[0] + points @ transform @ found.base[1:], values, rtol=1e-10)


def test_losses_by_hand():
    assert loss_of(np.array([1.0, -1.0])) == pytest.approx(0.0, abs=1e-9)
    assert loss_of(np.array([2.0, -2.0])) == pytest.approx(2 * np.log(2.0))
    assert loss_of(np.array([0.0, 2.0])) == pytest.approx(0.5 * np.log(2.0))
    assert loss_of(np.empty(0)) == pytest.approx(0.0, abs=1e-9)
    assert np.isfinite(loss_of(np.zeros(3)))
