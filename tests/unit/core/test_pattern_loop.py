"""The loop over patterns, with a method that notes what it is asked and fills with its donors' mean."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from iim.core.donors import Fallback, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Fills
from iim.core.pattern_loop import Asked, PatternLoop, Receivers
from iim.core.patterns import Pattern, group_patterns
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import holed

NAN = np.nan
TABLE = [[1, 2, 3], [4, 5, 6], [7, NAN, 9], [NAN, NAN, 3], [10, 11, 12], [NAN] * 3, [0, NAN, 1]]
MIDDLE, LEFT, NEXT = Pattern((0, 2), 1), Pattern((2,), 0), Pattern((2,), 1)
NOTHING = [Pattern((), column) for column in range(3)]


@dataclass(frozen=True)
class Mean:
    pattern: Pattern
    value: float
    n_asked: int = 0
    complete: bool = False


@dataclass
class Noting:
    """Learns the mean of the donors, and with ``counting`` whom it was asked by."""

    needs_columns: bool = True
    counting: bool = True
    notes: list = field(default_factory=list)

    def solve(self, source, problem, previous, context):
        self.notes.append(("solve", problem.pattern, previous and previous.pattern))
        context.report(1, 1)
        values, exponent = source.targets(problem)
        return Mean(problem.pattern, float(np.ldexp(values, exponent).mean()))

    def ask(self, _source, model, receivers, context):
        self.notes.append(("ask", model.pattern, receivers.rows.tolist()))
        context.report(1, 1)
        model = replace(model, n_asked=model.n_asked + receivers.rows.size) if self.counting else model
        return Asked(receivers, model, receivers.known)

    def predict(self, asked, _context):
        pattern, rows = asked.receivers.pattern, asked.receivers.rows
        return Fills(pattern, rows, np.full(rows.size, asked.model.value), Fallback.NONE)

    def learn_rest(self, model, _context):
        return replace(model, complete=True)


def matrix_of(table):
    table = np.array(table, float)
    return MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))


def loop_over(table=TABLE, **how):
    source = learn_source(matrix_of(table), scale="none", which="available", min_donors=1)
    return PatternLoop(source, Noting(**how), ModelCache())


def filled(parts):
    cells = [(one.rows.tolist(), one.pattern.target, one.values) for one in parts]
    return {(row, to): value for rows, to, values in cells for row, value in zip(rows, values, strict=True)}


def solved(loop):
    return [note[1] for note in loop.method.notes if note[0] == "solve"]


# Column 1 of rows that know 0 and 2: 2, 5 and 11. Column 0 of rows that know 2: 1, 4, 7, 10 and 0. A row
# without a known value gets the means of all that is known.
FILLED = {(2, 1): 6.0, (6, 1): 6.0, (3, 0): 4.4, (3, 1): 6.0, (5, 0): 4.4, (5, 1): 6.0, (5, 2): 34 / 6}


def test_filling_by_hand_solves_and_asks_pattern_by_pattern():
    loop = loop_over()
    parts = list(loop.fill(loop.source.matrix, Context()))
    assert filled(parts) == pytest.approx(FILLED)
    assert [one.pattern for one in parts] == [MIDDLE, LEFT, NEXT, *NOTHING]
    assert [one.fallback for one in parts] == [Fallback.NONE] * 3 + [Fallback.MEAN] * 3
    assert loop.method.notes == [
        *[("solve", MIDDLE, None), ("ask", MIDDLE, [2, 6])],
        *[("solve", LEFT, MIDDLE), ("ask", LEFT, [3])],
        *[("solve", NEXT, LEFT), ("ask", NEXT, [3])],
    ]
    assert np.isnan(loop.source.matrix.values).sum() == 7
    assert loop.learned_from is loop.source.matrix


def test_learning_ahead_asks_the_same_and_fills_the_same():
    ahead, meanwhile = loop_over(), loop_over()
    matrix = ahead.source.matrix
    seen = ahead.learn(matrix, Context())
    both = [SeenPattern(pattern, n, Fallback.NONE) for pattern, n in ((MIDDLE, 2), (LEFT, 1), (NEXT, 1))]
    assert seen == both + [SeenPattern(pattern, 1, Fallback.MEAN) for pattern in NOTHING]
    parts = filled(meanwhile.fill(matrix, Context()))
    assert ahead.method.notes == meanwhile.method.notes
    assert ahead.models.kept == meanwhile.models.kept
    assert [model.n_asked for model in ahead.models.kept.values()] == [2, 1, 1]
    ahead.models.close()
    assert filled(ahead.fill(matrix, Context())) == parts
    assert len(solved(ahead)) == 3


def test_what_is_learned_after_the_end_of_fit_is_found_again_and_not_kept():
    loop = loop_over()
    loop.models.close()
    assert [one.n_cells for one in loop.learn(loop.source.matrix, Context())] == [2, 1, 1, 1, 1, 1]
    assert loop.method.notes == []  # there is no room: that is left to fill
    row = matrix_of([[5, NAN, 5]])
    for times in (1, 2, 3):
        assert filled(loop.fill(row, Context())) == {(0, 1): 6.0}
        assert solved(loop) == [MIDDLE]
        assert loop.models.find(MIDDLE).n_asked == times
    assert loop.models.kept == {}


def test_a_model_that_learned_nothing_new_is_not_stored_again(monkeypatch):
    loop = loop_over(counting=False)
    loop.learn(loop.source.matrix, Context())
    monkeypatch.setattr(loop.models, "store", None)
    assert filled(loop.fill(loop.source.matrix, Context())) == pytest.approx(FILLED)


def test_a_method_that_needs_no_columns_solves_rows_without_any():
    loop = loop_over(needs_columns=False)
    assert filled(loop.fill(loop.source.matrix, Context())) == pytest.approx(FILLED)
    assert solved(loop) == [MIDDLE, LEFT, NEXT, *NOTHING]
    loop = loop_over([[1], [5], [NAN]], needs_columns=False)
    loop.learn_single_holes(Context())
    assert loop.models.kept == {NOTHING[0]: Mean(NOTHING[0], 3.0, complete=True)}


def test_only_wanted_cells_are_filled_and_never_from_another_hole():
    loop, rows = loop_over(), matrix_of([[NAN, NAN, 3], [7, NAN, 9], [NAN, NAN, 8], [NAN] * 3])
    wanted = np.zeros((4, 3), bool)
    wanted[[0, 1, 3], [1, 1, 2]] = True
    parts = list(loop.fill_cells(rows, wanted, Context(), explaining=True))
    # The third row has the holes of the first, and comes with it.
    expected = {(0, 1): 6.0, (2, 1): 9.0, (1, 1): 6.0, (3, 2): 34 / 6}
    assert filled(parts).keys() == expected.keys()
    assert {cell: filled(parts)[cell] for cell in [(0, 1), (1, 1), (3, 2)]} == pytest.approx(
        {(0, 1): 6.0, (1, 1): 6.0, (3, 2): 34 / 6}
    )
    assert {one.pattern for one in parts} == {NEXT, MIDDLE, NOTHING[2]}


def test_all_single_holes_are_learned_ahead_and_none_twice():
    loop = loop_over()
    loop.learn(loop.source.matrix, Context())
    before = loop.models.kept[MIDDLE]
    loop.learn_single_holes(Context())
    assert solved(loop) == [MIDDLE, LEFT, NEXT, Pattern((1, 2), 0), Pattern((0, 1), 2)]
    assert loop.models.kept[MIDDLE] == replace(before, complete=True)
    assert [model.complete for model in loop.models.kept.values()] == [True, False, False, True, True]
    alone = loop_over([[1], [5], [NAN]])
    alone.learn_single_holes(Context())
    assert alone.models.kept == {}  # the mean is all that there is


@pytest.mark.parametrize("how", ["learn", "fill"])
def test_every_pattern_is_an_equal_part_of_what_is_told(how):
    loop, told = loop_over(TABLE[:5]), []
    context = Context(progress=lambda done, total: told.append(done / total))
    list(getattr(loop, how)(loop.source.matrix, context))
    # Solved and asked, three times; that a pattern is done may be told once more.
    assert told == sorted(told)
    assert sorted(set(told)) == [1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1.0]
    told.clear()
    list(loop.fill(loop.source.matrix, context))
    assert told == [1 / 3, 2 / 3, 1.0]


@pytest.mark.parametrize("how", ["learn", "fill"])
def test_groups_that_are_given_are_not_searched_for(how):
    loop = loop_over()
    groups = group_patterns(loop.source.matrix.missing)
    list(getattr(loop, how)(loop.source.matrix, Context(), groups[1:2]))
    assert solved(loop) == [LEFT, NEXT]


def test_a_complete_table_asks_for_nothing():
    loop = loop_over(TABLE[:2])
    assert loop.learn(loop.source.matrix, Context()) == list(loop.fill(loop.source.matrix, Context())) == []


def test_receivers_tell_all_that_they_know():
    assert Receivers(MIDDLE, np.array([2]), np.array(TABLE[2:3])).known.tolist() == [[7, 9]]


def test_any_table_is_filled_as_cell_by_cell():
    table = holed(60, 4, share=0.3)
    loop = loop_over(table)
    expected = {}
    for row, column in np.argwhere(np.isnan(table)).tolist():
        known = [*np.flatnonzero(~np.isnan(table[row])), column]
        donors = ~np.isnan(table[:, known]).any(axis=1)
        expected[row, column] = table[donors, column].mean()
    assert filled(loop.fill(loop.source.matrix, Context())) == pytest.approx(expected)
