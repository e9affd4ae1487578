"""Positions of the cells of a text file in its bytes, found for a whole block at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans
from iim.exceptions import UnusableTable

QUOTE = ord('"')
RETURN = ord("\r")
BLANKS = np.frombuffer(b" \t", np.uint8)

MOST_BLANKS = 16
"""Blanks around a cell that are stripped from all cells at once."""

LONGEST_RECORD = 1 << 24
"""Bytes of a line, at most; a longer one has a quote that is never closed."""

Positions = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes
    ----------
    delimiter : str
        Character between cells.
    newline : str
        Character at the end of a line; a carriage return before it belongs to the line end.
    decimal : {".", ","}
        The decimal mark.
    """

    delimiter: str
    newline: str = "\n"
    decimal: str = "."


@dataclass(frozen=True)
class Fields:
    """The cells of complete lines.

    Attributes
    ----------
    data : bytes
        The lines.
    starts, ends : ndarray of shape (n_rows, n_columns)
        Start and end of each cell in ``data``, quotes included. Blank lines are not rows.
    has_blanks, has_quotes : bool
        Whether ``data`` has any.
    """

    data: bytes
    starts: Positions
    ends: Positions
    has_blanks: bool = True
    has_quotes: bool = True

    def bare(self, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
        """Start and end of some cells, without blanks around them and quotes.

        Parameters
        ----------
        starts, ends : ndarray of shape (n_cells,)
            Start and end of the cells, from anywhere in the table.

        Returns
        -------
        starts, ends : ndarray of shape (n_cells,)
        """
        array = np.frombuffer(self.data, np.uint8)
        if self.has_blanks:
            starts, ends = _without_blanks(array, starts, ends)
        if not self.has_quotes:
            return starts, ends
        quoted = ends - starts >= 2
        quoted &= (array[starts.clip(max=array.size - 1)] == QUOTE) & (array[ends - 1] == QUOTE)
        starts, ends = starts + quoted, ends - quoted
        return _without_blanks(array, starts, ends) if self.has_blanks else (starts, ends)


def _without_blanks(array: Bytes, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    last = array.size - 1
    for _ in range(MOST_BLANKS):
        before = (starts < ends) & np.isin(array[starts.clip(max=last)], BLANKS)
        after = (starts + before < ends) & np.isin(array[ends - 1], BLANKS)
        if not (before.any() or after.any()):
            return starts, ends
        starts, ends = starts + before, ends - after
    return _without_many_blanks(array, starts, ends)


def _without_many_blanks(array: Bytes, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    """The same one by one, so that a few cells with very many blanks do not slow down all others."""
    last, blanks = array.size - 1, BLANKS.tobytes()
    held = starts < ends
    held &= np.isin(array[starts.clip(max=last)], BLANKS) | np.isin(array[ends - 1], BLANKS)
    starts, ends = starts.copy(), ends.copy()
    for row in np.flatnonzero(held).tolist():
        cell = array[starts[row] : ends[row]].tobytes()
        starts[row] += len(cell) - len(cell.lstrip(blanks))
        ends[row] = starts[row] + len(cell.strip(blanks))
    return starts, ends


def split_lines(data: bytes, dialect: Dialect, *, last: bool) -> int:
    """Number of bytes of a block that are complete lines.

    Parameters
    ----------
    data : bytes
        Starts with a line.
    dialect : Dialect
        Its dialect.
    last : bool
        Whether the file ends here: then all of it is complete.

    Returns
    -------
    int
        0 if the block has no line end outside quotes.
    """
    if last:
        return len(data)
    if QUOTE not in data:
        return data.rfind(ord(dialect.newline)) + 1
    array = np.frombuffer(data, np.uint8)
    if _quotes_are_regular(array, dialect, last=False):
        ends = np.flatnonzero((array == ord(dialect.newline)) & ~_inside_quotes(array))
    else:
        ends = _separators_one_by_one(data, dialect, last=False)
        ends = ends[array[ends] == ord(dialect.newline)]
    return int(ends[-1]) + 1 if ends.size else 0


def find_fields(data: bytes, dialect: Dialect) -> tuple[Positions, Positions, Positions]:
    """Positions of the cells of complete lines.

    Parameters
    ----------
    data : bytes
        Complete lines; the last one may lack its end.
    dialect : Dialect
        Its dialect.

    Returns
    -------
    starts, ends : ndarray of shape (n_fields,)
        Start and end of all cells, line by line, without blank lines.
    n_fields : ndarray of shape (n_rows,)
        Cells of each line that is not blank.
    """
    array = np.frombuffer(data, np.uint8)
    if QUOTE not in data:
        separators = np.flatnonzero((array == ord(dialect.delimiter)) | (array == ord(dialect.newline)))
    elif _quotes_are_regular(array, dialect, last=True):
        separating = (array == ord(dialect.delimiter)) | (array == ord(dialect.newline))
        separators = np.flatnonzero(separating & ~_inside_quotes(array))
    else:
        separators = _separators_one_by_one(data, dialect, last=True)
    if data and (
        not separators.size or separators[-1] != array.size - 1 or array[-1] != ord(dialect.newline)
    ):
        # A last line without a line end ends with the file.
        separators = np.append(separators, array.size)
    is_end = np.ones(separators.size, dtype=bool)
    inside = separators < array.size
    is_end[inside] = array[separators[inside]] == ord(dialect.newline)
    starts = np.concatenate([[0], separators[:-1] + 1]).astype(np.int64)[: separators.size]
    ends = separators.astype(np.int64)
    # A carriage return before the line end belongs to it.
    before = is_end & (ends > starts)
    before[before] = array[ends[before] - 1] == RETURN
    ends -= before
    line_ends = np.flatnonzero(is_end)
    n_fields = np.diff(line_ends, prepend=-1)
    blank = (n_fields == 1) & (starts[line_ends] == ends[line_ends])
    if blank.any():
        kept = np.ones(starts.size, dtype=bool)
        kept[line_ends[blank]] = False
        starts, ends, n_fields = starts[kept], ends[kept], n_fields[~blank]
    return starts, ends, n_fields.astype(np.int64)


def _inside_quotes(array: Bytes) -> Booleans:
    """True from each opening quote up to the byte before its closing one."""
    return np.bitwise_xor.accumulate((array == QUOTE).view(np.uint8)).view(bool)


def _quotes_are_regular(array: Bytes, dialect: Dialect, *, last: bool) -> bool:
    """Whether quotes open at the start of a cell and close at its end; two inside are an escaped quote."""
    at = np.flatnonzero(array == QUOTE)
    opening, closing = at[::2], at[1::2]
    if last and opening.size != closing.size:
        return False
    before = array[opening[opening > 0] - 1]
    after = array[closing[closing < array.size - 1] + 1]
    begins = (before == ord(dialect.delimiter)) | (before == ord(dialect.newline)) | (before == QUOTE)
    ends = (
        (after == ord(dialect.delimiter))
        | (after == ord(dialect.newline))
        | (after == RETURN)
        | (after == QUOTE)
    )
    return bool(begins.all() and ends.all())


@lru_cache(maxsize=8)
def _cell_pattern(dialect: Dialect) -> re.Pattern[bytes]:
    stop = re.escape((dialect.delimiter + dialect.newline).encode())
    return re.compile(rb'(?:(?P<quoted>"(?:[^"]|"")*")[^%b]*|[^%b]*)' % (stop, stop))


def _separators_one_by_one(data: bytes, dialect: Dialect, *, last: bool) -> Positions:
    """The same for irregular quotes: only a quote at the start of a cell is special."""
    pattern, found, at = _cell_pattern(dialect), [], 0
    while at <= len(data):
        match = pattern.match(data, at)
        assert match is not None  # noqa: S101 (the pattern matches the empty text, too)
        # A cell with an open quote may continue in the next block.
        is_open = not last and data[at : at + 1] == b'"' and match["quoted"] is None
        if match.end() >= len(data) or is_open:
            break
        found.append(match.end())
        at = match.end() + 1
    return np.array(found, dtype=np.int64)


def as_table(data: bytes, dialect: Dialect, n_columns: int, *, name: str, first_line: int) -> Fields:
    """The cells of complete lines as a table.

    Parameters
    ----------
    data : bytes
        Complete lines.
    dialect : Dialect
        Its dialect.
    n_columns : int
        Number of cells that each line must have.
    name : str
        Name of the file in messages.
    first_line : int
        Number of the first line, for messages.

    Returns
    -------
    Fields
    """
    starts, ends, n_fields = find_fields(data, dialect)
    wrong = np.flatnonzero(n_fields != n_columns)
    if wrong.size:
        row = int(wrong[0])
        start = int(starts[int(n_fields[:row].sum())])
        line = first_line + data.count(ord(dialect.newline), 0, start)
        has = f"{n_fields[row]} cell{'s' if n_fields[row] != 1 else ''}"
        more = f" So do {wrong.size - 1} more lines near it." if wrong.size > 1 else ""
        raise UnusableTable(
            f"{name}: line {line} has {has}, but the first line has {n_columns}.{more} Every line needs "
            "the same number; quote cells that hold the delimiter, or name another one with --delimiter."
        )
    shape = (-1, n_columns)
    has_blanks = any(blank in data for blank in BLANKS.tolist())
    return Fields(data, starts.reshape(shape), ends.reshape(shape), has_blanks, QUOTE in data)
