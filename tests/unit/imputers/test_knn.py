"""KnnImputer: the nearest donors' mean, ties by row, equal to its relatives."""

import numpy as np
import pytest
from sklearn.impute import KNNImputer
from sklearn.preprocessing import StandardScaler

import iim
from iim import KnnImputer
from strategies import holed, untied, with_hole_column

TABLE = np.array([[0, 10.0], [1, 20], [4, 50], [9, 100], [3, np.nan]])


def filled(table, **parameters):
    return KnnImputer(**{"min_donors": 1, "scale": "none", **parameters}).fit_transform(table)


class TestByHand:
    def test_the_mean_of_the_nearest(self):
        # Distances from 3: 1 (50), 2 (20), 3 (10), 6 (100).
        assert filled(TABLE, n_neighbors=1)[4, 1] == 50
        assert filled(TABLE, n_neighbors=2)[4, 1] == 35
        assert filled(TABLE, n_neighbors=3)[4, 1] == (50 + 20 + 10) / 3

    def test_more_neighbors_than_donors_are_all_of_them(self):
        assert filled(TABLE, n_neighbors=50)[4, 1] == 45

    def test_weights_by_distance(self):
        value = filled(TABLE, n_neighbors=2, weights="distance")[4, 1]
        assert value == pytest.approx((50 / 1 + 20 / 2) / (1 / 1 + 1 / 2))

    def test_a_donor_at_distance_0_has_all_the_weight(self):
        table = np.array([[0, 10.0], [1, 20], [4, 50], [4, np.nan]])
        assert filled(table, n_neighbors=2, weights="distance")[3, 1] == 50

    def test_ties_go_to_the_first_row(self):
        table = np.array([[2, 7.0], [4, 8], [3, np.nan]])
        assert filled(table, n_neighbors=1)[2, 1] == 7

    def test_only_complete_rows_if_asked(self):
        # Row 0 knows what is needed and is nearest, but has a hole elsewhere.
        table = np.array([[3, 50, np.nan], [5, 20, 1.0], [9, 90, 3], [3, np.nan, np.nan]])
        assert filled(table, n_neighbors=1)[3, 1] == 50
        assert filled(table, n_neighbors=1, donors="complete")[3, 1] == 20


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_scikit_learn_agrees_on_a_single_incomplete_column(weights):
    table, _ = with_hole_column(untied(200, 4), 2, 30)
    theirs = KNNImputer(n_neighbors=5, weights=weights).fit_transform(table)
    np.testing.assert_allclose(filled(table, n_neighbors=5, weights=weights), theirs, rtol=1e-12)


def test_scikit_learn_agrees_on_scaled_columns():
    table, rows = with_hole_column(untied(200, 4) * [1, 100, 1, 1e-3], 0, 30)
    scaler = StandardScaler().fit(table)
    theirs = scaler.inverse_transform(KNNImputer(n_neighbors=5).fit_transform(scaler.transform(table)))
    ours = filled(table, n_neighbors=5, scale="standard")
    np.testing.assert_allclose(ours[rows, 0], theirs[rows, 0], rtol=1e-10)


def test_it_is_iim_with_one_learning_neighbor_and_equal_votes():
    table = holed(150, 4, share=0.1)
    alike = iim.IIMImputer(learning_neighbors=1, weights="uniform", shrinkage="none", strategy="patterns")
    assert KnnImputer().fit_transform(table).tobytes() == alike.fit_transform(table).tobytes()


def test_fallbacks_are_counted():
    # Row 2 knows x1 only; nobody knows x0 and x1, nor x1 and x2, at once.
    table = np.array([[1, np.nan, 1.0], [2, np.nan, 2], [np.nan, 7, np.nan]])
    with pytest.warns(iim.FallbackWarning, match="'x0': 1 .column mean"):
        fallbacks = KnnImputer(n_neighbors=1).fit(table).fallbacks_
    mean = {"column mean": 1}
    assert fallbacks == {"x0": mean, "x1": {"column mean": 2}, "x2": mean}


def test_raw_numbers_below_full_precision_are_averaged():
    # Their unit, 1, is beyond all measure in terms of the target.
    table = np.array([[1.0, 1e-320], [2.0, 3e-320], [1.0, np.nan]])
    filled = KnnImputer(n_neighbors=2, scale="none").fit_transform(table)
    np.testing.assert_allclose(filled[2, 1], 2e-320, rtol=1e-3)
