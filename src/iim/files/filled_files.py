"""Fill files: a table that was read whole, or a file of any size piece by piece with a fitted model.

Both write pieces with their fills; the output is written atomically. Piece by piece, memory does not grow
with the file.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from iim._names import quoted
from iim.exceptions import UnusableTable
from iim.files.arrow import holes_in, load_arrow
from iim.files.cells import Filled, Fills, Holes
from iim.files.dialects import Layout
from iim.files.formats import FORMATS, Source, format_of_output, open_source
from iim.files.streams import Opened, Output
from iim.files.tables import IGNORED, UNKNOWN, Choice, FileTable, Tell, in_a_word, refuse_unknown
from iim.table.kinds import EMPTY


@dataclass(frozen=True)
class Streamed:
    """Result of filling a file.

    Attributes
    ----------
    name : str
        Name of the input in messages.
    n_rows : int
        Rows read and written.
    n_filled : dict
        Number of filled cells, by column of the imputer, in its order.
    passed : dict
        Columns that passed through unchanged, and why.
    notices : tuple of str
        Notes for the user, one line each.
    """

    name: str
    n_rows: int
    n_filled: Mapping[str, int]
    passed: Mapping[str, str]
    notices: tuple[str, ...]


def write_file(
    table: FileTable,
    filled: Any,
    path: str,
    output_format: str | None = None,
    *,
    stdout: BinaryIO,
    tell: Tell | None = None,
) -> dict[str, int]:
    """Write the whole file with the result of ``imputer.transform(table.frame)``, atomically.

    Parameters
    ----------
    table : FileTable
        The file as it was read.
    filled : pyarrow.Table
        Its columns of numbers, filled; columns that are not there are unchanged.
    path : str
        The output; "-" is standard output.
    output_format : str or None, default=None
        One of ``FORMATS``; None is by the name of the output, or as the input. If text stays text of the
        same dialect, only missing cells change.
    stdout : file
        Standard output, of bytes.
    tell : callable, optional
        Gets the share that is written, from 0 to 1.

    Returns
    -------
    dict
        Number of filled cells, by column.
    """
    pa = load_arrow()
    fills = dict(zip(filled.column_names, filled.columns, strict=True))
    holes: dict[str, Holes] = {}
    n_filled: dict[str, int] = {}
    types = {}
    for name, column in zip(table.frame.column_names, table.frame.columns, strict=True):
        rows = np.flatnonzero(holes_in(column)) if name in fills else np.empty(0, np.intp)
        whole = name in table.whole
        types[name] = column.type
        if name in fills:
            n_filled[name] = rows.size
        if rows.size:
            values = fills[name].take(pa.array(rows)).combine_chunks()
            whole = whole and not _has_fractions(values)
            holes[name] = Holes(rows, values, whole)
            types[name] = values.type
        if whole and pa.types.is_floating(types[name]):
            # For text only; Arrow files keep their types.
            types[name] = pa.int64()
    _write(table.source, _cut(table, holes, tell), path, output_format, types, stdout=stdout)
    return n_filled


def _has_fractions(values: Any) -> bool:
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
    return not bool(np.all(numbers == np.rint(numbers)))


def _cut(table: FileTable, holes: Fills, tell: Tell | None) -> Iterator[Filled]:
    """The pieces of a table with their missing cells."""
    first = 0
    for piece, n_rows in table.pieces:
        fills = {}
        for name, (rows, values, whole) in holes.items():
            start, stop = np.searchsorted(rows, [first, first + n_rows]).tolist()
            if start < stop:
                fills[name] = Holes(rows[start:stop] - first, values.slice(start, stop - start), whole)
        yield piece, n_rows, fills
        first += n_rows
        if tell is not None:
            tell(first / table.n_rows)


def _write(
    source: Source,
    pieces: Iterator[Filled],
    path: str,
    output_format: str | None,
    types: Mapping[str, Any],
    *,
    stdout: BinaryIO,
) -> None:
    named = format_of_output(path, output_format)
    with Output(path, stdout) as output:
        FORMATS[named or source.format].write(source, named, types, pieces, output)
        output.commit()


def fill_file(
    imputer: Any,
    path: str,
    output: str,
    *,
    layout: Layout,
    output_format: str | None = None,
    choice: Choice,
    stdin: BinaryIO,
    stdout: BinaryIO,
    tell: Tell | None = None,
) -> Streamed:
    """Fill a file with a fitted imputer, piece by piece; the output is written atomically.

    Parameters
    ----------
    imputer : Imputer
        Fitted on a table with names. Its columns are found by name, in any order; its ``missing_values``
        apply here, too.
    path, output : str
        Input and output; "-" is standard input and output.
    layout : Layout
        Options for the input.
    output_format : str or None, default=None
        One of ``FORMATS``; None is by the name of the output, or as the input.
    choice : Choice
        More marks of missing values, and which of the imputer's columns to fill; those left out help to
        fill the others, and are not filled.
    stdin, stdout : file
        Standard input and output, of bytes.
    tell : callable, optional
        Gets the finished share, from 0 to 1.

    Returns
    -------
    Streamed
    """
    load_arrow()
    names, used = columns_of(imputer)
    with Opened(path, stdin) as opened:
        source = open_source(opened, layout, (*choice.na, *markers_of(imputer)))
        _check_model(source, used)
        wanted = set(choice.candidates(source.columns, source.name))
        filled = [name for name in used if name in wanted]
        types = _types_of_fills(imputer, source, names, used, filled)
        n_filled = dict.fromkeys(filled, 0)
        n_rows = 0

        def pieces() -> Iterator[Filled]:
            nonlocal n_rows
            for piece, n_here, fills in _fill_pieces(imputer, source, names, used, filled):
                yield piece, n_here, fills
                n_rows += n_here
                for name, holes in fills.items():
                    n_filled[name] += holes.rows.size
                if tell is not None:
                    tell(source.fraction())
            if not n_rows:
                raise UnusableTable(f"{source.name} has columns, but no rows.")

        _write(source, pieces(), output, output_format, types, stdout=stdout)
    needed = set(used)
    passed = {
        name: IGNORED if name in needed else UNKNOWN for name in source.columns if name not in n_filled
    }
    return Streamed(source.name, n_rows, n_filled, passed, source.notices)


def _check_model(source: Source, used: Sequence[str]) -> None:
    """Refuse a file without the model's columns, or with other kinds of columns than numbers."""
    known = set(source.columns)
    for name in used:
        if name not in known:
            refuse_unknown(name, source.columns, source.name, " The model needs it.")
        kind = source.declared.get(name)
        if kind is not None and not kind.is_numeric and kind.kind != EMPTY:
            raise UnusableTable(
                f"{source.name}: column {quoted(name)} is {in_a_word(kind)}, but the model fills it with "
                "numbers."
            )


