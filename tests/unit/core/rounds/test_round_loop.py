"""Filling from a completed table, in rounds: by hand, against the witness, and what a row never notices."""

from dataclasses import fields, replace

import numpy as np
import pytest

from iim.core.donors import Fallback, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.iim import IndividualModels
from iim.core.patterns import Pattern, all_others
from iim.core.rounds import round_loop
from iim.core.rounds.completion import complete
from iim.core.rounds.round_loop import RoundLoop
from iim.core.settings import PAPER, RoundSettings, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from reference import rounds as witness
from strategies import holed

NAN, ELLS = np.nan, (1, 3, 6, 12)
PLAIN = {one.name: PAPER[one.name] for one in fields(Settings)} | {"reach": np.inf, "donors": "available"}
SETTINGS = Settings(**PLAIN | {"n_neighbors": 4, "learning_grid": ELLS, "alpha": 0.1, "penalty": "slopes"})
ROUNDS = RoundSettings(start="knn", max_iter=4, tol=0.0, max_donors=1000, alpha_of_holes=0.0)
LINE = [[x, 2 * x + 1, -x] for x in np.arange(10.0)]
"""Complete, and each column tells the others: a model of all rows without a ridge is exact."""
EXACT = replace(SETTINGS, learning_grid=(10,), alpha=0.0)


def matrix_of(table):
    table = np.array(table, float)
    return MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))


def loop_over(table, settings=SETTINGS, how=ROUNDS):
    method = IndividualModels(settings)
    source = learn_source(matrix_of(table), scale=settings.scale, which=settings.donors, min_donors=1)
    return RoundLoop(complete(source, method, how, Context()), method, ModelCache())


def fill(loop, rows, context=None, **how):
    """The rows, filled."""
    matrix = matrix_of(rows)
    values = matrix.values.copy()
    for part in loop.fill(matrix, context or Context(), **how):
        values[part.rows, part.pattern.target] = part.values
    return values


def test_one_hole_is_a_vote_by_hand_and_may_leave_the_range():
    # 2 x + 1 at 20 is 41, beyond all that is known: no guess is part of it.
    filled = fill(loop_over(LINE, EXACT), [[4.5, NAN, -4.5], [20, NAN, -20]])
    np.testing.assert_allclose(filled[:, 1], [10, 41], rtol=1e-9)


def test_several_holes_start_from_neighbours_and_stay_in_the_range():
    # The models say 41 and -20 of 20, but what is known ends at 19 and -9.
    filled = fill(loop_over(LINE, EXACT), [[20, NAN, NAN], [4.5, NAN, NAN]])
    np.testing.assert_allclose(filled, [[20, 19, -9], [4.5, 10, -4.5]], rtol=1e-9)


def test_a_row_of_which_nothing_is_known_gets_the_means():
    loop = loop_over([*LINE, [NAN, 5, NAN]])
    parts = list(loop.fill(matrix_of([[NAN] * 3, [1, 2, NAN], [NAN] * 3]), Context()))
    means = [one for one in parts if one.fallback is Fallback.MEAN]
    assert [one.pattern for one in means] == [Pattern((), column) for column in range(3)]
    assert [one.rows.tolist() for one in means] == [[0, 2]] * 3
    np.testing.assert_allclose([one.values for one in means], [[4.5] * 2, [105 / 11] * 2, [-4.5] * 2])
    assert [one.ballot for one in means] == [None] * 3
    assert [(one.pattern, one.rows.tolist()) for one in parts[3:]] == [(Pattern((0, 1), 2), [1])]


