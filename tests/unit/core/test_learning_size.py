"""Candidates for l, and who judges whom, under other names."""

import numpy as np

from iim.core.execution.context import Context
from iim.core.learning_size import find_judges, grid_steps, rename_judges, usable_grid
from iim.core.neighbors import index_donors
from iim.kernels.validation import Validation
from strategies import untied

GRID = np.array([1, 4], np.intp)


def test_candidates_beyond_the_donors_are_dropped_and_if_none_is_left_all_donors_serve():
    assert usable_grid((1, 3, 6, 10), 6).tolist() == [1, 3, 6]
    assert usable_grid((6, 1, 6), 100).tolist() == [1, 6]
    assert usable_grid((20, 30), 7).tolist() == [7]


def test_many_candidates_are_thinned_to_some_with_the_first_and_the_last():
    assert usable_grid(range(3, 19), 100, most=16).tolist() == list(range(3, 19))
    thin = usable_grid(range(1, 101), 100, most=16)
    assert thin.size == 16
    assert (thin[0], thin[-1]) == (1, 100)
    assert (np.diff(thin) > 0).all()
    assert usable_grid(range(2, 36, 2), 100, most=16).size == 16


def test_each_rank_belongs_to_the_first_candidate_that_includes_it():
    assert grid_steps(np.array([1, 3, 6])).tolist() == [0, 1, 1, 2, 2, 2]


def test_a_single_candidate_is_judged_by_nobody():
    tree = index_donors(untied(20, 2))
    nobody = find_judges(tree, np.array([5]), n_neighbors=4, context=Context())
    assert nobody.first.tolist() == [0] * 21
    assert nobody.judges.size == 0


def test_by_hand():
    # Position 0 is judged on 2 and 1, position 1 on nobody, position 2 on 0.
    validation = Validation(np.array([0, 2, 2, 3]), np.array([2, 1, 0]))
    order, name = np.array([2, 0, 1]), np.array([10, 11, 12])
    renamed = rename_judges(validation, order, name)
    assert renamed.first.tolist() == [0, 1, 3, 3]
    assert renamed.judges.tolist() == [10, 12, 11]


def test_there_and_back_again():
    tree = index_donors(untied(300, 3))
    validation = find_judges(tree, GRID, n_neighbors=4, context=Context())
    by_row = rename_judges(validation, tree.place, tree.donor)
    again = rename_judges(by_row, tree.donor, tree.place)
    np.testing.assert_array_equal(again.first, validation.first, strict=True)
    np.testing.assert_array_equal(again.judges, validation.judges, strict=True)
    # The list of the first row, by row.
    place = tree.place[0]
    expected = tree.donor[validation.judges[validation.first[place] : validation.first[place + 1]]]
    assert by_row.judges[: by_row.first[1]].tolist() == expected.tolist()


def test_nobody_judges_nobody():
    nothing = Validation(np.zeros(4, np.intp), np.empty(0, np.intp))
    renamed = rename_judges(nothing, np.array([2, 0, 1]), np.array([1, 2, 0]))
    assert renamed.first.tolist() == [0, 0, 0, 0]
    assert renamed.judges.size == 0