def _fill_pieces(
    imputer: Any,
    source: Source,
    names: Sequence[str],
    used: Sequence[str],
    filled: Sequence[str],
) -> Iterator[Filled]:
    """The pieces of a file with their fills; only rows with missing cells are passed to the imputer."""
    whole: dict[str, bool] = {}
    for piece in source.pieces():
        numbers = source.numbers(piece, used, every=True)
        source.refuse_texts(used, "to do without the column, learn a model without it")
        columns = dict(zip(used, numbers.columns, strict=True))
        for name in filled:
            # Like the column's first numbers.
            if name not in whole and (found := source.writes_whole(name)) is not None:
                whole[name] = found
        fills = _fill_rows(imputer, columns, names, filled)
        yield (
            piece,
            numbers.num_rows,
            {name: holes._replace(whole=whole.get(name, True)) for name, holes in fills.items()},
        )


def _fill_rows(
    imputer: Any, columns: Mapping[str, Any], names: Sequence[str], filled: Sequence[str]
) -> dict[str, Holes]:
    missing = {name: holes_in(columns[name]) for name in filled}
    rows = np.flatnonzero(np.any(list(missing.values()), axis=0)) if missing else np.empty(0, np.intp)
    if not rows.size:
        return {}
    result = _transform(imputer, {name: column.take(rows) for name, column in columns.items()}, names)
    fills = {}
    for name in filled:
        here = np.flatnonzero(missing[name][rows])
        if here.size and name in result:
            fills[name] = Holes(rows[here], result[name].take(here).combine_chunks())
    return fills


def _transform(imputer: Any, columns: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The result of an imputer for its used columns; the others may be empty, since it ignores them."""
    pa = load_arrow()
    nothing = pa.nulls(len(next(iter(columns.values()))), pa.float64())
    table = pa.table([columns.get(name, nothing) for name in names], names=list(names))
    result = imputer.transform(table)
    return dict(zip(result.column_names, result.columns, strict=True))


def _types_of_fills(
    imputer: Any, source: Source, names: Sequence[str], used: Sequence[str], filled: Sequence[str]
) -> dict[str, Any]:
    """The types of the imputer's results for columns of these types: from a row of missing cells."""
    row = source.hole_row(used)
    types = {name: column.type for name, column in zip(used, row, strict=True)}
    if any(dtype != load_arrow().float64() for dtype in types.values()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = _transform(imputer, dict(zip(used, row, strict=True)), names)
        types |= {name: result[name].type for name in filled if name in result}
    return types


def columns_of(imputer: Any) -> tuple[list[str], list[str]]:
    """All columns that an imputer was fitted with, and those that it uses."""
    names = getattr(imputer, "feature_names_in_", None)
    if names is None:
        raise UnusableTable(
            "The model was learned from a table without column names, so its columns cannot be found in "
            "a file. Learn it with `iim fit`, or from a frame with names."
        )
    every = [str(name) for name in names]
    chosen = imputer.get_params()["columns"]
    if chosen is None:
        return every, every
    used = {name if isinstance(name, str) else every[name] for name in chosen}
    return every, [name for name in every if name in used]


def markers_of(imputer: Any) -> tuple[str, ...]:
    """An imputer's marks of missing values, as text."""
    said = imputer.get_params()["missing_values"]
    several = said if isinstance(said, (list, tuple, set, frozenset, np.ndarray)) else [said]
    return tuple(str(marker) for marker in several if marker is not None and marker == marker)
