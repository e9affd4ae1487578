"""What kind a column is, and why: one answer for every container."""

import datetime as dt
import decimal
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from iim.table.columns import count_facts
from iim.table.kinds import KINDS, NUMERIC, Facts, declared_kind, is_called_id, kind_of

DAY = dt.date(2020, 1, 1)
IF_AMOUNTS = "make the column numeric if it holds amounts"


def said(cells, name="odd", missing_values=None):
    return str(kind_of(count_facts(name, cells, missing_values)))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1.5, 2.0, None], "number: some numbers have fractions"),
        ([1.0, 2.0, float("nan")], "whole number: no number has a fraction"),
        ([1, 2, 3], "whole number: no number has a fraction"),
        ([10**400, 2], "whole number: no number has a fraction"),
        ([True, False, None], "boolean: True and False only"),
        (["red", "blue", "red", None, "blue"], "category: 2 different texts in 5 rows"),
        (["a", "b", "c"], "text: 3 different texts in 3 rows"),
        (["a"], "text: 1 different text in 1 row"),
        (["0123", "0124", "n/a"], f"text: 2 of 3 texts read as numbers; {IF_AMOUNTS}"),
        (
            ["A/5 21171", "113803", "373450"] * 50,
            f"text: 66 of 100 texts looked at read as numbers; {IF_AMOUNTS}",
        ),
        ([b"x", "y"], "text: 2 different texts in 2 rows"),
        (["2020-01-01", "31.12.2020", None], "date: dates or times written as text"),
        (["10:30", "11:45:10"], "date: dates or times written as text"),
        ([DAY, None], "date: dates"),
        ([np.datetime64("2020-01-01"), None], "date: dates"),
        ([dt.time(1)], "date: times"),
        ([dt.timedelta(1), np.timedelta64(1, "s")], "date: durations"),
        ([None, float("nan")], "empty: no value"),
        ([[1, 2], (3,)], "other: lists"),
        ([{"a": 1}], "other: records"),
        ([1j], "other: objects"),
        ([1, 2, "?"], "whole number: no number has a fraction, beside 1 other cell"),
        ([1, "x", "y", "x", "y"], "category: 2 different texts in 5 rows, numbers in 1 of 5 rows"),
    ],
)
def test_cells_decide_where_no_type_does(cells, expected):
    assert said(cells) == expected


