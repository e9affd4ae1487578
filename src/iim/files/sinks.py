"""Pieces of a table with their fills, written in the format of the output.

=============== ======================================= ====================
input           output                                  sink
=============== ======================================= ====================
text            text of the same delimiter and decimal  SpliceSink
text            text of another                         RecutSink
text or Arrow   Parquet or Feather                      ArrowSink
Arrow           text                                    TextSink
=============== ======================================= ====================
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from iim.exceptions import UnusableTable
from iim.files.arrow import ArrowFile, filled_type, load_arrow, with_fills
from iim.files.cells import read_cells, text_of
from iim.files.dialects import Dialect
from iim.files.filling import Fills, splice, write_numbers
from iim.files.layouts import TEXT_FORMATS, Layout
from iim.files.output import Output
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
        By column of numbers: whether they are written as whole numbers. Columns that are not here are text.
    types : mapping
        By column: the type of Arrow that its fills have; of columns that are filled.
    """

    whole: Mapping[str, bool]
    types: Mapping[str, Any]


def open_sink(source: TextFile | ArrowFile, layout: Layout, written: Written, output: Output) -> Sink:
    """The sink for an input and an output.

    Parameters
    ----------
    source : TextFile or ArrowFile
        Where pieces come from.
    layout : Layout
        Of the output; its format is given.
    written : Written
        How columns are written.
    output : Output
        Where bytes go.

    Returns
    -------
    Sink
    """
    if layout.format not in TEXT_FORMATS:
        return ArrowSink(source, str(layout.format), written, output)
    if isinstance(source, ArrowFile):
        return TextSink(layout, output)
    delimiter = layout.delimiter or source.dialect.delimiter
    if layout.delimiter is None and layout.format == "tsv":
        delimiter = "\t"
    elif layout.delimiter is None and delimiter == "\t":
        delimiter = ","
    dialect = Dialect(delimiter, layout.decimal or source.dialect.decimal, source.dialect.newline)
    if dialect == source.dialect:
        return SpliceSink(written, output)
    return RecutSink(source, dialect, written, output)


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
    """Text with another delimiter or decimal mark; cells keep their text but for that mark."""

    def __init__(self, source: TextFile, dialect: Dialect, written: Written, output: Output) -> None:
        self._old, self._new = source.dialect, dialect
        self._columns = source.columns
        self._written = written
        self._output = output
        self._begun = False

    def put(self, piece: Block, fills: Fills) -> None:
        """Write the next piece with its fills."""
        text = io.StringIO()
        writer = csv.writer(
            text, delimiter=self._new.delimiter, lineterminator="\r\n" if b"\r\n" in piece.data else "\n"
        )
        if not self._begun and piece.before.strip(b"\xef\xbb\xbf"):
            writer.writerow(self._columns)
        self._begun = True
        writer.writerows(zip(*(self._cells(piece, fills, name) for name in self._columns), strict=True))
        self._output.write(text.getvalue().encode(piece.source.decoded.letters))

    def close(self) -> None:
        """Nothing belongs at the end."""

    def _cells(self, piece: Block, fills: Fills, name: str) -> list[str]:
        column = piece.source.positions[name]
        reader = piece.source.reader
        cells = [text_of(piece.fields, row, column, reader) for row in range(piece.fields.n_rows)]
        if name in self._written.whole and self._old.decimal != self._new.decimal:
            cells = [cell.replace(self._old.decimal, self._new.decimal) for cell in cells]
        if name in fills:
            whole = self._written.whole.get(name, False)
            texts = write_numbers(fills[name].values, whole=whole, decimal=self._new.decimal)
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
            fields = [pa.field(name, _type_of_text(name, written)) for name in source.columns]
            original = pa.schema(fields)
        self._schema = pa.schema(
            [
                field.with_type(filled_type(field.type, written.types[name]))
                if name in written.types
                else field
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
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(output, self._schema, options=options)

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
                column = with_fills(column, missing, fills[name].values, field.type)
            elif column.type != field.type:
                column = column.cast(field.type)
            arrays.append(column)
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Write what belongs at the end."""
        self._writer.close()


class TextSink:
    """Text from Arrow."""

    def __init__(self, layout: Layout, output: Output) -> None:
        if layout.decimal == ",":
            raise UnusableTable("Parquet and Feather are written as text with '.' as decimal mark only.")
        self._delimiter = layout.delimiter or ("\t" if layout.format == "tsv" else ",")
        self._output = output
        self._begun = False

    def put(self, piece: Any, fills: Fills) -> None:
        """Write the next piece with its fills."""
        for name, holes in fills.items():
            missing = np.zeros(piece.num_rows, dtype=bool)
            missing[holes.rows] = True
            at = piece.column_names.index(name)
            dtype = filled_type(piece.column(name).type, holes.values.type)
            piece = piece.set_column(at, name, with_fills(piece.column(name), missing, holes.values, dtype))
        text = io.StringIO()
        # Not by Arrow, which puts every text in quotes.
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        if not self._begun:
            writer.writerow(piece.column_names)
        self._begun = True
        writer.writerows(zip(*map(_texts, piece.columns), strict=True))
        self._output.write(text.getvalue().encode())

    def close(self) -> None:
        """Nothing belongs at the end."""


def _texts(column: Any) -> list[str | None]:
    """The cells of a column as text; None for nulls."""
    pa = load_arrow()
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException as error:
        raise UnusableTable(f"Columns of type {column.type} cannot be written as text: {error}.") from error
    return texts


def _type_of_text(name: str, written: Written) -> Any:
    pa = load_arrow()
    if name not in written.whole:
        return pa.string()
    return pa.int64() if written.whole[name] else pa.float64()


def _table_of(block: Block, schema: Any, columns: tuple[str, ...]) -> Any:
    """Lines of text as a table of Arrow."""
    pa = load_arrow()
    arrays = []
    for column, field in enumerate(schema):
        if pa.types.is_string(field.type):
            cells: Any = [
                text_of(block.fields, row, column, block.source.reader)
                for row in range(block.fields.n_rows)
            ]
            arrays.append(pa.array(cells, field.type))
        else:
            read = read_cells(block.fields, column, block.source.reader)
            numbers = pa.array(read.values, mask=read.missing | read.other)
            arrays.append(numbers.cast(field.type))
    return pa.table(arrays, names=list(columns))


def _writable_compression(found: str) -> str:
    return "none" if found == "UNCOMPRESSED" else found.lower()
