"""LoessImputer: local planes over the nearest donors."""

import numpy as np
import pytest

from iim import GlrImputer, LoessImputer
from strategies import untied, with_hole_column


def filled(table, **parameters):
    return LoessImputer(**{"min_donors": 1, "scale": "none", **parameters}).fit_transform(table)


def tricube(distance):
    return (1 - (distance / distance.max()) ** 3) ** 3


class TestByHand:
    TABLE = np.array([[0, 0.0], [1, 1], [2, 4], [3, 9], [9, 81], [2.5, np.nan]])

    def test_a_line_through_the_two_nearest(self):
        # 2 and 3 lie on y = 5 x - 6.
        assert filled(self.TABLE, n_neighbors=2, weights="uniform", alpha=0)[5, 1] == pytest.approx(6.5)

    def test_equal_weights(self):
        # Through (1, 1), (2, 4), (3, 9): slope 4, mean 14 / 3 at 2.
        value = filled(self.TABLE, n_neighbors=3, weights="uniform", alpha=0)[5, 1]
        assert value == pytest.approx(14 / 3 + 0.5 * 4)

    def test_near_donors_count_more(self):
        x, y = np.array([0, 1, 2, 3.0]), np.array([0, 1, 4, 9.0])
        weights = tricube(np.abs(x - 2.5))
        slope, level = np.polyfit(x, y, 1, w=np.sqrt(weights))
        value = filled(self.TABLE, n_neighbors=4, alpha=0)[5, 1]
        assert value == pytest.approx(level + 2.5 * slope)


class TestZeroBandwidth:
    def test_donors_all_at_the_same_place_count_the_same(self):
        table = np.array([[1, 1.0], [1, 2], [1, 6], [8, 50], [1, np.nan]])
        assert filled(table, n_neighbors=3)[4, 1] == pytest.approx(3)

    @pytest.mark.parametrize("k", [10, 20, 39, 40])
    def test_donors_equally_far_up_to_rounding_count_the_same(self, k):
        angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        table = np.vstack([np.column_stack([circle, circle @ [3.0, 1.0]]), [0, 0, np.nan]])
        assert filled(table, n_neighbors=k)[40, 2] == pytest.approx(0, abs=0.01)

    def test_donors_all_equally_far_count_the_same(self):
        table = np.array([[0, 1.0], [2, 3], [1, np.nan]])
        assert filled(table, n_neighbors=2, alpha=0)[2, 1] == pytest.approx(2)


def test_a_known_curve():
    x = np.linspace(0, 6, 301)
    table = np.column_stack([x, np.sin(x)])
    rows = np.arange(20, 281, 20)
    truth = table[rows, 1].copy()
    table[rows, 1] = np.nan
    np.testing.assert_allclose(LoessImputer(n_neighbors=12).fit_transform(table)[rows, 1], truth, atol=2e-3)


def test_against_weighted_least_squares_row_by_row():
    table, rows = with_hole_column(untied(150, 4), 0, 15)
    donors = np.delete(table, rows, axis=0)
    expected = []
    for row in rows:
        distance = np.linalg.norm(donors[:, 1:] - table[row, 1:], axis=1)
        near = np.argsort(distance)[:30]
        root = np.sqrt(tricube(distance[near]))
        design = np.column_stack([np.ones(30), donors[near, 1:]])
        coef = np.linalg.lstsq(design * root[:, None], donors[near, 0] * root, rcond=None)[0]
        expected.append(coef[0] + table[row, 1:] @ coef[1:])
    np.testing.assert_allclose(filled(table, n_neighbors=30, alpha=0)[rows, 0], expected, rtol=1e-8)


@pytest.mark.parametrize("penalty", ["slopes", "all"])
def test_with_all_donors_and_equal_weights_it_is_the_global_regression(penalty):
    table, _ = with_hole_column(untied(100, 3) + 5, 2, 20)
    ours = LoessImputer(n_neighbors=10**6, weights="uniform", alpha=2.0, penalty=penalty)
    alike = GlrImputer(alpha=2.0, penalty=penalty)
    np.testing.assert_allclose(ours.fit_transform(table), alike.fit_transform(table), rtol=1e-9)
