"""The posterior of a linear regression."""

import numpy as np
import pytest

from iim.core.methods.posterior import learn_posterior
from strategies import untied


@pytest.fixture
def problem():
    points = untied(60, 3) * [1, 100, 0.01] + [0, 5, 9]
    return points, points @ [1.0, 0.02, 30] + np.random.default_rng(0).normal(size=60)


def test_the_estimate_is_least_squares(problem):
    points, targets = problem
    posterior = learn_posterior(points, targets, ridge=0.0)
    design = np.column_stack([np.ones(60), points])
    coef, residual, _, _ = np.linalg.lstsq(design, targets, rcond=None)
    np.testing.assert_allclose(posterior.line.slopes, coef[1:], rtol=1e-9)
    np.testing.assert_allclose(posterior.line.predict(points), design @ coef, rtol=1e-9)
    assert posterior.residual == pytest.approx(residual[0])


def test_the_spread_is_the_root_of_the_covariance(problem):
    points, targets = problem
    spread = learn_posterior(points, targets, ridge=0.0).spread
    centered = points - points.mean(axis=0)
    np.testing.assert_allclose(spread @ spread.T, np.linalg.inv(centered.T @ centered), rtol=1e-8)


def test_the_ridge_is_a_share_of_the_diagonal(problem):
    points, targets = problem
    centered = points - points.mean(axis=0)
    gram = centered.T @ centered
    slopes = np.linalg.solve(gram + 0.1 * np.diag(np.diag(gram)), centered.T @ (targets - targets.mean()))
    np.testing.assert_allclose(learn_posterior(points, targets, ridge=0.1).line.slopes, slopes, rtol=1e-9)


def test_draws_scatter_as_the_covariance_says(problem):
    points, targets = problem
    posterior = learn_posterior(points, targets, ridge=0.0)
    generator = np.random.default_rng(1)
    drawn = [posterior.draw(generator) for _ in range(5000)]
    slopes = np.array([draw.line.slopes for draw in drawn])
    np.testing.assert_allclose(
        slopes.mean(axis=0), posterior.line.slopes, atol=3 * slopes.std(axis=0).max() / 70
    )
    freedom = 60 - 4
    variance = posterior.residual / (freedom - 2)
    np.testing.assert_allclose(
        np.cov(slopes.T), variance * posterior.spread @ posterior.spread.T, rtol=0.15
    )
    levels = np.array([draw.line.level for draw in drawn])
    assert levels.var() == pytest.approx(variance / 60, rel=0.1)


def test_constant_and_repeated_columns_break_nothing():
    points = untied(30, 2)
    points = np.column_stack([points, points[:, 0], np.full(30, 4.0)])
    posterior = learn_posterior(points, points[:, 0] - points[:, 1], ridge=0.0)
    draw = posterior.draw(np.random.default_rng(0))
    assert draw.line.slopes[3] == 0
    np.testing.assert_allclose(draw.line.predict(points), points[:, 0] - points[:, 1], atol=1e-9)
