"""Cells of text as numbers: which are numbers, which are missing, which are neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iim._arrays import Booleans, Floats
from iim.files.fields import Bytes, Fields, Positions

USUAL_MARKERS = frozenset(
    {
        "",
        "na",
        "n/a",
        "#n/a",
        "#na",
        "#n/a n/a",
        "<na>",
        "nan",
        "-nan",
        "null",
        "none",
        "1.#ind",
        "-1.#ind",
        "1.#qnan",
        "-1.#qnan",
    }
)
"""What means "missing" in any file, in small or large letters."""

WIDEST = 32
"""Bytes of a cell that are looked at together; longer ones that may be numbers are looked at one by one."""

AT_ONCE = 1 << 15
"""Cells that are looked at together, which bounds memory."""

BIG_LETTER_E = ord("E")


@dataclass(frozen=True)
class Reader:
    """How cells are read.

    Attributes
    ----------
    decimal : {".", ","}
        The decimal mark.
    na : tuple of str
        What means "missing" besides the usual: text, and numbers by value.
    letters : str
        The encoding of the bytes.
    """

    decimal: str = "."
    na: tuple[str, ...] = ()
    letters: str = "utf-8"

    @cached_property
    def markers(self) -> tuple[float | str, ...]:
        """What means "missing" besides the usual: numbers, written with either mark, and text."""
        return read_markers(self.na, self.decimal)

    @cached_property
    def words(self) -> frozenset[str]:
        """Markers that are no numbers."""
        return frozenset(marker for marker in self.markers if isinstance(marker, str))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """Markers that are numbers."""
        return tuple(marker for marker in self.markers if isinstance(marker, float))

    @cached_property
    def classes(self) -> Bytes:
        """For each byte: 0 cannot be in a number, 1 can, 2 is a digit, 3 shows that it is no integer."""
        classes = np.zeros(256, np.uint8)
        classes[[ord("+"), ord("-"), 0]] = 1
        classes[ord("0") : ord("9") + 1] = 2
        classes[[ord("e"), BIG_LETTER_E, ord(self.decimal)]] = 3
        return classes

    def is_missing(self, text: str) -> bool:
        """Whether a cell that is no number means "missing"."""
        return text.lower() in USUAL_MARKERS or text in self.words


@dataclass(frozen=True)
class Cells:
    """A column of cells, read.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        Numbers; NaN for all else.
    missing : ndarray of shape (n_rows,)
        True where the cell means "missing".
    other : ndarray of shape (n_rows,)
        True where it is neither a finite number nor missing.
    written_whole : bool
        Whether no number is written with a decimal mark or an exponent.
    """

    values: Floats
    missing: Booleans
    other: Booleans
    written_whole: bool


def read_cells(fields: Fields, column: int, reader: Reader) -> Cells:
    """Read a column.

    Parameters
    ----------
    fields : Fields
        Where the cells lie.
    column : int
        Its position.
    reader : Reader
        How to read.

    Returns
    -------
    Cells
    """
    starts, ends = fields.bare(column)
    parts = [
        _read_part(fields.data, starts[at : at + AT_ONCE], ends[at : at + AT_ONCE], reader)
        for at in range(0, max(1, starts.size), AT_ONCE)
    ]
    return Cells(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.missing for part in parts]),
        np.concatenate([part.other for part in parts]),
        all(part.written_whole for part in parts),
    )


def read_markers(na: tuple[str, ...], decimal: str = ".") -> tuple[float | str, ...]:
    """What users name as missing: as numbers where it is one, with "." or with the mark of the file."""
    found: list[float | str] = []
    for marker in map(str.strip, na):
        number = _number(marker, ".")
        if number is None:
            number = _number(marker, decimal)
        found.append(marker if number is None else number)
    return tuple(found)


def text_of(fields: Fields, row: int, column: int, reader: Reader) -> str:
    """The text of a cell, without blanks around it and without quotes."""
    starts, ends = fields.bare(column)
    text = fields.data[starts[row] : ends[row]].decode(reader.letters, "replace")
    return text.replace('""', '"')


def texts_of(fields: Fields, column: int, reader: Reader) -> list[str]:
    """The texts of a column, without quotes; bytes that are no text come back as they were when encoded."""
    cells = [
        fields.data[start:end].decode(reader.letters, "surrogateescape")
        for start, end in zip(
            fields.starts[:, column].tolist(), fields.ends[:, column].tolist(), strict=True
        )
    ]
    return [
        cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell
        for cell in cells
    ]


def _read_part(data: bytes, starts: Positions, ends: Positions, reader: Reader) -> Cells:
    length = ends - starts
    values = np.full(starts.size, np.nan)
    missing = length == 0
    if missing.all():
        return Cells(values, missing, np.zeros(starts.size, bool), written_whole=True)
    width = min(int(length.max()), WIDEST)
    letters = _gather(np.frombuffer(data, np.uint8), starts, length, width)
    classes = reader.classes[letters]
    may_be = (classes != 0).all(axis=1) & (classes >= 2).any(axis=1)
    marked = may_be & (classes == 3).any(axis=1)
    if reader.decimal != ".":
        letters = np.where(letters == ord(reader.decimal), np.uint8(ord(".")), letters)
    short = np.flatnonzero(may_be & (length <= width))
    values[short] = _convert(letters[short])
    # What is no number at first sight: words, and numbers with very many digits.
    left = np.flatnonzero(np.isnan(values) & ~missing)
    found: dict[bytes, float | None] = {}
    for row, start, end in zip(left.tolist(), starts[left].tolist(), ends[left].tolist(), strict=True):
        cell = data[start:end]
        if cell not in found:
            found[cell] = _read_word(cell, reader)
        value = found[cell]
        if value is None:
            missing[row] = True
        else:
            values[row] = value
    for marker in reader.numbers:
        missing |= values == marker
    values[missing | ~np.isfinite(values)] = np.nan
    whole = not (marked & ~np.isnan(values)).any()
    return Cells(values, missing, np.isnan(values) & ~missing, written_whole=whole)


def _gather(array: Bytes, starts: Positions, length: Positions, width: int) -> Bytes:
    """The first bytes of each cell, side by side, zero beyond its end."""
    steps = np.arange(width)
    letters = array.take(starts[:, np.newaxis] + steps, mode="clip")
    letters[steps >= length[:, np.newaxis]] = 0
    return letters


def _convert(letters: Bytes) -> Floats:
    """Numbers from rows of bytes; NaN for what is none."""
    if not letters.size:
        return np.empty(len(letters))
    cells = np.ascontiguousarray(letters).view(f"S{letters.shape[1]}").ravel()
    try:
        with np.errstate(over="ignore"):
            return cells.astype(np.float64)
    except ValueError:
        found = (_number(cell.decode(), ".") for cell in cells.tolist())
        return np.array([np.nan if number is None else number for number in found])


def _read_word(cell: bytes, reader: Reader) -> float | None:
    """A number, NaN for what is none, None for what means "missing"."""
    text = cell.decode(reader.letters, "replace")
    number = _number(text, reader.decimal)
    if number is not None:
        return number
    return None if reader.is_missing(text) else np.nan


def _number(text: str, decimal: str) -> float | None:
    """A number as people write it; not what Python would also take, such as ``1_000`` or ``infinity``."""
    if decimal != ".":
        if "." in text:
            return None
        text = text.replace(decimal, ".")
    if not text or not set(text) <= set("0123456789+-.eE"):
        return None
    try:
        return float(text)
    except ValueError:
        return None
