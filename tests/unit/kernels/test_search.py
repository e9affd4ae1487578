"""Exact search: a full scan, the witness, and SciPy's tree agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from cases import PLAIN
from iim.kernels.search import (
    FEW_COLUMNS,
    GROUP,
    NEARBY,
    NOBODY,
    SELF,
    end_of_group,
    find_home,
    nearest_block,
)
from iim.kernels.tree import LEAF_SIZE, build_tree
from reference import paper
from strategies import complete_tables, untied


def nearest(tree, queries, limit, own=None):
    """Donors, in row order numbers, and squared distances: the same with and without boxes."""
    own = np.full(len(queries), NOBODY) if own is None else own
    home = np.empty(len(queries), np.intp)
    find_home(tree, queries, home)
    order = np.argsort(home, kind="stable")
    results = []
    for pruned in (True, False):
        distance, found = np.empty((len(queries), limit)), np.empty((len(queries), limit), np.intp)
        nearest_block(tree, queries, own, order, home[order], pruned, distance, found)
        results.append((tree.donor[found], distance))
    (donors, distance), scanned = results
    assert (donors == scanned[0]).all()
    assert (distance == scanned[1]).all()
    return donors, distance


def test_by_hand():
    tree = build_tree(np.array([[0.0], [4.0], [1.0], [1.0], [9.0]]), 2)
    donors, distance = nearest(tree, np.array([[1.5]]), 4)
    assert donors.tolist() == [[2, 3, 0, 1]]
    assert distance.tolist() == [[0.25, 0.25, 2.25, 6.25]]


@given(
    table=complete_tables(min_rows=1, max_rows=60),
    leaf_size=st.integers(1, 16),
    limit=st.integers(1, 60),
)
def test_neighbours_of_donors_are_those_of_the_witness(table, leaf_size, limit):
    limit = min(limit, len(table))
    tree = build_tree(table, leaf_size)
    donors, distance = nearest(tree, tree.points, limit, own=np.arange(len(table)))
    for place, donor in enumerate(tree.donor):
        assert donors[place].tolist() == paper.NN(table[donor], table, limit, own=donor)
        assert distance[place, 0] == SELF


@given(
    table=complete_tables(min_rows=2, max_rows=60),
    leaf_size=st.integers(1, 16),
    limit=st.integers(1, 60),
)
def test_neighbours_of_others_are_those_of_the_witness(table, leaf_size, limit):
    donors, queries = table[:-1], table[-1:]
    limit = min(limit, len(donors))
    found, distance = nearest(build_tree(donors, leaf_size), queries, limit)
    assert found[0].tolist() == paper.NN(queries[0], donors, limit)
    # To the bit: the sum over columns is the same sum.
    assert distance[0].tolist() == sorted(paper.distances(queries[0], donors))[:limit]


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 15])
def test_same_neighbours_as_scipy_where_nothing_ties(columns):
    points = untied(300 if PLAIN else 1500, columns)
    tree = build_tree(points, 64)
    donors, distance = nearest(tree, points[:200], 40)
    theirs, rows = cKDTree(points).query(points[:200], 40)
    assert (donors == rows).all()
    np.testing.assert_allclose(np.sqrt(distance), theirs, rtol=1e-12, atol=1e-12)


def test_duplicates_lie_in_row_order():
    # Or else each of many donors in one place would search through all of them, for earlier rows.
    tree = build_tree(np.repeat(untied(3, 2), 100, axis=0)[np.random.default_rng(0).permutation(300)], 8)
    for point in np.unique(tree.points, axis=0):
        assert (np.diff(tree.donor[(tree.points == point).all(axis=1)]) > 0).mean() > 0.8


@pytest.mark.parametrize("kind", ["all alike", "zeros", "whole numbers"])
def test_many_donors_in_one_place_do_not_look_at_each_other(kind):
    # A leaf that has no earlier row than the last neighbour is no use, however near.
    n, random = 60 * LEAF_SIZE, np.random.default_rng(0)
    points = {
        "all alike": np.zeros((n, 3)),
        "zeros": np.where(random.random((n, 3)) < 0.8, 0.0, random.normal(size=(n, 3))),
        "whole numbers": random.integers(0, 3, (n, 3)).astype(float),
    }[kind]
    tree = build_tree(points, LEAF_SIZE)
    places = np.arange(0, n, 7)
    shape = len(places), 11
    n_looks = nearest_block(
        tree,
        tree.points[places],
        places,
        np.arange(len(places)),
        places // LEAF_SIZE,
        True,  # noqa: FBT003 (pruned)
        np.empty(shape),
        np.empty(shape, np.intp),
    )
    assert n_looks < 15 * len(places)


def test_leaf_size_does_not_change_a_bit():
    points = np.round(untied(150 if PLAIN else 500, 4), 1)  # many ties
    results = [nearest(build_tree(points, size), points, 25) for size in (1, 7, 64, 500)]
    for donors, distance in results[1:]:
        assert (donors == results[0][0]).all()
        assert (distance == results[0][1]).all()


@given(table=complete_tables(min_rows=1, max_rows=80), leaf_size=st.integers(2, 9))
def test_tree_holds_every_donor_once_in_a_tight_box(table, leaf_size):
    tree = build_tree(table, leaf_size)
    assert sorted(tree.donor) == list(range(len(table)))
    assert (tree.donor[tree.place] == np.arange(len(table))).all()
    assert (tree.points == table[tree.donor]).all()
    for (first, stop), earliest in zip(tree.bounds, tree.earliest, strict=True):
        assert tree.donor[first:stop].min() == earliest
    for (first, stop), low, high in zip(tree.bounds, tree.low, tree.high, strict=True):
        assert (tree.points[first:stop].min(axis=0) == low).all()
        assert (tree.points[first:stop].max(axis=0) == high).all()
    n_leaves = len(tree.leaves)
    assert n_leaves == -(-len(table) // leaf_size)
    for first, stop in tree.bounds[n_leaves - 1 :]:
        leaf = tree.leaves[first // leaf_size]
        assert first % leaf_size == 0
        assert stop - first == min(leaf_size, len(table) - first)
        assert (leaf[:, : stop - first] == tree.points[first:stop].T).all()
        assert np.isnan(leaf[:, stop - first :]).all()


def test_a_query_that_is_no_number_finds_donors_all_the_same():
    # Which ones does not matter; a place that is none would be read as memory.
    points = np.random.default_rng(0).normal(size=(200, 3))
    tree = build_tree(points, LEAF_SIZE)
    queries = np.array([[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])
    donors, distance = nearest(tree, queries, 150)
    assert ((donors >= 0) & (donors < 200)).all()
    assert np.isinf(distance[0]).all()
    assert np.isfinite(distance[1]).all()


@given(table=complete_tables(min_rows=20, max_rows=60), seed=st.integers(0, 99))
def test_company_does_not_change_a_bit(table, seed):
    # Alone, in the order of the rows, and in whatever groups their leaves make of them.
    queries, donors = table[:15], table[15:]
    tree = build_tree(donors, 2)
    together = nearest(tree, queries, 5)
    shuffled = np.random.default_rng(seed).permutation(15)
    again = nearest(tree, queries[shuffled], 5)
    for at in range(15):
        alone = nearest(tree, queries[at : at + 1], 5)
        position = int(np.flatnonzero(shuffled == at)[0])
        for one, all_, other in zip(alone, together, again, strict=True):
            assert (one[0] == all_[at]).all()
            assert (one[0] == other[position]).all()


def test_groups_are_small_and_nearby():
    few, many = FEW_COLUMNS, FEW_COLUMNS + 1
    assert end_of_group(np.zeros(100, np.intp), 10, few) == 10 + GROUP
    assert end_of_group(np.array([3, 3, 4]), 0, few) == 2
    assert end_of_group(np.array([3, 3 + NEARBY - 1, 3 + NEARBY]), 0, many) == 2
    assert end_of_group(np.array([3]), 0, many) == 1


def test_home_is_the_leaf_of_a_donor():
    points = untied(300, 3)
    tree = build_tree(points, 8)
    home = np.empty(300, np.intp)
    find_home(tree, points, home)
    assert (home == tree.place // 8).mean() > 0.95  # boxes of leaves may touch
