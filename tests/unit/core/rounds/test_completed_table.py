"""The rows that rounds learn from: by hand, without their fills, with others, and after a pickle."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from iim.core.donors import Fallback
from iim.core.patterns import Pattern
from iim.core.rounds.completed_table import CompletedTable, running_mean
from iim.core.rounds.completion import choose_rows
from iim.core.settings import RoundSettings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

NAN = np.nan
ROUNDS = RoundSettings(start="knn", max_iter=5, tol=0.01, max_donors=1000, alpha_of_holes=0.0)


def source_of(values, scale="standard"):
    values = np.array(values, float)
    matrix = MaskedMatrix(values, np.isnan(values), tuple("abcd"[: values.shape[1]]))
    return learn_source(matrix, scale=scale, which="available", min_donors=1)


@pytest.fixture
def completed():
    """Three rows: the second had a hole in b, and the third is no donor of c. Column b is constant."""
    known = np.array([[True, True, True], [True, False, True], [True, True, True]])
    return CompletedTable(
        source=source_of([[1, 5, 0], [3, 5, 10], [5, 5, 20]]),
        known=known,
        donors=known & np.array([[True, True, True], [True, True, True], [True, True, False]]),
        rows=np.array([0, 4, 7]),
        turns=np.array([0, 2, 1]),
        low=np.array([1.0, 5.0, 0.0]),
        high=np.array([5.0, 5.0, 20.0]),
        fallbacks=(Fallback.NONE, Fallback.AVAILABLE, Fallback.NONE),
        rounds=ROUNDS,
        n_rounds=2,
    )


def test_lines_by_column_by_hand(completed):
    # Means 3 and 10, standard deviations sqrt(8 / 3) and sqrt(200 / 3); a constant column is 0.
    lines, one = completed.by_column, np.sqrt(1.5)
    np.testing.assert_allclose(lines.coordinates, [[-one, 0, one], [0, 0, 0], [-one, 0, one]], atol=1e-15)
    assert lines.known.tolist() == [[True] * 3, [True, False, True], [True] * 3]
    assert lines.donors.tolist() == [[True] * 3, [True, False, True], [True, True, False]]
    assert all(line.flags.c_contiguous for line in lines)
    np.testing.assert_allclose(
        completed.coordinates(np.array([[7.0, 9.0, -10.0]])), [[2 * one, 0, -2 * one]]
    )


def test_the_problem_of_a_column_is_from_all_others_and_from_its_donors(completed):
    posed = [completed.pose(column) for column in range(3)]
    assert [one.pattern for one in posed] == [Pattern((1, 2), 0), Pattern((0, 2), 1), Pattern((0, 1), 2)]
    assert [one.observed for one in posed] == [(1, 2), (0, 2), (0, 1)]
    assert [one.rows.tolist() for one in posed] == [[0, 1, 2], [0, 2], [0, 1]]
    assert [one.fallback for one in posed] == [Fallback.NONE, Fallback.AVAILABLE, Fallback.NONE]


def test_as_they_came_the_rows_have_their_holes(completed):
    matrix = completed.as_it_came
    np.testing.assert_array_equal(matrix.values, [[1, 5, 0], [3, NAN, 10], [5, 5, 20]])
    assert matrix.missing.tolist() == np.isnan(matrix.values).tolist()
    assert matrix.columns == ("a", "b", "c")


def test_other_fills_are_seen_by_searches_and_change_nothing_else(completed):
    before = completed.by_column
    values = completed.source.matrix.values.copy()
    values[1, 0] = 7.0
    other = completed.with_values(values)
    np.testing.assert_allclose(other.by_column.coordinates[0], np.sqrt(1.5) * np.array([-1, 2, 1]))
    assert other.source.matrix.values.tolist() == values.tolist()
    assert other.source.scaling is completed.source.scaling
    assert completed.source.matrix.values[1, 0] == 3.0
    assert completed.by_column is before  # computed once
    assert other.rows is completed.rows


def test_a_pickle_holds_nothing_that_can_be_computed_again(completed):
    bare = len(pickle.dumps(completed))
    lines = completed.by_column
    assert len(pickle.dumps(completed)) == bare
    copied = pickle.loads(pickle.dumps(completed))
    assert "by_column" not in vars(copied)
    for line, expected in zip(copied.by_column, lines, strict=True):
        np.testing.assert_array_equal(line, expected, strict=True)
    assert copied.rounds == ROUNDS
    assert copied.fallbacks == completed.fallbacks


def test_arrays_that_came_read_only_become_writable(completed):
    for array in (completed.rows, completed.source.matrix.values):
        array.flags.writeable = False  # as joblib maps them
    copied = copy.copy(completed)
    assert copied.rows.flags.writeable
    assert copied.source.matrix.values.flags.writeable
    assert copied.as_it_came.values.tobytes() == completed.as_it_came.values.tobytes()


def test_whatever_it_was_filled_with_it_came_as_the_table_did():
    table = holed(40, 4, share=0.3)
    chosen = choose_rows(source_of(table), replace(ROUNDS, max_donors=10))
    assert 10 <= chosen.rows.size < 40
    filled = chosen.with_values(np.where(chosen.known, chosen.source.matrix.values, -99.0))
    for one in (chosen, filled):
        np.testing.assert_array_equal(one.as_it_came.values, table[one.rows])
    np.testing.assert_array_equal(
        chosen.by_column.coordinates.T, chosen.coordinates(chosen.source.matrix.values)
    )


def test_running_mean_by_hand():
    # Votes of 4, 2 and 6 for the first cell; the start has no part.
    mean = running_mean(np.array([NAN, 100.0]), np.array([4.0, -1.0]), 1)
    assert mean.tolist() == [4.0, -1.0]
    mean = running_mean(mean, np.array([2.0, -1.0]), 2)
    assert mean.tolist() == [3.0, -1.0]
    np.testing.assert_allclose(running_mean(mean, np.array([6.0, -1.0]), 3), [4.0, -1.0], rtol=1e-15)


def test_running_mean_is_the_mean_of_all_votes_however_large():
    votes = np.random.default_rng(0).normal(size=(9, 50))
    mean = np.zeros(50)
    for turn, said in enumerate(votes, start=1):
        mean = running_mean(mean, said, turn)
        np.testing.assert_allclose(mean, votes[:turn].mean(axis=0), rtol=1e-13, atol=1e-14)
    assert running_mean(np.array([-1.7e308]), np.array([1.7e308]), 2).tolist() == [0.0]
