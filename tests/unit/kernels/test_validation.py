"""Lists of judges, by hand and against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from iim.core.execution.context import Context
from iim.core.learning_size import find_judges
from iim.core.neighbors import index_donors
from reference import paper
from strategies import complete_tables


def judges_by_donor(table, k):
    tree = index_donors(table)
    validation = find_judges(tree, np.array([1, 2]), n_neighbors=k, context=Context())
    lists = [
        tree.donor[validation.judges[first:stop]].tolist()
        for first, stop in zip(validation.first[:-1], validation.first[1:], strict=True)
    ]
    return [lists[place] for place in tree.place]


def test_by_hand():
    # Nearest other rows: 0 -> 1, 1 -> 0, 2 -> 1, 3 -> 2. Nobody's nearest is row 3: it is judged on row 2.
    assert judges_by_donor(np.array([[0.0], [1.0], [2.5], [9.0]]), 1) == [[1], [0, 2], [3], [2]]


@given(table=complete_tables(min_rows=1), k=st.integers(1, 6))
def test_lists_are_those_of_the_witness(table, k):
    ours = judges_by_donor(table, k)
    for i in range(len(table)):
        assert sorted(ours[i]) == sorted(paper.validated_by(i, k, table))


def test_judges_come_in_row_order():
    table = np.random.default_rng(0).normal(size=(200, 3))
    nearest = [paper.NN(table[j], table, 6, own=j)[1:] for j in range(200)]
    for i, judges in enumerate(judges_by_donor(table, 5)):
        asked = [j for j in range(200) if j != i and i in nearest[j]]
        assert judges == asked or not asked
