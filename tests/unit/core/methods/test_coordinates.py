"""A table as points and back: the means in its holes, and rows that know nothing."""

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from iim.core.methods.coordinates import informed_rows, learn_coordinates
from iim.matrix import MaskedMatrix
from strategies import holed

LARGEST = np.finfo(np.float64).max


def masked(values):
    values = np.asarray(values, float)
    return MaskedMatrix(values, np.isnan(values), tuple(range(values.shape[1])))


def test_by_hand():
    # Means 2 and 25, standard deviations 1 and 15.
    table = masked([[1, 10], [3, np.nan], [np.nan, 40], [np.nan, np.nan]])
    standard, raw = learn_coordinates(table, "standard"), learn_coordinates(table, "none")
    assert standard.means.tolist() == raw.means.tolist() == raw.start.tolist() == [2, 25]
    assert standard.start.tolist() == [0, 0]
    np.testing.assert_allclose(standard.unit, [1, 1], rtol=1e-14)
    assert raw.unit.tolist() == [1, 15]
    np.testing.assert_allclose(standard.points(table), [[-1, -1], [1, 0], [0, 1], [0, 0]], rtol=1e-14)
    assert raw.points(table).tolist() == [[1, 10], [3, 25], [2, 40], [2, 25]]
    # The points of row 3 do not count: it knows nothing.
    filled = standard.fill(table, np.array([[9.0, 9], [9, 2], [-3, 9], [9, 9]]))
    np.testing.assert_allclose(filled, [[1, 10], [3, 55], [-1, 40], [2, 25]], rtol=1e-14)


@pytest.mark.parametrize("scale", ["standard", "robust", "none"])
def test_a_table_filled_from_its_own_points_has_means_in_its_holes(scale):
    table = masked(np.vstack([holed(60, 3, share=0.3), np.full(3, np.nan)]) * [1e-200, 1.0, 1e100])
    coordinates = learn_coordinates(table, scale)
    filled = coordinates.fill(table, coordinates.points(table))
    means = np.broadcast_to(coordinates.means, filled.shape)[table.missing]
    np.testing.assert_allclose(filled[table.missing], means, rtol=1e-12)
    assert filled[~table.missing].tolist() == table.values[~table.missing].tolist()


@pytest.mark.parametrize(("scale", "theirs"), [("standard", StandardScaler()), ("robust", RobustScaler())])
def test_scikit_learn_s_scalers_agree(scale, theirs):
    table = masked(holed(101, 4, share=0.2) * [1, 1e5, 1e-5, 1] + [0, 1, 1, 30])
    coordinates, expected = learn_coordinates(table, scale), theirs.fit_transform(table.values)
    known = ~table.missing
    np.testing.assert_allclose(coordinates.points(table)[known], expected[known], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(coordinates.unit, np.nanstd(expected, axis=0), rtol=1e-10)
    points, units = np.eye(4) - 2, coordinates.table_units(np.eye(4) - 2)
    np.testing.assert_allclose(units, theirs.inverse_transform(points), rtol=1e-10)


@pytest.mark.parametrize("scale", ["standard", "robust"])
@pytest.mark.parametrize("rows", [[[0.1, 1], [0.1, 2], [np.nan, 4]], [[0.1, 3]]], ids=["some", "one"])
def test_a_constant_column_is_0_and_comes_back_as_its_constant(rows, scale):
    coordinates = learn_coordinates(masked(rows), scale)
    later = masked([[7.0, 1.0], [np.nan, 2.0]])
    assert coordinates.unit[0] == 1
    assert coordinates.points(later)[:, 0].tolist() == [0, 0]
    assert coordinates.fill(later, np.full((2, 2), 1e9))[:, 0].tolist() == [7, 0.1]


def test_columns_of_any_size_have_coordinates_of_one_size():
    values = holed(40, 3, share=0.2) + [0, 1, 2]
    plain, wide = (learn_coordinates(masked(values * by), "standard") for by in (1.0, [1e-300, 1.0, 1e300]))
    points = wide.points(masked(values * [1e-300, 1.0, 1e300]))
    np.testing.assert_allclose(points, plain.points(masked(values)), rtol=1e-9)
    filled = wide.fill(masked([[np.nan, 1.0, np.nan]]), np.array([[1e100, 0.0, -1e100]]))
    assert filled[0, 2] == -LARGEST
    assert 1e-201 < filled[0, 0] < 1e-199


def test_covariances_are_those_of_the_values():
    table = holed(50, 3, share=0.0) * [1.0, 1e3, 1e-3] + [5, 0, 0]
    coordinates = learn_coordinates(masked(table), "standard")
    inside, covariance = np.stack([np.corrcoef(table.T), np.eye(3)]), np.cov(table.T, bias=True)
    expected = [covariance, np.diag(np.diag(covariance))]
    np.testing.assert_allclose(coordinates.table_covariances(inside), expected, rtol=1e-9)


def test_covariances_that_are_too_large_are_cut_off_and_those_of_a_constant_are_0():
    table = masked([[1e300, 0.1, -3.0], [-1e300, 0.1, 3.0]])
    inside = np.array([[[1e20, 1.0, -1e20], [1e20, 1.0, 1.0], [-1e20, 1.0, 2.0]]])
    expected = [[LARGEST, 0, -LARGEST], [0, 0, 0], [-LARGEST, 0, 18]]
    covariances = learn_coordinates(table, "standard").table_covariances(inside)
    np.testing.assert_allclose(covariances, [expected], rtol=1e-14)


def test_rows_that_know_something_are_sorted_by_column_and_holes_come_last():
    table = masked([[2, 1], [np.nan, np.nan], [np.nan, 0], [1, np.nan], [1, 5], [1, -5], [2, 1]])
    known, expected = informed_rows(table), [[1, -5], [1, 5], [1, np.nan], [2, 1], [2, 1], [np.nan, 0]]
    np.testing.assert_array_equal(known.values, expected)
    np.testing.assert_array_equal(known.missing, np.isnan(expected))


def test_the_order_of_rows_is_forgotten():
    values = np.round(holed(80, 3, share=0.4), 1)
    shuffled = np.random.default_rng(0).permutation(values)
    one, other = (informed_rows(masked(rows)).values for rows in (values, shuffled))
    np.testing.assert_array_equal(one, other)
    assert len(one) == np.count_nonzero(~np.isnan(values).all(axis=1)) < 80


def test_tables_without_columns_keep_their_rows_and_tables_of_holes_keep_none():
    assert informed_rows(masked(np.empty((3, 0)))).values.shape == (3, 0)
    assert informed_rows(masked(np.full((3, 2), np.nan))).values.shape == (0, 2)
