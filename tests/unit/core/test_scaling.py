import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from iim.core.scaling import learn_scaling
from iim.matrix import MaskedMatrix
from strategies import untied


def matrix(values):
    values = np.asarray(values, float)
    return MaskedMatrix(values, np.isnan(values), tuple(f"c{column}" for column in range(values.shape[1])))


def scaled(values, how):
    table = matrix(values)
    return learn_scaling(table, how).coordinates(table.values, tuple(range(table.n_columns)))


def test_by_hand_with_a_hole():
    np.testing.assert_allclose(scaled([[1.0], [np.nan], [3.0]], "standard"), [[-1], [np.nan], [1]])


@pytest.mark.parametrize(("how", "scaler"), [("standard", StandardScaler()), ("robust", RobustScaler())])
def test_same_as_scikit_learn(how, scaler):
    table = untied(80, 4) * [1, 1e3, 1e-5, 7] + [0, 1e4, 0, -3]
    np.testing.assert_allclose(scaled(table, how), scaler.fit_transform(table), rtol=1e-8, atol=1e-10)


def test_none_changes_no_bit():
    table = untied(20, 3)
    assert scaled(table, "none").tobytes() == table.tobytes()


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_a_constant_column_becomes_zero(how):
    table = matrix(np.full((7, 1), 0.1))
    scaling = learn_scaling(table, how)
    later = np.array([[0.1], [1.7e9], [-1e308], [5e-324]])
    assert (scaling.coordinates(later, (0,)) == 0).all()
    assert scaling.raw_slopes(np.array([2.0]), (0,)).tolist() == [0.0]


def test_robust_falls_back_to_the_deviation_where_quartiles_agree():
    table = np.array([[0.0]] * 9 + [[10.0]])
    np.testing.assert_allclose(scaled(table, "robust")[-1], 10 / table.std())


def test_slopes_go_back_to_the_units_of_the_table():
    table = matrix(untied(30, 2) * [10.0, 0.01])
    scaling = learn_scaling(table, "standard")
    points = scaling.coordinates(table.values, (0, 1))
    slopes = np.array([2.0, -3.0])
    raw = scaling.raw_slopes(slopes, (0, 1))
    np.testing.assert_allclose(
        (points[0] - points[1]) @ slopes, (table.values[0] - table.values[1]) @ raw, rtol=1e-9
    )


@pytest.mark.parametrize("how", ["standard", "robust", "none"])
def test_values_go_back_to_the_units_of_the_table(how):
    table = matrix(untied(30, 3) * [10.0, 1e-140, 1e140])
    scaling = learn_scaling(table, how)
    points = scaling.coordinates(table.values, (0, 1, 2))
    np.testing.assert_allclose(scaling.values(points, (0, 1, 2)), table.values, rtol=1e-9)
    np.testing.assert_allclose(scaling.values(points[:, [2]], (2,)), table.values[:, [2]], rtol=1e-9)
    np.testing.assert_allclose(
        scaling.table_spreads() * (points[1] - points[0]), table.values[1] - table.values[0], rtol=1e-9
    )


@pytest.mark.parametrize("constant", [0.0, 0.1, -1.7e308, 5e-324])
def test_a_constant_column_goes_back_to_its_constant(constant):
    scaling = learn_scaling(matrix(np.full((7, 1), constant)), "standard")
    assert scaling.values(np.array([[0.0], [3.5], [-1e150]]), (0,)).tolist() == [[constant]] * 3
    assert scaling.table_spreads().tolist() == [0.0]


def test_values_too_large_for_a_number_are_cut_off():
    scaling = learn_scaling(matrix([[-1e308], [1e308]]), "standard")
    largest = np.finfo(float).max
    assert scaling.values(np.array([[1e150], [-9.0]]), (0,)).tolist() == [[largest], [-largest]]
