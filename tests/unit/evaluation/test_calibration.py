"""Calibration on tables whose errors are known by construction."""

from dataclasses import replace

import numpy as np
import pytest

from iim.core.execution.context import Context
from iim.core.rounds.rehearsal import make_copies, rehearse
from iim.core.settings import RoundSettings, Settings
from iim.core.strategy import begin
from iim.evaluation.calibration import FEW_CELLS, MOST_CELLS, calibrate, hide_in_turns
from iim.matrix import MaskedMatrix

SETTINGS = Settings(
    n_neighbors=4,
    learning_grid=(8, 16),
    alpha=1e-9,
    penalty="slopes",
    scale="standard",
    validation="held_out",
    distance="scaled",
    level="fitted",
    weights="votes",
    shrinkage="auto",
    reach=np.inf,
    donors="available",
    min_donors=8,
)
ROUNDS = RoundSettings(max_iter=1, max_donors=5000, learning_grid=(8, 16), alphas_of_holes=(0.0,))
CONTEXT = Context()


def loop(values, strategy, settings=SETTINGS):
    values = np.array(values, float)
    matrix = MaskedMatrix(values, np.isnan(values), tuple("abc")[: values.shape[1]])
    plan = None
    if strategy == "iterative":
        copies = make_copies(matrix)
        plan = rehearse(copies, settings, ROUNDS, alphas=[settings.alpha], context=CONTEXT).plan
    return begin(matrix, settings, plan, CONTEXT)


def plane(n_rows=240):
    """Exactly linear: every fill is right."""
    first, second = np.random.default_rng(0).uniform(size=(2, n_rows))
    return np.column_stack([first, second, 2 * first - second])


def unchanged(values, column):
    del column
    return values


@pytest.mark.parametrize("share", [1 / 8, 1 / 5])
@pytest.mark.parametrize(("n_rows", "n_cells"), [(5, 15), (7, 21), (100, 300), (3000, 1200), (10**5, 1200)])
def test_how_many_cells_are_hidden(n_rows, n_cells, share):
    turns = hide_in_turns(np.zeros((n_rows, 3), bool), share)
    assert sum(int(turn.typical.sum()) for turn in turns) == pytest.approx(n_cells, rel=0.01)
    assert max(turn.hidden.any(axis=1).sum() for turn in turns) <= max(1, n_rows * share)
    wide = hide_in_turns(np.zeros((20_000, 30), bool), share)
    assert sum(int(turn.typical.sum()) for turn in wide) == MOST_CELLS


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_table_full_of_holes_takes_no_more_turns(share):
    missing = np.random.default_rng(0).random((1000, 5)) < share
    assert len(hide_in_turns(missing, 1 / 8)) <= len(hide_in_turns(np.zeros((1000, 5), bool), 1 / 8))


@pytest.mark.parametrize("strategy", ["patterns", "iterative"])
def test_right_fills_have_errors_of_next_to_nothing(strategy):
    found = calibrate(loop(plane(), strategy), unchanged, CONTEXT)
    for scale in found.voted:
        assert scale.scores.size > FEW_CELLS
        # Rounds learn from fills that are not quite right.
        assert scale.std(np.zeros(1)) < (1e-6 if strategy == "patterns" else 1e-3)


@pytest.mark.parametrize("strategy", ["patterns", "iterative"])
def test_errors_are_those_of_what_is_given_to_the_user(strategy):
    # One too much in the last column, whatever was voted for.
    def one_more(values, column):
        return values + (column == 2)

    found = calibrate(loop(plane(), strategy), one_more, CONTEXT)
    np.testing.assert_allclose(found.voted[2].std(np.zeros(1)), 1.0, rtol=1e-3)
    assert (found.voted[2].scores < 0).all()
    assert found.voted[0].std(np.zeros(1)) < 1e-3
    # The mean is one too much as well.
    known = plane()[:, 2]
    np.testing.assert_allclose(found.means[2].std(np.zeros(1)), np.hypot(known.std(), 1), rtol=1e-6)


def test_the_unit_is_the_standard_deviation_or_one():
    table = np.column_stack([plane()[:, :2], np.full(240, 7.0)])
    found = calibrate(loop(table, "patterns"), unchanged, CONTEXT)
    assert [scale.unit for scale in found.voted] == pytest.approx([*table[:, :2].std(axis=0), 1.0])
    assert found.voted[2].std(np.zeros(1)) == found.means[2].std(np.zeros(1)) == 0


def test_donors_rows_are_taken_as_they_came():
    # Rounds fill the donors' own holes: these are no truth.
    table = plane()
    table[::3, 2] = np.nan
    rounds = loop(table, "iterative")
    completed = rounds.completed
    values = np.where(completed.known, completed.source.matrix.values, 99.0)
    spoiled = replace(rounds, completed=completed.with_values(values))
    one, other = (calibrate(each, unchanged, CONTEXT) for each in (rounds, spoiled))
    assert one.voted[2].scores.tobytes() == other.voted[2].scores.tobytes()


def test_columns_with_few_cells_share_scores_but_not_units():
    table = plane(80)
    table[9:, 2] = np.nan
    table[:, 2] *= 1000
    few = loop(table, "patterns", replace(SETTINGS, min_donors=2))
    found = calibrate(few, unchanged, CONTEXT)
    everything = sum(scale.scores.size for scale in found.voted[:2])
    assert found.voted[2].scores.size >= everything
    assert found.voted[2].unit == pytest.approx(np.nanstd(table[:, 2]))


def test_progress_is_told():
    told = []
    telling = Context(progress=lambda done, total: told.append((done, total)))
    calibrate(loop(plane(60), "patterns"), unchanged, telling)
    assert told[-1][0] == told[-1][1] == len(told)