NUMBERS = "whole number: no number has a fraction"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (np.array([1.5]), "number: some numbers have fractions"),
        (np.array([1.0, 2.0], dtype=np.float16), NUMBERS),
        ([decimal.Decimal("NaN"), decimal.Decimal(3), decimal.Decimal("sNaN")], NUMBERS),
        (np.array([1e300]), "number: some numbers have fractions"),
        (np.array([1], dtype=np.uint8), NUMBERS),
        (np.array([True]), "boolean: True and False only"),
        (np.array(["2020"], dtype="datetime64[ns]"), "date: dates with times"),
        (np.array([1, 2], dtype="timedelta64[ns]"), "date: durations"),
        (np.array(["NaT"], dtype="datetime64[ns]"), "empty: no value"),
        (np.array([1j]), "other: complex numbers"),
        (np.array(["a", "b"]), "text: 2 different texts in 2 rows"),
        (np.array([1, DAY, DAY], dtype=object), "date: dates, numbers in 1 of 3 rows"),
        (pd.Series([1, None, 3], dtype="Int64"), NUMBERS),
        (pd.Series([True, None], dtype="boolean"), "boolean: True and False only"),
        (pd.Series(["a", "b", "a"] * 2, dtype="category"), "category: 2 different texts in 6 rows"),
        (pd.Series([3, 1, 2], dtype="category"), "category: categories of numbers"),
        (pd.Series(pd.date_range("2020", periods=2, tz="UTC")), "date: dates with times"),
        (pd.Series(pd.to_timedelta([1, 2])), "date: durations"),
        (pd.Series(pd.period_range("2020", periods=2)), "other: objects"),
        (pl.Series([decimal.Decimal("1.5")]), "number: some numbers have fractions"),
        # Of what the oldest polars and pyarrow do not have, others take the place.
        (pl.Series([1, 2], dtype=getattr(pl, "Int128", pl.Int64)), NUMBERS),
        (pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"])), "category: 2 different texts in 2 rows"),
        (pl.Series([DAY]), "date: dates"),
        (pl.Series([dt.time(1)]), "date: times"),
        (pl.Series([[1.0]]), "other: lists"),
        (pl.Series([{"a": 1}]), "other: records"),
        (pl.Series([b"x"]), "other: bytes"),
        (pl.Series([None]), "empty: no value"),
        (pa.chunked_array([[1, 2], [None]]), NUMBERS),
        (pa.chunked_array([["x", "x"]]).dictionary_encode(), "category: 1 different text in 2 rows"),
        (pa.chunked_array([[dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]]), "date: dates with times"),
        (pa.chunked_array([["x", "y"]]), "text: 2 different texts in 2 rows"),
    ],
)
def test_every_container_has_the_same_kinds(cells, expected):
    assert said(cells) == expected
    assert expected.split(":")[0] in KINDS


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy has this type from 2.0 on")
def test_texts_of_numpys_own_type_are_text():
    texts = np.array(["a", "b", None], dtype=np.dtypes.StringDType(na_object=None))
    assert said(texts) == "text: 2 different texts in 3 rows"


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (pa.float16(), "number"),
        (pa.decimal128(5, 2), "number"),
        (pa.uint8(), "whole number"),
        (pa.bool_(), "boolean"),
        (pa.large_string(), "text"),
        (getattr(pa, "string_view", pa.large_string)(), "text"),
        (pa.dictionary(pa.int8(), pa.string()), "category"),
        (pa.date32(), "date"),
        (pa.timestamp("ns", "UTC"), "date"),
        (pa.time64("ns"), "date"),
        (pa.duration("s"), "date"),
        (pa.null(), "empty"),
        (pa.list_(pa.int8(), 3), "other"),
        (pa.map_(pa.int8(), pa.int8()), "other"),
        (pa.binary(3), "other"),
        (np.dtype("float32"), "number"),
        (np.dtype("<U3"), "text"),
        (np.dtype("timedelta64[s]"), "date"),
        (pd.CategoricalDtype(), "category"),
        (pd.PeriodDtype("D"), "date"),
        (pl.Enum(["a"]), "category"),
    ],
)
def test_types_are_known_by_name(dtype, kind):
    assert declared_kind(dtype).kind == kind


def test_a_type_of_objects_declares_nothing_and_a_strange_one_names_itself():
    assert declared_kind(np.dtype(object)) is None
    strange = declared_kind(pa.run_end_encoded(pa.int32(), pa.int8()))
    assert (strange.kind, strange.reason.startswith("of type run_end_encoded")) == ("other", True)


IDS = (
    *(
        "PassengerId",
        "CustomerID",
        "customer_id",
        "id",
        "ID",
        "Id",
        "IDs",
        "Unnamed: 0",
        "Unnamed: 0.1",
        "Kunden-Nr.",
    ),
    *("uuid", "rowid", "index", "Nr", "No.", "__index_level_0__", "customerKey", "row", "user id"),
    *("id_client", "customerid", "USUBJID", "column 1", "Order No", "ID Kunde", "kundeID", "device.id"),
    *("EmployeeNumber", "Row Number", "record_number", "Kundennummer", "lfdnr", "Record Identifier"),
    *("", "rownames", "row.names", "Row Name"),
)
NO_IDS = (
    *("paid", "humid", "valid", "grid", "solid", "rapid", "PAID", "Humid", "avoid", "covid", "monkey"),
    *("keyboard", "casino", "piano", "no_rooms", "row_count", "index_of_refraction", "Unnamed", "x0"),
    *("1", "indexed", "amid", "Aids", "kids", 3, None),
    *("Number", "number_of_rooms", "Atomic Number", "numbers", "Rank", "GEOID"),
)


@pytest.mark.parametrize("name", IDS)
def test_ids_are_called_as_people_write_names(name):
    assert is_called_id(name)
    assert kind_of(count_facts(name, [3, 1, 2])).kind == "id"


