"""Nearest donors of missing cells: by hand, and against looking at every row that knows the column."""

from dataclasses import fields, replace

import numpy as np
import pytest

from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.completion import choose_rows
from iim.core.rounds.known_neighbors import find_known_neighbors, start_from_neighbors
from iim.core.settings import PAPER, RoundSettings, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

NAN = np.nan
ROUNDS = RoundSettings(start="knn", max_iter=5, tol=0.01, max_donors=1000, alpha_of_holes=0.0)


def rows_of(table, scale="none", max_donors=1000) -> CompletedTable:
    """The rows of a table with column means in their holes; each is a donor of the columns it knows."""
    table = np.array(table, float)
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    source = learn_source(matrix, scale=scale, which="available", min_donors=1)
    return choose_rows(source, replace(ROUNDS, max_donors=max_donors))


def find(completed, rows, k=2, **how):
    rows = np.array(rows, float)
    context = how.pop("context", Context())
    return find_known_neighbors(completed, rows, np.isnan(rows), n_neighbors=k, context=context, **how)


# The mean of the second column is 5, and that of the third 30.
TABLE = [[0, 2, 10], [1, NAN, 20], [4, 8, NAN], [6, 5, 60]]


def test_by_hand():
    found = find(rows_of(TABLE), [[2, NAN, 30], [5, NAN, NAN], [0, 2, 10], [NAN, NAN, NAN]])
    # On 2 and 30 the donors of column 1 (rows 0, 2 and 3) are 4 + 400, 4 + 0 and 16 + 900 away; on 5 alone
    # 25, 1 and 1, of which the earlier comes first; for column 2 rows 0, 1 and 3 are 25, 16 and 1 away.
    assert found.n_asked.tolist() == [2, 2, 2]
    assert found.donors(np.array([0, 1]), 1).tolist() == [[2, 0], [2, 3]]
    assert found.donors(np.array([1]), 2).tolist() == [[3, 1]]
    assert found.distance[:3].tolist() == [[4.0, 404.0], [1.0, 1.0], [1.0, 16.0]]
    # Nothing is known: all are equally near, and the first donors of each column are asked.
    assert [found.donors(np.array([3]), at).tolist() for at in range(3)] == [[[0, 1]], [[0, 2]], [[0, 1]]]
    assert found.cell[3].tolist() == [3, 4, 5]


def test_first_fills_are_their_donors_mean_by_hand():
    completed, rows = rows_of(TABLE), np.array([[2, NAN, 30], [5, NAN, NAN]])
    assert start_from_neighbors(completed, find(completed, rows), rows).tolist() == [
        [2, 5, 30],
        [5, 6.5, 40],
    ]
    assert np.isnan(rows).sum() == 3
    # Of one donor it is the value, of all donors the mean.
    assert start_from_neighbors(completed, find(completed, rows, k=1), rows)[:, 1].tolist() == [8, 8]
    assert start_from_neighbors(completed, find(completed, rows, k=99), rows)[:, 1].tolist() == [5, 5]


def test_before_donors_are_filled_only_what_both_know_counts():
    # Row 2 shares only the first column with (1, ?, 50): 9 away there, which counts twice. The
    # mean of 30 in its third column is none of its own.
    completed, row = rows_of(TABLE), [[1, NAN, 50]]
    assert find(completed, row, k=3).distance.tolist() == [[25.0 + 100, 9.0 + 400, 1.0 + 1600]]
    found = find(completed, row, k=3, shared=True)
    assert found.donors(np.array([0]), 1).tolist() == [[2, 3, 0]]
    assert found.distance.tolist() == [[18.0, 125.0, 1601.0]]


def test_a_column_with_few_donors_asks_them_all():
    completed = rows_of([[1, NAN], [2, NAN], [3, 7], [4, NAN]])
    found = find(completed, [[1, NAN], [NAN, 9]], k=3)
    assert found.n_asked.tolist() == [3, 1]
    assert found.donors(np.array([0]), 1).tolist() == [[2]]
    assert found.donors(np.array([1]), 0).tolist() == [[0, 1, 2]]  # 7, their mean, stands for all
    assert start_from_neighbors(completed, found, np.array([[1, NAN], [NAN, 9]])).tolist() == [
        [1, 7],
        [2, 9],
    ]


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 5e-324, 0.0])
def test_means_of_huge_values_are_numbers_and_those_of_a_constant_are_itself(value):
    completed = rows_of([[1, value], [2, value], [3, value]], "standard")
    row = np.array([[2.5, NAN]])
    assert start_from_neighbors(completed, find(completed, row, k=3), row).tolist() == [[2.5, value]]


def test_places_in_the_models_are_those_of_the_same_donors():
    completed, rows = rows_of(holed(90, 3, share=0.2)), holed(20, 3, share=0.4, seed=3)
    found = find(completed, rows, k=4)
    settings = Settings(**{one.name: PAPER[one.name] for one in fields(Settings)})
    for column in range(3):
        at = np.flatnonzero(np.isnan(rows[:, column]))
        models = IndividualModels(settings).solve(completed.source, completed.pose(column), None, Context())
        near = found.among(models, at)
        donors = models.problem.rows[models.tree.donor[near.place]]
        assert donors.tolist() == found.donors(at, column).tolist()
        assert models.tree.donor.tolist() != list(range(models.tree.donor.size))
        gaps = completed.source.matrix.values[donors] - rows[at][:, None]
        np.testing.assert_allclose(near.distance, np.nansum(gaps**2, axis=2), rtol=1e-12)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("scale", ["none", "standard"])
@pytest.mark.parametrize(("k", "max_donors"), [(5, 1000), (28, 25)])
def test_neighbours_and_fills_are_those_of_a_search_by_hand(shared, scale, k, max_donors):
    table = np.round(holed(50, 4, share=0.25, seed=1), 1)  # with ties
    completed, rows = rows_of(table, scale, max_donors), np.round(holed(30, 4, share=0.4, seed=2), 1)
    found = find(completed, rows, k, shared=shared)
    started = start_from_neighbors(completed, found, rows)
    Z, X = completed.coordinates(completed.source.matrix.values), completed.coordinates(rows)
    for row, column in np.argwhere(np.isnan(rows)).tolist():
        knows = np.flatnonzero(~np.isnan(rows[row]))
        ranked = []
        for donor in np.flatnonzero(completed.donors[:, column]).tolist():
            gaps = (Z[donor, knows] - X[row, knows]) ** 2
            both = completed.known[donor, knows] if shared else np.ones(knows.size, bool)
            far = sum(gaps[both].tolist()) * (knows.size / both.sum() if shared and both.any() else 1.0)
            ranked.append((np.inf if shared and not both.any() else far, donor))
        expected = [donor for _, donor in sorted(ranked)[:k]]
        assert found.donors(np.array([row]), column).tolist() == [expected]
        assert np.isin(completed.rows[expected], np.flatnonzero(~np.isnan(table[:, column]))).all()
        mean = table[completed.rows[expected], column].mean()
        assert started[row, column] == pytest.approx(mean, rel=1e-12, abs=1e-14)
    assert (started == rows)[~np.isnan(rows)].all()
    parts = find(completed, rows, k, shared=shared, context=Context(2, 4))
    assert parts.donor.tobytes() == found.donor.tobytes()
    assert parts.distance.tobytes() == found.distance.tobytes()
