"""Of the example in CONTRIBUTING, "add a method in three steps", a class and a row: all else comes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.utils.estimator_checks import check_estimator

import iim
from command_line import iim as command
from command_line import small_file
from listings import table_of_methods
from toy_method import ROW, load_example

CONTRACT = Path(__file__).parent
MedianImputer = load_example()


@pytest.fixture(autouse=True)
def row(monkeypatch):
    """Its row in the registry."""
    monkeypatch.setattr(iim.METHODS, "_rows", {**iim.METHODS._rows, **ROW})


def test_it_passes_the_checks_of_scikit_learn():
    results = check_estimator(MedianImputer(), on_skip=None, on_fail=None)
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
    filled = MedianImputer(7.0).fit_transform(frame)
    expected = frame.fillna({"holes": 8.5, "short": np.float32(8.0)})
    pd.testing.assert_frame_equal(filled, expected, check_exact=True)
    assert frame.isna().sum().sum() == 2


def test_it_keeps_a_polars_frame_as_it_is():
    frame = pl.DataFrame({"whole": [2**53 + 1, 2, 3], "holes": [1.5, None, 2.5]})
    filled = MedianImputer(7.0).fit_transform(frame)
    assert_polars_equal(filled, frame.with_columns(pl.col("holes").fill_null(8.5)), check_exact=True)


def test_it_gets_indicators_empty_columns_and_output_kinds_for_free():
    table = np.array([[1.0, np.nan, np.nan], [2.0, 4.0, np.nan]])
    imputer = MedianImputer(7.0, add_indicator=True, keep_empty_features=True).set_output(
        transform="pandas"
    )
    with pytest.warns(UserWarning, match="No value is known in 1 of 3 columns"):
        filled = imputer.fit_transform(table)
    assert list(filled.columns) == ["x0", "x1", "x2", "missingindicator_x1", "missingindicator_x2"]
    assert filled.to_numpy().tolist() == [[1, 11, 0, 1, 1], [2, 4, 0, 0, 1]]


def test_it_gets_columns_bounds_and_whole_numbers_for_free():
    frame = pd.DataFrame(
        {"name": ["x", None, "z"], "n": pd.array([1, None, 3], dtype="Int64"), "v": [0.5, None, 1]}
    )
    imputer = MedianImputer(7.4, columns=["n", "v"], max_value={"v": "observed"}, round_integers=True)
    filled = imputer.fit_transform(frame)
    pd.testing.assert_frame_equal(filled, frame.fillna({"n": 8, "v": 1.0}))
    assert imputer.imputed_mask(frame).to_numpy().tolist() == [
        [False] * 3,
        [False, True, True],
        [False] * 3,
    ]


def test_its_parameters_are_checked_and_told():
    with pytest.raises(
        ValueError,
        match="`shift` of MedianImputer: a finite number, 0 or more, is needed; received 'x'",
    ):
        MedianImputer("x").fit([[1.0]])
    with pytest.raises(TypeError, match=r"'shif'\. Did you mean 'shift'\?"):
        MedianImputer(shif=1)
    assert repr(MedianImputer(3)) == "MedianImputer(shift=3)"
    for name in ("shift", "missing_values", "progress", "medians_", "n_features_in_"):
        assert f"\n{name} : " in MedianImputer.__doc__


def test_it_is_in_the_listings():
    assert iim.METHODS["median"] is MedianImputer
    assert iim.METHODS.homes()["MedianImputer"] == "iim.imputers.median"
    assert "| `median` | `MedianImputer` |" in table_of_methods("| key |\n| --- |\n")


def test_it_takes_part_in_comparisons():
    table = np.random.default_rng(0).normal(size=(60, 3))
    result = iim.compare(table, ["median", "mean"], random_state=0)
    assert {one.method for one in result.overall} == {"median", "mean"}
    assert all(np.isfinite(one.rms_error) for one in result.records)


def test_it_is_saved_and_loaded_and_made_up_files_are_refused(tmp_path):
    table = np.array([[1.0, np.nan], [np.nan, 2.0]])
    imputer = MedianImputer(7.0).fit(table)
    imputer.save(tmp_path / "model.iim")
    assert iim.load(tmp_path / "model.iim").transform(table).tolist() == [[1, 9], [8, 2]]
    imputer.medians_ = np.array([7.0])
    with pytest.raises(iim.InvalidParameter, match=r"`medians_`: a float64 array of shape \(columns,\)"):
        imputer.save(tmp_path / "model.iim")


def test_it_is_on_the_command_line(tmp_path):
    path = small_file(tmp_path)
    done = command("impute", path, "-m", "median", "--set", "shift=7.5", "-q")
    assert (done.code, done.err) == (0, "")
    assert "c,2026-01-03,11.5,70,5" in done.text
    assert "median" in command("methods").text
    assert "What is added to the median" in command("methods", "median").text
    assert "Did you mean 'median'?" in command("impute", path, "-m", "meddian").err


@pytest.mark.current
def test_it_passes_all_tests_of_the_contract():
    # In a process of its own: what is tested is collected by the registry as it is then.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "median", "-p", "no:cacheprovider", str(CONTRACT)],
        cwd=CONTRACT.parents[1],
        env={**os.environ, "IIM_TOY_METHOD": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 90
