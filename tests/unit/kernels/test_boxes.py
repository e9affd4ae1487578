"""Rows inside boxes, beside a comparison of everything with everything."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.kernels.boxes import mark_inside

# Few different numbers, so that rows lie on borders.
NUMBERS = st.integers(-3, 3).map(float)


def pair(n_rows, n_boxes):
    return st.tuples(
        hnp.arrays(float, (n_rows, 2), elements=NUMBERS),
        hnp.arrays(float, (2, n_boxes, 2), elements=NUMBERS),
    )


@given(st.tuples(st.integers(0, 80), st.integers(0, 5)).flatmap(lambda sizes: pair(*sizes)))
def test_all_rows_inside_are_marked_and_no_others(case):
    points, (low, high) = case
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    inside = np.zeros(len(points), bool)
    mark_inside(points, low, high, inside)
    expected = ((points[:, None] >= low) & (points[:, None] <= high)).all(axis=2).any(axis=1)
    assert inside.tolist() == expected.tolist()
