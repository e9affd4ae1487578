"""Cells hidden like the table's own holes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.core.held_out.hiding import hide_like_holes
from strategies import holed, tables_with_holes


def hide_once(missing, columns, *, n_rows, seed=0):
    (cells,) = hide_like_holes(missing, columns, n_rows=n_rows, repeats=1, seed=seed)
    return cells.hidden


@given(tables_with_holes(), st.integers(1, 50), st.integers(0, 100), st.integers(1, 5))
def test_known_cells_only_and_rows_and_columns_keep_some(table, n_rows, seed, repeats):
    missing = np.isnan(table[:, ~np.isnan(table).all(axis=0)])
    draws = hide_like_holes(missing, range(missing.shape[1]), n_rows=n_rows, repeats=repeats, seed=seed)
    assert len(draws) == repeats
    for hidden, typical in draws:
        assert not (typical & ~hidden).any()
        assert typical.sum(axis=1).max(initial=0) <= 1
        assert not (hidden & missing).any()
        left = ~missing & ~hidden
        assert left[hidden.any(axis=1)].any(axis=1).all()
        assert (2 * left.sum(axis=0) >= (~missing).sum(axis=0)).all()
        assert hidden.any(axis=1).sum() <= n_rows
    assert (sum(typical.astype(int) for _, typical in draws) <= 1).all()


def test_without_holes_each_row_loses_one_cell_and_each_column_as_many():
    hidden = hide_once(np.zeros((100, 5), bool), range(5), n_rows=20)
    assert hidden.sum(axis=0).tolist() == [4] * 5
    assert hidden.sum(axis=1).max() == 1


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6])
def test_as_many_rows_as_asked_for(share):
    missing = np.random.default_rng(0).random((2000, 8)) < share
    draws = hide_like_holes(missing, range(8), n_rows=400, repeats=4, seed=0)
    assert [int(cells.hidden.any(axis=1).sum()) for cells in draws] == [400] * 4
    assert [int(cells.typical.sum()) for cells in draws] == [400] * 4


def test_few_rows_come_again_with_other_cells_until_all_were_hidden():
    draws = hide_like_holes(np.zeros((5, 3), bool), range(3), n_rows=1, repeats=20, seed=0)
    assert sum(cells.typical for cells in draws).sum() == 15
    assert not draws[-1].hidden.any()


def test_no_row_is_complete():
    missing = np.zeros((60, 3), bool)
    missing[np.arange(60), np.arange(60) % 3] = True
    assert hide_once(missing, range(3), n_rows=12).any(axis=1).sum() == 12


def test_rows_come_to_look_like_those_with_holes():
    missing = np.zeros((200, 4), bool)
    missing[:30, [0, 2]] = True
    missing[30:40, 1] = True
    hidden = hide_once(missing, [0, 1, 2], n_rows=60, seed=1)
    complete = ~missing.any(axis=1)
    looks = [tuple(np.flatnonzero(row).tolist()) for row in hidden[complete & hidden.any(axis=1)]]
    assert {*looks} == {(0, 2), (1,)}
    # Three columns take turns, two of which are missing together.
    assert looks.count((0, 2)) == pytest.approx(2 * looks.count((1,)), abs=6)


def test_a_column_without_holes_is_hidden_alone():
    missing = np.zeros((60, 3), bool)
    missing[:20, 0] = True
    hidden = hide_once(missing, [2], n_rows=18)
    assert hidden[:, 2].sum() == hidden.sum() == 18


@pytest.mark.parametrize("share", [0.1, 0.25, 0.6])
def test_hidden_cells_have_as_many_holes_beside_them_as_missing_ones(share):
    missing = np.random.default_rng(1).random((2000, 12)) < share
    draws = hide_like_holes(missing, range(12), n_rows=250, repeats=8, seed=0)
    n_holes = [(missing | hidden)[hidden.any(axis=1)].sum(axis=1).mean() for hidden, _ in draws]
    # A row is as likely to be drawn as it has holes.
    really = np.repeat(missing.sum(axis=1), missing.sum(axis=1)).mean()
    assert np.abs(np.array(n_holes) - really).max() < 0.3


def test_rows_without_any_value_are_no_templates():
    missing = np.zeros((100, 4), bool)
    missing[:50] = True
    missing[50:60, 1] = True
    hidden = hide_once(missing, [1], n_rows=20)
    assert hidden[:, 1].sum() == hidden.sum() == 20


def test_rows_that_have_too_many_holes_lose_the_one_cell():
    missing = np.ones((40, 5), bool)
    missing[:, :2] = False
    missing[0, 0] = True
    hidden = hide_once(missing, [0], n_rows=15)
    assert hidden[:, 0].sum() == hidden.sum() == 15


def test_the_same_seed_gives_the_same_cells():
    missing = np.isnan(holed(50))
    first, again, other = (hide_once(missing, range(4), n_rows=15, seed=seed) for seed in (4, 4, 5))
    assert (first == again).all()
    assert (first != other).any()


def test_more_repeats_do_not_change_the_first():
    missing = np.isnan(holed(50))
    few, many = (
        hide_like_holes(missing, range(4), n_rows=15, repeats=repeats, seed=0) for repeats in (2, 5)
    )
    assert all((one.hidden == other.hidden).all() for one, other in zip(few, many, strict=False))


@pytest.mark.parametrize("shape", [(9, 1), (0, 3), (9, 0)])
def test_nothing_can_be_hidden(shape):
    assert not hide_once(np.zeros(shape, bool), range(shape[1]), n_rows=5).any()
