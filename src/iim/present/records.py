"""Tables of records: the metadata of a dataclass field say how to show it, so a new column is one field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Literal

from iim.present.numbers import fixed
from iim.present.tables import MOST_ROWS, Cell, Head, Table, build_table, name, number

Show = Callable[..., Cell]
"""Makes a cell from the value of a field, the record, and the result that the record belongs to."""


def shown_as(head: str, show: Show, kind: Literal["number", "name", "words"] = "number") -> dict[str, Any]:
    """Metadata of a field that is a column of a table; fields without it are in frames and JSON only.

    Parameters
    ----------
    head : str
        Heading of the column.
    show : callable
        Makes the cell.
    kind : {"number", "name", "words"}, default="number"
        Kind of the cells.

    Returns
    -------
    dict
        For ``dataclasses.field(metadata=...)``.
    """
    return {"head": Head(head, kind), "show": show}


def record_table(caption: str, records: Sequence[Any], result: Any, *, most: int = MOST_ROWS) -> Table:
    """A table with a row for each record, and a column for each field that has metadata.

    Parameters
    ----------
    caption : str
        Caption of the table.
    records : sequence of dataclass instances
        All of one class, at least one.
    result : object
        The result they belong to, for cells that depend on it.
    most : int
        Rows shown, at most.

    Returns
    -------
    Table
    """
    columns = [field for field in dataclasses.fields(records[0]) if "show" in field.metadata]
    rows = [
        [field.metadata["show"](getattr(record, field.name), record, result) for field in columns]
        for record in records
    ]
    return build_table(caption, [field.metadata["head"] for field in columns], rows, most=most)


def record_columns(records: Sequence[Any], kind: type[Any]) -> dict[str, list[Any]]:
    """All fields of records as columns of a frame; names in ``column`` become text, to have one type."""
    columns = {
        field.name: [getattr(record, field.name) for record in records]
        for field in dataclasses.fields(kind)
    }
    if "column" in columns:
        columns["column"] = list(map(str, columns["column"]))
    return columns


def name_cell(value: Any, *_: Any) -> Cell:
    """A name."""
    return name(value)


def count_cell(value: int, *_: Any) -> Cell:
    """A count, without commas."""
    return number(value, str(value))


def digits_cell(value: float | None, *_: Any) -> Cell:
    """Four digits of a number."""
    return number(value, digits=4)


def thousandths_cell(value: float, *_: Any) -> Cell:
    """A number with three decimals, or a dash."""
    return number(value, fixed(value, 3))


def hundredths_cell(value: float, *_: Any) -> Cell:
    """A number with two decimals, or a dash."""
    return number(value, fixed(value, 2))
