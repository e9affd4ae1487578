"""Rows inside boxes."""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats
from iim.kernels._jit import kernel

ROWS_AT_ONCE = 32
"""Rows whose common box is tested first."""


@kernel
def mark_inside(points: Floats, low: Floats, high: Floats, inside: Booleans) -> None:
    """Mark the rows that lie in at least one box, borders included.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_columns)
        Rows, sorted so that near rows mostly follow each other.
    low, high : ndarray of shape (n_boxes, n_columns)
        The boxes' corners.
    inside : ndarray of shape (n_rows,)
        Set to True where a row is inside; not changed elsewhere. O(n_rows n_boxes) at worst, 1 /
        ROWS_AT_ONCE of that where boxes are small.
    """
    n_rows, n_columns = points.shape
    floor, ceiling = np.empty(n_columns), np.empty(n_columns)
    for first in range(0, n_rows, ROWS_AT_ONCE):
        stop = min(first + ROWS_AT_ONCE, n_rows)
        for column in range(n_columns):
            floor[column], ceiling[column] = points[first, column], points[first, column]
            for row in range(first + 1, stop):
                floor[column] = min(floor[column], points[row, column])
                ceiling[column] = max(ceiling[column], points[row, column])
        n_left = stop - first
        for box in range(low.shape[0]):
            if n_left == 0:
                break
            apart = False
            for column in range(n_columns):
                apart = apart or floor[column] > high[box, column] or ceiling[column] < low[box, column]
            if apart:
                continue
            for row in range(first, stop):
                if not inside[row]:
                    within = True
                    for column in range(n_columns):
                        value = points[row, column]
                        within = within and low[box, column] <= value <= high[box, column]
                    if within:
                        inside[row] = True
                        n_left -= 1
