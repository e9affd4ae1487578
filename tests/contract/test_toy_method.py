"""The promise of "add a method in three steps": a class, a row, and this test. All else comes with them."""

from typing import Annotated

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.utils.estimator_checks import check_estimator

import iim
from command_line import iim as command
from command_line import small_file
from iim._arrays import Floats
from iim._checks import real_number
from iim.imputers import Imputer
from iim.imputers._declaring import fitted, parameter
from iim.keeping.fields import floats


class ConstantImputer(Imputer):
    """Fill a constant.

    Parameters
    ----------
    constant : float, default=0.0
        What is filled in.

    Attributes
    ----------
    constants_ : ndarray of shape (n_columns,)
        The same for every column.
    """

    paper_name = "-"
    family = "attribute"

    constant: float = parameter(default=0.0, check=real_number(least=0.0), kw_only=False)
    constants_: Annotated[Floats, floats("columns")] = fitted()

    def _fit(self, matrix):
        self.constants_ = np.full(matrix.n_columns, float(self.constant))

    def _fill(self, matrix):
        return np.where(matrix.missing, self.constants_, matrix.values)


@pytest.fixture(autouse=True)
def row(monkeypatch):
    """Its row in the registry."""
    monkeypatch.setitem(iim.METHODS, "constant", ConstantImputer)


def test_it_passes_the_checks_of_scikit_learn():
    results = check_estimator(ConstantImputer(), on_skip=None, on_fail=None)
    failed = [(one["check_name"], one["exception"]) for one in results if one["status"] == "failed"]
    assert failed == []
    assert sum(one["status"] == "passed" for one in results) > 30


def test_it_keeps_a_pandas_frame_as_it_is():
    frame = pd.DataFrame(
        {
            "whole": [2**53 + 1, 2, 3],
            "holes": [1.5, np.nan, 2.5],
            "short": np.array([1, np.nan, 3], np.float32),
        },
        index=["c", "a", "b"],
    )
    filled = ConstantImputer(7.0).fit_transform(frame)
    expected = frame.fillna({"holes": 7.0, "short": np.float32(7.0)})
    pd.testing.assert_frame_equal(filled, expected, check_exact=True)
    assert frame.isna().sum().sum() == 2


def test_it_keeps_a_polars_frame_as_it_is():
    frame = pl.DataFrame({"whole": [2**53 + 1, 2, 3], "holes": [1.5, None, 2.5]})
    filled = ConstantImputer(7.0).fit_transform(frame)
    assert_polars_equal(filled, frame.with_columns(pl.col("holes").fill_null(7.0)), check_exact=True)


def test_it_gets_indicators_empty_columns_and_output_kinds_for_free():
    table = np.array([[1.0, np.nan, np.nan], [2.0, 4.0, np.nan]])
    imputer = ConstantImputer(7.0, add_indicator=True, keep_empty_features=True).set_output(
        transform="pandas"
    )
    with pytest.warns(UserWarning, match="No value is known in 1 of 3 columns"):
        filled = imputer.fit_transform(table)
    assert list(filled.columns) == ["x0", "x1", "x2", "missingindicator_x1", "missingindicator_x2"]
    assert filled.to_numpy().tolist() == [[1, 7, 0, 1, 1], [2, 4, 0, 0, 1]]


def test_it_gets_columns_bounds_and_whole_numbers_for_free():
    frame = pd.DataFrame(
        {"name": ["x", None, "z"], "n": pd.array([1, None, 3], dtype="Int64"), "v": [0.5, None, 1]}
    )
    imputer = ConstantImputer(7.4, columns=["n", "v"], max_value={"v": "observed"}, round_integers=True)
    filled = imputer.fit_transform(frame)
    pd.testing.assert_frame_equal(filled, frame.fillna({"n": 7, "v": 1.0}))
    assert imputer.imputed_mask(frame).to_numpy().tolist() == [
        [False] * 3,
        [False, True, True],
        [False] * 3,
    ]


def test_its_parameters_are_checked_and_told():
    with pytest.raises(
        ValueError,
        match="`constant` of ConstantImputer: a finite number, 0 or more, is needed; received 'x'",
    ):
        ConstantImputer("x").fit([[1.0]])
    with pytest.raises(TypeError, match=r"'constants'\. Did you mean 'constant'\?"):
        ConstantImputer(constants=1)
    assert repr(ConstantImputer(3)) == "ConstantImputer(constant=3)"
    for name in ("constant", "missing_values", "progress", "constants_", "n_features_in_"):
        assert f"\n{name} : " in ConstantImputer.__doc__


def test_it_takes_part_in_comparisons():
    table = np.random.default_rng(0).normal(size=(60, 3))
    result = iim.compare(table, ["constant", "mean"], random_state=0)
    assert {one.method for one in result.overall} == {"constant", "mean"}
    assert all(np.isfinite(one.rms_error) for one in result.records)


def test_it_is_saved_and_loaded_and_made_up_files_are_refused(tmp_path):
    table = np.array([[1.0, np.nan], [np.nan, 2.0]])
    imputer = ConstantImputer(7.0).fit(table)
    imputer.save(tmp_path / "model.iim")
    assert iim.load(tmp_path / "model.iim").transform(table).tolist() == [[1, 7], [7, 2]]
    imputer.constants_ = np.array([7.0])
    with pytest.raises(iim.InvalidParameter, match=r"`constants_`: a float64 array of shape \(columns,\)"):
        imputer.save(tmp_path / "model.iim")


def test_it_is_on_the_command_line(tmp_path):
    path = small_file(tmp_path)
    done = command("impute", path, "-m", "constant", "--set", "constant=7.5", "-q")
    assert (done.code, done.err) == (0, "")
    assert "c,2026-01-03,7.5,70,5" in done.text
    assert "constant" in command("methods").text
    assert "What is filled in" in command("methods", "constant").text
    assert "Did you mean 'constant'?" in command("impute", path, "-m", "constnt").err
