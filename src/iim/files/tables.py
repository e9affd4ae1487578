"""A whole file as a table: read into memory, filled, written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from iim._arrays import Integers
from iim.exceptions import UnusableTable
from iim.files.arrow import ArrowFile, holes_in, is_number, kind_of, load_arrow, numbers_of
from iim.files.choosing import (
    EMPTY,
    IGNORED,
    Choice,
    is_id,
    refuse_without_numbers,
    why_passed,
)
from iim.files.filling import MOST_EXACT, Fills, Holes
from iim.files.gathering import Gathered, gather
from iim.files.layouts import TEXT_FORMATS, Layout, format_of_content, format_of_name
from iim.files.opening import Opened
from iim.files.output import Output
from iim.files.sinks import Written, open_sink
from iim.files.text import TextFile

Tell = Callable[[float], None]


@dataclass(frozen=True)
class FileTable:
    """A file that was read.

    Attributes
    ----------
    name : str
        What to call it in messages: the path as given, or "standard input".
    format : str
        One of ``FORMATS``.
    frame : pyarrow.Table
        The columns to work with, in the order of the file: numbers and nulls. What an imputer is given.
    columns : tuple of str
        Names of all columns of the file, in order. One without a name is called "column 3", by its place.
    passed : dict
        Columns that pass through untouched, and why: "text", "dates", "id", "empty", "ignored" and so on.
    notices : tuple of str
        What a user should be told, a line each (without "iim:" and end of line).
    n_rows : int
        Rows of the file; the frame has fewer if it is a sample.
    source : TextFile or ArrowFile
        The file.
    pieces : tuple
        All of it, to be written again: blocks of text, or tables of Arrow. None of a sample.
    whole : dict
        By column of numbers in a text file: whether they are written as whole numbers.
    """

    name: str
    format: str
    frame: Any
    columns: tuple[str, ...]
    passed: Mapping[str, str]
    notices: tuple[str, ...]
    n_rows: int
    source: TextFile | ArrowFile = field(repr=False)
    pieces: tuple[Any, ...] = field(default=(), repr=False)
    whole: Mapping[str, bool] = field(default_factory=dict, repr=False)


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
        What the user says of it.
    choice : Choice
        What the user says of its columns.
    stdin : file
        Standard input, of bytes.
    sample : int, optional
        How many rows to draw, all being equally likely.
    seed : int, default=0
        Of the draw.
    keep : bool, default=True
        Whether :func:`write_file` is to write it later; never for a sample.
    tell : callable, optional
        Hears from 0 to 1 how much is read.

    Returns
    -------
    FileTable
    """
    load_arrow()
    keep = keep and sample is None
    with Opened(path, stdin) as opened:
        source = open_source(opened, layout, choice.na)
        candidates = choice.candidates(source.columns, source.name)
        if isinstance(source, TextFile):
            gathered = gather(
                source,
                candidates,
                keep=keep,
                sample=sample,
                seed=seed,
                all_numbers=choice.columns is not None,
                tell=tell,
            )
            table = _from_text(source, gathered, choice)
        else:
            table = _from_arrow(source, candidates, choice, keep=keep, sample=sample, seed=seed, tell=tell)
    if not table.n_rows:
        raise UnusableTable(f"{table.name} has columns, but no rows.")
    if not table.frame.num_columns:
        refuse_without_numbers(dict(table.passed), table.name)
    return table


def open_source(opened: Opened, layout: Layout, na: tuple[str, ...]) -> TextFile | ArrowFile:
    """The file in its format.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        What the user says of it.
    na : tuple of str
        What means "missing" besides the usual.

    Returns
    -------
    TextFile or ArrowFile
    """
    layout = layout.named(opened.path)
    found = format_of_content(opened.head(), opened.name, layout.format)
    if found not in TEXT_FORMATS:
        return ArrowFile(opened, found)
    return TextFile(opened, replace(layout, format=found), na)


def _from_text(source: TextFile, gathered: Gathered, choice: Choice) -> FileTable:
    pa = load_arrow()
    passed, used = {}, []
    for place, name in enumerate(gathered.names):
        values, facts = gathered.values[:, place], gathered.facts[name]
        why = why_passed(name, facts, values, file=source.name, wanted=choice.columns is not None)
        if why is None:
            used.append(name)
        else:
            passed[name] = why
    places = {name: place for place, name in enumerate(gathered.names)}
    arrays = [np.ascontiguousarray(gathered.values[:, places[name]]) for name in used]
    whole = {
        name: facts.written_whole and bool(np.nanmax(np.abs(values), initial=0.0) <= MOST_EXACT)
        for (name, facts), values in zip(gathered.facts.items(), gathered.values.T, strict=True)
        if facts.n_numbers and not facts.n_other
    }
    return FileTable(
        name=source.name,
        format="tsv" if source.dialect.delimiter == "\t" else "csv",
        frame=pa.table(arrays, names=used) if used else pa.table({}),
        columns=source.columns,
        passed=_in_order(source.columns, used, passed),
        notices=source.notices,
        n_rows=gathered.n_rows,
        source=source,
        pieces=tuple(gathered.blocks),
        whole=whole,
    )


