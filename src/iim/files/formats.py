"""The formats of files, a row each, and their protocol.

A new format is one module with a :class:`Source` and a writing function, and one row in ``FORMATS``.
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
    """A file that is read once, from start to end, in pieces of its own kind.

    Attributes
    ----------
    name, format : str
        Its name in messages, and its key in ``FORMATS``.
    columns : tuple of str
        Names of its columns, each once.
    notices : tuple of str
        Notes for the user.
    markers : tuple of float or str
        More marks of missing values.
    declared : mapping of str to ColumnKind
        Kinds declared by the file; cells decide the others.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    notices: tuple[str, ...]
    markers: tuple[float | str, ...]
    declared: Mapping[str, ColumnKind]

    def pieces(self) -> Iterator[Any]:
        """All pieces of the file."""

    def fraction(self) -> float:
        """Share of the file that has been read, from 0 to 1."""

    def numbers(self, piece: Any, names: Sequence[str], *, every: bool) -> Any:
        """An Arrow table with the numbers of a piece; null or NaN in missing cells."""

    def hole_row(self, names: Sequence[str]) -> Sequence[Any]:
        """A row of missing cells, by column, in the types of the numbers."""

    def facts(self, frame: Any) -> Iterator[Facts]:
        """Facts about columns over all pieces; the numbers of ``frame`` may be a sample."""

    def writes_whole(self, name: str) -> bool | None:
        """Whether a text file has written all numbers of a column so far as whole ones; None if unknown."""

    def refuse_texts(self, names: Sequence[str], leave_out: str | None = None) -> None:
        """Raise if some needed columns hold text; ``leave_out`` is the advice in the message."""

    def arrow_schema(self, types: Mapping[str, Any]) -> Any:
        """All columns with their types, with those given for filled columns: for formats of Arrow."""

    def arrow_table(self, piece: Any, schema: Any) -> Any:
        """A piece as an Arrow table: for formats of Arrow."""

    def texts(self, piece: Any, fills: Fills) -> Sequence[Sequence[str | None]]:
        """The cells of a piece by column, with fills: for text."""


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    endings : tuple of str
        Endings of file names, without ``.gz``.
    read : callable
        Makes a source from the bytes, the options of the user, and the marks of missing values.
    write : callable
        Writes pieces with their fills. Its arguments are a source, the requested format (None is that of
        the source), Arrow types of the filled columns, the pieces, and the output.
    first_bytes : bytes
        First bytes of such files; empty for text.
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
    """Write text, in the encoding of the input.

    Text with the same delimiter keeps its bytes. The delimiter changes only if a format is requested, since
    files with tabs may have the ending .csv.
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
    """Cells as text, from Arrow or for another delimiter; cells of text files keep their text."""
    header, mark = source.header, source.mark
    for piece, _, fills in pieces:
        text = io.StringIO()
        # Not with Arrow, which quotes every text.
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
"""Formats to read and write; text may be compressed with gzip."""

NOT_WRITTEN = (".xlsx", ".xls", ".ods", ".json", ".html", ".db", ".sqlite", ".zip", ".bz2", ".xz", ".zst")
"""Endings of formats that are not written."""

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
"""First bytes of other files that are sometimes taken for tables."""


def format_of_name(path: str) -> str | None:
    """The format of a name's ending; None if it has none."""
    ending = PurePath(path.lower().removesuffix(".gz")).suffix
    return next((key for key, kind in FORMATS.items() if ending in kind.endings), None)


def format_of_output(path: str, said: str | None) -> str | None:
    """The format requested for an output, by option or name; None if neither."""
    if said is None and path.lower().endswith(NOT_WRITTEN):
        ending = PurePath(path).suffix
        raise InvalidParameter(
            f"Files that end with {ending} are not written: one of {', '.join(FORMATS)} is needed. Give "
            f"{path} another ending, or set the format with --output-format."
        )
    return said or format_of_name(path)


def open_source(opened: Opened, layout: Layout, na: tuple[str, ...]) -> Source:
    """Open a file in its format, by option, by name and by its first bytes.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        Options of the user. A file that does not match them is an error.
    na : tuple of str
        More marks of missing values.

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
            f"{opened.name} holds {found.capitalize()}, not {said.upper()}. Give it its own ending, "
            f"or add --format {found}."
        )
    return FORMATS[found or said or "csv"].read(opened, layout, na)
