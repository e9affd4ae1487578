"""Which rows are completed, and what becomes of them."""

from dataclasses import replace

import numpy as np

from iim.core.donors import Fallback
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.rounds.completion import choose_donors_of_columns, complete
from iim.core.settings import RoundSettings, Settings
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
    reach=np.inf,
    donors="available",
    min_donors=6,
)
ROUNDS = RoundSettings(start="knn", max_iter=5, tol=0.01, max_donors=1000, alpha_of_holes=0.0)


def completed(table, rounds=ROUNDS, settings=SETTINGS):
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    source = learn_source(
        matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors
    )
    return complete(source, IndividualModels(settings), rounds, Context())


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


def test_known_values_are_kept_and_fills_stay_in_range():
    table = holed(60, 4, share=0.3)
    found = completed(table)
    values = found.source.matrix.values
    known = ~np.isnan(table[found.rows])
    assert (found.known == known).all()
    assert values[known].tobytes() == table[found.rows][known].tobytes()
    assert ((values >= np.nanmin(table, axis=0)) & (values <= np.nanmax(table, axis=0))).all()
    assert 1 <= found.n_rounds <= 5


def test_a_large_tolerance_ends_after_the_first_round_and_none_at_the_budget():
    table = holed(60, 4, share=0.3)
    assert completed(table, replace(ROUNDS, tol=10.0)).n_rounds == 1
    assert completed(table, replace(ROUNDS, tol=0.0, max_iter=3)).n_rounds == 3


def test_complete_donors_take_no_rounds():
    table = holed(60, 4, share=0.1)
    found = completed(table, settings=replace(SETTINGS, donors="complete"))
    assert found.n_rounds == 1
    assert found.known.all()


def test_no_column_has_more_donors_than_asked_for():
    found = completed(holed(200, 5, share=0.3), replace(ROUNDS, max_donors=20))
    assert np.count_nonzero(found.donors, axis=0).tolist() == [20] * 5
    assert not (found.donors & ~found.known).any()
