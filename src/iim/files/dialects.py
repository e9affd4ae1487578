"""The dialect of a text file: encoding, delimiter and decimal mark, from options or detected."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from iim._names import quoted
from iim.exceptions import InvalidParameter, UnusableCell, UnusableTable
from iim.files.fields import Dialect, find_fields

_OF_TABLES = 'a.b,"1.5";-2\t|\r\n'
_OF_NAMES = ("idna", "punycode")

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters to try; ties go to the first."""

LOOKED_AT = 200
"""Lines to examine."""

MOST_BYTES, MOST_CELLS = 1 << 16, 1 << 16
"""Bytes of those lines; a longer first line is read whole, but only its last cells are examined."""

DECIMALS = {
    ".": re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?|[+-]?\d+\.?([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?|[+-]?\d+,?([eE][+-]?\d+)?"),
}
"""Numbers, by decimal mark."""

THOUSANDS = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}([{mark}]\d{{3}})+") for mark in ",."}
"""Numbers whose marks may separate thousands."""


MARKED_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*%?")
"""Text that may be a number in another notation."""

LONGEST_NUMBER = 100
"""Characters of a text that are examined for that."""


@dataclass(frozen=True)
class Layout:
    """Options for reading a file; None is detected, from its name and then from its content.

    Attributes
    ----------
    format : {"csv", "tsv", "parquet", "feather"} or None
        Its format.
    delimiter : str or None
        Delimiter of cells: one character.
    decimal : {".", ","} or None
        The decimal mark.
    encoding : str or None
        The encoding, by a name known to Python; None is UTF-8.
    header : bool or None
        Whether the first line has the column names. None is yes, but a first line of numbers only is an
        error that asks for the option.
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None


def find_dialect(head: bytes, layout: Layout, *, complete: bool) -> Dialect:
    """The dialect of a file.

    Parameters
    ----------
    head : bytes
        Its beginning.
    layout : Layout
        Options of the user.
    complete : bool
        Whether ``head`` is the whole file.

    Returns
    -------
    Dialect
    """
    _check_said(layout)
    newline = "\n" if b"\n" in head or b"\r" not in head else "\r"
    lines = head
    ends = [at for at, byte in enumerate(head[:MOST_BYTES]) if byte == ord(newline)][:LOOKED_AT]
    if ends and not (complete and len(ends) < LOOKED_AT and len(head) < MOST_BYTES):
        lines = head[: ends[-1] + 1]
    said = "\t" if layout.format == "tsv" and layout.delimiter is None else layout.delimiter
    delimiter = said or max(DELIMITERS, key=lambda tried: _score(lines, tried, newline))
    decimal = layout.decimal or _find_decimal(lines, delimiter, newline)
    if decimal == delimiter and layout.delimiter is not None and layout.decimal is not None:
        raise InvalidParameter(f"Delimiter and decimal mark are both {decimal!r}. They have to differ.")
    return Dialect(delimiter, newline, decimal)


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


def _score(lines: bytes, delimiter: str, newline: str) -> tuple[Any, ...]:
    """Sort key of a delimiter: equal numbers of cells, then share of numbers, then number of cells."""
    cells, n_fields = _cut(lines, delimiter, newline)
    if not n_fields or n_fields[0] < 2:
        return (0.0, 0.0, 0)
    alike = sum(count == n_fields[0] for count in n_fields) / len(n_fields)
    numbers = sum(any(form.fullmatch(cell) for form in DECIMALS.values()) for cell in cells)
    return (round(alike, 1), numbers / len(cells), n_fields[0])


def _cut(lines: bytes, delimiter: str, newline: str) -> tuple[list[str], list[int]]:
    starts, ends, n_fields = find_fields(lines, Dialect(delimiter, newline))
    # Only ASCII characters matter here.
    cells = [
        lines[start:end].decode("ascii", "replace").strip(' \t"')
        for start, end in zip(starts[-MOST_CELLS:].tolist(), ends[-MOST_CELLS:].tolist(), strict=True)
    ]
    return cells, n_fields.tolist()


def _find_decimal(lines: bytes, delimiter: str, newline: str) -> str:
    cells, _ = _cut(lines, delimiter, newline)
    commas = [cell for cell in cells if "," in cell and DECIMALS[","].fullmatch(cell)]
    points = [cell for cell in cells if "." in cell and DECIMALS["."].fullmatch(cell)]
    if not commas:
        return "."
    if points:
        # "1.234" beside "2,5" has a mark of thousands: it is refused, but not read as 1.234, either.
        between_thousands = all(THOUSANDS["."].fullmatch(cell) for cell in points)
        return "," if between_thousands and delimiter != "," else "."
    if delimiter == "," and all(THOUSANDS[","].fullmatch(cell) for cell in commas):
        # "1,234" between other delimiters is probably a thousand; that is ambiguous, so it is refused.
        return "."
    return ","


def check_names(names: list[str], file: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Valid column names, and notes on missing ones."""
    nameless = [position for position, name in enumerate(names) if not name]
    names = [name or f"column {position + 1}" for position, name in enumerate(names)]
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            raise UnusableTable(
                f"{file}: two columns are called {quoted(name)} (columns {seen[name] + 1} and "
                f"{position + 1}). Give each column its own name."
            )
        seen[name] = position
    if not nameless:
        return tuple(names), ()
    called = ", ".join(repr(names[position]) for position in nameless[:5])
    more = f" and {len(nameless) - 5} more" if len(nameless) > 5 else ""
    return tuple(names), (f"{file}: a column without a name is called {called}{more} here.",)


def refuse_cell(
    name: str, first: tuple[int, str], counts: tuple[int, int], file: str, leave_out: str | None = None
) -> NoReturn:
    """Raise for a column of numbers with other cells in it.

    Parameters
    ----------
    name : str
        The column.
    first : tuple of int and str
        Line and text of the first cell that is neither a number nor missing.
    counts : tuple of two int
        Number of such cells, and of cells that are not missing.
    file : str
        Name of the file in messages.
    leave_out : str, optional
        Advice for leaving the column out.
        How to do without the column.
    """
    line, text = first
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    hint = f"If it means missing, add --na {shown!r}"
    if MARKED_NUMBER.fullmatch(text[:LONGEST_NUMBER]):
        hint = "If it is a number, set its decimal mark with --decimal; marks of thousands are not read"
    elif text.startswith('"'):
        hint = "Is a quote not closed there"
    raise UnusableCell(
        f"{file}: column {quoted(name)} holds {shown!r} in line {line}, where a number is needed "
        f"({counts[0]} of {counts[1]} known cells are no numbers). {hint}; "
        f"{leave_out or f'to leave the column alone, --ignore {quoted(name)}'}."
    )


class Decoded:
    """Text of any encoding as bytes compatible with ASCII, and back.

    UTF-8 and encodings of one byte per character are left as they are: delimiters, quotes and digits are
    the same bytes there. Other encodings are converted to UTF-8.

    Parameters
    ----------
    encoding : str or None
        The option; None is UTF-8.
    name : str
        Name of the file in messages.
    head : bytes
        Its beginning.
    complete : bool
        Whether ``head`` is the whole file.

    Attributes
    ----------
    head : bytes
        The beginning, checked and converted; :meth:`take` starts with it again.
    """

    def __init__(self, encoding: str | None, name: str, head: bytes, *, complete: bool) -> None:
        self.codec = _find_codec(encoding or "utf-8")
        self._name = name
        self._mark, self._written_as = b"", self.codec.name
        self._said = encoding
        self.is_utf8 = self.codec.name in ("utf-8", "utf-8-sig")
        self.recoded = not self.is_utf8 and not _is_single_byte(self.codec)
        self.letters = "utf-8" if self.recoded or self.is_utf8 else self.codec.name
        some = head[:200]
        # Every other byte is zero, as in UTF-16 without a byte order mark.
        alternates = len(some) >= 8 and any(some) and not (any(some[::2]) and any(some[1::2]))
        wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        if not self.recoded and (wide or alternates):
            raise UnusableTable(f"{self._name} looks like UTF-16. Add --encoding utf-16.")
        if not self.recoded and b"\x00" in head:
            raise UnusableTable(f"{self._name} is no text file: it holds bytes of zero.")
        if self.codec.name == "utf-16" and head.startswith(codecs.BOM_UTF16_BE):
            # Python's default byte order may be the other one.
            self._mark, self._written_as = codecs.BOM_UTF16_BE, "utf-16-be"
        self._decoder = codecs.getincrementaldecoder(self.codec.name)()
        self._n_lines = 1
        self.head = self.take(head, last=complete)
        self._decoder.reset()
        self._n_lines = 1

    def take(self, part: bytes, *, last: bool) -> bytes:
        """The next bytes, checked and converted."""
        if not self.is_utf8 and not self.recoded:
            return part
        try:
            text = self._decoder.decode(part, last)
        except UnicodeDecodeError as error:
            line = self._n_lines + error.object.count(b"\n", 0, error.start)
            raise UnusableTable(self._complaint(error, line)) from error
        if not self.recoded:
            self._n_lines += part.count(b"\n")
            return part
        self._n_lines += text.count("\n")
        return text.encode()

    def encoder(self) -> Callable[[bytes, bool], bytes]:
        """A function that encodes bytes, and then the end, in the encoding of a converted file."""
        encode = codecs.getincrementalencoder(self._written_as)().encode
        marks = iter([self._mark])
        return lambda part, last: next(marks, b"") + encode(part.decode(), last)

    def _complaint(self, error: UnicodeDecodeError, line: int) -> str:
        byte = error.object[error.start]
        if self.is_utf8:
            advice = "If it is Western European text, add --encoding latin-1 (or cp1252)"
        else:
            advice = "Give the right --encoding"
        said = self._said or "UTF-8"
        return f"{self._name} is not in {said}: byte 0x{byte:02X} in line {line}. {advice}."


def _find_codec(encoding: str) -> codecs.CodecInfo:
    try:
        # Some codecs are not text encodings, and some lack characters that tables need.
        codec = codecs.lookup(encoding)
        if codec.name not in _OF_NAMES and _OF_TABLES.encode(encoding).decode(encoding) == _OF_TABLES:
            return codec
    except (LookupError, ValueError, TypeError):
        pass  # reported below
    raise UnusableTable(
        f"The encoding {encoding!r} is unknown, or not a text encoding. Use one such as utf-8, latin-1, "
        "cp1252 or utf-16."
    )


def _is_single_byte(codec: codecs.CodecInfo) -> bool:
    """Whether each byte is a character, the first 128 those of ASCII."""
    ascii_part = bytes(range(128))
    try:
        text, _ = codec.decode(ascii_part, "strict")
        every, _ = codec.decode(bytes(range(256)), "replace")
    except (UnicodeError, TypeError, ValueError):
        return False
    return isinstance(every, str) and text == ascii_part.decode() and len(every) == 256
