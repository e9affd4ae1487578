"""Space divided into regions: everyone has one owner, and nobody near is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.cluster.partition.space_partition import divide_space, touched_boxes

POINTS = hnp.arrays(
    float, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.floats(-1e9, 1e9, width=32)
)


def test_cuts_by_hand():
    # The second column is wider; half of its values lie below 20.
    regions = divide_space(np.array([[0.0, 0.0], [1.0, 10.0], [0.0, 20.0], [1.0, 30.0]]), 2)
    assert regions.n_regions == 2
    assert regions.owner(np.array([[5.0, 19.9], [-5.0, 20.0], [0.0, 1e300]])).tolist() == [0, 1, 1]
    low, high = regions.boxes(2)
    assert low.tolist() == [[-np.inf, -np.inf], [-np.inf, 20.0]]
    assert high.tolist() == [[np.inf, 20.0], [np.inf, np.inf]]


@pytest.mark.parametrize("n_regions", [1, 2, 3, 7, 16])
def test_cells_hold_about_equally_many(n_regions):
    points = np.random.default_rng(0).normal(size=(8000, 3))
    regions = divide_space(points, n_regions)
    counts = np.bincount(regions.owner(points))
    assert counts.size == n_regions == regions.n_regions
    assert counts.max() - counts.min() <= 16


def test_one_outlier_does_not_decide_on_cuts():
    points = np.random.default_rng(0).normal(size=(1000, 2)) * [1.0, 5.0]
    points[0, 0] = 1e6
    assert divide_space(points, 2).column[0] == 1


@given(POINTS, st.integers(1, 9))
def test_every_row_lies_in_the_box_of_its_owner(points, n_regions):
    regions = divide_space(points, n_regions)
    owner = regions.owner(points)
    low, high = regions.boxes(points.shape[1])
    assert ((low[owner] <= points) & (points < high[owner])).all()
    # No region is empty: each holds rows of the sample.
    assert np.unique(owner).tolist() == list(range(regions.n_regions))
    assert regions.n_regions <= n_regions


def test_rows_that_are_the_same_cannot_be_told_apart():
    assert divide_space(np.zeros((9, 2)), 4).n_regions == 1
    assert divide_space(np.repeat([[0.0], [1.0]], 9, axis=0), 4).n_regions == 2


@given(POINTS, hnp.arrays(float, st.tuples(st.integers(0, 30), st.just(3)), elements=st.floats(-1e3, 1e3)))
def test_a_box_with_something_within_reach_is_touched(points, queries):
    queries = np.ascontiguousarray(queries[:, : points.shape[1]])
    regions = divide_space(points, 5)
    owner = regions.owner(points)
    low = np.array([points[owner == region].min(axis=0) for region in range(regions.n_regions)])
    high = np.array([points[owner == region].max(axis=0) for region in range(regions.n_regions)])
    reach = np.full(len(queries), np.inf)
    distance = np.zeros((len(queries), len(points)))
    for column in range(points.shape[1]):
        gap = points[:, column] - queries[:, column, None]
        distance += gap * gap
    reach = np.median(distance, axis=1) if distance.size else reach
    rows, boxes = touched_boxes(queries, reach, low, high)
    touched = set(zip(rows.tolist(), boxes.tolist(), strict=True))
    within = zip(*np.nonzero(distance <= reach[:, None]), strict=True)
    assert {(int(row), int(owner[point])) for row, point in within} <= touched


def test_few_queries_at_once_touch_the_same_boxes(monkeypatch):
    random = np.random.default_rng(0)
    points, low = random.normal(size=(50, 2)), random.normal(size=(7, 2))
    arguments = points, random.random(50), low, low + 0.5
    whole = touched_boxes(*arguments)
    monkeypatch.setattr("iim.cluster.partition.space_partition.AT_ONCE", 21)
    assert [part.tolist() for part in touched_boxes(*arguments)] == [part.tolist() for part in whole]
