"""CSV and its variants: read block by block, and written with only the bytes of missing cells changed.

::

    bytes ─► blocks of complete lines ─► positions of cells ─► numbers and missing cells
    bytes ─────────────────────────────────────┴─► the same bytes, with those of missing cells replaced

Cells are decoded only if the delimiter changes.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from iim._arrays import Integers
from iim.exceptions import UnusableTable
from iim.files.cells import Cells, Fills, Reader, read_cells, texts_at, texts_of, write_numbers
from iim.files.dialects import DECIMALS, Decoded, Layout, check_names, find_dialect, refuse_cell
from iim.files.fields import LONGEST_RECORD, QUOTE, Fields, as_table, find_fields, split_lines
from iim.files.streams import HEAD, Opened
from iim.table.columns import all_different, count_facts
from iim.table.kinds import ColumnKind, Facts, is_called_id

BLOCK = 1 << 22
"""Bytes that are read and processed at a time."""

ENOUGH_TEXT = 100
"""Cells of text after which a column with more text than numbers is no longer read."""


class Block(NamedTuple):
    """Some lines of a text file.

    Attributes
    ----------
    before : bytes
        Bytes before the rows: in the first block, the header.
    data : bytes
        Complete lines of cells.
    first_line : int
        Number of its first line in the file.
    """

    before: bytes
    data: bytes
    first_line: int


class TextSource:
    """A text file that is read once; a piece of it is a block of lines.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        Options of the user; the format may also follow from the name.
    na : tuple of str
        More marks of missing values.

    Attributes
    ----------
    name, named : str
        Its name in messages, and the format given by the user or the name.
    format : {"csv", "tsv"}
        By its delimiter.
    columns : tuple of str
        Names of its columns; one without a name gets its position, such as "column 3".
    header : tuple of str or None
        The cells of the first line, if it has the column names.
    notices : tuple of str
        Notes for the user.
    markers : tuple of float or str
        More marks of missing values.
    declared : dict
        Empty: text declares no kinds, the cells decide.
    delimiter, line_end, mark, letters : str, str, bytes, str
        Delimiter of cells, line end, byte order mark, and encoding of the bytes.
    encoder : callable or None
        Makes the function that converts bytes to the encoding of the file; None if they have it already.
    fraction : callable
        Share of the file that has been read, from 0 to 1.
    """

    declared: Mapping[str, ColumnKind] = MappingProxyType({})

    def __init__(self, opened: Opened, layout: Layout, na: tuple[str, ...]) -> None:
        self.name, self.named = opened.name, layout.format
        self._opened = opened
        head, complete = _first_line_and_more(opened)
        self._decoded = Decoded(layout.encoding, self.name, head, complete=complete)
        lines = self._decoded.head
        self.mark = codecs.BOM_UTF8 if lines.startswith(codecs.BOM_UTF8) else b""
        lines = lines[len(self.mark) :]
        if not lines.strip():
            raise UnusableTable(f"{self.name} is empty. A line of column names, and rows, are needed.")
        self.dialect = find_dialect(lines, layout, complete=complete)
        self.delimiter = self.dialect.delimiter
        self._newline = self.dialect.newline.encode()
        self.format = "tsv" if self.delimiter == "\t" else "csv"
        self.line_end = "\r\n" if b"\r\n" in lines else "\n"
        self.letters = self._decoded.letters
        self.encoder = self._decoded.encoder if self._decoded.recoded else None
        self.fraction = opened.fraction
        self._reader = Reader(self.dialect.decimal, na, self.letters)
        self.markers = self._reader.markers
        self._read_header(lines, layout, complete=complete)
        self._positions = {name: position for position, name in enumerate(self.columns)}
        self._n_cells, self._n_missing, self._n_texts = np.zeros((3, len(self.columns)), np.int64)
        self._whole = np.ones(len(self.columns), bool)
        self._given_up = np.zeros(len(self.columns), bool)
        self._texts: dict[int, Facts] = {}
        self._first_texts: dict[int, tuple[int, str]] = {}
        self._located: tuple[Block, Fields] | None = None

    def _read_header(self, lines: bytes, layout: Layout, *, complete: bool) -> None:
        starts, ends, n_fields = find_fields(lines, self.dialect)
        n_columns = int(n_fields[0])
        if not (complete or starts.size > n_columns or lines.endswith(self._newline)):
            raise UnusableTable(f"{self.name}: line 1 is too long, or does not end. Is a quote open there?")
        first = Fields(lines[: int(ends[n_columns - 1])], starts[np.newaxis], ends[np.newaxis])
        names = texts_at(first, 0, np.arange(n_columns), self._reader)
        forms = DECIMALS.values()
        if layout.header is None and all(
            any(form.fullmatch(cell.strip()) for form in forms) for cell in names
        ):
            some = ", ".join(cell[:20] for cell in names[:3])
            raise UnusableTable(
                f"{self.name}: the first line holds nothing but numbers ({some} ...). If it has the column "
                "names, add --header; if the file has no such line, add --no-header."
            )
        self._n_before = len(self.mark)
        self.header: tuple[str, ...] | None = None
        self.notices: tuple[str, ...] = ()
        if layout.header is False:
            self.columns = tuple(f"x{position}" for position in range(n_columns))
        else:
            self._n_before += int(starts[n_columns]) if starts.size > n_columns else len(lines)
            self.header = tuple(names)
            self.columns, self.notices = check_names(names, self.name)
        if layout.decimal is None and self.dialect.decimal == ",":
            self.notices += (
                f"{self.name} is read with a comma as decimal mark (change it with --decimal).",
            )

    def pieces(self) -> Iterator[Block]:
        """All pieces, in blocks of complete lines; undecodable bytes are an error."""
        carried, line, n_before, last = b"", 1, self._n_before, False
        while not last:
            part = self._opened.read(BLOCK)
            last = len(part) < BLOCK
            data = carried + self._decoded.take(part, last=last)
            if b"\x00" in data:
                raise UnusableTable(f"{self.name} is no text file: it holds bytes of zero.")
            if len(data) < n_before and not last:
                # The header may be longer than a block.
                carried = data
                continue
            before, data = data[:n_before], data[n_before:]
            n_bytes = split_lines(data, self.dialect, last=last)
            carried = data[n_bytes:]
            if len(carried) > LONGEST_RECORD:
                raise UnusableTable(f"{self.name}: line {line} does not end. Is a quote open there?")
            first_line = line + before.count(self._newline)
            line = first_line + data.count(self._newline, 0, n_bytes)
            n_before = 0
            yield Block(before, data[:n_bytes], first_line)

    def numbers(self, piece: Block, names: Sequence[str], *, every: bool) -> Any:
        """The numbers of a piece, NaN for missing cells and text; also counts them.

        Parameters
        ----------
        piece : Block
            The next piece, read for the first time.
        names : sequence of str
            The columns.
        every : bool
            Whether every column has to be numbers: then none is skipped.

        Returns
        -------
        pyarrow.Table
        """
        import pyarrow as pa  # noqa: PLC0415 (slow to load)

        fields = self._locate(piece)
        columns = np.array([self._positions[name] for name in names], np.intp)
        looked = ~self._given_up[columns]
        cells = read_cells(fields, columns[looked], self._reader)
        self._count(piece, cells, columns[looked], every=every)
        values = np.full((len(fields.starts), columns.size), np.nan, order="F")
        values[:, looked] = cells.values
        return pa.table([pa.array(column) for column in values.T], names=list(names))

    def _count(self, piece: Block, cells: Cells, columns: Integers, *, every: bool) -> None:
        fields, other = self._locate(piece), np.isnan(cells.values) & ~cells.missing
        n_texts = other.sum(axis=0)
        places, rows = np.nonzero(other.T)
        found, stop = texts_at(fields, rows, columns[places], self._reader), 0
        for at in np.flatnonzero(n_texts).tolist():
            column, start, stop = int(columns[at]), stop, stop + int(n_texts[at])
            texts = found[start:stop]
            if column not in self._first_texts:
                n_before = piece.data.count(self._newline, 0, int(fields.starts[rows[start], 0]))
                self._first_texts[column] = piece.first_line + n_before, texts[0]
            facts = count_facts(self.columns[column], texts)
            self._texts[column] = self._texts[column] + facts if column in self._texts else facts
        self._n_cells[columns] += len(other)
        self._n_missing[columns] += cells.missing.sum(axis=0)
        self._n_texts[columns] += n_texts
        self._whole[columns] &= ~cells.marked.any(axis=0)
        if not every:
            n_numbers = self._n_cells - self._n_missing - self._n_texts
            self._given_up |= self._n_texts > np.maximum(ENOUGH_TEXT, n_numbers)

    def hole_row(self, names: Sequence[str]) -> list[Any]:
        """A row of missing cells, by column, in the types of the numbers."""
        import pyarrow as pa  # noqa: PLC0415 (slow to load)

        return [pa.nulls(1, pa.float64()) for _ in names]

    def facts(self, frame: Any) -> Iterator[Facts]:
        """Facts about columns over all pieces; the numbers of ``frame`` may be a sample."""
        for name, numbers in zip(frame.column_names, frame.columns, strict=True):
            at = self._positions[name]
            n_cells, n_missing, n_texts = (
                int(counts[at]) for counts in (self._n_cells, self._n_missing, self._n_texts)
            )
            found = self._texts.get(at, Facts(name))
            unique, whole = found.unique, bool(self._whole[at])
            if whole and not (n_texts or n_missing) and is_called_id(name):
                unique = all_different(numbers.to_numpy())
            yield replace(
                found,
                n_rows=n_cells,
                n_known=n_cells - n_missing,
                n_numbers=n_cells - n_missing - n_texts,
                whole=whole,
                unique=unique,
            )

    def writes_whole(self, name: str) -> bool | None:
        """Whether all numbers of a column so far are written as whole numbers; None if there is none."""
        at = self._positions[name]
        n_numbers = self._n_cells[at] - self._n_missing[at] - self._n_texts[at]
        return bool(self._whole[at]) if n_numbers else None

    def refuse_texts(self, names: Sequence[str], leave_out: str | None = None) -> None:
        """Raise if some columns hold text; ``leave_out`` is the advice in the message."""
        found = next((name for name in names if self._positions[name] in self._first_texts), None)
        if found is not None:
            at = self._positions[found]
            n_known = int(self._n_cells[at] - self._n_missing[at])
            first = self._first_texts[at]
            refuse_cell(found, first, (int(self._n_texts[at]), n_known), self.name, leave_out)

    def arrow_schema(self, types: Mapping[str, Any]) -> Any:
        """The schema for formats of Arrow: text, unless another type is given."""
        import pyarrow as pa  # noqa: PLC0415 (slow to load)

        return pa.schema([pa.field(name, types.get(name, pa.string())) for name in self.columns])

    def arrow_table(self, piece: Block, schema: Any) -> Any:
        """A piece as a table of these types."""
        import pyarrow as pa  # noqa: PLC0415 (slow to load)

        fields, arrays = self._locate(piece), []
        numeric = np.array([not pa.types.is_string(dtype) for dtype in schema.types])
        cells = read_cells(fields, np.flatnonzero(numeric), self._reader)
        holes, places = np.isnan(cells.values), iter(range(cells.values.shape[1]))
        for column, field in enumerate(schema):
            if numeric[column]:
                at = next(places)
                arrays.append(pa.array(cells.values[:, at], mask=holes[:, at]).cast(field.type))
            else:
                # Undecodable bytes cannot be kept in it.
                texts = texts_of(fields, column, self._reader)
                texts = [text.encode("utf-8", "replace").decode() for text in texts]
                arrays.append(pa.array(texts, field.type))
        return pa.table(arrays, names=list(self.columns))

    def texts(self, piece: Block, fills: Fills) -> list[list[str]]:
        """The cells of a piece as text, by column, with its fills."""
        columns = []
        for column, name in enumerate(self.columns):
            cells = texts_of(self._locate(piece), column, self._reader)
            if name in fills:
                texts = write_numbers(fills[name], decimal=self.dialect.decimal)
                for row, text in zip(fills[name].rows.tolist(), texts, strict=True):
                    cells[row] = text
            columns.append(cells)
        return columns

    def splice(self, piece: Block, fills: Fills) -> bytes:
        """The bytes of a piece with its missing cells replaced, and nothing else changed.

        A missing cell keeps the blanks and quotes around it.
        """
        if not fills:
            return piece.before + piece.data
        data, delimiter, fields = piece.data, self.delimiter, self._locate(piece)
        rows = np.concatenate([holes.rows for holes in fills.values()])
        columns = np.repeat(
            [self._positions[name] for name in fills], [holes.rows.size for holes in fills.values()]
        )
        texts = [
            text for holes in fills.values() for text in write_numbers(holes, decimal=self.dialect.decimal)
        ]
        starts, ends = fields.bare(fields.starts[rows, columns], fields.ends[rows, columns])
        order = np.argsort(starts)
        parts, at = [piece.before], 0
        for hole, start, end in zip(
            order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True
        ):
            text = texts[hole]
            if delimiter in text and not (start and data[start - 1] == QUOTE):
                text = f'"{text}"'
            parts += [data[at:start], text.encode("ascii")]
            at = end
        parts.append(data[at:])
        return b"".join(parts)

    def _locate(self, piece: Block) -> Fields:
        """Positions of a piece's cells, kept for one piece: they take more memory than the bytes."""
        if self._located is None or self._located[0] is not piece:
            fields = as_table(
                piece.data,
                self.dialect,
                len(self.columns),
                name=self.name,
                first_line=piece.first_line,
            )
            self._located = piece, fields
        return self._located[1]


def _first_line_and_more(opened: Opened) -> tuple[bytes, bool]:
    """The beginning of a file with at least its first line, and whether that is all of it."""
    n_bytes = HEAD
    head = opened.head(n_bytes)
    while len(head) == n_bytes < LONGEST_RECORD and b"\n" not in head and b"\r" not in head:
        n_bytes *= 4
        head = opened.head(n_bytes)
    return head, len(head) < n_bytes
