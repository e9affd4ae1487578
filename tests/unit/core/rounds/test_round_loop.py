"""Filling from a completed table: by hand, and what a row never notices."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.donors import Fallback, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.held_out.tuning import ColumnTuning
from iim.core.iim import IndividualModels
from iim.core.patterns import Pattern, all_others
from iim.core.rounds import round_loop
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan
from iim.core.rounds.completion import complete
from iim.core.rounds.round_loop import RoundLoop
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

NAN = np.nan
PLAIN = {one.name: PAPER[one.name] for one in fields(Settings)} | {"reach": np.inf, "donors": "available"}
SETTINGS = Settings(
    **PLAIN | {"n_neighbors": 4, "learning_grid": (1, 3, 6, 12), "alpha": 0.1, "penalty": "slopes"}
)
VOTE = ColumnChoice(ColumnTuning((), IDENTITY, "fitted", "votes", NAN), "fitted", "votes", 4, 0.1, 1.0, 0.0)
LINE = [[x, 2 * x + 1, -x] for x in np.arange(10.0)]
"""Complete, and each column tells the others: a model of all rows without a ridge is exact."""
EXACT = replace(SETTINGS, learning_grid=(10,), alpha=0.0)


def matrix_of(table):
    table = np.array(table, float)
    return MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))


def loop_over(table, settings=SETTINGS, n_rounds=2, **choice):
    matrix = matrix_of(table)
    column = replace(VOTE, alpha=settings.alpha, **choice)
    plan = RoundPlan(1000, (Round((column,) * matrix.n_columns),) * n_rounds)
    source = learn_source(matrix, scale=settings.scale, which=settings.donors, min_donors=1)
    completed = complete(source, settings, plan, Context())
    return RoundLoop(completed, plan, IndividualModels(settings), ModelCache())


def fill(loop, rows, context=None, **how):
    """The rows, filled."""
    matrix = matrix_of(rows)
    values = matrix.values.copy()
    for part in loop.fill(matrix, context or Context(), **how):
        values[part.rows, part.pattern.target] = part.values
    return values


def test_fills_by_hand_may_leave_the_range_unless_limited():
    # 2 x + 1 at 20 is 41, beyond all that is known: with several holes, too.
    rows = [[4.5, NAN, -4.5], [20, NAN, -20], [20, NAN, NAN], [NAN, 10, NAN]]
    expected = [[4.5, 10, -4.5], [20, 41, -20], [20, 41, -20], [4.5, 10, -4.5]]
    np.testing.assert_allclose(fill(loop_over(LINE, EXACT), rows), expected, rtol=1e-9)
    limited = fill(loop_over(LINE, replace(EXACT, reach=0.0)), rows)
    np.testing.assert_allclose(limited[1:3], [[20, 19, -20], [20, 19, -9]], rtol=1e-9)


def test_a_row_of_which_nothing_is_known_gets_the_means():
    loop = loop_over([*LINE, [NAN, 5, NAN]])
    parts = list(loop.fill(matrix_of([[NAN] * 3, [1, 2, NAN], [NAN] * 3]), Context()))
    means = [one for one in parts if one.fallback is Fallback.MEAN]
    assert [one.pattern for one in means] == [Pattern((), column) for column in range(3)]
    assert [one.rows.tolist() for one in means] == [[0, 2]] * 3
    np.testing.assert_allclose([one.values for one in means], [[4.5] * 2, [105 / 11] * 2, [-4.5] * 2])
    assert [one.ballot for one in means] == [None] * 3
    assert [(one.pattern, one.rows.tolist()) for one in parts[3:]] == [(Pattern((0, 1), 2), [1])]


@pytest.fixture(scope="module", params=[1, 3], ids=["no votes before", "votes before"])
def holed_loop(request):
    loop = loop_over(holed(60, 4, share=0.2), n_rounds=request.param, vote=0.75, gaussian=0.125)
    loop.models.close()
    return loop


def test_no_row_notices_others_nor_batches_nor_threads(holed_loop, monkeypatch):
    rows = holed(25, 4, share=0.5, seed=9)
    together = fill(holed_loop, rows)
    assert not np.isnan(together).any()
    assert (together == rows)[~np.isnan(rows)].all()
    assert fill(holed_loop, rows[::-1])[::-1].tobytes() == together.tobytes()
    assert np.vstack([fill(holed_loop, row[None]) for row in rows]).tobytes() == together.tobytes()
    assert fill(holed_loop, rows, Context(2, 3)).tobytes() == together.tobytes()
    for cells in (1, 7):
        monkeypatch.setattr(round_loop, "CELLS_AT_ONCE", cells)
        assert fill(holed_loop, rows).tobytes() == together.tobytes()


def test_a_fill_uses_no_other_fill_of_its_row(holed_loop):
    # What is missing may hold any number.
    rows = holed(25, 4, share=0.5, seed=9)
    missing = np.isnan(rows)
    expected = fill(holed_loop, rows)
    values = np.where(missing, 1e9, rows)
    for part in holed_loop.fill(MaskedMatrix(values, missing, tuple(range(4))), Context()):
        assert part.values.tobytes() == expected[part.rows, part.pattern.target].tobytes()


def test_the_training_rows_stay_as_they_were_completed(holed_loop):
    table = holed(60, 4, share=0.2)
    before = holed_loop.source.matrix.values.copy()
    np.testing.assert_array_equal(holed_loop.learned_from.values, table[holed_loop.completed.rows])
    fill(holed_loop, table)
    assert holed_loop.source.matrix.values.tobytes() == before.tobytes()
    assert holed_loop.n_rounds == len(holed_loop.rounds.rounds)


def test_a_copy_fills_alike(holed_loop):
    rows = holed(25, 4, share=0.5, seed=9)
    copied = pickle.loads(pickle.dumps(holed_loop))
    assert fill(copied, rows).tobytes() == fill(holed_loop, rows).tobytes()


def test_batches_by_hand(monkeypatch):
    monkeypatch.setattr(round_loop, "CELLS_AT_ONCE", 3)
    found = round_loop._batches(np.array([2, 1, 1, 5, 1, 1, 1, 1]))
    assert [(one.start, one.stop) for one in found] == [(0, 2), (2, 3), (3, 4), (4, 7), (7, 8)]
    assert round_loop._batches(np.array([], int)) == []


def test_columns_of_interest_are_filled_as_with_all_the_others(holed_loop):
    rows = matrix_of([[0.1, NAN, NAN, 0.4], [NAN, 0.3, 0.2, NAN]])
    every = {one.pattern.target: one.values.tolist() for one in holed_loop.fill(rows, Context())}
    wanted = np.zeros((2, 4), bool)
    wanted[0, 1] = wanted[1, 3] = True
    parts = holed_loop.fill_cells(rows, wanted, Context())
    some = {one.pattern.target: one.values.tolist() for one in parts}
    assert some == {column: every[column] for column in (1, 3)}


def test_learning_ahead_learns_every_donor_of_the_columns_with_holes():
    table = np.array(LINE)
    table[3, 1] = table[7, 1] = table[5, 2] = NAN
    table = np.vstack([table, [[NAN] * 3]])
    loop = loop_over(table)
    assert loop.learn(matrix_of(table), Context()) == [
        SeenPattern(Pattern((), 0), 1, Fallback.MEAN),
        SeenPattern(Pattern((0, 2), 1), 2, Fallback.NONE),
        SeenPattern(Pattern((), 1), 1, Fallback.MEAN),
        SeenPattern(Pattern((0, 1), 2), 1, Fallback.NONE),
        SeenPattern(Pattern((), 2), 1, Fallback.MEAN),
    ]
    learned = {pattern.target: models.n_learning for pattern, models in loop.models.kept.items()}
    assert [learned[column].size for column in range(3)] == [10, 8, 9]
    assert all(found.all() for found in learned.values())


def test_after_the_end_of_fit_only_those_asked_learn_and_nothing_is_kept():
    loop = loop_over(LINE)
    loop.models.close()
    late = fill(loop, [[4.2, NAN, -4.2]])
    assert loop.models.kept == {}
    assert np.count_nonzero(loop.models.find(all_others(1, 3)).n_learning) == 4
    ahead = loop_over(LINE)
    ahead.learn_single_holes(Context())
    assert sorted(pattern.target for pattern in ahead.models.kept) == [0, 1, 2]
    before = dict(ahead.models.kept)
    assert fill(ahead, [[4.2, NAN, -4.2]]).tobytes() == late.tobytes()
    assert all(ahead.models.kept[pattern] is models for pattern, models in before.items())


@pytest.mark.parametrize("shares", [(1.0, 0.0), (0.5, 0.25), (0.0, 0.0)])
@pytest.mark.parametrize("level", ["fitted", "own"])
def test_lines_of_ballots_give_the_candidates(shares, level):
    # The table's first row knows nothing: it is left out, and counted.
    loop = loop_over([[NAN] * 3, *LINE], level=level, vote=shares[0], gaussian=shares[1])
    rows = np.array([[4.2, NAN, NAN]])
    parts = list(loop.fill(matrix_of(rows), Context(), explaining=True))
    assert [one.pattern.target for one in parts] == [1, 2]
    for one in parts:
        ballot, votes = one.ballot, one.ballot.votes
        assert ballot.donors.tolist() == [[5, 6, 4, 7]]
        x = np.array([5, 6, 4, 7]) - 1.0
        lines = ballot.lines
        assert (lines.slopes[:, :, 1] == 0.0).all()
        said = np.ldexp(lines.levels[0] + lines.slopes[0, :, 0] * (4.2 - x), ballot.models.exponent)
        np.testing.assert_allclose(said, votes.candidates[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose((votes.weights * votes.candidates).sum(axis=1), one.values, rtol=1e-9)
    plain = list(loop.fill(matrix_of(rows), Context()))
    assert [one.ballot.lines for one in plain] == [None, None]
    assert [one.values.tobytes() for one in plain] == [one.values.tobytes() for one in parts]


def test_columns_are_told_of(monkeypatch):
    told = []
    context = Context(progress=lambda done, total: told.append(done / total))
    loop = loop_over(LINE)
    loop.models.close()
    rows = [[4.2, NAN, NAN], [NAN, 3.1, NAN]]
    fill(loop, rows, context)
    assert told == [pytest.approx(part / 3) for part in (1, 2, 3)]
    told.clear()
    monkeypatch.setattr(round_loop, "CELLS_AT_ONCE", 1)
    fill(loop, rows, context)
    assert told == [0.25, 0.5, 0.75, 1.0]  # two batches
    told.clear()
    fill(loop_over(LINE), rows, context)
    assert told == sorted(told)
    assert told[-4:] == [5 / 8, 6 / 8, 7 / 8, 1.0]  # learning is the first half


def test_one_column_has_means_only():
    loop = loop_over([[1.0], [NAN], [4.0]])
    assert fill(loop, [[NAN], [7.0]]).tolist() == [[2.5], [7.0]]
    loop.learn_single_holes(Context())
    assert loop.models.kept == {}
