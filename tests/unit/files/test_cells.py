"""Cells as numbers, checked against Python's own reading of numbers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.files.cells import Reader, read_cells, texts_at
from iim.files.fields import Dialect, as_table

TABS = Dialect("\t")


def read(cells, reader=None):
    data = "".join(f"{cell}\tend\n" for cell in cells).encode()
    fields = as_table(data, TABS, 2, name="t.csv", first_line=1)
    found = read_cells(fields, np.array([0]), reader or Reader())
    return SimpleNamespace(
        values=found.values[:, 0],
        missing=found.missing[:, 0],
        other=(np.isnan(found.values) & ~found.missing)[:, 0],
        written_whole=not found.marked.any(),
    )


def test_numbers_holes_and_others():
    cells = read(["1", "-2.50", "1e3", "", "NA", "null", "abc", "1_000", "inf", "1e999", "2020-01-01"])
    np.testing.assert_array_equal(cells.values[:3], [1.0, -2.5, 1000.0])
    assert cells.missing.tolist() == [False] * 3 + [True] * 3 + [False] * 5
    assert cells.other.tolist() == [False] * 6 + [True] * 5
    assert not cells.written_whole
    assert read(["1", "NA", "-7"]).written_whole


@pytest.mark.parametrize("marker", ["", "NA", "n/a", "N/A", "#N/A", "NaN", "nan", "NULL", "None", "<NA>"])
def test_the_usual_markers_are_missing(marker):
    assert read([marker, "1"]).missing.tolist() == [True, False]


def test_markers_are_text_or_numbers_by_value():
    cells = read(["-200", "-200.0", "-2e2", "?", "200", "-200x"], Reader(na=("-200", "?")))
    assert cells.missing.tolist() == [True, True, True, True, False, False]
    assert cells.other.tolist() == [False] * 5 + [True]
    assert cells.written_whole


def test_decimal_commas():
    cells = read(["1,5", "2", "1.5", "-0,25"], Reader(decimal=","))
    np.testing.assert_array_equal(cells.values, [1.5, 2.0, np.nan, -0.25])
    assert cells.other.tolist() == [False, False, True, False]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_any_number_is_read_exactly(numbers):
    for write in (repr, "{:.25e}".format, "{:.50e}".format):
        np.testing.assert_array_equal(read([write(number) for number in numbers]).values, numbers)


@given(st.lists(st.text(alphabet="0123456789+-.eE", max_size=9), min_size=1, max_size=20))
def test_what_is_a_number_is_what_python_says(texts):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return math.nan

    found = read(texts)
    expected = [number(text) for text in texts]
    finite = [value if math.isfinite(value) else math.nan for value in expected]
    np.testing.assert_array_equal(found.values, finite)
    assert found.missing.tolist() == [not text for text in texts]


def test_a_long_column_is_read_in_parts(monkeypatch):
    cells = [str(number) for number in range(1000)]
    cells[500] = "word"
    whole = read(cells)
    monkeypatch.setattr("iim.files.cells.AT_ONCE", 7)
    parts = read(cells)
    np.testing.assert_array_equal(parts.values, whole.values)
    assert np.flatnonzero(parts.other).tolist() == [500]


def test_the_text_of_a_cell():
    data = '" say ""hé"" "\tend\n'.encode()
    fields = as_table(data, TABS, 2, name="t.csv", first_line=1)
    assert texts_at(fields, [0, 0], [0, 1], Reader()) == ['say "hé"', "end"]
