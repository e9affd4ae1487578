"""Weights of methods: by hand, against another solver, and what must hold for any errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from iim.core.methods.blending import (
    CELLS_OF_ALL,
    FEWEST_CELLS,
    HiddenCells,
    best_alone,
    blend_fills,
    blend_weights,
    choose_weights,
    crossed_errors,
    keep_useful,
)

ERRORS = arrays(
    np.float64,
    st.tuples(st.integers(1, 20), st.integers(1, 5)),
    elements=st.floats(-100, 100, allow_subnormal=False),
)


def gram_of(errors):
    return errors.T @ errors / len(errors)


def cells_of(errors, column=None, half=None):
    n_cells = len(errors)
    column = np.zeros(n_cells, np.intp) if column is None else np.asarray(column)
    half = np.arange(n_cells) % 2 == 1 if half is None else np.asarray(half)
    return HiddenCells(column, half, np.asarray(errors, float))


class TestWeights:
    def test_two_methods_that_err_independently_by_hand(self):
        # Errors 1 and 2 at different cells: the least of w^2 + 4 (1 - w)^2 is at w = 0.8.
        np.testing.assert_allclose(blend_weights(np.diag([1.0, 4.0])), [0.8, 0.2], atol=1e-5)

    def test_opposite_errors_cancel(self):
        errors = np.array([[1.0, -3.0], [2.0, -6.0]])
        np.testing.assert_allclose(blend_weights(gram_of(errors)), [0.75, 0.25], atol=1e-5)

    def test_a_method_that_only_adds_to_the_error_of_another_has_none(self):
        errors = np.array([[1.0, 2.0], [-1.0, -2.0]])
        assert blend_weights(gram_of(errors)).tolist() == [1.0, 0.0]

    def test_twins_share(self):
        errors = np.array([[1.0, 1.0], [3.0, 3.0]])
        np.testing.assert_allclose(blend_weights(gram_of(errors)), [0.5, 0.5])

    def test_no_error_at_all(self):
        np.testing.assert_allclose(blend_weights(np.zeros((3, 3))), [1 / 3] * 3)

    def test_one_that_knows_all_has_all(self):
        np.testing.assert_allclose(blend_weights(np.diag([4.0, 0.0, 1.0])), [0, 1, 0], atol=1e-5)

    @pytest.mark.parametrize("seed", range(5))
    def test_another_solver_finds_the_same(self, seed):
        random = np.random.default_rng(seed)
        errors = random.normal(size=(30, 1)) + random.normal(size=(30, 4)) * [0.5, 1, 1, 2]
        gram = gram_of(errors)
        found = minimize(
            lambda w: w @ gram @ w,
            np.full(4, 0.25),
            jac=lambda w: 2 * gram @ w,
            method="SLSQP",
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(blend_weights(gram), found.x, atol=1e-3)

    @given(ERRORS)
    def test_never_negative_with_sum_one_and_no_worse_than_the_best(self, errors):
        gram = gram_of(errors)
        weights = blend_weights(gram)
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1)
        best = np.diag(gram).min()
        # Those that are as good as perfect are not told apart by how perfect they are.
        assert weights @ gram @ weights <= best * (1 + 1e-5) + 1e-5 * np.diag(gram).max()

    def test_the_best_alone_is_the_first_of_several(self):
        assert best_alone(np.diag([2.0, 1.0, 1.0])).tolist() == [0, 1, 0]


class TestColumns:
    def test_without_cells_the_first_method_has_all(self):
        weights = choose_weights(cells_of(np.zeros((0, 3))), 2, blend=True)
        assert weights.tolist() == [[1, 0, 0], [1, 0, 0]]

    def test_each_column_has_its_own_if_there_is_enough_to_tell(self):
        random = np.random.default_rng(0)
        errors = random.normal(size=(400, 2))
        column = np.arange(400) % 2
        errors[column == 0, 1] *= 5
        errors[column == 1, 0] *= 5
        weights = choose_weights(cells_of(errors, column), 3, blend=True)
        assert weights[0, 0] > 0.9
        assert weights[1, 1] > 0.9
        # The third has no cells: that of all.
        np.testing.assert_allclose(weights[2], [0.5, 0.5], atol=0.1)
        alone = choose_weights(cells_of(errors, column), 3, blend=False)
        assert alone[:2].tolist() == [[1, 0], [0, 1]]

    def test_few_cells_follow_the_others(self):
        random = np.random.default_rng(0)
        n_few = FEWEST_CELLS - 1
        errors = random.normal(size=(100 + n_few, 2)) * [1, 4]
        column = np.r_[np.zeros(100, int), np.ones(n_few, int)]
        errors[column == 1] = errors[column == 1][:, ::-1]
        weights = choose_weights(cells_of(errors, column), 2, blend=True)
        assert weights[1, 0] > 0.7
        more = np.vstack([errors, *([errors[column == 1]] * 10)])
        weights = choose_weights(cells_of(more, np.r_[column, np.ones(10 * n_few, int)]), 2, blend=True)
        assert weights[1, 0] < 0.3
        assert 10 * n_few > CELLS_OF_ALL

    def test_a_column_nobody_can_fill_does_not_decide_for_the_others(self):
        random = np.random.default_rng(1)
        errors = random.normal(size=(300, 2)) * [0.01, 0.03]
        column = np.r_[np.zeros(150, int), np.ones(150, int)]
        errors[150:] = random.normal(size=(150, 2)) * [1.02, 1]
        assert choose_weights(cells_of(errors, column), 3, blend=False).tolist()[2] == [1, 0]

    def test_huge_errors_are_survived(self):
        weights = choose_weights(cells_of([[1e150, 1.0]] * 12), 1, blend=True)
        np.testing.assert_allclose(weights, [[0, 1]], atol=1e-6)


class TestScores:
    def test_what_one_half_chooses_is_scored_on_the_other_by_hand(self):
        # The first half says: the first method; the second half says: the second one.
        errors = np.array([[0.0, 3.0], [5.0, 0.0]] * 10)
        found = crossed_errors(cells_of(errors), 1, blend=False)
        assert found.tolist() == [3.0, 5.0] * 10

    def test_a_half_without_the_other_has_no_score(self):
        assert np.isnan(crossed_errors(cells_of(np.ones((4, 2)), half=[True] * 4), 1, blend=True)).all()

    def test_of_many_methods_that_guess_none_looks_good_by_chance(self):
        seen, crossed = [], []
        for seed in range(20):
            errors = np.random.default_rng(seed).normal(size=(60, 8))
            chosen = choose_weights(cells_of(errors), 1, blend=False)
            seen.append(np.mean((errors @ chosen[0]) ** 2))
            crossed.append(np.mean(crossed_errors(cells_of(errors), 1, blend=False) ** 2))
        assert np.mean(seen) < 0.85
        assert np.mean(crossed) == pytest.approx(1, abs=0.1)


class TestFills:
    def test_weights_that_hardly_count_are_dropped(self):
        kept, weights = keep_useful(np.array([[0.99, 0.01, 0.0], [0.5, 0.5, 0.0]]))
        assert kept.tolist() == [0, 1]
        assert weights.tolist() == [[1, 0], [0.5, 0.5]]

    def test_the_largest_stays_however_small(self):
        kept, weights = keep_useful(np.full((1, 100), 0.01))
        assert kept.size == 100
        assert weights.sum() == pytest.approx(1)

    def test_sums_by_hand(self):
        filled = blend_fills(
            [np.array([[1.0, 10.0]]), np.array([[3.0, 20.0]])],
            np.array([[0.5, 0.5], [0, 1]]),
            np.array([9.0, 9.0]),
        )
        assert filled.tolist() == [[2.0, 20.0]]

    def test_what_all_agree_upon_is_not_moved(self):
        weights = np.array([[0.1, 0.2, 0.7]])
        for value in (0.1, -np.finfo(float).max, np.finfo(float).max, 5e-324):
            assert blend_fills([np.array([[value]])] * 3, weights, np.ones(1)).tolist() == [[value]]

    def test_one_that_runs_away_is_brought_near_the_others(self):
        fills = [np.array([[1.0]]), np.array([[1.5]]), np.array([[100.0]])]
        filled = blend_fills(fills, np.array([[0.5, 0.25, 0.25]]), np.array([2.0]))
        assert filled.tolist() == [[0.5 * 1 + 0.25 * 1.5 + 0.25 * 3]]
