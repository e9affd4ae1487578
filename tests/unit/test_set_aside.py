"""Ids and columns that are no numbers do not keep compare and diagnose from the others."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import iim
from strategies import untied

N_ROWS = 40
DAY = dt.date(2020, 1, 1)


def compare(table, **settings):
    return iim.compare(table, ["mean", "knn"], repeats=2, progress=False, **settings)


def diagnose(table, **settings):
    return iim.diagnose(table, progress=False, **settings)


def not_used(result):
    return result.not_scored if hasattr(result, "not_scored") else result.not_measured


def names(result):
    return [getattr(column, "column", column) for column in result.columns]


BOTH = pytest.mark.parametrize("function", [compare, diagnose])


def frame_with(**columns):
    numbers = untied(N_ROWS, 2)
    return pd.DataFrame({"a": numbers[:, 0], **columns, "b": numbers[:, 1]})


@BOTH
class TestBoth:
    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            ([f"patient {row}" for row in range(N_ROWS)], "text: 40 different texts in 40 rows"),
            (["x", None] * 20, "category: 1 different text in 40 rows"),
            (pd.array(["x", pd.NA] * 20, dtype="string"), "category: 1 different text in 40 rows"),
            ([b"x", "y"] * 20, "category: 2 different texts in 40 rows"),
            (
                ["0123", "0124", "n/a", "0125"] * 10,
                "text: 30 of 40 texts read as numbers; make the column numeric if it holds amounts",
            ),
            (pd.Categorical(["red", "blue"] * 20), "category: 2 different texts in 40 rows"),
            (pd.date_range("2020", periods=N_ROWS), "date: dates with times"),
            (pd.date_range("2020", periods=N_ROWS, tz="UTC"), "date: dates with times"),
            ([DAY, None] * 20, "date: dates"),
            ([dt.time(1)] * N_ROWS, "date: times"),
            (pd.to_timedelta(range(N_ROWS), unit="s"), "date: durations"),
            ([[1, 2]] * N_ROWS, "other: lists"),
            ([np.array([1.0])] * N_ROWS, "other: lists"),
            ([{"a": 1}] * N_ROWS, "other: records"),
            ([1j, DAY] * 20, "other: objects"),
            (pd.period_range("2020", periods=N_ROWS), "other: objects"),
        ],
    )
    def test_a_column_without_numbers_is_set_aside_and_named(self, function, cells, kind):
        result = function(frame_with(odd=cells))
        assert names(result) == ["a", "b"]
        assert not_used(result) == {"odd": kind}
        assert f"odd     {kind}" in str(result)
        assert f">{kind}<" in result._repr_html_()

    def test_the_others_are_measured_as_if_it_were_not_there(self, function):
        with_text = function(frame_with(name=["x"] * N_ROWS)).to_frame()
        without = function(frame_with()).to_frame()
        timeless = [name for name in without if not name.endswith("seconds")]
        pd.testing.assert_frame_equal(with_text[timeless], without[timeless])

    @pytest.mark.parametrize(
        "cells",
        [
            [True, False] * 20,
            pd.array([1, None, 3, 4] * 10, dtype="Int64"),
            pd.array([True, None, False, True] * 10, dtype="boolean"),
            [decimal.Decimal(row) for row in range(N_ROWS)],
            pd.Categorical([1, 2] * 20),
            pd.Series([1, 2.5] * 20, dtype=object),
        ],
        ids=["bool", "Int64", "boolean", "Decimal", "categories of numbers", "objects"],
    )
    def test_numbers_of_any_kind_stay(self, function, cells):
        result = function(frame_with(odd=cells))
        assert names(result) == ["a", "odd", "b"]
        assert not_used(result) == {}

    def test_text_among_numbers_is_still_an_error(self, function):
        message = r"Column 'odd' holds text in 2 of 40 rows \(first: row 0, '\?'\)\. Mark it as missing"
        cells = ["?", "?", *range(N_ROWS - 2)]
        with pytest.raises(iim.UnusableTable, match=message):
            function(frame_with(odd=cells))
        assert names(function(frame_with(odd=cells), missing_values="?")) == ["a", "odd", "b"]

    def test_a_number_too_large_to_hold_is_still_an_error(self, function):
        with pytest.raises(iim.UnusableTable, match=r"Column 'odd' holds 10+ in row 0"):
            function(frame_with(odd=pd.Series([10**400] * N_ROWS, dtype=object)))

    def test_markers_do_not_make_a_column_of_numbers(self, function):
        frame = frame_with(odd=["?", "red"] * 20)
        assert not_used(function(frame, missing_values="?")) == {
            "odd": "category: 1 different text in 40 rows"
        }

    def test_markers_and_nothing_else_are_a_column_of_which_nothing_is_known(self, function):
        result = function(frame_with(odd=["?", None] * 20), missing_values="?")
        assert not_used(result).get("odd", "no known value").startswith("no")

    @pytest.mark.parametrize(
        "table",
        [
            pd.DataFrame({"a": ["x"], "when": [pd.Timestamp("2020")]}),
            pl.DataFrame({"a": ["x"], "when": [DAY]}),
            [["x", DAY]],
        ],
        ids=["pandas", "polars", "list"],
    )
    def test_without_any_number_the_table_is_refused(self, function, table):
        with pytest.raises(
            iim.UnusableTable,
            match=r"No column holds numbers to work with \('.*': text: .*; '.*': date: dates",
        ):
            function(table)

    def test_a_table_of_ids_is_refused_with_a_step_that_helps(self, function):
        # It was "convert those that mean numbers": whole numbers are numbers.
        table = pd.DataFrame({"id": range(N_ROWS), "name": [f"n{at}" for at in range(N_ROWS)]})
        with pytest.raises(iim.UnusableTable, match="or rename an id that is a measurement"):
            function(table)

    def test_a_long_list_of_such_columns_is_cut_short(self, function):
        table = pd.DataFrame({f"c{at}": ["x"] for at in range(8)})
        with pytest.raises(
            iim.UnusableTable,
            match=r"'c4': text: 1 different text in 1 row; and 3 more\)\. At least one is needed",
        ):
            function(table)

    def test_arrays_of_dates_are_refused(self, function):
        with pytest.raises(
            iim.UnusableTable,
            match=r"No column holds numbers to work with \('x0': date: dates with times\)",
        ):
            function(np.array([["2020-01-01"]], dtype="datetime64[ns]"))
        with pytest.raises(
            iim.UnusableTable, match=r"No column holds numbers to work with \('x0': date: durations\)"
        ):
            function(np.array([[1]], dtype="timedelta64[s]"))

    def test_positions_are_those_of_the_table(self, function):
        frame = frame_with(name=["x"] * N_ROWS)
        assert names(function(frame, columns=2)) == ["b"]
        assert names(function(frame, columns=["b", 0])) == ["a", "b"]

    @pytest.mark.parametrize("wanted", ["name", 1, ["a", "name"]])
    def test_to_ask_for_one_is_an_error(self, function, wanted):
        message = (
            r"`columns`: columns of numbers are needed; 'name' holds none \(category: 1 different text in "
            r"40 rows\)\. Leave it out"
        )
        with pytest.raises(iim.InvalidParameter, match=message):
            function(frame_with(name=["x"] * N_ROWS), columns=wanted)

    def test_polars(self, function):
        frame = pl.from_pandas(frame_with()).with_columns(
            pl.lit("x").alias("text"),
            pl.lit("x").cast(pl.Categorical).alias("category"),
            pl.lit("x").cast(pl.Enum(["x"])).alias("enum"),
            pl.lit(DAY).alias("date"),
            pl.lit(dt.time(1)).alias("time"),
            pl.lit(dt.timedelta(1)).alias("duration"),
            pl.concat_list("a", "b").alias("list"),
            pl.struct("a", "b").alias("record"),
            pl.lit(b"x").alias("bytes"),
            pl.lit(None).alias("null"),
        )
        assert {name: kind for name, kind in not_used(function(frame)).items() if name != "null"} == {
            "text": "category: 1 different text in 40 rows",
            "category": "category: 1 different text in 40 rows",
            "enum": "category: 1 different text in 40 rows",
            "date": "date: dates",
            "time": "date: times",
            "duration": "date: durations",
            "list": "other: lists",
            "record": "other: records",
            "bytes": "other: bytes",
        }

    def test_lists_of_rows(self, function):
        table = [[*row, "name"] for row in untied(N_ROWS, 2).tolist()]
        result = function(table)
        assert names(result) == ["x0", "x1"]
        assert not_used(result) == {"x2": "category: 1 different text in 40 rows"}


def test_sizes_count_columns_of_numbers():
    found = diagnose(frame_with(name=["x", None] * 20))
    assert (found.n_columns, found.n_missing, found.n_complete) == (2, 0, N_ROWS)


def test_imputers_refuse_such_columns_as_before():
    with pytest.raises(iim.UnusableTable, match="Column 'name' holds text in all 40 known cells"):
        iim.MeanImputer().fit(frame_with(name=["x"] * N_ROWS))


@BOTH
class TestIds:
    @pytest.mark.parametrize(
        ("name", "cells"),
        [
            ("PassengerId", range(1, N_ROWS + 1)),
            ("Unnamed: 0", range(N_ROWS)),
            ("id", [float(row) for row in range(N_ROWS)]),
        ],
    )
    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_an_id_is_set_aside_unless_it_is_asked_for(self, function, name, cells, library):
        frame = frame_with(**{name: list(cells)})
        frame = frame if library == "pandas" else pl.from_pandas(frame)
        result = function(frame)
        assert names(result) == ["a", "b"]
        assert not_used(result) == {name: "id: whole numbers, none missing, none twice"}
        assert names(function(frame, columns=[name, "a"])) == ["a", name]
        assert names(function(frame, columns=iter([1]))) == [name]

    @pytest.mark.parametrize(
        ("name", "cells"),
        [
            ("paid", range(N_ROWS)),
            ("humid", range(N_ROWS)),
            ("customer_id", [0, *range(N_ROWS - 1)]),
            ("customer_id", [None, *range(N_ROWS - 1)]),
            ("customer_id", [row + 0.5 for row in range(N_ROWS)]),
        ],
    )
    def test_a_name_alone_sets_no_column_aside(self, function, name, cells):
        result = function(frame_with(**{name: list(cells)}))
        assert names(result) == ["a", name, "b"]
        assert not_used(result) == {}


def test_a_diagnosis_knows_kind_and_reason_of_every_column():
    found = diagnose(frame_with(id=list(range(N_ROWS)), day=[DAY] * N_ROWS, n=[1, 2] * 20))
    assert {name: kind.kind for name, kind in found.kinds.items()} == {
        "a": "number",
        "id": "id",
        "day": "date",
        "n": "whole number",
        "b": "number",
    }
    assert found.kinds["day"].reason == "dates"


def test_imputers_use_an_id_as_before():
    frame = frame_with(id=list(range(N_ROWS)))
    frame.loc[3, "a"] = np.nan
    filled = iim.IIMImputer().fit_transform(frame)
    same = iim.IIMImputer().fit_transform(frame.rename(columns={"id": "paid"}))
    np.testing.assert_array_equal(filled.to_numpy(), same.to_numpy())


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_a_report_of_an_imputer_that_uses_an_id_counts_the_id():
    frame = frame_with(id=list(range(N_ROWS)), who=["x"] * N_ROWS)
    frame.loc[3, "a"] = np.nan
    imputer = iim.IIMImputer().fit(frame.drop(columns="who"))
    used = iim.summarize(frame, imputer, compare=["mean", "knn"])
    assert (used.missing.n_columns, used.missing.n_set_aside, used.filled.n_filled) == (3, 1, 1)
    new = iim.summarize(frame, "iim", compare=iim.compare(frame, ["mean"], progress=False))
    assert (new.missing.n_columns, new.missing.n_set_aside, new.filled.n_filled) == (2, 2, 1)
    again = iim.summarize(frame, imputer, compare=iim.compare(frame, ["mean"], progress=False))
    assert again.good.comparison.columns == ("a", "b")