@pytest.mark.parametrize("name", NO_IDS)
def test_a_word_that_ends_as_ids_do_is_no_name_of_one(name):
    assert not is_called_id(name)
    assert kind_of(count_facts(name, [3, 1, 2])).kind == "whole number"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([3, 1, 2], "id: whole numbers, none missing, none twice"),
        (np.array([3.0, 1.0]), "id: whole numbers, none missing, none twice"),
        (np.array([2**60, 2**60 + 1]), "id: whole numbers, none missing, none twice"),
        (["7590-VHVEG", "5575-GNVDE"], "id: texts, none missing, none twice"),
        (["0123", "0124"], "id: texts, none missing, none twice"),
        ([1, 2, 1], NUMBERS),
        ([1, 2, None], NUMBERS),
        ([1.5, 2], "number: some numbers have fractions"),
        ([1], NUMBERS),
        ([True, False], "boolean: True and False only"),
        (["a", "a", "b", "b"], "category: 2 different texts in 4 rows"),
        (["a", "b", None], "text: 2 different texts in 3 rows"),
        (np.array(["2020", "2021"], dtype="datetime64[D]"), "date: dates with times"),
        (pl.Series([DAY, None]), "date: dates"),
    ],
)
def test_a_name_alone_makes_no_id(cells, expected):
    assert said(cells, "customer_id") == expected


@pytest.mark.parametrize("cells", [[0, 0, 1], [0, None, 1], [0.5, 1.5]])
def test_row_labels_that_pandas_kept_are_ids_whatever_is_in_them(cells):
    assert said(cells, "__index_level_1__") == "id: labels of rows, kept by pandas"


def test_marked_cells_are_missing():
    assert said([1, -99, 3], "id", -99) == NUMBERS
    assert said(np.array([1, -99]), "id", -99) == NUMBERS
    assert said(["?", "red", "red", "?"], missing_values="?") == "category: 1 different text in 4 rows"
    assert said(["?", None], missing_values=["?", 3]) == "empty: no value"


class TestPieces:
    @pytest.mark.parametrize("name", ["odd", "id"])
    @pytest.mark.parametrize(
        "cells",
        [
            [1, 2, 3, 4, 5],
            [1, 2.5, None, 4, 5],
            [True, False, None, True, True],
            ["a", "b", "a", "b", "a"],
            ["a", "b", "c", "d", "e"],
            ["2020-01-01", None, None, "2020-01-02", None],
            [DAY, None, DAY, DAY, DAY],
            [None, None, None, [1], [1]],
            [None] * 5,
        ],
    )
    def test_facts_of_pieces_add_up_to_those_of_the_whole(self, name, cells):
        for size in (1, 2, 4):
            pieces = [cells[at : at + size] for at in range(0, 5, size)]
            facts = reduce(add, [count_facts(name, piece) for piece in pieces])
            whole = count_facts(name, cells)
            # Numbers are not remembered: none is twice within a piece.
            assert replace(facts, unique=whole.unique) == whole
            assert kind_of(facts) == kind_of(whole)

    def test_a_text_in_two_pieces_is_twice(self):
        assert said(["x1", "x2"], "id").startswith("id")
        twice = count_facts("id", ["x1", "x2"]) + count_facts("id", ["x2", "x3"])
        assert kind_of(twice).kind == "text"

    def test_a_piece_without_a_known_cell_declares_nothing(self):
        known, empty = pa.chunked_array([[1.5]]), pa.chunked_array([[None]])
        for pieces in ([known, empty], [empty, known]):
            facts = reduce(add, [count_facts("a", piece) for piece in pieces])
            assert (facts.declared.kind, kind_of(facts).kind) == ("number", "number")

    def test_texts_beyond_what_is_remembered_are_many(self):
        texts = [f"{at} words" for at in range(1100)] * 3
        pieces = [count_facts("odd", texts[at : at + 700]) for at in range(0, 3300, 700)]
        assert str(kind_of(reduce(add, pieces))) == "text: more than 1000 different texts in 3300 rows"

    def test_counts_alone_are_enough(self):
        footer = Facts("a", declared_kind(pa.string()), n_rows=9, n_known=7, n_texts=7, texts=None)
        assert str(kind_of(footer)) == "text: text"


def test_which_columns_methods_can_use():
    kinds = {kind_of(count_facts("a", cells)) for cells in ([1], [1.5], [True])}
    assert {one.kind for one in kinds} == NUMERIC
    assert all(one.is_numeric and one.readable for one in kinds)
    for name, cells in (("id", [1, 2]), ("a", pd.Series([1], dtype="category"))):
        kind = kind_of(count_facts(name, cells))
        assert (kind.is_numeric, kind.readable) == (False, True)
    assert not kind_of(count_facts("id", ["a", "b"])).readable
