"""The choice of rounds: what is hidden, what is chosen, and that it depends on the table alone."""

from dataclasses import replace

import numpy as np
import pytest

import iim
from cases import COMPILED
from iim.core.execution.context import Context
from iim.core.rounds.rehearsal import (
    CELLS_OF_COPIES,
    MOST_CELLS,
    MOST_COPIES,
    MOST_ROWS,
    SHARE,
    loss_of,
    make_copies,
    plain_plan,
    rehearse,
)
from iim.core.settings import RoundSettings, Settings
from iim.matrix import MaskedMatrix
from strategies import holed, untied

pytestmark = COMPILED

NAN = np.nan
SETTINGS = Settings(
    n_neighbors=4,
    learning_grid=(1, 4, 10),
    alpha=0.01,
    penalty="slopes",
    scale="standard",
    validation="held_out",
    distance="learned",
    level="auto",
    weights="auto",
    shrinkage="auto",
    reach=1.0,
    donors="available",
    min_donors=8,
)
ROUNDS = RoundSettings(max_iter=2, max_donors=1000, learning_grid=(1, 4, 10), alphas_of_holes=(0.0,))


def matrix_of(table):
    return MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))


def rehearsed(table, settings=SETTINGS, rounds=ROUNDS, alphas=(0.01, 0.1), context=None):
    return rehearse(
        make_copies(matrix_of(table)), settings, rounds, alphas=alphas, context=context or Context()
    )


def choices_of(found):
    """All that was chosen; distances by their bits."""
    return [
        [(one.tuning.metric.tobytes(), replace(one, tuning=None)) for one in part.columns]
        for part in found.plan.rounds
    ]


def noise(n_rows=150, n_columns=4, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, n_columns))
    table[rng.random(table.shape) < share] = NAN
    return table


