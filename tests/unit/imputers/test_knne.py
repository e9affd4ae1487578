"""KnneImputer: members with their own columns, averaged."""

import numpy as np
import pytest

from iim import KnneImputer, KnnImputer
from iim.imputers.knne import MOST_COLUMNS, column_subsets
from strategies import untied, with_hole_column

TABLE = np.array([[0, 5, 10.0], [1, 5, 20], [8, 1, 90], [9, 0, 100], [1, 1, np.nan]])
"""Nearest to the last row is row 1 by the first column, row 2 by the second, row 1 by both."""


def filled(table, **parameters):
    return KnneImputer(**{"n_neighbors": 1, "min_donors": 1, "scale": "none", **parameters}).fit_transform(
        table
    )


def test_by_hand():
    assert filled(TABLE)[4, 2] == (20 + 90) / 2
    assert filled(TABLE, subsets="all")[4, 2] == pytest.approx((20 + 90 + 20) / 3)


def test_with_one_known_column_it_is_knn():
    table, _ = with_hole_column(untied(100, 2), 1, 20)
    for subsets in ("leave-one-out", "all"):
        assert (
            KnneImputer(subsets=subsets).fit_transform(table).tobytes()
            == KnnImputer().fit_transform(table).tobytes()
        )


def test_it_is_the_mean_of_knn_without_each_column():
    table, rows = with_hole_column(untied(150, 4), 3, 20)
    members = [
        KnnImputer(n_neighbors=5).fit_transform(np.delete(table, column, axis=1))[rows, 2]
        for column in range(3)
    ]
    np.testing.assert_allclose(
        KnneImputer(n_neighbors=5).fit_transform(table)[rows, 3], np.mean(members, axis=0), rtol=1e-12
    )


def test_subsets():
    assert column_subsets(1, "leave-one-out") == column_subsets(1, "all") == [(0,)]
    assert column_subsets(3, "leave-one-out") == [(0, 1), (0, 2), (1, 2)]
    assert column_subsets(2, "all") == [(0,), (1,), (0, 1)]
    assert len(column_subsets(MOST_COLUMNS, "all")) == 2**MOST_COLUMNS - 1
    assert len(column_subsets(MOST_COLUMNS + 1, "all")) == MOST_COLUMNS + 1


def test_members_that_agree_are_not_rounded_apart():
    # 0.1 three times, divided by three, is not 0.1.
    table = np.column_stack([untied(30, 3), np.full(30, 0.1)])
    table[:5, 3] = np.nan
    assert (KnneImputer().fit_transform(table)[:, 3] == 0.1).all()