@pytest.mark.parametrize("start", ["knn", "mean"])
@pytest.mark.parametrize(("max_iter", "tol"), [(1, 0.0), (3, 0.0), (6, 0.05)])
def test_rows_are_filled_as_the_witness_fills_them(start, max_iter, tol):
    table = witness.standardised(holed(24, 3, share=0.15, seed=5))
    table[np.isnan(table).all(axis=1), 0] = 0.0
    rows = np.array([[0.3, NAN, NAN], [NAN, -0.5, 0.1], [NAN, NAN, 1.2], [9.0, NAN, NAN], [-9.0, 1.0, NAN]])
    how = {"start": start, "max_iter": max_iter, "tol": tol}
    loop = loop_over(table, how=replace(ROUNDS, **how))
    known, V = ~np.isnan(table), loop.source.matrix.values
    assert (loop.learned_from.values[known] == table[known]).all()
    assert loop.learned_from.missing.tolist() == (~known).tolist()
    assert (loop.n_rounds == max_iter) == (tol == 0.0)
    expected = [witness.replay(x, table, V, ELLS, 4, 0.1, **how) for x in rows]
    np.testing.assert_allclose(fill(loop, rows), expected, rtol=1e-8, atol=1e-9)


@pytest.fixture(scope="module")
def holed_loop():
    return loop_over(holed(60, 4, share=0.2), how=replace(ROUNDS, tol=0.02))


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


def test_batches_by_hand(monkeypatch):
    monkeypatch.setattr(round_loop, "CELLS_AT_ONCE", 3)
    found = round_loop._batches(np.array([2, 1, 1, 5, 1, 1, 1, 1]))
    assert [(one.start, one.stop) for one in found] == [(0, 2), (2, 3), (3, 4), (4, 7), (7, 8)]
    assert round_loop._batches(np.array([], int)) == []


def test_cells_of_interest_are_filled_with_all_the_others(holed_loop):
    rows = matrix_of([[0.1, NAN, NAN, 0.4], [NAN, 0.3, 0.2, NAN]])
    some = {
        one.pattern: one.values.tolist() for one in holed_loop.fill_cells(rows, np.array([1, 0]), Context())
    }
    assert some == {one.pattern: one.values.tolist() for one in holed_loop.fill(rows, Context())}
    assert sorted(pattern.target for pattern in some) == [0, 1, 2, 3]


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


def test_ballots_tell_the_rows_as_they_were_voted_on():
    loop, rows = loop_over([[NAN] * 3, *LINE], how=replace(ROUNDS, max_iter=1)), [[4.2, NAN, NAN]]
    parts = list(loop.fill(matrix_of(rows), Context(), explaining=True))
    # Column 1 has its turn first, from the neighbours' mean of column 2; then column 2 from that vote.
    assert [one.pattern.target for one in parts] == [1, 2]
    first, second = (one.ballot for one in parts)
    assert first.receivers[0, 2] == np.mean([-4.0, -5.0, -3.0, -6.0])
    assert second.receivers[0, 1] == parts[0].values[0] == first.votes.values[0]
    # The table's first row knows nothing: it is left out, and counted.
    assert first.donors.tolist() == second.donors.tolist() == [[5, 6, 4, 7]]
    assert all(one.ballot.receivers is None for one in loop.fill(matrix_of(rows), Context()))


def test_rounds_are_told_of_and_end_when_nothing_moves(monkeypatch):
    told = []
    context = Context(progress=lambda done, total: told.append(done / total))
    loop = loop_over(LINE, EXACT, replace(ROUNDS, tol=1e-6))
    loop.models.close()
    fill(loop, [[4.2, NAN, -4.2]], context)
    assert told == [1 / 4, 2 / 4]  # one round for the vote, one in which nothing changes
    told.clear()
    fill(loop, [[4.5, NAN, -4.5]], context)  # between 4 and 5, 3 and 6: their mean is the vote
    assert told == [1 / 4]
    told.clear()
    fill(loop_over(LINE, how=ROUNDS), [[4.2, NAN, NAN], [NAN, 3.1, NAN]], context)
    assert told == sorted(told)
    assert told[-4:] == [5 / 8, 6 / 8, 7 / 8, 1.0]  # learning is the first half
    told.clear()
    monkeypatch.setattr(round_loop, "CELLS_AT_ONCE", 1)
    fill(loop, [[4.2, NAN, -4.2], [3.2, NAN, -3.2]], context)
    assert told == [1 / 8, 2 / 8, 5 / 8, 6 / 8]  # two batches
