"""Sums, weights and regressions around a point, against numpy."""

import numpy as np
import pytest

from iim.kernels.local import BLOCK_ROWS, fit_local_block, solve_around, sum_products, tricube_weights
from strategies import untied

TRICUBE, PLAIN = True, False


@pytest.mark.parametrize("n_rows", [1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 7])
def test_sums_over_any_number_of_blocks(n_rows):
    points, targets = untied(n_rows, 3), untied(n_rows, 1, seed=1)[:, 0]
    center, reference = np.array([0.3, -0.2, 5.0]), 0.7
    products = np.full((5, 5), np.nan)
    sum_products(points, targets, center, reference, products)
    rows = np.column_stack([np.ones(n_rows), points - center, targets - reference])
    np.testing.assert_allclose(np.tril(products), np.tril(rows.T @ rows), rtol=1e-12, atol=1e-12)


def test_blocks_keep_rounding_small():
    # 100,000 times 0.1 in a row is off by 2e-8; in blocks, by far less.
    assert sum([0.1] * 10**5) != pytest.approx(1e4, rel=1e-13)
    products = np.empty((3, 3))
    sum_products(np.full((10**5, 1), 0.1), np.zeros(10**5), np.zeros(1), 0.0, products)
    assert products[1, 0] == pytest.approx(1e4, rel=1e-13)


def test_no_columns_is_the_mean():
    products = np.empty((2, 2))
    sum_products(np.empty((4, 0)), np.array([1.0, 2, 3, 6]), np.empty(0), 2.5, products)
    for penalised, value in ((False, 3.0), (True, 12 / 4.5)):
        assert solve_around(products, np.empty(0), 2.5, 0.5, penalised, np.empty(0)) == pytest.approx(value)


class TestTricube:
    def weights(self, distances):
        weights = np.empty(len(distances))
        tricube_weights(np.square(np.asarray(distances, float)), weights)
        return weights

    def test_by_hand(self):
        # Relative to the largest, at distance 0: (1 - 1/8)^3, and 0 for the last.
        np.testing.assert_allclose(self.weights([0, 1, 2]), [1, 0.669921875, 0])

    @pytest.mark.parametrize("distances", [[0, 0, 0], [2, 2, 2], [1, 1 + 1e-14, 1 + 2e-14], [5]])
    def test_equally_far_is_equal_weight(self, distances):
        assert self.weights(distances).tolist() == [1] * len(distances)

    def test_the_nearest_weighs_one(self):
        assert self.weights([0.99, 0.995, 1])[0] == 1


@pytest.mark.parametrize("penalised", [False, True])
def test_a_local_fit_is_weighted_ridge(penalised):
    points, targets, query = untied(12, 2), untied(12, 1, seed=1)[:, 0], np.array([0.1, 0.4])
    distance = ((points - query) ** 2).sum(axis=1)
    found = np.argsort(distance)
    value = np.empty(1)
    fit_local_block(
        points, targets, query[None], distance[found][None], found[None], TRICUBE, 0.3, penalised, value
    )
    weights = np.empty(12)
    tricube_weights(distance[found], weights)
    design = np.column_stack([np.ones(12), points[found]])
    penalty = 0.3 * np.diag([float(penalised), 1, 1])
    gram = design.T @ (weights[:, None] * design) + penalty
    coef = np.linalg.solve(gram, design.T @ (weights * targets[found]))
    assert value[0] == pytest.approx(coef @ [1, *query])


def test_the_smallest_ridge_does_not_overflow():
    points, targets = np.zeros((3, 1)), np.array([1.0, 2, 3])
    value = np.empty(1)
    fit_local_block(
        points, targets, np.ones((1, 1)), np.ones((1, 3)), np.arange(3)[None], PLAIN, 5e-324, PLAIN, value
    )
    assert value[0] == pytest.approx(2)
