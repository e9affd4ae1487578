"""Directions of a table with holes, and rows projected on them, against rounds on the whole table."""

import numpy as np
import pytest

from iim.core.execution.context import Context
from iim.core.methods.low_rank import choose_rank, leading_vectors, learn_vectors, project_holes, split_rows
from strategies import holed, untied

SLOPE = np.array([[0.6, 0.8]])
"""One direction: 3 to 4."""


def projected(rows, vectors, unit=1.0, tol=0.0, max_iter=1000, start=0.0):
    holes = np.isnan(rows)
    unit = np.broadcast_to(unit, holes.shape[1:])
    return project_holes(
        np.where(holes, start, rows), holes, np.asarray(vectors), unit=unit, tol=tol, max_iter=max_iter
    )


def learned(table, rank, tol=0.0, told=None):
    context = Context(progress=None if told is None else lambda *done: told.append(done))
    rounds = {"unit": np.ones(table.shape[1]), "tol": tol, "max_iter": 30, "context": context}
    return learn_vectors(np.nan_to_num(table), np.isnan(table), rank=rank, **rounds)


def chosen(points, most, missing=None, unit=None):
    missing = np.zeros(points.shape, bool) if missing is None else missing
    start, unit = points.mean(axis=0), points.std(axis=0) if unit is None else unit
    return choose_rank(points, missing, start=start, unit=unit, most=most, max_iter=1000)


def test_vectors_by_hand():
    np.testing.assert_allclose(leading_vectors(np.array([[3.0, 4.0], [-6.0, -8.0]]), 1), SLOPE, rtol=1e-14)
    # The more important one comes first; the largest entry is positive.
    rows = np.array([[0.0, -1.0], [5.0, 0.0]])
    np.testing.assert_allclose(leading_vectors(rows, 2), [[1, 0], [0, 1]], atol=1e-15)
    np.testing.assert_allclose(learned(np.array([[-4.0, 3.0, 0.0]]), 1)[0], [[0.8, -0.6, 0]], atol=1e-15)


def test_rounds_by_hand():
    # A round makes x of 0.48 * 3 + 0.64 x: 1.44, 2.3616, ..., at last 4.
    for rounds, expected in ((1, 1.44), (2, 2.3616), (1000, 4.0)):
        filled = projected([[3.0, np.nan]], SLOPE, max_iter=rounds)
        np.testing.assert_allclose(filled, [[3, expected]], rtol=1e-13)
    # It changes by 1.44, 0.9216, 0.589824, 0.37748736: the last of these is less than 0.7 times 2 / 3.
    assert projected([[3.0, np.nan]], SLOPE, tol=0.9)[0, 1] == pytest.approx(2.951424)
    assert projected([[3.0, np.nan]], SLOPE, unit=[1, 2 / 3], tol=0.7)[0, 1] == pytest.approx(3.32891136)
    # Two holes change by 2 / 3 each, then by 16 / 27 each.
    filled = projected([[np.nan, np.nan, 3.0]], np.array([[2, 2, 1]]) / 3, tol=0.6)
    np.testing.assert_allclose(filled, [[34 / 27, 34 / 27, 3]], rtol=1e-13)
    # A row that knows nothing is projected from where it begins.
    filled = projected([[np.nan, np.nan]], SLOPE, start=[1.0, 0.0])
    np.testing.assert_allclose(filled, [[0.36, 0.48]], rtol=1e-11)


def test_known_values_stay_and_each_row_is_filled_by_itself():
    rows, vectors = holed(40, 5, share=0.3), leading_vectors(untied(40, 5), 2)
    together = projected(rows, vectors, tol=1e-6)
    known = ~np.isnan(rows)
    assert together[known].tolist() == rows[known].tolist()
    alone = np.vstack([projected(row[None], vectors, tol=1e-6) for row in rows])
    assert together.tobytes() == alone.tobytes()