def _from_arrow(
    source: ArrowFile,
    candidates: Sequence[str],
    choice: Choice,
    *,
    keep: bool,
    sample: int | None,
    seed: int,
    tell: Tell | None,
) -> FileTable:
    pa = load_arrow()
    types = dict(zip(source.columns, source.schema.types, strict=True))
    passed = {name: kind_of(types[name]) for name in candidates if not is_number(types[name])}
    if choice.columns is not None and passed:
        name, kind = next(iter(passed.items()))
        raise UnusableTable(
            f"{source.name}: column {name!r} is {kind}, where numbers are needed. Leave it out of "
            "--columns."
        )
    numeric = [name for name in candidates if name not in passed]
    chosen = _draw_rows(source.n_rows, sample, seed)
    kept, parts, first = [], [], 0
    for piece in source.pieces():
        part = piece.select(numeric)
        if chosen is not None:
            here = chosen[(chosen >= first) & (chosen < first + piece.num_rows)] - first
            part = part.take(pa.array(here))
        parts.append(part)
        first += piece.num_rows
        if keep:
            kept.append(piece)
        if tell is not None:
            tell(source.fraction())
    if not parts:
        raise UnusableTable(f"{source.name} has columns, but no rows.")
    whole = pa.concat_tables(parts)
    markers = numeric_markers(choice.na)
    columns = {name: numbers_of(whole.column(name), markers) for name in numeric}
    for name, column in list(columns.items()):
        missing = holes_in(column)
        if missing.all():
            passed[name] = EMPTY
        elif choice.columns is None and _is_id(name, column, holes=bool(missing.any())):
            passed[name] = "id"
        else:
            continue
        del columns[name]
    return FileTable(
        name=source.name,
        format=source.kind,
        frame=pa.table(columns) if columns else pa.table({}),
        columns=source.columns,
        passed=_in_order(source.columns, columns, passed),
        notices=source.notices,
        n_rows=source.n_rows,
        source=source,
        pieces=tuple(kept),
    )


def _draw_rows(n_rows: int, sample: int | None, seed: int) -> Integers | None:
    if sample is None or sample >= n_rows:
        return None
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:sample])


def _is_id(name: str, column: Any, *, holes: bool) -> bool:
    whole = bool(load_arrow().types.is_integer(column.type))
    return whole and is_id(name, column.to_numpy().astype(np.float64), whole=True, holes=holes)


def _in_order(columns: Sequence[str], used: Collection[str], passed: Mapping[str, str]) -> dict[str, str]:
    """Columns that pass through, in the order of the file; those that were no candidates are ignored."""
    used = set(used)
    return {name: passed.get(name, IGNORED) for name in columns if name not in used}


def numeric_markers(na: tuple[str, ...]) -> tuple[float, ...]:
    """Those of the markers that are numbers."""
    found = []
    for marker in na:
        try:
            found.append(float(marker))
        except ValueError:
            continue
    return tuple(found)


def output_layout(path: str, said: Layout, came: str) -> Layout:
    """The layout of an output: as said, or by its name, or as the input came."""
    return replace(said, format=said.format or format_of_name(path) or came)


def write_file(
    table: FileTable,
    filled: Any,
    path: str,
    layout: Layout,
    *,
    stdout: BinaryIO,
    tell: Tell | None = None,
) -> None:
    """Write the whole file with what ``imputer.transform(table.frame)`` returned; never half a file.

    Parameters
    ----------
    table : FileTable
        What was read.
    filled : pyarrow.Table
        Its columns of numbers, filled; columns that are not there stay as they are.
    path : str
        Where to; "-" is standard output.
    layout : Layout
        What the user says of the output. Where its format, delimiter and decimal mark are those of the
        input, only holes differ.
    stdout : file
        Standard output, of bytes.
    tell : callable, optional
        Hears from 0 to 1 how much is written.
    """
    layout = output_layout(path, layout, table.format)
    source = table.source
    missing = {
        name: holes_in(table.frame.column(name))
        for name in table.frame.column_names
        if name in filled.column_names
    }
    types = {name: filled.schema.field(name).type for name, holes in missing.items() if holes.any()}
    whole = {
        name: is_whole and (name not in types or not _has_fractions(filled.column(name)))
        for name, is_whole in table.whole.items()
    }
    types |= {name: load_arrow().int64() for name in types if whole.get(name)}
    encode = source.decoded.encoder() if isinstance(source, TextFile) else None
    if layout.format not in TEXT_FORMATS:
        encode = None
    with Output(path, stdout, encode) as output:
        sink = open_sink(source, layout, Written(whole, types), output)
        first = 0
        for piece in table.pieces:
            n_rows = piece.num_rows if isinstance(source, ArrowFile) else piece.fields.n_rows
            sink.put(piece, _fills_of(filled, missing, types, slice(first, first + n_rows)))
            first += n_rows
            if tell is not None:
                tell(first / table.n_rows)
        sink.close()
        output.commit()


def _has_fractions(column: Any) -> bool:
    values = column.to_numpy().astype(np.float64)
    return not bool(np.all(values == np.rint(values)))


def _fills_of(filled: Any, missing: Mapping[str, Any], types: Mapping[str, Any], here: slice) -> Fills:
    pa = load_arrow()
    fills = {}
    for name in types:
        rows = np.flatnonzero(missing[name][here])
        if rows.size:
            values = filled.column(name).take(pa.array(rows + here.start)).combine_chunks()
            fills[name] = Holes(rows, values)
    return fills
