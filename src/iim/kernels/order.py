"""Sort neighbours only as far as needed: at the steps of the learning grid.

Within a step, the order does not change the learning set. So neighbours are sorted by (distance, row)
across steps only. Within a step they are sorted by row, which makes the sums reproducible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.kernels._jit import kernel

SHORT = 16
"""Shorter lists are sorted by insertion."""

SMALL = 1e-200
"""If all distances are below this, no bucket sort: their inverse might overflow."""


class Drawers(NamedTuple):
    """Scratch arrays of a bucket sort by distance; a drawer is a bucket."""

    distance: Floats
    found: Integers
    first: Integers
    """Start of each drawer, and the end of the last."""
    waiting: Integers
    """(64, 2): ranges still to be sorted."""


@kernel
def make_drawers(n_finds: int, n_drawers: int) -> Drawers:
    """Scratch arrays for ``n_finds`` finds."""
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
        Finds up to ``right`` come before those from ``left`` on; finds between them are in their place.
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
    """The step of a rank; all ranks past the last step share one more step."""
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
    """Sort finds ``low`` to ``high``, both included, by (distance, row) across steps.

    A quicksort that skips ranges within one step, and sorts short ranges by insertion.
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
            # The larger part is pushed on the stack, which then never holds more than log2(n) parts.
            if right - low > high - left:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = low, right
                low = left
            else:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = left, high
                high = right
            n_waiting += 1


@kernel
def bucket_sort(distance: Floats, found: Integers, count: int, limit: int, drawers: Drawers) -> int:
    """Bucket-sort finds by distance, unsorted within a drawer; finds past ``limit`` may be dropped.

    The drawer of a find is its distance times a constant, truncated to a whole number. Rounding is
    monotone, so no find is in an earlier drawer than a nearer one.

    Returns
    -------
    int
        Number of drawers used; 0 if the distances are too small or too large to be scaled.
    """
    first, by_distance, by_found = drawers.first, drawers.distance, drawers.found
    n_drawers = first.shape[0] - 1
    farthest = 0.0
    for at in range(count):
        farthest = max(farthest, distance[at])
    if not SMALL < farthest < np.inf:
        return 0
    # 0.5 less, so that the farthest find stays below the number of drawers after rounding.
    scale = (n_drawers - 0.5) / farthest
    first[:] = 0
    for at in range(count):
        # max, because a donor's distance to itself is below 0.
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
    # Each start has moved to the end of its drawer, which is the start of the next.
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
    """Move the nearest finds to the front, in the order of their steps.

    The bucket sort does most of the work; then the few drawers in which a step ends are sorted. If every
    rank is its own step, this is a full sort.

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
    n_used = bucket_sort(distance, found, count, step_of.shape[0], drawers) if count > SHORT else 0
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
