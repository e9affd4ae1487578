"""Who judges whom, under other names."""

import numpy as np

from iim.core.choosing import judge_lists, rename_judges
from iim.core.neighbors import index_donors
from iim.core.workers import Workers
from iim.kernels.validation import Validation
from strategies import untied


def test_by_hand():
    # Position 0 is judged on 2 and 1, position 1 on nobody, position 2 on 0.
    validation = Validation(np.array([0, 2, 2, 3]), np.array([2, 1, 0]))
    order, name = np.array([2, 0, 1]), np.array([10, 11, 12])
    renamed = rename_judges(validation, order, name)
    assert renamed.first.tolist() == [0, 1, 3, 3]
    assert renamed.judged.tolist() == [10, 12, 11]


def test_there_and_back_again():
    tree = index_donors(untied(300, 3))
    validation = judge_lists(tree, n_neighbors=4, workers=Workers())
    by_row = rename_judges(validation, tree.place, tree.donor)
    again = rename_judges(by_row, tree.donor, tree.place)
    np.testing.assert_array_equal(again.first, validation.first, strict=True)
    np.testing.assert_array_equal(again.judged, validation.judged, strict=True)
    # The list of the first row, by row.
    place = tree.place[0]
    expected = tree.donor[validation.judged[validation.first[place] : validation.first[place + 1]]]
    assert by_row.judged[: by_row.first[1]].tolist() == expected.tolist()


def test_nobody_judges_nobody():
    nothing = Validation(np.zeros(4, np.intp), np.empty(0, np.intp))
    renamed = rename_judges(nothing, np.array([2, 0, 1]), np.array([1, 2, 0]))
    assert renamed.first.tolist() == [0, 0, 0, 0]
    assert renamed.judged.size == 0
