"""MeanImputer: the mean of the known values, whatever their size."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer

from iim import MeanImputer
from strategies import holed


def test_by_hand():
    table = np.array([[1.0, 4.0], [np.nan, 8.0], [3.0, np.nan]])
    assert MeanImputer().fit_transform(table).tolist() == [[1, 4], [2, 8], [3, 6]]


def test_new_rows_get_the_mean_of_the_fitted_table():
    imputer = MeanImputer().fit([[1.0], [3.0]])
    assert imputer.transform([[100.0], [np.nan]]).tolist() == [[100], [2]]
    assert imputer.means_.tolist() == [2]


def test_as_scikit_learn_does():
    table = holed(share=0.2)
    np.testing.assert_allclose(
        MeanImputer().fit_transform(table), SimpleImputer().fit_transform(table), rtol=1e-14
    )


@pytest.mark.parametrize("constant", [0.1, 123456.789, -1e300])
def test_the_mean_of_equal_values_is_their_value(constant):
    table = np.full((37, 1), constant)
    table[5] = np.nan
    assert MeanImputer().fit_transform(table)[5, 0] == constant


def test_sums_do_not_overflow():
    assert MeanImputer().fit_transform([[1.5e308], [1.7e308], [np.nan]])[2, 0] == 1.6e308
