"""Which rows are completed, and with what."""

from dataclasses import replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.donors import Fallback
from iim.core.execution.context import Context
from iim.core.held_out.tuning import ColumnTuning
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan
from iim.core.rounds.completion import (
    choose_donors_of_columns,
    choose_rows,
    complete,
    go_round,
    pose_models,
    rest_of,
)
from iim.core.settings import Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

SETTINGS = Settings(
    n_neighbors=3,
    learning_grid=(1, 4, 8),
    alpha=0.1,
    penalty="slopes",
    scale="standard",
    validation="reused",
    distance="scaled",
    level="fitted",
    weights="votes",
    shrinkage="auto",
    reach=0.0,
    donors="available",
    min_donors=6,
)
VOTE = ColumnChoice(
    ColumnTuning((), IDENTITY, "fitted", "votes", np.nan), "fitted", "votes", 3, 0.1, vote=1.0, gaussian=0.0
)


def plan_of(n_columns, n_rounds, max_donors=1000, **choice):
    return RoundPlan(max_donors, (Round((replace(VOTE, **choice),) * n_columns),) * n_rounds)


def source_of(table, settings=SETTINGS):
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    return learn_source(matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors)


def completed(table, plan=None, settings=SETTINGS, context=None):
    plan = plan or plan_of(table.shape[1], 3)
    return complete(source_of(table, settings), settings, plan, context or Context())


def chosen(missing, max_donors, donors="available"):
    """The donors of each column, and what was given up."""
    found, fallbacks = choose_donors_of_columns(
        np.array(missing, bool), which=donors, min_donors=SETTINGS.min_donors, max_donors=max_donors
    )
    return [np.flatnonzero(column).tolist() for column in found.T], list(fallbacks)


def test_all_rows_that_know_a_column_are_its_donors():
    assert chosen([[0, 0], [0, 1], [1, 1], [1, 0]], 10)[0] == [[0, 1], [0, 3]]


def test_rows_with_the_fewest_holes_come_first():
    missing = [[0, 1, 1], [0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0]]
    assert chosen(missing, 2)[0] == [[1, 4], [1, 4], [1, 4]]
    assert chosen(missing, 3)[0] == [[1, 2, 4], [1, 2, 4], [1, 3, 4]]


def test_of_equal_rows_some_from_all_over_the_table_are_taken():
    assert chosen(np.zeros((1000, 2)), 10)[0] == [list(range(0, 1000, 100))] * 2


def test_complete_rows_or_else_available_ones():
    missing = np.zeros((12, 2), bool)
    missing[8:, 0] = True
    assert chosen(missing, 100, "complete") == ([list(range(8))] * 2, [Fallback.NONE] * 2)
    # Three complete rows are enough for a column that five know, not for one that twelve know.
    missing[:, 0] = np.arange(12) >= 5
    missing[3:5, 1] = True
    found, fallbacks = chosen(missing, 100, "complete")
    assert found == [[0, 1, 2], [0, 1, 2, *range(5, 12)]]
    assert fallbacks == [Fallback.NONE, Fallback.AVAILABLE]


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_known_values_are_kept_and_fills_stay_within_reach(n_rounds):
    table = holed(60, 4, share=0.3)
    found = completed(table, plan_of(4, n_rounds))
    values = found.source.matrix.values
    known = ~np.isnan(table[found.rows])
    assert (found.known == known).all()
    assert values[known].tobytes() == table[found.rows][known].tobytes()
    assert found.voted == (n_rounds > 1)
    if found.voted:
        assert ((values >= np.nanmin(table, axis=0)) & (values <= np.nanmax(table, axis=0))).all()
    assert np.isfinite(values).all()


def test_before_any_round_fills_are_the_gaussian_s():
    table = holed(60, 4, share=0.3)
    found = completed(table, plan_of(4, 1))
    assert not found.voted
    rows = table[found.rows]
    np.testing.assert_allclose(found.source.matrix.values, found.expected(rows, np.isnan(rows)), rtol=1e-12)


