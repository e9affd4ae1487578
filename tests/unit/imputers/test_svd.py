import numpy as np
import pytest

import iim
from cases import COMPILED
from iim import SvdImputer
from iim.core.methods.low_rank import choose_rank, leading_vectors, project_holes, split_rows
from strategies import holed, untied

DIAGONAL = np.array([[1.0, 1.0], [2.0, 2.0], [-3.0, -3.0]])
"""Means 0; one direction, (1, 1) / sqrt(2): a round halves the distance to the other column."""


def low_rank(n_rows=200, n_columns=8, rank=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, rank)) @ rng.normal(size=(rank, n_columns))


@pytest.mark.parametrize(
    ("settings", "filled"),
    [
        ({"max_iter": 1}, 4.0),
        ({"max_iter": 2}, 6.0),
        ({"max_iter": 3}, 7.0),
        # Changes of 4, 2, 1, 1/2, ..., in standard deviations of sqrt(14 / 3): the fourth is 0.23.
        ({"tol": 0.3}, 7.5),
        ({"tol": 1e-12}, 8.0),
    ],
)
def test_by_hand(settings, filled):
    imputer = SvdImputer(1, scale="none", **settings).fit(DIAGONAL)
    np.testing.assert_allclose(imputer.components_, [[np.sqrt(0.5)] * 2], rtol=1e-12)
    assert imputer.n_iter_ == 1
    assert imputer.transform([[8.0, np.nan]])[0, 1] == pytest.approx(filled, rel=1e-9)


def test_learning_alternates_vectors_and_fills():
    table = np.array([[1.0, 1.0, 0.0], [2.0, np.nan, 1.0], [0.0, 1.0, 3.0]])
    filled = np.where(np.isnan(table), 1.0, table)  # the mean of 1 and 1
    for _ in range(3):
        vectors = np.linalg.svd(filled)[2][:2]
        filled[1, 1] = (filled[1] @ vectors.T @ vectors)[1]
    imputer = SvdImputer(2, scale="none", tol=0.0, max_iter=3).fit(table)
    assert imputer.n_iter_ == 3
    np.testing.assert_allclose(imputer.components_.T @ imputer.components_, vectors.T @ vectors, rtol=1e-9)


@pytest.mark.parametrize(
    ("scale", "rank"),
    # Columns shifted to means of 0 lie in a plane beside the origin, which takes one direction more.
    [("none", 2), ("none", "auto"), ("standard", 3), ("standard", "auto")],
)
def test_exactly_low_rank_data_are_recovered(scale, rank):
    truth = low_rank() + (0.0 if scale == "none" else np.arange(8.0))
    table = truth.copy()
    table[:60][np.random.default_rng(1).random((60, 8)) < 0.15] = np.nan
    imputer = SvdImputer(rank, scale=scale, tol=1e-12, max_iter=3000).fit(table)
    assert len(imputer.components_) == (2 if scale == "none" else 3)
    np.testing.assert_allclose(imputer.transform(table), truth, atol=1e-6)


def test_rounds_lead_to_least_squares_over_the_known_columns():
    imputer = SvdImputer(2, scale="none", tol=1e-14, max_iter=10_000).fit(untied(100, 5))
    row = untied(1, 5, seed=4)
    vectors = imputer.components_
    at, to = [0, 1, 4], [2, 3]
    shares = np.linalg.lstsq(vectors[:, at].T, row[0, at], rcond=None)[0]
    row[0, to] = np.nan
    np.testing.assert_allclose(imputer.transform(row)[0, to], shares @ vectors[:, to], rtol=1e-8)


def test_auto_takes_the_rank_that_predicts_best():
    truth = low_rank(400, 8, rank=3) + 0.05 * np.random.default_rng(5).normal(size=(400, 8))
    table = truth.copy()
    holes = np.random.default_rng(1).random(table.shape) < 0.05
    table[holes] = np.nan

    def error(rank):
        return np.sqrt(np.mean((SvdImputer(rank).fit_transform(table) - truth)[holes] ** 2))

    assert len(SvdImputer().fit(table).components_) == 3
    assert min(range(1, 8), key=error) == 3


