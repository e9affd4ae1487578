"""Which search is taken, and that it changes nothing."""

import numpy as np
import pytest

import iim
from cases import PLAIN
from iim.core import learning, neighbors
from iim.core.execution.context import Context
from iim.core.neighbors import (
    MANY_SEARCHES,
    boxes_help,
    farthest_of_nearest,
    index_donors,
    nearest_donors,
    nearest_other_donors,
)
from strategies import untied


@pytest.fixture(scope="module")
def round_tree():
    # In 30 dimensions, with equal spread in each, all are about equally far from all.
    return index_donors(np.random.default_rng(0).normal(size=(300 if PLAIN else 1500, 30)))


def test_few_columns_are_searched_by_boxes():
    assert boxes_help(index_donors(untied(1500, 2)), 10, MANY_SEARCHES)


def test_where_boxes_leave_nothing_out_every_donor_is_looked_at(round_tree):
    assert not boxes_help(round_tree, 10, MANY_SEARCHES)


def test_a_few_searches_do_not_pay_for_finding_out(round_tree):
    assert boxes_help(round_tree, 10, MANY_SEARCHES - 1)


@pytest.mark.parametrize("n_donors", [1, 5, 40])
def test_small_tables_can_be_asked(n_donors):
    assert boxes_help(index_donors(untied(n_donors, 3)), 10, MANY_SEARCHES) in (True, False)


def test_either_search_gives_the_same_bits(monkeypatch):
    table = np.round(untied(200 if PLAIN else 900, 5), 1)  # many ties
    table[::9, 2] = np.nan
    filled = []
    for pruned in (True, False):
        for module in (neighbors, learning):
            monkeypatch.setattr(module, "boxes_help", lambda *_, pruned=pruned: pruned)
        filled.append(iim.IIMImputer(learning_grid=range(1, 150, 30)).fit_transform(table))
    assert (filled[0] == filled[1]).all()


def test_the_order_of_receivers_changes_nothing_and_is_kept():
    donors, receivers = untied(400, 3)[:300], untied(400, 3)[300:]
    tree, context = index_donors(donors), Context(2, 16)
    shuffled = np.random.default_rng(1).permutation(100)
    one = nearest_donors(tree, receivers, n_neighbors=7, context=context)
    other = nearest_donors(tree, receivers[shuffled], n_neighbors=7, context=context)
    assert (one.place[shuffled] == other.place).all()
    assert (one.distance[shuffled] == other.distance).all()


def test_nobody_is_among_its_own_nearest_others():
    tree = index_donors(np.zeros((50, 2)))  # all in one place
    nearest = nearest_other_donors(tree, n_neighbors=3, context=Context())
    assert (nearest.place != np.arange(50)[:, None]).all()
    assert (nearest.distance == 0).all()


def test_some_donors_have_the_nearest_others_that_they_have_among_all():
    tree, context = index_donors(np.round(untied(300, 3), 1)), Context()
    every = nearest_other_donors(tree, n_neighbors=6, context=context)
    places = np.array([0, 3, 31, 32, 200, 299])
    some = nearest_other_donors(tree, places, n_neighbors=6, context=context)
    assert (some.place == every.place[places]).all()
    assert (some.distance == every.distance[places]).all()
    # The donor itself is the first of seven.
    farthest = farthest_of_nearest(tree, places, n_neighbors=7, context=context)
    assert farthest.tolist() == some.distance[:, -1].tolist()
    assert farthest_of_nearest(tree, places, n_neighbors=1, context=context).tolist() == [0.0] * 6