def test_rows_that_know_nothing_are_left_out_and_scales_are_those_of_the_table():
    table = np.vstack([np.full((1, 3), np.nan), holed(30, 3, share=0.2), np.full((2, 3), np.nan)])
    source = source_of(table)
    found = choose_rows(source, 1000)
    assert set(found.rows.tolist()) == set(np.flatnonzero(~np.isnan(table).all(axis=1)).tolist())
    assert found.source.scaling is source.scaling
    assert found.source.means is source.means
    few = choose_rows(source, 5)
    assert few.rows.size < found.rows.size
    assert few.standard.center.tolist() == found.standard.center.tolist()


def test_complete_donors_have_nothing_to_fill():
    table = holed(60, 4, share=0.1)
    found = completed(table, settings=replace(SETTINGS, donors="complete"))
    assert found.known.all()
    assert found.source.matrix.values.tobytes() == table[found.rows].tobytes()


def test_no_column_has_more_donors_than_asked_for():
    found = completed(holed(200, 5, share=0.3), plan_of(5, 2, max_donors=20))
    assert np.count_nonzero(found.donors, axis=0).tolist() == [20] * 5
    assert not (found.donors & ~found.known).any()


def test_all_cells_of_a_round_are_filled_from_the_one_before():
    # So the order of columns does not matter, but for rounding.
    table = holed(60, 4, share=0.3)
    order = [2, 0, 3, 1]
    one, other = completed(table), completed(table[:, order])
    np.testing.assert_allclose(
        other.source.matrix.values, one.source.matrix.values[:, order], rtol=1e-7, atol=1e-9
    )


def test_threads_change_nothing():
    table = holed(90, 4, share=0.3)
    one, other = completed(table), completed(table, context=Context(2, 7))
    assert other.source.matrix.values.tobytes() == one.source.matrix.values.tobytes()


def test_models_learned_before_change_nothing():
    table = choose_rows(source_of(holed(60, 4, share=0.3)), 1000)
    way = plan_of(4, 1).rounds[0]
    learned = [pose_models(table, column, VOTE.tuning, SETTINGS, Context()) for column in range(4)]
    one = go_round(table, way, SETTINGS, Context())
    other = go_round(table, way, SETTINGS, Context(), learned)
    assert one.source.matrix.values.tobytes() == other.source.matrix.values.tobytes()


def test_shares_of_the_law_and_of_the_mean():
    table = holed(60, 4, share=0.3)
    first = choose_rows(source_of(table), 1000)
    missing, means = ~first.known, np.nanmean(table, axis=0)
    law = first.expected(first.source.matrix.values, missing)

    def fills(vote, share):
        way = plan_of(4, 1, vote=vote, gaussian=share).rounds[0]
        return go_round(first, way, SETTINGS, Context()).source.matrix.values

    votes = fills(1.0, 0.0)
    np.testing.assert_allclose(fills(0.0, 1.0), law, rtol=1e-12)
    np.testing.assert_allclose(fills(0.0, 0.0), np.where(missing, means, votes), rtol=1e-12)
    mixed = 0.5 * votes + 0.25 * law + 0.25 * means
    np.testing.assert_allclose(fills(0.5, 0.25)[missing], mixed[missing], rtol=1e-9, atol=1e-12)


def test_the_rest_by_hand():
    first = choose_rows(source_of(np.array([[1.0, 10], [2, 20], [3, 30]])), 10)
    law = np.array([100.0, 200.0])
    for vote, share, expected in (
        (1.0, 0.0, [0, 0]),
        (0.5, 0.0, [10, 10]),
        (0.5, 0.25, [30, 55]),
        (0.0, 1.0, [100, 200]),
        (0.75, 0.25, [25, 50]),
    ):
        assert rest_of(first, 1, replace(VOTE, vote=vote, gaussian=share), law).tolist() == expected


def test_progress_is_told():
    told = []
    completed(
        holed(60, 4, share=0.3), context=Context(progress=lambda *part: told.append(part[0] / part[1]))
    )
    assert told == sorted(told)
