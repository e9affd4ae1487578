"""Splitting takes a while for no order of the rows in particular."""

import numpy as np
import pytest

from cases import COMPILED
from iim.kernels.tree import build_tree, leaves_on_the_left, split_at


@pytest.mark.parametrize("n_leaves", range(2, 40))
def test_a_complete_tree_fills_from_the_left(n_leaves):
    def count(node):
        return 1 if node >= n_leaves - 1 else count(2 * node + 1) + count(2 * node + 2)

    assert leaves_on_the_left(n_leaves) == count(1)


def test_a_split_has_the_smaller_values_first_and_ties_by_row():
    values = np.random.default_rng(0).integers(0, 9, 200).astype(float)
    order = np.arange(200)[::-1].copy()
    split_at(order, values, 0, 70, 200)
    expected = np.lexsort([np.arange(200), values])
    assert sorted(order[:70]) == sorted(expected[:70])


@COMPILED
@pytest.mark.parametrize("shape", ["up", "down", "pipe", "two runs"])
def test_ordered_tables_are_split_in_time(shape):
    # Half a million rows: with n^2 steps this would take hours.
    n = 500_001
    rising = np.arange(float(n))
    values = {
        "up": rising,
        "down": -rising,
        "pipe": -np.abs(rising - n // 2),
        "two runs": np.concatenate([rising[: n // 2], rising[: n - n // 2]]),
    }[shape]
    tree = build_tree(values[:, None], 32)
    assert (np.sort(tree.points[:, 0]) == np.sort(values)).all()