class TestCopies:
    def test_known_cells_are_hidden_and_rows_keep_some(self):
        table = holed(200, 4, share=0.2)
        copies = make_copies(matrix_of(table))
        assert 1 < len(copies) <= MOST_COPIES
        for one in copies:
            assert one.hidden.any()
            assert not np.isnan(one.truth[one.hidden]).any()
            assert np.isnan(one.matrix.values[one.hidden]).all()
            np.testing.assert_array_equal(one.truth, table)
            assert (one.matrix.missing == (np.isnan(table) | one.hidden)).all()
            assert (~one.matrix.missing).any(axis=1)[one.hidden.any(axis=1)].all()
            assert np.count_nonzero(one.hidden.any(axis=1)) == 200 * SHARE

    @pytest.mark.parametrize("n_rows", [20, 1600, 3000, 30_000])
    def test_small_tables_have_several_and_long_ones_are_thinned(self, n_rows):
        copies = make_copies(matrix_of(untied(n_rows, 2)))
        assert {one.matrix.n_rows for one in copies} == {min(n_rows, MOST_ROWS)}
        # Without holes, each row loses one cell.
        n_hidden = int(min(n_rows, MOST_ROWS) * SHARE)
        assert [int(one.hidden.sum()) for one in copies] == [n_hidden] * len(copies)
        assert len(copies) == min(MOST_COPIES, -(-CELLS_OF_COPIES // n_hidden))

    def test_wide_ones_are_thinned_as_well(self):
        table = np.broadcast_to(np.arange(3000.0)[:, None], (3000, 100))
        first = make_copies(matrix_of(table))[0]
        assert first.matrix.n_rows == MOST_CELLS // 100
        assert first.truth[:4, 0].tolist() == [0, 3, 6, 9]

    def test_none_if_no_row_could_keep_a_cell(self):
        assert make_copies(matrix_of(np.array([[1.0, NAN], [NAN, 2.0]]))) == []
        assert make_copies(matrix_of(untied(9, 1))) == []
        assert make_copies(matrix_of(untied(1, 3))) == []

    def test_they_depend_on_the_table_alone(self):
        one, other = (make_copies(matrix_of(holed(80))) for _ in range(2))
        assert [a.hidden.tobytes() for a in one] == [a.hidden.tobytes() for a in other]


def test_the_loss_by_hand():
    # Both the mean absolute error and the root mean square: log(2) + log(sqrt(5)).
    assert loss_of(np.array([1.0, -3.0])) == pytest.approx(np.log(2) + np.log(np.sqrt(5)))
    assert loss_of(np.array([-1.0, 3.0])) == loss_of(np.array([1.0, -3.0]))
    # In units ten times as large, it is less by twice the logarithm.
    assert loss_of(np.array([0.1, 0.3])) == pytest.approx(loss_of(np.array([1.0, 3.0])) - 2 * np.log(10))
    assert np.isfinite(loss_of(np.zeros(3)))


def test_the_same_table_gives_the_same_rounds_with_any_number_of_threads():
    table = holed(120, 4, share=0.2)
    one, again, threads = rehearsed(table), rehearsed(table), rehearsed(table, context=Context(2, 16))
    assert choices_of(one) == choices_of(again) == choices_of(threads)
    assert one.loss == again.loss == threads.loss
    assert one.error == again.error


def test_it_tells_how_far_fills_of_hidden_cells_are_off():
    table = holed(120, 4, share=0.1)
    found = rehearsed(table)
    assert 0.05 < found.error < 0.7
    exact = rehearsed(np.column_stack([np.arange(100.0), 3 * np.arange(100.0), -np.arange(100.0)]))
    assert exact.error < 0.01
    assert exact.loss < found.loss


@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_no_more_rounds_than_asked_for(max_iter):
    found = rehearsed(holed(90, 3, share=0.3), rounds=replace(ROUNDS, max_iter=max_iter))
    assert 1 <= len(found.plan.rounds) <= max_iter + 1
    assert found.plan.max_donors == 1000
    assert all(len(one.columns) == 3 for one in found.plan.rounds)


def test_what_is_set_is_not_chosen():
    table = holed(120, 3, share=0.2)
    fixed = replace(SETTINGS, level="own", weights="uniform", distance="scaled")
    for one in rehearsed(table, fixed, alphas=(0.3,)).plan.rounds:
        assert {(c.level, c.weights, c.alpha, c.tuning.metric.size) for c in one.columns} == {
            ("own", "uniform", 0.3, 0)
        }
    for one in rehearsed(table).plan.rounds:
        for choice in one.columns:
            assert choice.alpha in (0.01, 0.1)
            assert choice.level in ("fitted", "own")
            assert choice.weights in ("votes", "distance", "closest")
            assert choice.n_neighbors >= 1
            assert 0 <= choice.vote <= choice.vote + choice.gaussian <= 1
            assert choice.tuning.metric.size > 0


def test_noise_is_filled_close_to_the_mean():
    table = noise(400)
    filled = iim.IIMImputer(strategy="iterative").fit_transform(table)
    gap = (filled - np.nanmean(table, axis=0))[np.isnan(table)]
    assert np.sqrt(np.mean(gap**2)) < 0.2


def test_one_linear_law_is_found_where_there_is_one():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(150, 2)) @ rng.normal(size=(2, 5)) + 0.1 * rng.normal(size=(150, 5))
    table = np.where(rng.random(truth.shape) < 0.2, NAN, truth)
    assert rehearsed(table).error < 0.4


def test_without_hidden_cells_the_plan_is_plain():
    plan = plain_plan(3, SETTINGS, ROUNDS)
    assert len(plan.rounds) == 1
    assert len(plan.rounds[0].columns) == 3
    choice = plan.rounds[0].columns[0]
    assert (choice.level, choice.weights, choice.n_neighbors) == ("fitted", "votes", 4)
    assert (choice.alpha, choice.vote, choice.gaussian) == (0.01, 1.0, 0.0)
    assert plan.most_neighbors == 4


def test_a_column_without_hidden_cells_goes_by_the_others():
    # No row could lose its value of the second column, which is the only one that it knows.
    table = untied(60, 3)
    table[3:, 1] = NAN
    assert np.isfinite(rehearsed(table).loss)


@pytest.mark.parametrize("donors", ["available", "complete"])
def test_fills_of_rows_that_are_no_donors_count_too(donors):
    # Rows with hidden cells are not complete.
    settings = replace(SETTINGS, donors=donors)
    found = rehearsed(holed(120, 3, share=0.1), settings)
    assert 0.05 < found.error < 0.8
    few = rehearsed(holed(120, 3, share=0.1), settings, replace(ROUNDS, max_donors=30))
    assert 0.05 < few.error < 0.8


def test_progress_is_told():
    told = []
    rehearsed(
        holed(60, 3, share=0.2), context=Context(progress=lambda *part: told.append(part[0] / part[1]))
    )
    assert told == sorted(told)
    assert 0.0 < told[-1] <= 1.0
