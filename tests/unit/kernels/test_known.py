"""Models on what a row knows: by hand, and against the paper's regression."""

import numpy as np
import pytest

from iim.kernels.gram import ROWS_AT_ONCE
from iim.kernels.known import answer_known_block, list_known, load_known, sum_neighbors
from reference import paper
from strategies import untied


def test_sums_are_relative_to_the_donor_by_hand():
    points, targets = np.array([[1.0, 5], [3, 5], [2, 9]]), np.array([10.0, 20, 40])
    sums = np.empty((4, 4))
    sum_neighbors(points, targets, np.array([1, 0, 2]), 2, np.empty((ROWS_AT_ONCE, 4)), sums)
    # The donor is (0, 0 | 0), its neighbour (-2, 0 | -10).
    assert sums[np.tril_indices(4)].tolist() == [2, -2, 4, 0, 0, 0, -10, 20, 0, 100]


def test_known_columns_come_first_and_missing_ones_have_no_sums():
    products, known = np.full((4, 4, 2), 9.0), np.empty(2, np.intp)
    assert list_known(np.array([True, False]), known) == 1
    load_known(np.arange(16.0).reshape(4, 4), known[:1], 1, products)
    assert products[:, :, 1][np.tril_indices(4)].tolist() == [0, 8, 10, 0, 0, 0, 12, 14, 0, 15]
    assert (products[:, :, 0] == 9.0).all()


def answer(points, targets, found, n_learning, queries, missing, asked_by, alphas, *, penalised=False):
    """What donor ``found[at, 0]`` says of the queries at ``asked_by[at]``: fitted, own and slopes."""
    asking = np.concatenate([*map(np.array, asked_by), np.empty(0)]).astype(np.intp)
    first = np.cumsum([0, *map(len, asked_by)])
    shape = (len(alphas), asking.size)
    fitted, own, slopes = np.empty(shape), np.empty(shape), np.empty((asking.size, points.shape[1]))
    answer_known_block(
        points,
        targets,
        np.array(found),
        np.array(n_learning),
        first,
        asking,
        queries,
        missing,
        np.array(alphas, float),
        np.bool_(penalised),
        fitted,
        own,
        slopes,
    )
    return asking, first, fitted, own, slopes


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("n_queries", [1, 5, 40])
def test_models_are_the_regression_on_what_the_row_knows(penalised, n_queries):
    # More queries than lanes, and alpha by alpha.
    points, targets, alphas = untied(30, 4), untied(30, 1, seed=1)[:, 0], [0.1, 2.0]
    queries = untied(n_queries, 4, seed=2)
    missing = np.random.default_rng(3).random(queries.shape) < 0.4
    found = [paper.NN(points[i], points, 12, own=i) for i in (3, 17)]
    n_learning, asked_by = [12, 7], [range(n_queries), range(0, n_queries, 2)]
    spoiled = np.where(missing, np.nan, queries)
    asking, first, fitted, own, slopes = answer(
        points, targets, found, n_learning, spoiled, missing, asked_by, alphas, penalised=penalised
    )
    for at, pair in enumerate(asking):
        donor = int(np.searchsorted(first, at, side="right")) - 1
        F, i, T = np.flatnonzero(~missing[pair]), found[donor][0], found[donor][: n_learning[donor]]
        for turn, alpha in enumerate(alphas):
            phi = paper.LR(points[T][:, F], targets[T], alpha, "all" if penalised else "slopes")
            at_query, at_donor = (phi[0] + phi[1:] @ x[F] for x in (queries[pair], points[i]))
            assert fitted[turn, at] == pytest.approx(at_query, rel=1e-9, abs=1e-12)
            assert own[turn, at] == pytest.approx(at_query - at_donor + targets[i], rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(slopes[at, F], phi[1:], rtol=1e-9, atol=1e-12)
        assert (slopes[at, missing[pair]] == 0.0).all()


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_single_neighbour_gives_a_constant(penalised, alpha):
    points, targets = np.array([[1.0, 2], [3, 4]]), np.array([0.5, 0.25])
    *_, fitted, own, slopes = answer(
        points,
        targets,
        [[1]],
        [1],
        np.array([[9.0, 9]]),
        np.zeros((1, 2), bool),
        [[0]],
        [alpha],
        penalised=penalised,
    )
    assert (fitted.tolist(), own.tolist(), slopes.tolist()) == ([[0.25]], [[0.25]], [[0, 0]])


def test_a_row_s_answer_does_not_depend_on_who_asks_beside_it():
    points, targets = untied(30, 3), untied(30, 1, seed=1)[:, 0]
    queries, missing = untied(40, 3, seed=2), np.random.default_rng(3).random((40, 3)) < 0.4
    found = [paper.NN(points[5], points, 9, own=5)]
    together = answer(points, targets, found, [9], queries, missing, [range(40)], [0.1])
    for row in (0, 15, 16, 39):
        alone = answer(points, targets, found, [9], queries, missing, [[row]], [0.1])
        assert [one[..., 0].tolist() for one in alone[2:4]] == [
            one[..., row].tolist() for one in together[2:4]
        ]
