"""Cells of text as numbers, missing values or text; and numbers as text."""

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
"""Marks of missing values in any file, in upper or lower case."""

WIDEST = 32
"""Bytes of a cell that is converted with others; longer ones are converted one by one."""

AT_ONCE = 1 << 15
"""Cells converted together, which bounds memory."""

BIG_LETTER_E = ord("E")

MOST_EXACT = 2.0**53
"""Up to here, a float represents every whole number."""


class Reader:
    """Parameters of reading cells.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark.
    na : tuple of str
        More marks of missing values: text, and numbers by value.
    letters : str
        The encoding of the bytes.

    Attributes
    ----------
    markers : tuple of float or str
        More marks of missing values: numbers, with either decimal mark, and text.
    words, numbers : frozenset of str, tuple of float
        Those that are text, and those that are numbers.
    classes : ndarray of shape (256,)
        For each byte: 0 cannot be in a number, 1 can, 2 is a digit, 3 can be in a number but not an
        integer.
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
        """Whether a cell that is not a number is a mark of missing values."""
        return text.lower() in USUAL_MARKERS or text in self.words


class Cells(NamedTuple):
    """The values of cells; arrays of shape (n_rows, n_columns).

    Attributes
    ----------
    values : ndarray of float
        Numbers; NaN otherwise.
    missing : ndarray of bool
        True in missing cells.
    marked : ndarray of bool
        True where a number is written with a decimal mark or an exponent.
    """

    values: Floats
    missing: Booleans
    marked: Booleans


class Holes(NamedTuple):
    """The missing cells of a column in a piece of a table.

    Attributes
    ----------
    rows : ndarray of shape (n_holes,)
        Their rows, increasing.
    values : pyarrow.Array of length n_holes
        Their fills.
    whole : bool
        Whether fills are written as whole numbers without a decimal mark in text.
    """

    rows: Integers
    values: Any
    whole: bool = False


Fills = Mapping[str, Holes]
"""Missing cells by column."""

Filled = tuple[Any, int, Fills]
"""A piece, its number of rows, and its fills."""


def read_cells(fields: Fields, columns: Integers, reader: Reader) -> Cells:
    """Read the cells of some columns at once: time is proportional to the cells, however many columns.

    Parameters
    ----------
    fields : Fields
        Positions of the cells.
    columns : ndarray of shape (n_columns,)
        Positions of the columns.
    reader : Reader
        Parameters of reading.

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
    """Marks of missing values given by the user: as numbers where possible, with "." or the file's mark."""
    found: list[float | str] = []
    for marker in map(str.strip, na):
        number = _number(marker, ".")
        if number is None:
            number = _number(marker, decimal)
        found.append(marker if number is None else number)
    return tuple(found)


def texts_at(fields: Fields, rows: Any, columns: Any, reader: Reader) -> list[str]:
    """The texts of some cells, without blanks around them and quotes."""
    starts, ends = fields.bare(fields.starts[rows, columns], fields.ends[rows, columns])
    return [
        fields.data[start:end].decode(reader.letters, "replace").replace('""', '"')
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def texts_of(fields: Fields, column: int, reader: Reader) -> list[str]:
    """The texts of a column, without quotes; undecodable bytes are restored when encoded."""
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
    # The first bytes of each cell, side by side, padded with zeros.
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
    # Cells that are not plain numbers: words, and numbers with very many digits.
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
    """Numbers from rows of bytes; NaN for cells that are not numbers."""
    numbers = np.full(len(letters), np.nan)
    # Dates have only letters of numbers, too; a single one would make the fast conversion of all fail.
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
    """A number; NaN for text; None for a mark of missing values."""
    text = cell.decode(reader.letters, "replace")
    number = _number(text, reader.decimal)
    if number is not None:
        return number
    return None if reader.is_missing(text) else np.nan


def _number(text: str, decimal: str) -> float | None:
    """A number as people write it, without Python's extras such as ``1_000`` or ``infinity``."""
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
    """Fills as text, as short as possible without loss."""
    numbers: Floats = holes.values.to_numpy(zero_copy_only=False).astype(np.float64)
    texts = [
        str(int(number))
        if holes.whole and number.is_integer() and abs(number) <= MOST_EXACT
        else repr(number)
        for number in numbers.tolist()
    ]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]
