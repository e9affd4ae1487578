"""A file as a table: all rows or a sample; and the columns to use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

import numpy as np

from iim._arrays import Integers
from iim._names import did_you_mean, quoted, some_of
from iim.exceptions import UnusableTable
from iim.files.arrow import holes_in, load_arrow
from iim.files.cells import MOST_EXACT
from iim.files.dialects import Layout
from iim.files.formats import Source, open_source
from iim.files.streams import Opened
from iim.table.kinds import EMPTY, OTHER, ColumnKind, kind_of

IGNORED = "ignored"
"""Why a column passes through that the user has left out."""

NOT_IN_SAMPLE = "no value in the sample"
"""Why a column passes through that has no value in the sample."""

UNKNOWN = "not in the model"
"""Why a column passes through that the model lacks."""

Tell = Callable[[float], None]


@dataclass(frozen=True)
class Choice:
    """Columns and marks of missing values, given by the user.

    Attributes
    ----------
    columns : tuple of str or None
        The columns to use; None is all with numbers.
    ignore : tuple of str
        Columns to pass through.
    na : tuple of str
        More marks of missing values: text, or numbers by value ("-200" is also -200.0).
    """

    columns: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    na: tuple[str, ...] = ()

    def candidates(self, columns: Sequence[str], file: str) -> tuple[str, ...]:
        """The columns that may be used, in the order of the file; unknown names are an error."""
        known = set(columns)
        for name in (*(self.columns or ()), *self.ignore):
            if name not in known:
                refuse_unknown(name, columns, file)
        chosen = known if self.columns is None else set(self.columns)
        chosen = chosen.difference(self.ignore)
        return tuple(name for name in columns if name in chosen)


@dataclass(frozen=True)
class FileTable:
    """A file that was read.

    Attributes
    ----------
    name : str
        Its name in messages: the path as given, or "standard input".
    format : str
        One of ``FORMATS``.
    frame : pyarrow.Table
        The columns to use, in the order of the file, as numbers and nulls: the input of an imputer.
    columns : tuple of str
        Names of all columns, in order. One without a name gets its position, such as "column 3".
    passed : dict
        Columns that pass through unchanged, and why: "text", "date", "id", "empty", "ignored" and so on.
    notices : tuple of str
        Notes for the user, one line each (without "iim:" and line end).
    n_rows : int
        Rows of the file; the frame has fewer if it is a sample.
    markers : tuple of float or str
        More marks of missing values.
    source : Source
        The file.
    pieces : tuple of (piece, int)
        All pieces with their numbers of rows, to be written later. None for a sample.
    whole : frozenset of str
        Columns of whole numbers; in a text file, those written without a decimal mark.
    """

    name: str
    format: str
    frame: Any
    columns: tuple[str, ...]
    passed: Mapping[str, str]
    notices: tuple[str, ...]
    n_rows: int
    markers: tuple[float | str, ...]
    source: Source = field(repr=False)
    pieces: tuple[tuple[Any, int], ...] = field(default=(), repr=False)
    whole: frozenset[str] = field(default=frozenset(), repr=False)


def read_file(
    path: str,
    layout: Layout,
    choice: Choice,
    *,
    stdin: BinaryIO,
    sample: int | None = None,
    seed: int = 0,
    keep: bool = True,
    tell: Tell | None = None,
) -> FileTable:
    """Read a file: all of it, or a sample of its rows in constant memory.

    Parameters
    ----------
    path : str
        The file; "-" is standard input.
    layout : Layout
        Options for reading.
    choice : Choice
        Columns and marks of missing values.
    stdin : file
        Standard input, of bytes.
    sample : int, optional
        Number of rows to draw, all equally likely.
    seed : int, default=0
        Seed of the draw.
    keep : bool, default=True
        Whether :func:`write_file` will write it later; never for a sample.
    tell : callable, optional
        Gets the share that is read, from 0 to 1.

    Returns
    -------
    FileTable
    """
    pa = load_arrow()
    draw = None if sample is None else Draw(sample, seed)
    with Opened(path, stdin) as opened:
        source = open_source(opened, layout, choice.na)
        passed, names = _declared(source, choice)
        parts, pieces, n_rows = [], [], 0
        for piece in source.pieces():
            numbers = source.numbers(piece, names, every=choice.columns is not None)
            parts.append(numbers)
            n_rows += numbers.num_rows
            if draw is not None:
                parts = [pa.concat_tables(parts).take(pa.array(draw.admit(numbers.num_rows)))]
            elif keep:
                pieces.append((piece, numbers.num_rows))
            if tell is not None:
                tell(source.fraction())
    if not n_rows:
        raise UnusableTable(f"{source.name} has columns, but no rows.")
    frame = pa.concat_tables(parts)
    why_passed, whole = _kinds(source, frame, n_rows, wanted=choice.columns is not None)
    passed |= why_passed
    # Columns that may not be used are ignored.
    passed |= dict.fromkeys(set(source.columns).difference(passed, names), IGNORED)
    passed = {name: passed[name] for name in source.columns if name in passed}
    if len(passed) == len(source.columns):
        refuse_without_numbers(passed, source.name)
    unknown = [quoted(name) for name, why in passed.items() if why == NOT_IN_SAMPLE]
    notices = source.notices
    if unknown:
        some = some_of(unknown, 8)
        notices += (f"The sample has no value in {some}: nothing is learned there. Use a larger sample.",)
    frame = frame.select([name for name in names if name not in passed])
    return FileTable(
        name=source.name,
        format=source.format,
        frame=frame,
        columns=source.columns,
        passed=passed,
        notices=notices,
        n_rows=n_rows,
        markers=source.markers,
        source=source,
        pieces=tuple(pieces),
        whole=whole,
    )


def _declared(source: Source, choice: Choice) -> tuple[dict[str, str], list[str]]:
    """Columns that the file declares not to be numbers, with the reason; and the columns to read."""
    passed, names = {}, []
    for name in choice.candidates(source.columns, source.name):
        kind = source.declared.get(name)
        if kind is None or kind.is_numeric:
            names.append(name)
        elif choice.columns is None:
            passed[name] = in_a_word(kind)
        else:
            raise UnusableTable(
                f"{source.name}: column {quoted(name)} is {in_a_word(kind)}, where numbers are needed. "
                "Leave it out of --columns."
            )
    return passed, names


def _kinds(
    source: Source, frame: Any, n_rows: int, *, wanted: bool
) -> tuple[dict[str, str], frozenset[str]]:
    """Columns that pass through because of their cells, with the reason; and columns of whole numbers.

    A column that holds mostly numbers, but some text, is an error: leaving it out silently would leave its
    missing cells.
    """
    passed = {}
    is_floating, whole = load_arrow().types.is_floating, set()
    for name, column, facts in zip(frame.column_names, frame.columns, source.facts(frame), strict=True):
        kind = kind_of(facts)
        if facts.n_texts and (wanted or kind.is_numeric):
            source.refuse_texts([name])
        if kind.kind == EMPTY:
            passed[name] = EMPTY if facts.n_rows == n_rows else NOT_IN_SAMPLE
        elif not (kind.is_numeric or (wanted and kind.readable)):
            passed[name] = in_a_word(kind)
        elif frame.num_rows < n_rows and holes_in(column).all():
            passed[name] = NOT_IN_SAMPLE
        elif facts.whole and is_floating(column.type) and _largest(column) <= MOST_EXACT:
            whole.add(name)
    return passed, frozenset(whole)


def _largest(column: Any) -> float:
    return float(np.nanmax(np.abs(column.to_numpy())))


def refuse_unknown(name: str, columns: Sequence[str], file: str, more: str = "") -> NoReturn:
    """Raise for a column that the file lacks."""
    hint = did_you_mean(name, columns) or f" It has {some_of(list(map(quoted, columns)), 8)}."
    raise UnusableTable(f"{file} has no column {quoted(name)}.{hint}{more}")


def refuse_without_numbers(passed: Mapping[str, str], file: str) -> NoReturn:
    """Raise for a file without columns to use."""
    kinds = ", ".join(f"{quoted(name)}: {why}" for name, why in list(passed.items())[:5])
    more = f" and {len(passed) - 5} more" if len(passed) > 5 else ""
    raise UnusableTable(
        f"{file} has no column of numbers to work with ({kinds}{more}). At least one is needed. Choose "
        "columns with --columns and --ignore, and the notation with --delimiter and --decimal."
    )


def in_a_word(kind: ColumnKind) -> str:
    """The name of a kind in messages: "text", "date", "id"; for rare types, the type."""
    return kind.reason if kind.kind == OTHER else kind.kind


class Draw:
    """A random sample of the rows of a stream, all equally likely.

    Each row gets a random number, and the rows with the smallest numbers are kept. The sample depends on
    the seed and on the number of rows, not on the pieces. Memory is that of the sample.

    Parameters
    ----------
    size : int
        Number of rows to draw.
    seed : int
        Seed of the random numbers.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._keys = np.empty(0)

    def admit(self, n_rows: int) -> Integers:
        """Positions of the rows to keep, among the kept rows followed by the next ones; increasing."""
        keys = np.concatenate([self._keys, self._random.random(n_rows)])
        stay = np.arange(keys.size)
        if keys.size > self._size:
            stay = np.sort(np.argpartition(keys, self._size)[: self._size])
        self._keys = keys[stay]
        return stay
