"""Order at the steps of the grid, and only there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from iim.core.choosing import grid_steps
from iim.kernels.order import order_steps, sort_by_row


@given(
    distances=st.lists(st.integers(0, 5), min_size=1, max_size=120),
    step=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_every_step_holds_the_ranks_of_a_full_sort(distances, step, seed):
    n = len(distances)
    distance = np.array(distances, float)
    found = np.random.default_rng(seed).permutation(n)
    donor = np.random.default_rng(seed + 1).permutation(n)
    grid = np.unique([*range(1, n + 1, step), n])
    full = sorted(zip(distance, donor[found], found, strict=True))
    order_steps(distance, found, grid_steps(grid), donor)
    first = 0
    for stop in grid:
        sort_by_row(found, first, stop, donor)
        expected = sorted(full[first:stop], key=lambda find: find[1])
        assert [find[2] for find in expected] == found[first:stop].tolist()
        first = stop


def test_grid_steps_by_hand():
    assert grid_steps(np.array([1, 4, 6])).tolist() == [0, 1, 1, 1, 2, 2]


def test_sorted_and_reversed_input_do_not_overflow_the_stack():
    n = 5000
    for distance in (np.arange(n, 0, -1.0), np.arange(n, dtype=float), np.zeros(n)):
        found = np.arange(n)
        order_steps(distance, found, np.arange(n), np.arange(n))
        assert (np.diff(distance) >= 0).all()
