"""Pieces of a table with their fills, written in the format of the output.

=============== ======================================= ====================
input           output                                  sink
=============== ======================================= ====================
text            text of the same delimiter              SpliceSink
text            text of another                         RecutSink
text or Arrow   Parquet or Feather                      ArrowSink
Arrow           text                                    TextSink
=============== ======================================= ====================
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from iim.exceptions import UnusableTable
from iim.files.arrow import ArrowFile, filled_type, load_arrow, with_fills
from iim.files.cells import read_cells, texts_of
from iim.files.layouts import TEXT_FORMATS
from iim.files.output import Output
from iim.files.piece_fills import Fills, splice, write_numbers
from iim.files.text import Block, TextFile


class Sink(Protocol):
    """What takes pieces."""

    def put(self, piece: Any, fills: Fills) -> None:
        """Write the next piece with its fills."""

    def close(self) -> None:
        """Write what belongs at the end."""


@dataclass(frozen=True)
class Written:
    """How columns are written.

    Attributes
    ----------
    whole : mapping
        By column of numbers in text: whether they are written as whole numbers.
    types : mapping
        By column: the type of Arrow that its numbers have once it is filled. Columns of text files that are
        not here are text in Parquet and Feather.
    """

    whole: Mapping[str, bool]
    types: Mapping[str, Any]


def open_sink(source: TextFile | ArrowFile, named: str | None, written: Written, output: Output) -> Sink:
    """The sink for an input and an output.

    Parameters
    ----------
    source : TextFile or ArrowFile
        Where pieces come from.
    named : str or None
        The format that the output is asked for in; None is that of the input.
    written : Written
        How columns are written.
    output : Output
        Where bytes go.

    Returns
    -------
    Sink
    """
    if isinstance(source, ArrowFile):
        kind = named or source.kind
        return TextSink(kind, output) if kind in TEXT_FORMATS else ArrowSink(source, kind, written, output)
    if named is not None and named not in TEXT_FORMATS:
        return ArrowSink(source, named, written, output)
    delimiter = source.dialect.delimiter
    if named is not None and named != source.named:
        # Only a format that was asked for changes a delimiter: a file of tabs may be called .csv.
        delimiter = "\t" if named == "tsv" else "," if delimiter == "\t" else delimiter
    if delimiter == source.dialect.delimiter:
        return SpliceSink(written, output)
    return RecutSink(source, delimiter, written, output)


class SpliceSink:
    """Text as it was, holes exchanged."""

    def __init__(self, written: Written, output: Output) -> None:
        self._written = written
        self._output = output

    def put(self, piece: Block, fills: Fills) -> None:
        """Write the next piece with its fills."""
        self._output.write(splice(piece, fills, self._written.whole))

    def close(self) -> None:
        """Nothing belongs at the end."""


class RecutSink:
    """Text with another delimiter; cells keep their text."""

    def __init__(self, source: TextFile, delimiter: str, written: Written, output: Output) -> None:
        self._source = source
        self._delimiter = delimiter
        self._written = written
        self._output = output

    def put(self, piece: Block, fills: Fills) -> None:
        """Write the next piece with its fills."""
        text = io.StringIO()
        writer = csv.writer(
            text, delimiter=self._delimiter, lineterminator="\r\n" if b"\r\n" in piece.data else "\n"
        )
        marked = piece.before.startswith(codecs.BOM_UTF8)
        if piece.before.removeprefix(codecs.BOM_UTF8):
            writer.writerow(self._source.header)
        columns = [self._cells(piece, fills, name) for name in self._source.columns]
        writer.writerows(zip(*columns, strict=True))
        letters = self._source.decoded.letters
        self._output.write(
            codecs.BOM_UTF8 * marked + text.getvalue().encode(letters, errors="surrogateescape")
        )

    def close(self) -> None:
        """Nothing belongs at the end."""

    def _cells(self, piece: Block, fills: Fills, name: str) -> list[str]:
        cells = texts_of(piece.fields, self._source.positions[name], self._source.reader)
        if name in fills:
            whole, decimal = self._written.whole.get(name, False), self._source.dialect.decimal
            texts = write_numbers(fills[name].values, whole=whole, decimal=decimal)
            for row, text in zip(fills[name].rows.tolist(), texts, strict=True):
                cells[row] = text
        return cells


class ArrowSink:
    """Parquet or Feather, a group of rows for each piece."""

    def __init__(self, source: TextFile | ArrowFile, kind: str, written: Written, output: Output) -> None:
        pa = load_arrow()
        self._columns = source.columns
        self._written = written
        if isinstance(source, ArrowFile):
            original = source.schema
        else:
            original = pa.schema(
                [pa.field(name, written.types.get(name, pa.string())) for name in source.columns]
            )
        self._schema = pa.schema(
            [
                field.with_type(self._type_of(name, field.type, kind, source))
                for name, field in zip(self._columns, original, strict=True)
            ],
            metadata=original.metadata,
        )
        self._writer: Any
        if kind == "parquet":
            import pyarrow.parquet as pq  # noqa: PLC0415 (slow to load)

            compression = getattr(source, "compression", None) or "snappy"
            self._writer = pq.ParquetWriter(
                output, self._schema, compression=_writable_compression(compression)
            )
        else:
            options = pa.ipc.IpcWriteOptions(compression="lz4", emit_dictionary_deltas=True)
            self._writer = pa.ipc.new_file(output, self._schema, options=options)

    def _type_of(self, name: str, dtype: Any, kind: str, source: TextFile | ArrowFile) -> Any:
        types = load_arrow().types
        if types.is_dictionary(dtype) and isinstance(source, ArrowFile) and source.kind != kind:
            # Each group of a Parquet file may have categories of its own, those of Feather are one list.
            return dtype.value_type
        return filled_type(dtype, self._written.types[name]) if name in self._written.types else dtype

    def put(self, piece: Any, fills: Fills) -> None:
        """Write the next piece with its fills."""
        pa = load_arrow()
        table = _table_of(piece, self._schema, self._columns) if isinstance(piece, Block) else piece
        arrays = []
        for name, field in zip(self._columns, self._schema, strict=True):
            column = table.column(name)
            if name in fills:
                missing = np.zeros(table.num_rows, dtype=bool)
                missing[fills[name].rows] = True
                column = with_fills(name, column, missing, fills[name].values, field.type)
            elif column.type != field.type:
                column = column.cast(field.type)
            arrays.append(column)
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Write what belongs at the end."""
        self._writer.close()


