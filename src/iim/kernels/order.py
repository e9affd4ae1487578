"""The order of neighbours, established only where it matters: at the steps of the learning grid.

Between two steps the learning set is the same whichever neighbour comes first, so ranks are settled
only across steps; within a step neighbours go by row, which makes the sums repeatable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel

SHORT = 16
"""Up to this length, a list is sorted soonest by moving one entry after the other to its place."""

SMALL = 1e-200
"""Distances that are all below this are compared one by one: their inverse might overflow."""


class Drawers(NamedTuple):
    """Room to lay finds out by distance."""

    distance: Floats
    found: Integers
    first: Integers
    """Where each drawer begins, and one past the last."""
    waiting: Integers
    """(64, 2): ranges still to be sorted."""


@kernel
def make_drawers(n_finds: int, n_drawers: int) -> Drawers:
    """Room for ``n_finds`` finds."""
    return Drawers(
        np.empty(n_finds),
        np.empty(n_finds, np.intp),
        np.empty(n_drawers + 1, np.intp),
        np.empty((64, 2), np.intp),
    )


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
def insert(distance: Floats, found: Integers, low: int, high: int, donor: Integers) -> None:
    """Sort finds ``low`` to ``high``, both included, by (distance, row): for short lists."""
    for at in range(low + 1, high + 1):
        moving, place = distance[at], found[at]
        to = at
        while to > low and (
            distance[to - 1] > moving
            or (distance[to - 1] == moving and donor[found[to - 1]] > donor[place])
        ):
            distance[to], found[to] = distance[to - 1], found[to - 1]
            to -= 1
        distance[to], found[to] = moving, place


@kernel
def step_at(step_of: Integers, rank: int) -> int:
    """The step of a rank; all ranks past the last step are of one more."""
    return step_of[rank] if rank < step_of.shape[0] else step_of[-1] + 1


@kernel
def order_range(
    distance: Floats,
    found: Integers,
    low: int,
    high: int,
    step_of: Integers,
    donor: Integers,
    waiting: Integers,
) -> None:
    """Sort finds ``low`` to ``high``, both included, by (distance, row) as far as steps tell them apart.

    A quicksort that leaves alone each range whose ranks all belong to one step, and that moves the finds
    of a short one to their places one by one.
    """
    waiting[0, 0], waiting[0, 1] = low, high
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        low, high = waiting[n_waiting, 0], waiting[n_waiting, 1]
        while low < high and step_at(step_of, low) != step_at(step_of, high):
            if high - low < SHORT:
                insert(distance, found, low, high, donor)
                break
            left, right = partition(distance, found, low, high, donor)
            # The larger part waits, the smaller is sorted at once: never more than log2(n) parts wait.
            if right - low > high - left:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = low, right
                low = left
            else:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = left, high
                high = right
            n_waiting += 1


@kernel
def lay_out(distance: Floats, found: Integers, count: int, limit: int, drawers: Drawers) -> int:
    """Bring finds into drawers by distance, in no order within one; the others past ``limit`` may go.

    The drawer of a find is its distance times a constant, cut to a whole number: rounding is monotone, so
    that no find is in an earlier drawer than a nearer one.

    Returns
    -------
    int
        How many drawers there are finds in; 0 if the distances are too small or too large for this.
    """
    first, by_distance, by_found = drawers.first, drawers.distance, drawers.found
    n_drawers = first.shape[0] - 1
    farthest = 0.0
    for at in range(count):
        farthest = max(farthest, distance[at])
    if not SMALL < farthest < np.inf:
        return 0
    # The farthest one, rounding included, stays below the number of drawers.
    scale = (n_drawers - 0.5) / farthest
    first[:] = 0
    for at in range(count):
        # A donor's own distance is below 0.
        first[int(max(distance[at] * scale, 0.0)) + 1] += 1
    n_used = 0
    while first[n_used] < limit:
        first[n_used + 1] += first[n_used]
        n_used += 1
    n_kept = first[n_used]
    for at in range(count):
        drawer = int(max(distance[at] * scale, 0.0))
        if drawer < n_used:
            to = first[drawer]
            by_distance[to], by_found[to] = distance[at], found[at]
            first[drawer] = to + 1
    # Each drawer's beginning has moved to its end, which is the beginning of the next.
    for drawer in range(n_used, 0, -1):
        first[drawer] = first[drawer - 1]
    first[0] = 0
    distance[:n_kept] = by_distance[:n_kept]
    found[:n_kept] = by_found[:n_kept]
    return n_used


@kernel
def order_steps(
    distance: Floats, found: Integers, count: int, step_of: Integers, donor: Integers, drawers: Drawers
) -> None:
    """Bring the nearest finds to the front, in the order of their steps.

    Laying them out by distance does nearly all of it, without a comparison; what is left is to sort the
    few drawers in which a step ends. With every rank a step of its own it is a full sort.

    Parameters
    ----------
    distance, found : ndarray of shape (at least count,)
        Squared distances and places; the first n_ranks become the nearest.
    count : int
        How many finds there are; at least n_ranks.
    step_of : ndarray of shape (n_ranks,)
        The step of each rank, not decreasing.
    donor : ndarray of shape (n_donors,)
        The donor at each place: decides ties.
    drawers : Drawers
        Scratch, for ``count`` finds or more.
    """
    first, waiting = drawers.first, drawers.waiting
    n_used = lay_out(distance, found, count, step_of.shape[0], drawers) if count > SHORT else 0
    if n_used == 0:
        order_range(distance, found, 0, count - 1, step_of, donor, waiting)
    for drawer in range(n_used):
        low, high = first[drawer], first[drawer + 1] - 1
        if low < high and step_at(step_of, low) != step_at(step_of, high):
            order_range(distance, found, low, high, step_of, donor, waiting)


@kernel
def sort_by_row(found: Integers, first: int, stop: int, donor: Integers, keys: Integers) -> None:
    """Sort the places ``found[first:stop]`` by the row of their donors.

    Parameters
    ----------
    found : ndarray of places
        Some of them are rearranged.
    first, stop : int
        Which ones.
    donor : ndarray of shape (n_donors,)
        The donor at each place.
    keys : ndarray of shape (at least stop - first,)
        Scratch.
    """
    count = stop - first
    for at in range(count):
        keys[at] = (donor[found[first + at]] << 32) | found[first + at]
    gap = 1
    while 3 * gap + 1 < count:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, count):
            moving = keys[at]
            to = at
            while to >= gap and keys[to - gap] > moving:
                keys[to] = keys[to - gap]
                to -= gap
            keys[to] = moving
        gap //= 3
    for at in range(count):
        found[first + at] = keys[at] & 0xFFFFFFFF
