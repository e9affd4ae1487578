"""Records as tables and frames: a field is a column."""

from dataclasses import dataclass, field
from typing import Any

from iim.present.records import (
    count_cell,
    digits_cell,
    hundredths_cell,
    name_cell,
    record_columns,
    record_table,
    shown_as,
    thousandths_cell,
)
from iim.present.tables import Head, number


@dataclass(frozen=True)
class Row:
    column: Any = field(metadata=shown_as("who", name_cell, "name"))
    hidden: float
    error: float = field(metadata=shown_as("error", digits_cell))
    part: int = field(
        metadata=shown_as("part", lambda value, _, whole: number(value, f"{value} of {whole}"))
    )


ROWS = [Row(0, 1.0, 0.123456, 1), Row("b", 2.0, float("nan"), 2)]


def test_shown_fields_are_columns_in_order():
    table = record_table("Rows", ROWS, 5, most=1)
    assert table.heads == (Head("who", "name"), Head("error"), Head("part"))
    ((who, error, part),) = table.rows
    assert (who.names, error.text, error.value, part.text) == (("0",), "0.1235", 0.123456, "1 of 5")
    assert table.n_left_out == 1


def test_all_fields_are_columns_of_a_frame_and_names_become_text():
    columns = record_columns(ROWS, Row)
    assert list(columns) == ["column", "hidden", "error", "part"]
    assert columns["column"] == ["0", "b"]
    assert record_columns([], Row) == {"column": [], "hidden": [], "error": [], "part": []}


def test_numbers_have_a_fixed_number_of_decimals_and_dashes():
    assert [digits_cell(value).text for value in (1.0, 12345.6, None)] == ["1", "12,346", "–"]
    assert [thousandths_cell(value).text for value in (0.0001, float("nan"))] == ["0.000", "–"]
    assert (hundredths_cell(1.5).text, count_cell(12345).text) == ("1.50", "12345")