class TextSink:
    """Text from Arrow."""

    def __init__(self, kind: str, output: Output) -> None:
        self._delimiter = "\t" if kind == "tsv" else ","
        self._output = output
        self._begun = False

    def put(self, piece: Any, fills: Fills) -> None:
        """Write the next piece with its fills."""
        for name, holes in fills.items():
            missing = np.zeros(piece.num_rows, dtype=bool)
            missing[holes.rows] = True
            at = piece.column_names.index(name)
            dtype = filled_type(piece.column(name).type, holes.values.type)
            column = with_fills(name, piece.column(name), missing, holes.values, dtype)
            piece = piece.set_column(at, name, column)
        text = io.StringIO()
        # Not by Arrow, which puts every text in quotes.
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        if not self._begun:
            writer.writerow(piece.column_names)
        self._begun = True
        texts = map(_texts, piece.column_names, piece.columns)
        writer.writerows(zip(*texts, strict=True))
        self._output.write(text.getvalue().encode())

    def close(self) -> None:
        """Nothing belongs at the end."""


def _texts(name: str, column: Any) -> list[str | None]:
    """The cells of a column as text; None for nulls."""
    pa = load_arrow()
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException as error:
        raise UnusableTable(
            f"Column {name!r} is of type {column.type}, which cannot be written as text: {error}."
        ) from error
    return texts


def _table_of(block: Block, schema: Any, columns: tuple[str, ...]) -> Any:
    """Lines of text as a table of Arrow."""
    pa = load_arrow()
    arrays = []
    for column, field in enumerate(schema):
        if pa.types.is_string(field.type):
            cells = texts_of(block.fields, column, block.source.reader)
            # Bytes that are no text cannot be kept in it.
            cells = [cell.encode("utf-8", "replace").decode() for cell in cells]
            arrays.append(pa.array(cells, field.type))
        else:
            read = read_cells(block.fields, column, block.source.reader)
            numbers = pa.array(read.values, mask=read.missing | read.other)
            arrays.append(numbers.cast(field.type))
    return pa.table(arrays, names=list(columns))


def _writable_compression(found: str) -> str:
    return "none" if found == "UNCOMPRESSED" else found.lower()
