"""The order of neighbours, established only where it matters: at the steps of the learning grid.

Between two steps the learning set is the same whichever neighbour comes first, so ranks are settled
only across steps; within a step neighbours go by row, which makes the sums repeatable.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel


@kernel
def partition(distance: Floats, found: Integers, low: int, high: int, donor: Integers) -> tuple[int, int]:
    """Split finds ``low`` to ``high``, both included, around the middle one, by (distance, row).

    Returns
    -------
    left, right : int
        Finds up to ``right`` come before those from ``left`` on; what lies between is in its place.
    """
    middle = (low + high) // 2
    pivot, pivot_donor = distance[middle], donor[found[middle]]
    left, right = low, high
    while left <= right:
        while distance[left] < pivot or (distance[left] == pivot and donor[found[left]] < pivot_donor):
            left += 1
        while distance[right] > pivot or (distance[right] == pivot and donor[found[right]] > pivot_donor):
            right -= 1
        if left <= right:
            distance[left], distance[right] = distance[right], distance[left]
            found[left], found[right] = found[right], found[left]
            left += 1
            right -= 1
    return left, right


@kernel
def keep_nearest(distance: Floats, found: Integers, count: int, limit: int, donor: Integers) -> float:
    """Bring the nearest ``limit`` of ``count`` finds to the front, the last of them last; its distance."""
    low, high = 0, count - 1
    while low < high:
        left, right = partition(distance, found, low, high, donor)
        if limit - 1 <= right:
            high = right
        elif limit - 1 >= left:
            low = left
        else:
            break
    return distance[limit - 1]


@kernel
def order_steps(distance: Floats, found: Integers, step_of: Integers, donor: Integers) -> None:
    """Sort finds by (distance, row) as far as ``step_of`` tells ranks apart.

    A quicksort that leaves alone each range whose ranks all belong to one step. With every rank a step
    of its own it is a full sort.

    Parameters
    ----------
    distance, found : ndarray of shape (at least n_ranks,)
        Squared distances and places; the first n_ranks are rearranged.
    step_of : ndarray of shape (n_ranks,)
        The step of each rank, not decreasing.
    donor : ndarray of shape (n_donors,)
        The donor at each place: decides ties.
    """
    range_low = np.empty(64, np.intp)
    range_high = np.empty(64, np.intp)
    range_low[0] = 0
    range_high[0] = step_of.shape[0] - 1
    n_ranges = 1
    while n_ranges > 0:
        n_ranges -= 1
        low, high = range_low[n_ranges], range_high[n_ranges]
        while low < high and step_of[low] != step_of[high]:
            left, right = partition(distance, found, low, high, donor)
            # The larger part waits, the smaller is sorted at once: never more than log2(n) parts wait.
            if right - low > high - left:
                range_low[n_ranges], range_high[n_ranges] = low, right
                low = left
            else:
                range_low[n_ranges], range_high[n_ranges] = left, high
                high = right
            n_ranges += 1


@kernel
def sort_by_row(found: Integers, first: int, stop: int, donor: Integers) -> None:
    """Sort the places ``found[first:stop]`` by the row of their donors (shell sort, in place)."""
    gap = 1
    while 3 * gap + 1 < stop - first:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(first + gap, stop):
            moving = found[at]
            key = donor[moving]
            to = at
            while to >= first + gap and donor[found[to - gap]] > key:
                found[to] = found[to - gap]
                to -= gap
            found[to] = moving
        gap //= 3
