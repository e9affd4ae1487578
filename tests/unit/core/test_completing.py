"""Which rows are completed, and what becomes of them."""

from dataclasses import replace

import numpy as np

from iim.core.completing import choose_rows, complete
from iim.core.donors import Fallback
from iim.core.settings import Rounds, Settings
from iim.core.training import train
from iim.core.workers import Workers
from iim.matrix import MaskedMatrix
from strategies import holed

SETTINGS = Settings(
    n_neighbors=3,
    learning_grid=(1, 4, 8),
    alpha=0.1,
    penalty="slopes",
    scale="standard",
    weights="votes",
    donors="available",
    min_donors=6,
)
ROUNDS = Rounds(start="knn", max_iter=5, tol=0.01, max_donors=1000)


def completed(table, rounds=ROUNDS, settings=SETTINGS):
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    return complete(train(matrix, settings), rounds, workers=Workers())


def chosen(missing, max_donors, donors="available"):
    rows, fallback = choose_rows(
        np.array(missing, bool), settings=replace(SETTINGS, donors=donors), max_donors=max_donors
    )
    return rows.tolist(), fallback


def test_all_rows_that_know_something_are_donors():
    assert chosen([[0, 0], [0, 1], [1, 1], [1, 0]], 10) == ([0, 1, 3], Fallback.NONE)


def test_rows_with_the_fewest_holes_come_first():
    # Both columns know rows 1 and 4 completely; each needs one more.
    missing = [[0, 1, 1], [0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0]]
    assert chosen(missing, 2) == ([1, 4], Fallback.NONE)
    assert chosen(missing, 3) == ([1, 2, 3, 4], Fallback.NONE)


def test_of_equal_rows_some_from_all_over_the_table_are_taken():
    rows, _ = chosen(np.zeros((1000, 2)), 10)
    assert rows == list(range(0, 1000, 100))


def test_complete_rows_or_else_available_ones():
    missing = np.zeros((12, 2), bool)
    missing[8:, 0] = True
    assert chosen(missing, 100, "complete") == (list(range(8)), Fallback.NONE)
    missing[:, 1] = True
    missing[::2, 1] = False
    # All but rows 9 and 11, which know nothing.
    assert chosen(missing, 100, "complete") == ([*range(9), 10], Fallback.AVAILABLE)


def test_known_values_are_kept_and_fills_stay_in_range():
    table = holed(60, 4, share=0.3)
    found, n_rounds = completed(table)
    values = found.training.matrix.values
    known = ~np.isnan(table[found.rows])
    assert (found.known == known).all()
    assert values[known].tobytes() == table[found.rows][known].tobytes()
    assert ((values >= np.nanmin(table, axis=0)) & (values <= np.nanmax(table, axis=0))).all()
    assert 1 <= n_rounds <= 5


def test_a_large_tolerance_ends_after_the_first_round_and_none_at_the_budget():
    table = holed(60, 4, share=0.3)
    assert completed(table, replace(ROUNDS, tol=10.0))[1] == 1
    assert completed(table, replace(ROUNDS, tol=0.0, max_iter=3))[1] == 3


def test_complete_donors_take_no_rounds():
    table = holed(60, 4, share=0.1)
    found, n_rounds = completed(table, settings=replace(SETTINGS, donors="complete"))
    assert n_rounds == 1
    assert found.known.all()