@pytest.mark.parametrize(
    ("shape", "noise"),
    [
        ((60, 60), 0.3),
        pytest.param((200, 200), 0.3, marks=COMPILED),
        pytest.param((100, 200), 0.3, marks=COMPILED),
        ((50, 100), 0.0),
    ],
)
def test_auto_does_not_follow_noise_where_columns_are_as_many_as_rows(shape, noise):
    # Judged on the rows that it was learned from, half as many directions as rows were thought the best.
    for seed in range(2):
        rng = np.random.default_rng(seed)
        truth = low_rank(*shape, rank=4, seed=seed) + noise * rng.normal(size=shape)
        table = np.where(rng.random(shape) < 0.05, np.nan, truth)
        imputers = [SvdImputer(rank).fit(table) for rank in ("auto", 4)]
        auto, four = (np.sqrt(np.nanmean((one.transform(table) - truth) ** 2)) for one in imputers)
        assert len(imputers[0].components_) in (4, 5)
        assert auto < 1.05 * four


def test_the_error_of_a_rank_is_the_error_of_its_rounds():
    # Against the rounds themselves: with the vectors of either half, every cell of the other half is
    # emptied in turn and filled from the rest of its row.
    points = untied(60, 5) - untied(60, 5).mean(axis=0)
    unit, halves = points.std(axis=0), split_rows(60)
    errors = []
    for rank in range(1, 5):
        wrong = np.empty(points.shape)
        for teaching, judging in (halves, halves[::-1]):
            vectors = leading_vectors(points[teaching], rank)
            for column in range(5):
                rows, holes = points[judging], np.zeros((30, 5), bool)
                rows[:, column], holes[:, column] = 0.0, True
                filled = project_holes(rows, holes, vectors, unit=unit, tol=0.0, max_iter=20)
                wrong[judging, column] = filled[:, column] - points[judging, column]
        errors.append(np.sqrt((wrong**2).mean(axis=0) / unit**2).mean())
    none = np.zeros(points.shape, bool)
    chosen = choose_rank(points, none, start=np.zeros(5), unit=unit, most=4, max_iter=20)
    assert chosen == np.argmin(errors) + 1


def test_the_order_of_training_rows_does_not_matter():
    table = np.vstack([holed(120, share=0.1), np.full((2, 4), np.nan)])
    shuffled = table[np.random.default_rng(0).permutation(len(table))]
    fills = [SvdImputer().fit(rows).transform(table) for rows in (table, shuffled)]
    assert fills[0].tobytes() == fills[1].tobytes()


def test_progress_is_told_by_rounds():
    told = []
    imputer = SvdImputer(2, max_iter=4, tol=0.0, progress=told.append).fit(holed())
    assert told == [0.25, 0.5, 0.75, 1.0]
    told.clear()
    imputer.transform(holed(share=0.3))
    assert told == [1.0]


def test_vectors_are_those_of_the_singular_value_decomposition():
    rows = untied(30, 4)
    vectors = leading_vectors(rows, 2)
    expected = np.linalg.svd(rows)[2][:2]
    np.testing.assert_allclose(np.abs(vectors), np.abs(expected), rtol=1e-9)
    assert (vectors[np.arange(2), np.abs(vectors).argmax(axis=1)] > 0).all()


def test_the_rank_is_less_than_the_columns_and_no_more_than_the_rows():
    assert SvdImputer(9).fit(untied(20, 4)).components_.shape == (3, 4)
    assert SvdImputer(9).fit(untied(2, 4)).components_.shape == (2, 4)
    assert SvdImputer().fit(untied(2, 4)).components_.shape == (1, 4)
    assert SvdImputer().fit(untied(5, 1)).components_.shape == (0, 1)


@pytest.mark.parametrize("scale", ["standard", "none"])
def test_one_column_gets_its_mean(scale):
    assert SvdImputer(scale=scale).fit_transform([[1.0], [np.nan], [5.0]])[1, 0] == 3.0


def test_constant_columns():
    table = np.column_stack([holed(), np.full(80, 0.1)])
    table[3:9, 4] = np.nan
    assert (SvdImputer().fit_transform(table)[:, 4] == 0.1).all()


def test_a_row_with_nothing_known_gets_the_means():
    table = holed()
    filled = SvdImputer(**SvdImputer.PAPER).fit(table).transform(np.full((1, 4), np.nan))
    np.testing.assert_allclose(filled[0], np.nanmean(table, axis=0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rank": 0}, "`rank` of SvdImputer: 'auto', or a whole number, 1 or more, is needed; received 0"),
        ({"rank": "half"}, "received 'half'"),
        ({"scale": "raw"}, "'standard' or 'robust' or 'none' is needed; received 'raw'"),
        ({"max_iter": 0}, "a whole number, 1 or more, is needed; received 0"),
        ({"tol": -1}, "a finite number, 0 or more, is needed; received -1"),
    ],
)
def test_impossible_values_are_refused(parameters, message):
    with pytest.raises(iim.InvalidParameter, match=message):
        SvdImputer(**parameters).fit(DIAGONAL)
