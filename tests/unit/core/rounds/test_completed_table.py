"""The rows that rounds learn from: by hand, before and after the first votes, and after a pickle."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from iim.core.donors import Fallback
from iim.core.patterns import Pattern
from iim.core.rounds import completed_table as module
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.completion import choose_rows
from iim.core.rounds.gaussian import RIDGE, Gaussian
from iim.core.scaling import learn_scaling
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

NAN = np.nan


def matrix_of(values):
    values = np.array(values, float)
    return MaskedMatrix(values, np.isnan(values), tuple("abcd"[: values.shape[1]]))


def source_of(values, scale="standard"):
    return learn_source(matrix_of(values), scale=scale, which="available", min_donors=1)


@pytest.fixture
def completed():
    """Three rows: the second had a hole in b, and the third is no donor of c. Column b is constant."""
    known = np.array([[True, True, True], [True, False, True], [True, True, True]])
    table = [[1, 5, 0], [3, 5, 10], [5, 5, 20]]
    return CompletedTable(
        source=source_of(table),
        known=known,
        donors=known & np.array([[True, True, True], [True, True, True], [True, True, False]]),
        rows=np.array([0, 4, 7]),
        fallbacks=(Fallback.NONE, Fallback.AVAILABLE, Fallback.NONE),
        standard=learn_scaling(matrix_of(table), "standard"),
        gaussian=Gaussian(np.zeros(3), np.eye(3)),
        voted=False,
    )


@pytest.fixture(scope="module")
def chosen():
    return choose_rows(source_of(holed(40, 4, share=0.3)), 1000)


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


def test_fills_by_votes_take_the_place_of_the_gaussian_s(chosen):
    values = np.where(chosen.known, chosen.source.matrix.values, -99.0)
    other = chosen.with_values(values)
    assert (chosen.voted, other.voted) == (False, True)
    assert other.source.matrix.values.tolist() == values.tolist()
    assert other.source.scaling is chosen.source.scaling
    assert other.rows is chosen.rows
    assert -99.0 not in chosen.source.matrix.values
    for column in range(4):
        assert other.for_column(column) is other.source
    for one in (chosen, other):
        np.testing.assert_array_equal(one.as_it_came.values, holed(40, 4, share=0.3)[one.rows])


def test_before_votes_no_fill_that_a_column_is_learned_from_knows_the_column(chosen):
    for column in range(4):
        found = chosen.for_column(column).matrix.values
        hidden = ~chosen.known
        hidden[:, column] = True
        expected = chosen.expected(chosen.source.matrix.values, hidden)
        others = np.arange(4) != column
        np.testing.assert_allclose(found[:, others], expected[:, others], rtol=1e-9, atol=1e-11)
        assert found[chosen.known].tobytes() == chosen.source.matrix.values[chosen.known].tobytes()
        # Another value of the column changes none of the other columns.
        values = chosen.source.matrix.values.copy()
        values[:, column] += chosen.known[:, column]
        matrix = replace(chosen.source.matrix, values=values)
        moved = replace(chosen, source=replace(chosen.source, matrix=matrix)).for_column(column)
        np.testing.assert_allclose(moved.matrix.values[:, others], found[:, others], rtol=1e-9, atol=1e-11)


def test_rows_without_holes_are_their_own_table(completed):
    whole = replace(completed, known=np.ones((3, 3), bool))
    assert whole.for_column(1) is whole.source


def test_tables_of_columns_are_kept_while_there_is_memory(chosen, monkeypatch):
    chosen = copy.copy(chosen)
    first = [chosen.for_column(column) for column in range(4)]
    assert all(chosen.for_column(column) is one for column, one in enumerate(first))
    monkeypatch.setattr(module, "RECENT_BYTES", 0)
    few = copy.copy(chosen)
    again = [few.for_column(column) for column in range(4)]
    assert list(few._recent) == [3]
    assert [one.matrix.values.tobytes() for one in again] == [one.matrix.values.tobytes() for one in first]


def test_the_law_by_hand():
    table = [[1, 5], [3, 5], [5, 7], [7, 7]]  # means 4 and 6, standard deviations sqrt(5) and 1
    completed = choose_rows(source_of(table), 10)
    slope = 0.8 / (1 + RIDGE) / np.sqrt(0.8)
    rows = np.array([[6, NAN], [NAN, 8], [NAN, NAN], [1, 2]])
    filled = completed.expected(rows, np.isnan(rows))
    expected = [[6, 6 + 2 / np.sqrt(5) * slope], [4 + 2 * slope * np.sqrt(5), 8], [4, 6], [1, 2]]
    np.testing.assert_allclose(filled, expected, rtol=1e-12)


def test_of_a_constant_column_the_law_says_its_value():
    completed = choose_rows(source_of([[1, 7, NAN], [2, 7, 3], [NAN, NAN, 5], [4, 7, 1]]), 10)
    assert completed.source.matrix.values[2, 1] == 7.0
    assert np.isfinite(completed.source.matrix.values).all()


def test_a_pickle_holds_nothing_that_can_be_computed_again(chosen):
    chosen = copy.copy(chosen)
    bare = len(pickle.dumps(chosen))
    tables = [chosen.for_column(column) for column in range(4)]
    assert len(pickle.dumps(chosen)) == bare
    copied = pickle.loads(pickle.dumps(chosen))
    assert "_recent" not in vars(copied)
    for column, table in enumerate(tables):
        assert copied.for_column(column).matrix.values.tobytes() == table.matrix.values.tobytes()
    assert copied.fallbacks == chosen.fallbacks


def test_arrays_that_came_read_only_become_writable(completed):
    for array in (completed.rows, completed.source.matrix.values):
        array.flags.writeable = False  # as joblib maps them
    copied = copy.copy(completed)
    assert copied.rows.flags.writeable
    assert copied.source.matrix.values.flags.writeable
    assert copied.as_it_came.values.tobytes() == completed.as_it_came.values.tobytes()
