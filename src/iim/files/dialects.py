"""How a text file separates cells and writes decimals: as the user says, or found in its first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from iim.exceptions import InvalidParameter, UnusableTable
from iim.files.fields import Marks, find_fields
from iim.files.layouts import Layout

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters that are tried; of equally good ones, the first is taken."""

LOOKED_AT = 200
"""Lines that are looked at."""

DECIMALS = {
    ".": re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?|[+-]?\d+\.?([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?|[+-]?\d+,?([eE][+-]?\d+)?"),
}
"""Numbers, by decimal mark."""

THOUSANDS = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}([{mark}]\d{{3}})+") for mark in ",."}
"""Numbers whose marks may stand between thousands."""


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes
    ----------
    delimiter : str
        Between cells.
    decimal : {".", ","}
        The decimal mark.
    newline : str
        At the end of a line; a carriage return before it belongs to it.
    """

    delimiter: str
    decimal: str
    newline: str

    @property
    def marks(self) -> Marks:
        """What separates, as bytes."""
        return Marks(ord(self.delimiter), ord(self.newline))


def find_dialect(head: bytes, layout: Layout, *, complete: bool) -> Dialect:
    """The dialect of a file.

    Parameters
    ----------
    head : bytes
        Its beginning.
    layout : Layout
        What the user says.
    complete : bool
        Whether that is all of the file.

    Returns
    -------
    Dialect
    """
    _check_said(layout)
    newline = "\n" if b"\n" in head or b"\r" not in head else "\r"
    lines = _first_lines(head, newline, complete=complete)
    said = "\t" if layout.format == "tsv" and layout.delimiter is None else layout.delimiter
    delimiter = said or max(DELIMITERS, key=lambda tried: _score(lines, tried, newline))
    decimal = layout.decimal or _find_decimal(lines, delimiter, newline)
    if decimal == delimiter and layout.delimiter is not None and layout.decimal is not None:
        raise InvalidParameter(f"Delimiter and decimal mark are both {decimal!r}. They have to differ.")
    return Dialect(delimiter, decimal, newline)


def _check_said(layout: Layout) -> None:
    delimiter, decimal = layout.delimiter, layout.decimal
    if delimiter is not None and (
        len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0' or delimiter.isalnum()
    ):
        raise InvalidParameter(
            "Delimiter: one character of ASCII, no letter, digit or quote, is needed; received "
            f"{delimiter!r}."
        )
    if decimal not in (None, ".", ","):
        raise InvalidParameter(f"Decimal mark: '.' or ',' is needed; received {decimal!r}.")


def _first_lines(head: bytes, newline: str, *, complete: bool) -> bytes:
    ends = [at for at, byte in enumerate(head[: 1 << 16]) if byte == ord(newline)][:LOOKED_AT]
    if complete and len(ends) < LOOKED_AT and len(head) < 1 << 16:
        return head
    return head[: ends[-1] + 1] if ends else head


def _score(lines: bytes, delimiter: str, newline: str) -> tuple[Any, ...]:
    """How well a delimiter cuts the first lines: into as many cells each, into numbers, into many."""
    cells, n_fields = _cut(lines, delimiter, newline)
    if not n_fields or n_fields[0] < 2:
        return (0.0, 0.0, 0)
    alike = sum(count == n_fields[0] for count in n_fields) / len(n_fields)
    numbers = sum(any(form.fullmatch(cell) for form in DECIMALS.values()) for cell in cells)
    return (round(alike, 1), numbers / len(cells), n_fields[0])


def _cut(lines: bytes, delimiter: str, newline: str) -> tuple[list[str], list[int]]:
    starts, ends, n_fields = find_fields(lines, Marks(ord(delimiter), ord(newline)))
    # Only what is written in ASCII matters here.
    cells = [
        lines[start:end].decode("ascii", "replace").strip(' \t"')
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return cells, n_fields.tolist()


def _find_decimal(lines: bytes, delimiter: str, newline: str) -> str:
    cells, _ = _cut(lines, delimiter, newline)
    commas = [cell for cell in cells if "," in cell and DECIMALS[","].fullmatch(cell)]
    points = [cell for cell in cells if "." in cell and DECIMALS["."].fullmatch(cell)]
    if not commas:
        return "."
    if points:
        # "1.234" beside "2,5" is a thousand and more: which is not read, but not taken for 1.234, either.
        between_thousands = all(THOUSANDS["."].fullmatch(cell) for cell in points)
        return "," if between_thousands and delimiter != "," else "."
    if delimiter == "," and all(THOUSANDS[","].fullmatch(cell) for cell in commas):
        # "1,234" between commas: rather a thousand than one and a bit; not for us to decide.
        return "."
    return ","


def check_header(names: list[str], name: str, layout: Layout) -> None:
    """Refuse a first line of nothing but numbers, unless the user says that it names the columns."""
    if layout.header is None and names and all(_is_number(cell) for cell in names):
        raise UnusableTable(
            f"{name}: the first line holds nothing but numbers ({', '.join(names[:3])} ...). If it names "
            "the columns, say so with --header; if the file has no such line, with --no-header."
        )


def _is_number(cell: str) -> bool:
    return any(form.fullmatch(cell.strip()) for form in DECIMALS.values())
