"""Columns that are no numbers do not keep compare and diagnose from the others."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import iim
from iim.table._kinds import TEXT_OF_NUMBERS
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
            ([f"patient {row}" for row in range(N_ROWS)], "text"),
            (["x", None] * 20, "text"),
            (pd.array(["x", pd.NA] * 20, dtype="string"), "text"),
            ([b"x", "y"] * 20, "text"),
            (["0123", "0124", "n/a", "0125"] * 10, TEXT_OF_NUMBERS),
            (pd.Categorical(["red", "blue"] * 20), "categories"),
            (pd.date_range("2020", periods=N_ROWS), "dates"),
            (pd.date_range("2020", periods=N_ROWS, tz="UTC"), "dates"),
            ([DAY, None] * 20, "dates"),
            ([dt.time(1)] * N_ROWS, "times"),
            (pd.to_timedelta(range(N_ROWS), unit="s"), "durations"),
            ([[1, 2]] * N_ROWS, "lists"),
            ([np.array([1.0])] * N_ROWS, "lists"),
            ([{"a": 1}] * N_ROWS, "records"),
            ([1j, DAY] * 20, "objects"),
            (pd.period_range("2020", periods=N_ROWS), "objects"),
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
        assert not_used(function(frame, missing_values="?")) == {"odd": "text"}

    def test_markers_and_nothing_else_are_a_column_of_which_nothing_is_known(self, function):
        result = function(frame_with(odd=["?", None] * 20), missing_values="?")
        assert not_used(result).get("odd") != "text"

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
        with pytest.raises(iim.UnusableTable, match=r"No column holds numbers \('.*': text; '.*': dates\)"):
            function(table)

    def test_a_long_list_of_such_columns_is_cut_short(self, function):
        table = pd.DataFrame({f"c{at}": ["x"] for at in range(8)})
        with pytest.raises(iim.UnusableTable, match=r"'c4': text; and 3 more\)\. At least one"):
            function(table)

    def test_arrays_of_dates_are_refused(self, function):
        with pytest.raises(iim.UnusableTable, match=r"No column holds numbers \('x0': dates\)"):
            function(np.array([["2020-01-01"]], dtype="datetime64[ns]"))
        with pytest.raises(iim.UnusableTable, match=r"No column holds numbers \('x0': durations\)"):
            function(np.array([[1]], dtype="timedelta64[s]"))

    def test_positions_are_those_of_the_table(self, function):
        frame = frame_with(name=["x"] * N_ROWS)
        assert names(function(frame, columns=2)) == ["b"]
        assert names(function(frame, columns=["b", 0])) == ["a", "b"]

    @pytest.mark.parametrize("wanted", ["name", 1, ["a", "name"]])
    def test_to_ask_for_one_is_an_error(self, function, wanted):
        message = r"`columns`: columns of numbers are needed; 'name' holds none \(text\)"
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
            "text": "text",
            "category": "categories",
            "enum": "categories",
            "date": "dates",
            "time": "times",
            "duration": "durations",
            "list": "lists",
            "record": "records",
            "bytes": "bytes",
        }

    def test_lists_of_rows(self, function):
        table = [[*row, "name"] for row in untied(N_ROWS, 2).tolist()]
        result = function(table)
        assert names(result) == ["x0", "x1"]
        assert not_used(result) == {"x2": "text"}


def test_sizes_count_columns_of_numbers():
    found = diagnose(frame_with(name=["x", None] * 20))
    assert (found.n_columns, found.n_missing, found.n_complete) == (2, 0, N_ROWS)


def test_imputers_refuse_such_columns_as_before():
    with pytest.raises(iim.UnusableTable, match="Column 'name' holds text in 40 of 40 rows"):
        iim.MeanImputer().fit(frame_with(name=["x"] * N_ROWS))
