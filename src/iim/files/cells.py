"""Cells of text as numbers: which are, which are missing, which are neither; and numbers as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from iim._arrays import Booleans, Floats, Integers
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

MOST_EXACT = 2.0**53
"""Up to here, a float holds every whole number."""


class Reader:
    """How cells are read.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark.
    na : tuple of str
        What means "missing" besides the usual: text, and numbers by value.
    letters : str
        The encoding of the bytes.

    Attributes
    ----------
    markers : tuple of float or str
        What means "missing" besides the usual: numbers, written with either mark, and text.
    words, numbers : frozenset of str, tuple of float
        Those of them that are text and numbers.
    classes : ndarray of shape (256,)
        For each byte: 0 cannot be in a number, 1 can, 2 is a digit, 3 shows that it is no integer.
    """

    def __init__(self, decimal: str = ".", na: tuple[str, ...] = (), letters: str = "utf-8") -> None:
        self.decimal = decimal
        self.letters = letters
        self.markers = read_markers(na, decimal)
        self.words = frozenset(marker for marker in self.markers if isinstance(marker, str))
        self.numbers = tuple(marker for marker in self.markers if isinstance(marker, float))
        self.classes = np.zeros(256, np.uint8)
        self.classes[[ord("+"), ord("-"), 0]] = 1
        self.classes[ord("0") : ord("9") + 1] = 2
        self.classes[[ord("e"), BIG_LETTER_E, ord(decimal)]] = 3

    def is_missing(self, text: str) -> bool:
        """Whether a cell that is no number means "missing"."""
        return text.lower() in USUAL_MARKERS or text in self.words


class Cells(NamedTuple):
    """Cells, read; arrays of shape (n_rows, n_columns).

    Attributes
    ----------
    values : ndarray of float
        Numbers; NaN for all else.
    missing : ndarray of bool
        True where the cell means "missing".
    marked : ndarray of bool
        True where a number is written with a decimal mark or an exponent.
    """

    values: Floats
    missing: Booleans
    marked: Booleans


class Holes(NamedTuple):
    """The holes of a column in a piece of a table.

    Attributes
    ----------
    rows : ndarray of shape (n_holes,)
        Their rows, increasing.
    values : pyarrow.Array of length n_holes
        What they are filled with.
    whole : bool
        Whether whole numbers are written without a decimal mark, if they become text.
    """

    rows: Integers
    values: Any
    whole: bool = False


Fills = Mapping[str, Holes]
"""Holes by column."""

Filled = tuple[Any, int, Fills]
"""A piece, its number of rows, and its fills."""


def read_cells(fields: Fields, columns: Integers, reader: Reader) -> Cells:
    """Read the cells of some columns, all at once: the cost is that of the cells, however many columns.

    Parameters
    ----------
    fields : Fields
        Where the cells lie.
    columns : ndarray of shape (n_columns,)
        Positions of the columns.
    reader : Reader
        How to read.

    Returns
    -------
    Cells
    """
    starts, ends = fields.starts, fields.ends
    if columns.size != starts.shape[1]:
        starts, ends = starts[:, columns], ends[:, columns]
    n_cells = starts.size
    values = np.full(n_cells, np.nan)
    missing, marked = np.zeros((2, n_cells), bool)
    starts, ends = starts.ravel(), ends.ravel()
    for at in range(0, n_cells, AT_ONCE):
        here = slice(at, at + AT_ONCE)
        found = Cells(values[here], missing[here], marked[here])
        _read_part(fields.data, *fields.bare(starts[here], ends[here]), reader, found)
    shape = (-1, columns.size)
    return Cells(values.reshape(shape), missing.reshape(shape), marked.reshape(shape))


def read_markers(na: tuple[str, ...], decimal: str = ".") -> tuple[float | str, ...]:
    """What users name as missing: as numbers where it is one, with "." or with the mark of the file."""
    found: list[float | str] = []
    for marker in map(str.strip, na):
        number = _number(marker, ".")
        if number is None:
            number = _number(marker, decimal)
        found.append(marker if number is None else number)
    return tuple(found)


def texts_at(fields: Fields, rows: Any, columns: Any, reader: Reader) -> list[str]:
    """The texts of some cells, without blanks around them and without quotes."""
    starts, ends = fields.bare(fields.starts[rows, columns], fields.ends[rows, columns])
    return [
        fields.data[start:end].decode(reader.letters, "replace").replace('""', '"')
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


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


def _read_part(data: bytes, starts: Positions, ends: Positions, reader: Reader, found: Cells) -> None:
    """Read some cells into ``found``."""
    length = ends - starts
    values, missing, marked = found
    missing[:] = length == 0
    if missing.all():
        return
    width = min(int(length.max()), WIDEST)
    # The first bytes of each cell, side by side, zero beyond its end.
    steps = np.arange(width)
    letters = np.frombuffer(data, np.uint8).take(starts[:, np.newaxis] + steps, mode="clip")
    letters[steps >= length[:, np.newaxis]] = 0
    classes = reader.classes[letters]
    marked[:] = (classes == 3).any(axis=1)
    may_be = (classes != 0).all(axis=1) & (classes == 2).any(axis=1)
    if reader.decimal != ".":
        letters = np.where(letters == ord(reader.decimal), np.uint8(ord(".")), letters)
    short = np.flatnonzero(may_be & (length <= width))
    values[short] = _convert(letters[short])
    # What is no number at first sight: words, and numbers with very many digits.
    left = np.flatnonzero(np.isnan(values) & ~missing)
    known: dict[bytes, float | None] = {}
    for cell_at, start, end in zip(left.tolist(), starts[left].tolist(), ends[left].tolist(), strict=True):
        cell = data[start:end]
        if cell not in known:
            known[cell] = _read_word(cell, reader)
        value = known[cell]
        if value is None:
            missing[cell_at] = True
        else:
            values[cell_at] = value
    for marker in reader.numbers:
        missing |= values == marker
    values[missing | ~np.isfinite(values)] = np.nan
    marked &= ~np.isnan(values)


def _convert(letters: Bytes) -> Floats:
    """Numbers from rows of bytes; NaN for what is none."""
    numbers = np.full(len(letters), np.nan)
    # What has the letters of a number, but is none, as dates: one would slow all others down.
    signs, before = (letters == ord("-")) | (letters == ord("+")), letters[:, :-1]
    late = signs[:, 1:] & (before != ord("e")) & (before != BIG_LETTER_E)
    likely = ~late.any(axis=1) & ((letters == ord(".")).sum(axis=1) <= 1)
    if not likely.any():
        return numbers
    cells = np.ascontiguousarray(letters[likely]).view(f"S{letters.shape[1]}").ravel()
    try:
        with np.errstate(over="ignore"):
            numbers[likely] = cells.astype(np.float64)
    except ValueError:
        found = (_number(cell.decode(), ".") for cell in cells.tolist())
        numbers[likely] = [np.nan if number is None else number for number in found]
    return numbers


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


def write_numbers(holes: Holes, *, decimal: str) -> list[str]:
    """What holes are filled with as text, as short as it can be read back without loss."""
    numbers: Floats = holes.values.to_numpy(zero_copy_only=False).astype(np.float64)
    texts = [
        str(int(number))
        if holes.whole and number.is_integer() and abs(number) <= MOST_EXACT
        else repr(number)
        for number in numbers.tolist()
    ]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]
