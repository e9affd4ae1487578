"""Which cells are hidden: known ones, like the table's holes, never too many of a column."""

import numpy as np

from iim.core.uncertainty.hidden_cells import CELLS_PER_COLUMN, hide_cells


def holes(n_rows, n_columns, *cells):
    missing = np.zeros((n_rows, n_columns), bool)
    for row, column in cells:
        missing[row, column] = True
    return missing


def others(turn):
    """How many other holes the judged cells have beside them."""
    return np.count_nonzero(turn.missing[turn.rows], axis=1) - 1


def test_hidden_cells_were_known_and_each_row_is_hidden_once_in_a_turn():
    missing = np.random.default_rng(0).random((90, 4)) < 0.2
    turns = hide_cells(missing)
    assert turns
    for turn in turns:
        assert not missing[turn.rows, turn.columns].any()
        assert turn.missing[turn.rows, turn.columns].all()
        assert (turn.missing >= missing).all()
        assert np.unique(turn.rows).size == turn.rows.size <= 90 // 8


def test_no_cell_is_judged_twice():
    turns = hide_cells(np.random.default_rng(3).random((50, 2)) < 0.3)
    cells = [cell for turn in turns for cell in zip(turn.rows, turn.columns, strict=True)]
    assert len(set(cells)) == len(cells)


def test_every_column_gets_its_share():
    turns = hide_cells(holes(800, 3))
    counts = np.bincount(np.concatenate([turn.columns for turn in turns]))
    assert counts.min() >= 300
    assert counts.max() <= CELLS_PER_COLUMN + 1


def test_with_single_holes_complete_rows_are_hidden_from_until_there_are_no_more():
    rows = np.arange(0, 400, 4)
    missing = holes(400, 4, *((row, row // 4 % 4) for row in rows))
    turns = hide_cells(missing)
    for turn in turns[: len(turns) // 2]:
        assert (others(turn) == 0).all()
    assert np.concatenate([others(turn) for turn in turns]).max() == 1


def test_columns_that_are_missing_together_are_hidden_together():
    missing = holes(300, 4, *((row, column) for row in range(60) for column in (1, 2)))
    for turn in hide_cells(missing):
        for row, column in zip(turn.rows, turn.columns, strict=True):
            found = set(np.flatnonzero(turn.missing[row]).tolist())
            # A column without holes is hidden as if it were missing in any row.
            assert found in ([{1, 2}] if column in (1, 2) else [{column}, {column, 1, 2}])


def test_holes_everywhere_have_as_many_others_beside_them_as_before():
    missing = np.random.default_rng(1).random((2000, 12)) < 0.25
    turns = hide_cells(missing)
    n_others = np.concatenate([others(turn) for turn in turns])
    really = np.repeat(missing.sum(axis=1), missing.sum(axis=1)) - 1
    assert abs(n_others.mean() - really.mean()) < 0.3


def test_a_column_keeps_half_of_its_known_values():
    missing = np.ones((40, 2), bool)
    missing[:, 0] = False
    missing[:3, 1] = False
    for turn in hide_cells(missing):
        assert np.count_nonzero(~turn.missing[:, 1]) >= 2


def test_nothing_is_hidden_where_nothing_is_left_to_learn_from():
    assert hide_cells(holes(1, 3)) == []


def test_the_same_cells_every_time():
    missing = np.random.default_rng(2).random((60, 3)) < 0.2
    for one, other in zip(hide_cells(missing), hide_cells(missing), strict=True):
        assert np.array_equal(one.missing, other.missing)
        assert np.array_equal(one.rows, other.rows)
