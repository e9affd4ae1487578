"""What can be looked at as a table, and what to do with what cannot."""

import pathlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import iim
from iim.table.tables import read_table


def test_a_text_marker_in_a_list_of_rows_leaves_the_numbers_numbers():
    reading = read_table([[1.0, "?"], [2.0, 3.0]], "?")
    assert reading.set_aside == {}
    np.testing.assert_array_equal(reading.matrix.values, [[1.0, np.nan], [2.0, 3.0]])
    assert reading.matrix.missing.tolist() == [[False, True], [False, False]]


def test_text_that_marks_nothing_is_refused_by_cell():
    with pytest.raises(
        iim.UnusableTable, match=r"Column 'x1' holds text in 1 of 2 rows \(first: row 0, '\?'"
    ):
        read_table([[1.0, "?"], [2.0, 3.0]], np.nan)


def test_an_array_of_text_stays_text():
    with pytest.raises(
        iim.UnusableTable,
        match=r"No column holds numbers to work with \('x0': text: 1 of 1 texts read",
    ):
        read_table(np.array([["1", "2"]]), np.nan)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": [1.0, 2.0]}, r"received dict\. Make a frame of it first, .*`pandas\.DataFrame"),
        ("table.csv", r"received str\. If it names a file, read that first"),
        (pathlib.Path("table.csv"), r"received \w+Path\. If it names a file, read that first"),
        (scipy.sparse.csr_matrix(np.eye(2)), r"received csr_matrix\. .* call its `\.toarray\(\)`"),
        (scipy.sparse.coo_array(np.eye(2)), r"received coo_array\. .* call its `\.toarray\(\)`"),
        (np.arange(3.0), r"received ndarray with 1 dimension\(s\)\. .*`reshape\(-1, 1\)`"),
        ([1.0, 2.0], r"received list with 1 dimension\(s\)\. .*`reshape\(-1, 1\)`"),
        (pd.Series([1.0]), r"received Series with 1 dimension\(s\)\. .*`to_frame\(\)`"),
        (pl.Series([1.0]), r"received Series with 1 dimension\(s\)\. .*`to_frame\(\)`"),
        ([{"a": 1.0}], r"received list with 1 dimension\(s\)\. Make a frame of these records first"),
        (np.zeros((2, 2, 2)), r"with 3 dimension\(s\)\. Give a two-dimensional array or a frame\.$"),
        (None, r"received NoneType with 0 dimension\(s\)\. Give a two-dimensional"),
        ([[1.0, 2.0], [3.0]], r"rows of equal length: .*[^.]\.$"),
    ],
)
def test_what_is_no_table_is_told_its_next_step(table, message):
    with pytest.raises(iim.UnusableTable, match=message):
        read_table(table, np.nan)
