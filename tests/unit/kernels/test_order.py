"""Order at the steps of the grid, and only there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from iim.core.learning_size import grid_steps
from iim.kernels.order import make_drawers, order_steps, sort_by_row


@given(
    distances=st.lists(st.one_of(st.integers(0, 5), st.floats(0, 5)), min_size=1, max_size=150),
    step=st.integers(1, 40),
    dropped=st.integers(0, 80),
    drawers=st.integers(1, 40),
    seed=st.integers(0, 99),
    unit=st.sampled_from([1.0, 1e-310, 1e-160, 1e200]),
)
def test_every_step_holds_the_ranks_of_a_full_sort(distances, step, dropped, drawers, seed, unit):
    count = len(distances)
    limit = max(1, count - dropped)
    distance = np.array(distances, float) * unit
    if seed % 2:
        distance[seed % count] = -1.0  # a donor itself
    found = np.random.default_rng(seed).permutation(count)
    donor = np.random.default_rng(seed + 1).permutation(count)
    grid = np.unique([*range(1, limit + 1, step), limit])
    full = sorted(zip(distance, donor[found], found, strict=True))
    order_steps(distance, found, count, grid_steps(grid), donor, make_drawers(count, drawers))
    first = 0
    for stop in grid:
        sort_by_row(found, first, stop, donor, np.empty(limit, np.intp))
        expected = sorted(full[first:stop], key=lambda find: find[1])
        assert [find[2] for find in expected] == found[first:stop].tolist()
        first = stop


def test_grid_steps_by_hand():
    assert grid_steps(np.array([1, 4, 6])).tolist() == [0, 1, 1, 1, 2, 2]


def test_sorted_and_reversed_input_do_not_overflow_the_stack():
    n = 5000
    for distance in (np.arange(n, 0, -1.0), np.arange(n, dtype=float), np.zeros(n)):
        found = np.arange(n)
        order_steps(distance, found, n, np.arange(n), np.arange(n), make_drawers(n, 1))
        assert (np.diff(distance) >= 0).all()
