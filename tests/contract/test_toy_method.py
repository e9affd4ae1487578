"""The promise of "add a method in three steps": two hooks make a whole scikit-learn imputer."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.utils.estimator_checks import check_estimator

from iim._checks import real_number
from iim.imputers import Imputer


class ConstantImputer(Imputer):
    paper_name = "Constant"
    family = "attribute"
    _parameter_checks: ClassVar = {"constant": real_number(least=0.0)}

    def __init__(
        self,
        constant=0.0,
        *,
        missing_values=np.nan,
        add_indicator=False,
        keep_empty_features=False,
        columns=None,
        min_value=None,
        max_value=None,
        round_integers=False,
        progress=False,
    ):
        self.constant = constant
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.progress = progress

    def _fit(self, matrix):
        self.constants_ = np.full(matrix.n_columns, self.constant)

    def _fill(self, matrix):
        return np.where(matrix.missing, self.constants_, matrix.values)


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


def test_its_parameters_are_checked():
    with pytest.raises(
        ValueError,
        match="`constant` of ConstantImputer: a finite number, 0 or more, is needed; received 'x'",
    ):
        ConstantImputer("x").fit([[1.0]])
