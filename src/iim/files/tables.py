"""A whole file as a table: read into memory, filled, written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from iim._names import some_of
from iim.exceptions import UnusableTable
from iim.files.arrow import ArrowFile, holes_in, is_number, kind_of, load_arrow, numbers_of
from iim.files.cells import read_markers
from iim.files.choosing import (
    EMPTY,
    IGNORED,
    INDEX,
    NOT_IN_SAMPLE,
    Choice,
    is_id,
    refuse_without_numbers,
    why_passed,
)
from iim.files.layouts import TEXT_FORMATS, Layout, format_of_content, format_of_output
from iim.files.opening import Opened
from iim.files.output import Output
from iim.files.piece_fills import MOST_EXACT, Fills, Holes
from iim.files.sinks import Written, open_sink
from iim.files.text import TextFile
from iim.files.text_numbers import Draw, Gathered, gather

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
    markers : tuple of float or str
        What means "missing" in it besides the usual.
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
    markers: tuple[float | str, ...] = ()


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
            table = _from_text(source, gathered, choice, sampled=sample is not None)
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
    return TextFile(opened, layout, na)


def _from_text(source: TextFile, gathered: Gathered, choice: Choice, *, sampled: bool) -> FileTable:
    pa = load_arrow()
    passed, used, whole = {}, {}, {}
    for place, name in enumerate(gathered.names):
        values, facts = np.ascontiguousarray(gathered.values[:, place]), gathered.facts[name]
        why = why_passed(name, facts, values, file=source.name, wanted=choice.columns is not None)
        if why is None and sampled and np.isnan(values).all():
            why = NOT_IN_SAMPLE
        if why is None:
            used[name] = values
            whole[name] = facts.written_whole and bool(np.nanmax(np.abs(values)) <= MOST_EXACT)
        else:
            passed[name] = why
    return FileTable(
        name=source.name,
        format="tsv" if source.dialect.delimiter == "\t" else "csv",
        frame=pa.table(used),
        columns=source.columns,
        passed=_in_order(source.columns, used, passed),
        notices=(*source.notices, *_notices_of_sample(passed)),
        n_rows=gathered.n_rows,
        source=source,
        pieces=tuple(gathered.blocks),
        whole=whole,
        markers=source.reader.markers,
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
    draw = None if sample is None else Draw(sample, seed)
    kept, parts = [], []
    for piece in source.pieces():
        parts.append(piece.select(numeric))
        if draw is not None:
            parts = [pa.concat_tables(parts).take(pa.array(draw.admit(piece.num_rows)))]
        if keep:
            kept.append(piece)
        if tell is not None:
            tell(source.fraction())
    if not parts:
        raise UnusableTable(f"{source.name} has columns, but no rows.")
    whole = pa.concat_tables(parts)
    markers = read_markers(choice.na)
    numbers = tuple(marker for marker in markers if isinstance(marker, float))
    columns = {name: numbers_of(whole.column(name), numbers) for name in numeric}
    for name, column in list(columns.items()):
        missing = holes_in(column)
        if missing.all():
            passed[name] = EMPTY if sample is None else NOT_IN_SAMPLE
        elif choice.columns is None and INDEX.fullmatch(name):
            passed[name] = "index"
        elif choice.columns is None and _is_id(name, column, holes=bool(missing.any())):
            passed[name] = "id"
        else:
            continue
        del columns[name]
    return FileTable(
        name=source.name,
        format=source.kind,
        frame=pa.table(columns),
        columns=source.columns,
        passed=_in_order(source.columns, columns, passed),
        notices=(*source.notices, *_notices_of_sample(passed)),
        n_rows=source.n_rows,
        source=source,
        pieces=tuple(kept),
        markers=markers,
    )


def _notices_of_sample(passed: Mapping[str, str]) -> list[str]:
    unknown = [name for name, why in passed.items() if why == NOT_IN_SAMPLE]
    if not unknown:
        return []
    names = some_of(list(map(repr, unknown)), 8)
    return [f"The sample knows no value of {names}: nothing is learned there. Draw more rows."]


def _is_id(name: str, column: Any, *, holes: bool) -> bool:
    whole = bool(load_arrow().types.is_integer(column.type))
    return whole and is_id(name, column.to_numpy().astype(np.float64), whole=True, holes=holes)


def _in_order(columns: Sequence[str], used: Collection[str], passed: Mapping[str, str]) -> dict[str, str]:
    """Columns that pass through, in the order of the file; those that were no candidates are ignored."""
    used = set(used)
    return {name: passed.get(name, IGNORED) for name in columns if name not in used}


def write_file(
    table: FileTable,
    filled: Any,
    path: str,
    output_format: str | None = None,
    *,
    stdout: BinaryIO,
    tell: Tell | None = None,
) -> dict[str, int]:
    """Write the whole file with what ``imputer.transform(table.frame)`` returned; never half a file.

    Parameters
    ----------
    table : FileTable
        What was read.
    filled : pyarrow.Table
        Its columns of numbers, filled; columns that are not there stay as they are.
    path : str
        Where to; "-" is standard output.
    output_format : str or None, default=None
        One of ``FORMATS``; None is by the name of the output, or as the input. Where a text file stays one
        of the same kind, only holes differ.
    stdout : file
        Standard output, of bytes.
    tell : callable, optional
        Hears from 0 to 1 how much is written.

    Returns
    -------
    dict
        How many cells were filled, by column.
    """
    named = format_of_output(path, output_format)
    source, frame = table.source, table.frame
    missing = {
        name: holes_in(frame.column(name)) for name in frame.column_names if name in filled.column_names
    }
    n_filled = {name: int(holes.sum()) for name, holes in missing.items()}
    whole = {
        name: is_whole and not (n_filled.get(name) and _has_fractions(filled.column(name)))
        for name, is_whole in table.whole.items()
    }
    with Output(path, stdout, encoder_of(source, named)) as output:
        sink = open_sink(source, named, Written(whole, _types_of(table, filled, n_filled, whole)), output)
        first = 0
        for piece in table.pieces:
            n_rows = piece.num_rows if isinstance(source, ArrowFile) else piece.fields.n_rows
            sink.put(piece, _fills_of(filled, missing, slice(first, first + n_rows)))
            first += n_rows
            if tell is not None:
                tell(first / table.n_rows)
        sink.close()
        output.commit()
    return n_filled


def encoder_of(source: TextFile | ArrowFile, named: str | None) -> Any:
    """What brings text back into the encoding that it came in; None if nothing does."""
    stays_text = isinstance(source, TextFile) and (named is None or named in TEXT_FORMATS)
    return source.decoded.encoder() if stays_text else None  # type: ignore[union-attr]


def _types_of(
    table: FileTable, filled: Any, n_filled: Mapping[str, int], whole: Mapping[str, bool]
) -> dict[str, Any]:
    """Types of the columns of numbers in Parquet and Feather, where they are not those of the input."""
    pa = load_arrow()
    if isinstance(table.source, ArrowFile):
        return {name: filled.schema.field(name).type for name, n_cells in n_filled.items() if n_cells}
    return {name: pa.int64() if whole[name] else pa.float64() for name in table.frame.column_names}


def _has_fractions(column: Any) -> bool:
    values = column.to_numpy().astype(np.float64)
    return not bool(np.all(values == np.rint(values)))


def _fills_of(filled: Any, missing: Mapping[str, Any], here: slice) -> Fills:
    pa = load_arrow()
    fills = {}
    for name, holes in missing.items():
        rows = np.flatnonzero(holes[here])
        if rows.size:
            values = filled.column(name).take(pa.array(rows + here.start)).combine_chunks()
            fills[name] = Holes(rows, values)
    return fills
