"""A text file: its columns, and its lines block by block."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from iim.exceptions import UnusableTable
from iim.files.cells import Reader, text_of
from iim.files.dialects import check_header, find_dialect
from iim.files.fields import LONGEST_RECORD, Fields, as_table, find_fields, split_lines
from iim.files.layouts import Layout
from iim.files.opening import HEAD, Decoded, Opened

BLOCK = 1 << 22
"""Bytes that are read and worked on at a time."""


@dataclass(frozen=True)
class Block:
    """Some lines of a text file.

    Attributes
    ----------
    before : bytes
        What stands before the rows: in the first block, the header.
    data : bytes
        Complete lines of cells.
    first_line : int
        The number of the first of them in the file.
    source : TextFile
        The file.
    """

    before: bytes
    data: bytes
    first_line: int
    source: TextFile

    @cached_property
    def fields(self) -> Fields:
        """Where the cells lie."""
        return as_table(
            self.data,
            self.source.dialect.marks,
            len(self.source.columns),
            name=self.source.name,
            first_line=self.first_line,
        )

    def line_of(self, row: int) -> int:
        """The number of a row's line in the file."""
        start = int(self.fields.starts[row, 0])
        return self.first_line + self.data.count(self.source.dialect.marks.newline, 0, start)


class TextFile:
    """A text file that is read once.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        What the user says of it.
    na : tuple of str
        What means "missing" besides the usual.

    Attributes
    ----------
    name : str
        What to call it in messages.
    columns : tuple of str
        Names of its columns; one without a name is called "column 3", by its place.
    positions : dict
        Where each of them stands.
    header : tuple of str
        The cells of the first line.
    notices : tuple of str
        What a user should be told.
    named : str or None
        The format that the user or its name says.
    dialect : Dialect
        How it is written.
    decoded : Decoded
        Its encoding.
    reader : Reader
        How its cells are read.
    """

    def __init__(self, opened: Opened, layout: Layout, na: tuple[str, ...]) -> None:
        self.name = opened.name
        self._opened = opened
        self.named = layout.format
        head, complete = _first_line_and_more(opened)
        self.decoded = Decoded(layout.encoding, self.name)
        self.decoded.check_head(head)
        lines = Decoded(layout.encoding, self.name).take(head, last=complete)
        mark = codecs.BOM_UTF8 if lines.startswith(codecs.BOM_UTF8) else b""
        lines = lines[len(mark) :]
        if not lines.strip():
            raise UnusableTable(f"{self.name} is empty. A line of column names, and rows, are needed.")
        self.dialect = find_dialect(lines, layout, complete=complete)
        self.reader = Reader(self.dialect.decimal, na, self.decoded.letters)
        names, n_bytes = self._first_record(lines)
        check_header(names, self.name, layout)
        self.header = tuple(names)
        self._n_before = len(mark)
        if layout.header is False:
            self.columns = tuple(f"x{position}" for position in range(len(names)))
            self.notices: tuple[str, ...] = ()
        else:
            self._n_before += n_bytes
            self.columns, self.notices = check_names(list(names), self.name)
        self.positions = {name: position for position, name in enumerate(self.columns)}
        if layout.decimal is None and self.dialect.decimal == ",":
            self.notices += (
                f"{self.name} is read with a comma as decimal mark (--decimal says otherwise).",
            )

    def blocks(self) -> Iterator[Block]:
        """All of the file, in blocks of complete lines; bytes that are no text are an error."""
        carried, line, n_before, last = b"", 1, self._n_before, False
        while not last:
            part = self._opened.read(BLOCK)
            last = len(part) < BLOCK
            data = carried + self.decoded.take(part, last=last)
            if b"\x00" in data:
                raise UnusableTable(f"{self.name} is no text file: it holds bytes of zero.")
            before, data = data[:n_before], data[n_before:]
            n_bytes = split_lines(data, self.dialect.marks, last=last)
            carried = data[n_bytes:]
            if len(carried) > LONGEST_RECORD:
                raise UnusableTable(f"{self.name}: line {line} does not end. Is a quote open there?")
            newline = self.dialect.marks.newline
            first_line = line + before.count(newline)
            line = first_line + data.count(newline, 0, n_bytes)
            n_before = 0
            yield Block(before, data[:n_bytes], first_line, self)

    def fraction(self) -> float:
        """How much of the file is read, from 0 to 1."""
        return self._opened.fraction()

    def _first_record(self, lines: bytes) -> tuple[list[str], int]:
        """The cells of the first line, and where the next one begins."""
        starts, ends, n_fields = find_fields(lines, self.dialect.marks)
        n_columns = int(n_fields[0])
        first = lines[: int(ends[n_columns - 1])]
        fields = Fields(first, starts[:n_columns].reshape(1, -1), ends[:n_columns].reshape(1, -1))
        names = [text_of(fields, 0, column, self.reader) for column in range(n_columns)]
        return names, int(starts[n_columns]) if starts.size > n_columns else len(lines)


def _first_line_and_more(opened: Opened) -> tuple[bytes, bool]:
    """The beginning of a file, its first line at least, and whether that is all of it."""
    n_bytes = HEAD
    head = opened.head(n_bytes)
    while len(head) == n_bytes < LONGEST_RECORD and b"\n" not in head and b"\r" not in head:
        n_bytes *= 4
        head = opened.head(n_bytes)
    return head, len(head) < n_bytes


def check_names(names: list[str], file: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that can be used, and what to say of those that were not there."""
    nameless = [position for position, name in enumerate(names) if not name]
    for position in nameless:
        names[position] = f"column {position + 1}"
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            raise UnusableTable(
                f"{file}: two columns are called {name!r} (columns {seen[name] + 1} and {position + 1}). "
                "Give each column its own name."
            )
        seen[name] = position
    if not nameless:
        return tuple(names), ()
    called = ", ".join(repr(names[position]) for position in nameless[:5])
    more = f" and {len(nameless) - 5} more" if len(nameless) > 5 else ""
    return tuple(names), (f"{file}: a column without a name is called {called}{more} here.",)
