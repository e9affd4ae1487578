"""The formats of files: a row each, and what every one of them has to do.

A new format is one module with a :class:`Source` and a function that writes, and one row in ``FORMATS``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Protocol

from iim.exceptions import InvalidParameter, UnusableTable
from iim.files.arrow import FeatherSource, ParquetSource, write_arrow
from iim.files.cells import Filled, Fills
from iim.files.dialects import Layout
from iim.files.streams import Opened, Output
from iim.files.text import TextSource
from iim.table.kinds import ColumnKind, Facts


class Source(Protocol):
    """A file that is read once, from its beginning to its end, in pieces of its own kind.

    Attributes
    ----------
    name, format : str
        What to call it in messages, and the row of ``FORMATS`` that it is.
    columns : tuple of str
        Names of its columns, each once.
    notices : tuple of str
        What a user should be told.
    markers : tuple of float or str
        What means "missing" besides the usual.
    declared : mapping of str to ColumnKind
        What the file declares of columns; the cells decide of others.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    notices: tuple[str, ...]
    markers: tuple[float | str, ...]
    declared: Mapping[str, ColumnKind]

    def pieces(self) -> Iterator[Any]:
        """All of the file."""

    def fraction(self) -> float:
        """How much of it is read, from 0 to 1."""

    def numbers(self, piece: Any, names: Sequence[str], *, every: bool) -> Any:
        """A table of Arrow with the numbers of a piece; null or NaN where they are missing."""

    def hole_row(self, names: Sequence[str]) -> Sequence[Any]:
        """A row of nothing but holes, by column, in the types that numbers have."""

    def facts(self, frame: Any) -> Iterator[Facts]:
        """What was found in all pieces of columns whose numbers, perhaps of some rows, are given."""

    def writes_whole(self, name: str) -> bool | None:
        """Whether text has written all numbers of a column as whole ones so far; None if unknown."""

    def refuse_texts(self, names: Sequence[str], leave_out: str | None = None) -> None:
        """Raise if some columns, which are needed, hold text; ``leave_out`` says how to do without."""

    def arrow_schema(self, types: Mapping[str, Any]) -> Any:
        """All columns with their types, those of filled columns given: for formats of Arrow."""

    def arrow_table(self, piece: Any, schema: Any) -> Any:
        """A piece as a table of Arrow: for formats of Arrow."""

    def texts(self, piece: Any, fills: Fills) -> Sequence[Sequence[str | None]]:
        """The cells of a piece by column, its holes filled: for text."""


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    endings : tuple of str
        Of the names of such files, ``.gz`` aside.
    read : callable
        Makes a source from the bytes, what the user says of them, and what else is missing.
    write : callable
        Writes pieces with their fills; it gets a source, the format that was asked for (None is that of the
        source), types of Arrow of the columns that are filled, the pieces, and the output.
    first_bytes : bytes
        How such files begin; empty for text.
    """

    endings: tuple[str, ...]
    read: Callable[[Opened, Layout, tuple[str, ...]], Source]
    write: Callable[[Any, str | None, Mapping[str, Any], Iterable[Filled], Output], None]
    first_bytes: bytes = b""


def write_text(
    source: Any,
    named: str | None,
    types: Mapping[str, Any],
    pieces: Iterable[Filled],
    output: Output,
) -> None:
    """Write text, in the encoding that the file came in.

    Text that keeps its delimiter keeps its bytes. A delimiter changes only if a format was asked for: tabs
    may be called .csv.
    """
    del types
    delimiter = source.delimiter
    if delimiter is None or named not in (None, source.named):
        delimiter = "\t" if named == "tsv" else "," if delimiter in (None, "\t") else delimiter
    parts = (
        (source.splice(piece, fills) for piece, _, fills in pieces)
        if delimiter == source.delimiter
        else _cells_as_text(source, delimiter, pieces)
    )
    encode = source.encoder and source.encoder()
    for part in parts:
        output.write(part if encode is None else encode(part, False))  # noqa: FBT003
    if encode is not None:
        output.write(encode(b"", True))  # noqa: FBT003


def _cells_as_text(source: Any, delimiter: str, pieces: Iterable[Filled]) -> Iterator[bytes]:
    """Text made of cells: from Arrow, or with another delimiter; cells of text files keep their text."""
    header, mark = source.header, source.mark
    for piece, _, fills in pieces:
        text = io.StringIO()
        # Not by Arrow, which puts every text in quotes.
        writer = csv.writer(text, delimiter=delimiter, lineterminator=source.line_end)
        if header is not None:
            writer.writerow(header)
        writer.writerows(zip(*source.texts(piece, fills), strict=True))
        yield mark + text.getvalue().encode(source.letters, errors="surrogateescape")
        header, mark = None, b""


FORMATS = {
    "csv": Format((".csv",), TextSource, write_text),
    "tsv": Format((".tsv", ".tab"), TextSource, write_text),
    "parquet": Format((".parquet", ".pq"), ParquetSource, write_arrow, b"PAR1"),
    "feather": Format((".feather", ".arrow", ".ipc"), FeatherSource, write_arrow, b"ARROW1"),
}
"""Formats that are read and written; text may be compressed with gzip."""

NOT_WRITTEN = (".xlsx", ".xls", ".ods", ".json", ".html", ".db", ".sqlite", ".zip", ".bz2", ".xz", ".zst")
"""Endings that promise what is not written here."""

OTHER_FIRST_BYTES = {
    b"PK\x03\x04": "a zip file, or a workbook of Excel or LibreOffice",
    b"\xd0\xcf\x11\xe0": "an old workbook of Excel",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\x89HDF": "an HDF5 file",
    b"FEA1": "Feather of version 1",
}
"""How other files begin that are taken for tables."""


def format_of_name(path: str) -> str | None:
    """The format that the ending of a name tells; None if it tells none."""
    ending = PurePath(path.lower().removesuffix(".gz")).suffix
    return next((key for key, kind in FORMATS.items() if ending in kind.endings), None)


def format_of_output(path: str, said: str | None) -> str | None:
    """The format that an output is asked for in, by the user or by its name; None if by neither."""
    if said is None and path.lower().endswith(NOT_WRITTEN):
        ending = PurePath(path).suffix
        raise InvalidParameter(
            f"Files that end with {ending} are not written: one of {', '.join(FORMATS)} is needed. Give "
            f"{path} another ending, or say the format with --output-format."
        )
    return said or format_of_name(path)


def open_source(opened: Opened, layout: Layout, na: tuple[str, ...]) -> Source:
    """A file in its format, by what the user says, by its name and by its first bytes.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        What the user says of it. A file that is not what it is said to be is an error.
    na : tuple of str
        What means "missing" besides the usual.

    Returns
    -------
    Source
    """
    layout = replace(layout, format=layout.format or format_of_name(opened.path))
    head, said = opened.head(), layout.format
    begun = (key for key, kind in FORMATS.items() if kind.first_bytes and head.startswith(kind.first_bytes))
    found = next(begun, None)
    if found is None:
        what = next((what for start, what in OTHER_FIRST_BYTES.items() if head.startswith(start)), None)
        if what is not None:
            raise UnusableTable(f"{opened.name} is {what}. Export the table as CSV or Parquet.")
    if found is None and said is not None and FORMATS[said].first_bytes:
        raise UnusableTable(
            f"{opened.name} is not a {said.capitalize()} file, or a damaged one: it does not begin as one "
            "does."
        )
    if found is not None and said is not None and said != found:
        raise UnusableTable(
            f"{opened.name} holds {found.capitalize()}, not {said.upper()}. Give it its own ending, or say "
            f"so with --format {found}."
        )
    return FORMATS[found or said or "csv"].read(opened, layout, na)
