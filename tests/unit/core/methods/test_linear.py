"""One line for all donors, against least squares on the rows themselves."""

import numpy as np
import pytest

from iim.core.methods.linear import learn_line
from strategies import untied


@pytest.mark.parametrize("alpha", [0.0, 0.001, 10.0])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_slopes_only(alpha, shift):
    points, targets = untied(200, 4) + shift, untied(200, 1, seed=1)[:, 0] + shift
    line = learn_line(points, targets, alpha=alpha, penalty="slopes")
    away = points - points.mean(axis=0)
    design = np.vstack([away, np.sqrt(alpha) * np.eye(4)])
    slopes = np.linalg.lstsq(design, np.append(targets - targets.mean(), np.zeros(4)), rcond=None)[0]
    np.testing.assert_allclose(line.slopes, slopes, rtol=1e-6)
    np.testing.assert_allclose(line.predict(points), targets.mean() + away @ slopes, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.001, 10.0])
def test_the_intercept_too(alpha):
    points, targets = untied(200, 4) + 30, untied(200, 1, seed=1)[:, 0] + 7
    design = np.vstack([np.column_stack([np.ones(200), points]), np.sqrt(alpha) * np.eye(5)])
    coef = np.linalg.lstsq(design, np.append(targets, np.zeros(5)), rcond=None)[0]
    line = learn_line(points, targets, alpha=alpha, penalty="all")
    np.testing.assert_allclose(line.predict(points), design[:200] @ coef, rtol=1e-9)


def test_columns_that_others_explain_have_no_slope_without_ridge():
    points = untied(50, 2)
    line = learn_line(
        np.column_stack([points, points[:, 0]]), points[:, 0] * 3, alpha=0.0, penalty="slopes"
    )
    np.testing.assert_allclose(line.slopes, [3, 0, 0], atol=1e-9)
