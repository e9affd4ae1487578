"""Nearest donors on what a row knows: by hand, and against sorting everything."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.kernels.known import keep_smallest, known_distances, nearest_known_block, shared_distances
from strategies import ROUND


def test_distances_on_what_is_known():
    columns = np.array([[0.0, 1, 2], [5, 5, 9]])
    out = np.empty(3)
    known_distances(columns, np.array([1.0, 99]), np.array([False, True]), out)
    assert out.tolist() == [1, 0, 1]


def test_distances_on_what_both_know():
    columns = np.array([[0.0, 1, 2, 0], [5, 5, 9, 0]])
    knows = np.array([[True, False, True, False], [True, True, False, False]])
    out, n_shared = np.empty(4), np.empty(4, np.intp)
    shared_distances(columns, knows, np.array([1.0, 4]), np.array([False, False]), out, n_shared)
    assert out.tolist() == [1 + 1, 2 * 1, 2 * 1, np.inf]
    assert n_shared.tolist() == [2, 1, 1, 0]


def test_ties_go_by_donor():
    distance, donor = np.empty(3), np.empty(3, np.intp)
    keep_smallest(np.array([2.0, 1, 1, 2, 1]), np.array([True, False, True, True, True]), distance, donor)
    assert donor.tolist() == [2, 4, 0]
    assert distance.tolist() == [1, 1, 2]


@given(
    table=hnp.arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=ROUND),
    k=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_it_is_a_full_sort(table, k, seed):
    random = np.random.default_rng(seed)
    knows = random.random(table.shape) < 0.7
    knows[0] = True
    missing = random.random(table.shape) < 0.5
    n_asked = np.minimum(np.count_nonzero(knows, axis=0), k)
    n_holes = missing.sum(axis=1)
    distance, donor = np.zeros((n_holes.sum(), k)), np.zeros((n_holes.sum(), k), np.intp)
    nearest_known_block(
        np.ascontiguousarray(table.T),
        np.ascontiguousarray(knows.T),
        np.ascontiguousarray(knows.T),
        np.bool_(0),  # not shared
        table,
        missing,
        np.cumsum(n_holes) - n_holes,
        n_asked,
        distance,
        donor,
    )
    for cell, (row, column) in enumerate(np.argwhere(missing)):
        gaps = np.where(missing[row], 0.0, table - table[row])
        ranked = sorted((d, i) for i, d in enumerate((gaps**2).sum(axis=1)) if knows[i, column])
        limit = n_asked[column]
        assert list(zip(distance[cell, :limit], donor[cell, :limit], strict=True)) == ranked[:limit]
