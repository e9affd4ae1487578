"""compare, as a user meets it: tables, parameters, and what is the same from run to run."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.impute import KNNImputer, SimpleImputer

import iim
from comparisons import compare, timeless
from iim import comparing
from made_up_imputers import (
    Constant,
)
from strategies import holed, untied


class TestTables:
    def test_arrays_pandas_and_polars_give_the_same_records(self):
        table = holed()
        names = ["x0", "x1", "x2", "x3"]
        array = compare(table)
        pandas = compare(pd.DataFrame(table, columns=names))
        polars = compare(pl.DataFrame(table, schema=names).fill_nan(None))
        assert timeless(array.records) == timeless(pandas.records) == timeless(polars.records)
        assert timeless(array.records) == timeless(compare(table.tolist()).records)
        masked = np.ma.MaskedArray(np.nan_to_num(table), np.isnan(table))
        assert timeless(array.records) == timeless(compare(masked).records)

    def test_whole_numbers_and_nullable_columns(self):
        whole = np.round(10 * untied(60, 2)).astype(int)
        frame = pd.DataFrame({"a": whole[:, 0], "b": pd.array(whole[:, 1], dtype="Int64")})
        frame.loc[3, "b"] = pd.NA
        result = compare(frame)
        assert result.failures == ()
        assert result.facts["n_missing"] == 1

    def test_marked_values_are_holes(self):
        table = np.nan_to_num(holed(), nan=-999.0)
        assert timeless(compare(table, missing_values=-999).records) == timeless(compare(holed()).records)

    def test_text_is_refused_as_by_the_imputers(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", 3.0]})
        with pytest.raises(iim.UnusableTable) as refused:
            compare(frame)
        with pytest.raises(iim.UnusableTable) as imputer_refused:
            iim.IIMImputer().fit(frame)
        # But for the last advice: here, `columns` says what is scored, and all columns are read.
        theirs = str(imputer_refused.value).replace("with `columns=`", "of the table")
        assert str(refused.value) == theirs
        assert "Column 'b' holds text in 1 of 2 rows" in str(refused.value)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (np.arange(4.0), r"received ndarray with 1 dimension\(s\)"),
            (pd.Series([1.0, 2.0]), r"received Series with 1 dimension\(s\).*`to_frame\(\)`"),
            ([[1.0, 2.0], [3.0]], "rows of equal length"),
            ([[1j, 2.0]], "Complex data not supported"),
        ],
    )
    def test_what_is_no_table_is_refused(self, table, message):
        with pytest.raises(iim.UnusableTable, match=message):
            compare(table)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (np.empty((0, 2)), "0 rows and 2 columns: there is nothing to hide"),
            (pd.DataFrame(index=range(3)), "3 rows and 0 columns"),
            ([[1.0, 2.0]], r"two known values, one to hide.*'x0': only one value is known"),
            (np.full((4, 2), np.nan), r"'x0': no value is known.*Give a table with more known values"),
        ],
    )
    def test_nothing_to_hide(self, table, message):
        with pytest.raises(iim.UnusableTable, match=message):
            compare(table)

    def test_columns_with_too_little_are_listed(self):
        table = np.column_stack([untied(50, 2), np.full((50, 2), np.nan)])
        table[7, 3] = 1.0
        result = compare(table, ["mean", SimpleImputer(), "iim"])
        assert result.columns == ("x0", "x1")
        assert result.not_scored == {"x2": "no value is known", "x3": "only one value is known"}
        assert result.failures == ()
        assert "only one value is known" in str(result)

    def test_one_column(self):
        result = compare([[1.0], [2.0], [3.0], [np.nan]], list(iim.METHODS), pattern="clusters")
        assert result.columns == ("x0",)
        assert result.failures == ()

    def test_two_rows(self):
        result = compare([[1.0, 5.0], [2.0, 7.0]], ["mean"], repeats=4, pattern="attribute")
        assert {record.rms_error for record in result.records} == {1.0, 2.0}

    def test_a_constant_column_is_not_scored(self):
        class Rounds(Constant):
            def transform(self, X):
                return np.where(np.isnan(X), np.nanmean(X, axis=0), X).astype(np.float32)

        table = np.column_stack([np.full(40, 0.1), untied(40, 2)])
        table[3, 0] = np.nan
        result = compare(table, {"mean": "mean", "rounds": Rounds()})
        assert result.not_scored == {"x0": "all known values are equal"}
        assert result.columns == ("x1", "x2")
        assert all(score.normalised_error < 2.0 for score in result.overall)
        assert "all known values are equal" in str(result)

    @pytest.mark.parametrize("columns", [None, 0])
    def test_constant_columns_only(self, columns):
        table = np.full((30, 2), 0.1)
        if columns is not None:
            table[:, 1] = np.arange(30)
        with pytest.raises(iim.UnusableTable, match=r"No column can be scored.*'x0': all known values are"):
            compare(table, columns=columns)

    @pytest.mark.parametrize("unit", [1e300, 1e-300])
    def test_huge_and_tiny_columns(self, unit):
        table = holed()
        table[:, 1] *= unit
        plain, scaled = compare(holed()), compare(table)
        for one, other in zip(plain.records, scaled.records, strict=True):
            assert one.normalised_error == pytest.approx(other.normalised_error)


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"hide": 0.0}, "`hide` of compare: a share between 0 and 1, both excluded, or a whole number"),
            ({"hide": 1.0}, "received 1.0"),
            ({"hide": 0}, "received 0"),
            ({"hide": True}, "received True"),
            ({"hide": math.nan}, "received nan"),
            ({"repeats": 0}, "`repeats` of compare: a whole number, 1 or more, is needed; received 0"),
            ({"random_state": -1}, "`random_state` of compare"),
            ({"pattern": "rows"}, "'cells' or 'attribute' or 'clusters' is needed; received 'rows'"),
            ({"cluster_size": 0}, "received 0"),
            ({"n_jobs": 0}, "received 0"),
            ({"progress": "yes"}, "received 'yes'"),
            ({"missing_values": {}}, "received {}"),
            ({"columns": ["x9"]}, r"`columns`: one of 'x0', 'x1', 'x2', 'x3', or a position, is needed"),
            ({"columns": 4}, "received 4"),
            ({"columns": -1}, "received -1"),
            ({"columns": []}, "at least one column is needed"),
        ],
    )
    def test_impossible_values_are_refused(self, parameters, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            compare(holed(), **parameters)

    def test_the_nearest_column_is_suggested(self):
        frame = pd.DataFrame(holed(), columns=["temperature", "humidity", "wind", "rain"])
        with pytest.raises(iim.InvalidParameter, match=r"received 'humdity'. Did you mean 'humidity'\?"):
            compare(frame, columns=["rain", "humdity"])

    @pytest.mark.parametrize(
        "columns", [["b", "a"], [1, 0], ["b", 0], ("a", "b", "a"), np.array(["a", "b"])]
    )
    def test_columns_by_name_or_position(self, columns):
        frame = pd.DataFrame(holed(), columns=list("abcd"))
        result = compare(frame, columns=columns)
        assert result.columns == ("a", "b")
        assert {record.column for record in result.records} == {"a", "b"}

    def test_a_name_comes_before_a_position(self):
        frame = pd.DataFrame(holed(), columns=[3, 2, 1, 0])
        assert compare(frame, columns=0).columns == (0,)
        assert compare(frame, columns=[3]).columns == (3,)


class TestRepeatability:
    def test_the_same_seed_gives_the_same_leaderboard(self):
        first, second = (compare(holed(), ["mean", "knn", "iim"]) for _ in range(2))
        times = ["fit_seconds", "transform_seconds"]
        pd.testing.assert_frame_equal(
            first.leaderboard().drop(columns=times), second.leaderboard().drop(columns=times)
        )
        pd.testing.assert_frame_equal(
            first.to_frame().drop(columns=times), second.to_frame().drop(columns=times)
        )
        assert first.recommended == second.recommended
        assert repr(first.settings) == repr(second.settings)  # as text: NaN equals nothing
        assert first.facts == second.facts

    def test_another_seed_hides_others(self):
        assert timeless(compare(holed()).records) != timeless(compare(holed(), random_state=1).records)

    @pytest.mark.parametrize(
        "call",
        [
            {},
            {"hide": np.float32(0.1), "repeats": np.int64(2), "methods": np.array(["mean", "knn"])},
            {
                "hide": 4,
                "repeats": 2,
                "random_state": None,
                "pattern": "clusters",
                "cluster_size": np.int8(2),
            },
            {"columns": [np.int64(2), "x0"], "missing_values": np.array([-999.0, np.nan])},
            {"random_state": np.random.RandomState(3), "missing_values": -999, "columns": "x1"},
            {"methods": {"plain": "mean", "near": "knn"}, "pattern": "attribute"},
        ],
    )
    def test_settings_and_footing_repeat_the_run(self, call):
        table = np.nan_to_num(holed(), nan=-999.0) if "missing_values" in call else holed()
        first = compare(table, **call)
        assert list(first.settings) == [
            *("methods", "columns", "hide", "repeats", "random_state"),
            *("pattern", "cluster_size", "missing_values"),
        ]
        again = iim.compare(table, **first.settings, progress=False)
        assert timeless(again.records) == timeless(first.records)
        printed = " ".join(str(first).rsplit("To repeat: ", 1)[1].split()).removesuffix(
            f" with iim {iim.__version__}."
        )
        assert "np." not in printed
        repeated = eval(printed, {"iim": iim, "table": table})
        assert timeless(repeated.records) == timeless(first.records)

    def test_settings_are_plain_and_facts_apart(self):
        result = compare(holed(), ["mean"], hide=np.float32(0.25), repeats=np.int32(2), columns=np.int64(1))
        del result.settings["missing_values"]  # NaN, which equals nothing
        assert repr(result.settings) == (
            "{'methods': ['mean'], 'columns': ['x1'], 'hide': 0.25, 'repeats': 2, 'random_state': 0, "
            "'pattern': 'cells', 'cluster_size': 3}"
        )
        assert set(result.facts) == {"n_rows", "n_columns", "n_missing", "n_known", "versions"}
        assert result.facts["versions"]["iim"] == iim.__version__
        assert result.facts["n_known"] == {"x1": int(np.isfinite(holed()[:, 1]).sum())}

    def test_objects_stand_as_text_in_the_settings(self):
        result = compare(holed(), ["mean", KNNImputer(), ("near", KNNImputer(n_neighbors=2))])
        assert result.settings["methods"] == {
            "mean": "mean",
            "KNNImputer": "KNNImputer(...)",
            "near": "KNNImputer(...)",
        }
        called = (
            "methods={'mean': 'mean', 'KNNImputer': KNNImputer(...), 'near': KNNImputer(...)}, hide=0.05"
        )
        assert called in " ".join(str(result).split())

    def test_all_methods_need_no_naming(self):
        result = compare(holed(40, 2), None, repeats=1)
        assert result.settings["methods"] == [key for key in iim.METHODS if key != "auto"]
        assert "iim.compare(table, hide=0.05, repeats=1," in " ".join(str(result).split())

    def test_threads_change_nothing(self):
        table = holed(300)
        one, two = (compare(table, ["knn", "iim"], repeats=1, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert timeless(one.records) == timeless(two.records)

    def test_it_can_be_pickled(self):
        result = compare(holed())
        assert str(pickle.loads(pickle.dumps(result))) == str(result)


def test_the_name_is_the_function_whatever_is_imported():
    assert iim.compare is comparing.compare
    assert callable(iim.compare)


def test_records_come_in_the_order_of_methods_columns_and_repeats():
    result = compare(holed(), ["knn", "mean"], repeats=2, pattern="attribute")
    expected = itertools.product(["knn", "mean"], ["x0", "x1", "x2", "x3"], range(2))
    assert [(record.method, record.column, record.repeat) for record in result.records] == list(expected)


def test_naming_all_columns_is_naming_none_unless_one_is_an_id():
    table = pd.DataFrame(holed(60, 3), columns=["a", "b", "c"])
    assert compare(table, ["mean"], columns=["a", "b", "c"]).settings["columns"] is None
    assert compare(table, ["mean"], columns=["a"]).settings["columns"] == ["a"]
    table["customer_id"] = range(100, 160)
    assert compare(table, ["mean"]).settings["columns"] is None
    every = list(table.columns)
    assert compare(table, ["mean"], columns=every).settings["columns"] == every