def test_huge_points_are_projected_without_overflow():
    filled = projected([[3e150, np.nan, 0.0]], [[0.6, 0.8, 0.0]], unit=1e-100, tol=1.0)
    np.testing.assert_allclose(filled, [[3e150, 4e150, 0.0]], rtol=1e-12)


def test_rank_0_learns_nothing_and_tables_without_holes_take_one_round():
    vectors, n_iter = learned(untied(20, 3), 0)
    assert (vectors.shape, n_iter) == ((0, 3), 0)
    told = []
    vectors, n_iter = learned(untied(20, 3), 2, told=told)
    assert (n_iter, told) == (1, [(1, 30)])
    np.testing.assert_allclose(vectors, leading_vectors(untied(20, 3), 2), rtol=1e-10)


@pytest.mark.parametrize("tol", [0.0, 0.02])
def test_learning_as_rounds_on_the_whole_table_do(tol):
    table = holed(50, 5, share=0.2)
    holes, filled, change = np.isnan(table), [np.nan_to_num(table)], np.inf
    while len(filled) <= 30 and change >= tol:
        vectors = np.linalg.svd(filled[-1], full_matrices=False)[2][:2]
        filled.append(np.where(holes, filled[-1] @ vectors.T @ vectors, table))
        change = np.sqrt(np.mean((filled[-1] - filled[-2])[holes] ** 2))
    ours, n_iter = learned(table, 2, tol=tol)
    assert n_iter == len(filled) - 1
    assert (n_iter == 30) == (tol == 0.0)
    np.testing.assert_allclose(ours @ ours.T, np.eye(2), atol=1e-13)
    np.testing.assert_allclose(ours.T @ ours, vectors.T @ vectors, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_rows_of_a_few_directions_have_that_rank(rank):
    random = np.random.default_rng(rank)
    points = random.normal(size=(80, rank)) @ random.normal(size=(rank, 6))
    assert chosen(points, 6) == chosen(points, 6, random.random(points.shape) < 0.02) == rank
    assert chosen(points, 1) == 1


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_with_holes_guesses_are_not_judged_and_a_small_gain_is_not_enough(seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(80, 2)) @ random.normal(size=(2, 6)) + 0.05 * random.normal(size=(80, 6))
    holes = np.zeros(points.shape, bool)
    holes[:4, 0], points[:4, 0] = True, 3.0
    assert chosen(points, 5, holes) == 2
    random = np.random.default_rng(seed - 5)
    ways = random.normal(size=(200, 1)) + 0.21 * random.normal(size=(200, 1)) * [1, -1, 1, -1, 0]
    points = ways + 0.3 * random.normal(size=(200, 5))
    assert (chosen(points, 4), chosen(points, 4, np.arange(1000).reshape(200, 5) == 7)) == (2, 1)


def test_ranks_are_judged_in_the_units_given():
    # Two pairs of columns, one in thousandths: the noise of the other pair is the second direction.
    random = np.random.default_rng(2)
    points = np.repeat(random.normal(size=(60, 2)), 2, axis=1) + 0.2 * random.normal(size=(60, 4))
    points *= [1, 1, 1e-3, 1e-3]
    assert (chosen(points, 3), chosen(points, 3, unit=np.ones(4))) == (3, 1)


def test_noise_has_the_smallest_rank_and_few_rows_no_more_than_half_of_them():
    # Judged on the rows that it comes from, noise of as many columns as rows would seem well explained.
    assert chosen(np.random.default_rng(0).normal(size=(30, 30)), 15) == 1
    assert chosen(untied(4, 6) @ np.diag(10.0 ** np.arange(6)), 5) <= 2
    assert [chosen(untied(n_rows, 6), 5) for n_rows in (1, 2, 3)] == [1, 1, 1]


def test_halves_hold_each_row_once():
    for n_rows in (0, 1, 2, 7, 100):
        first, second = split_rows(n_rows)
        assert first.size == n_rows // 2
        assert sorted([*first.tolist(), *second.tolist()]) == list(range(n_rows))
