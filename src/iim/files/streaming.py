"""A file of any size, filled piece by piece in constant memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from iim._arrays import Booleans
from iim.exceptions import UnusableTable
from iim.files.arrow import ArrowFile, holes_in, is_number, kind_of, load_arrow, numbers_of
from iim.files.cells import read_cells, read_markers
from iim.files.choosing import IGNORED, Choice, Facts, refuse_cell, refuse_unknown
from iim.files.layouts import Layout, format_of_output
from iim.files.opening import Opened
from iim.files.output import Output
from iim.files.piece_fills import Fills, Holes
from iim.files.sinks import Written, open_sink
from iim.files.tables import encoder_of, open_source
from iim.files.text import Block, TextFile
from iim.files.text_numbers import add_facts

Tell = Callable[[float], None]

UNKNOWN = "not in the model"
"""Why a column passes through that a model was not learned from."""


@dataclass(frozen=True)
class Streamed:
    """What was done to a file.

    Attributes
    ----------
    name : str
        What to call the input in messages.
    n_rows : int
        Rows read and written.
    n_filled : dict
        Filled cells, by column, in the order of the imputer; its columns only.
    passed : dict
        Columns that passed through untouched, and why.
    notices : tuple of str
        What a user should be told, a line each.
    """

    name: str
    n_rows: int
    n_filled: Mapping[str, int]
    passed: Mapping[str, str]
    notices: tuple[str, ...]


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
    """Fill a file with a fitted imputer, in pieces; the output appears whole or not at all.

    Parameters
    ----------
    imputer : Imputer
        Fitted on a table with names. Its columns are found by name, in any order; what it calls missing
        (``missing_values``) is missing here.
    path, output : str
        Where from and where to; "-" is standard input and output.
    layout : Layout
        What the user says of the input.
    output_format : str or None, default=None
        One of ``FORMATS``; None is by the name of the output, or as the input.
    choice : Choice
        What else is missing, and which of the imputer's columns to fill: those left out help to fill the
        others, and keep their holes.
    stdin, stdout : file
        Standard input and output, of bytes.
    tell : callable, optional
        Hears from 0 to 1 how much is done.

    Returns
    -------
    Streamed
    """
    load_arrow()
    names, used = columns_of(imputer)
    na = (*choice.na, *markers_of(imputer))
    with Opened(path, stdin) as opened:
        source = open_source(opened, layout, na)
        for name in used:
            if name not in source.columns:
                refuse_absent(name, source.columns, source.name)
        wanted = set(choice.candidates(source.columns, source.name))
        filler = _Filler(imputer, names, used, [name for name in used if name in wanted], source, na)
        n_filled = dict.fromkeys(filler.filled, 0)
        n_rows = 0
        named = format_of_output(output, output_format)
        with Output(output, stdout, encoder_of(source, named)) as out:
            sink = open_sink(source, named, filler.written, out)
            for piece in filler.pieces():
                fills, n_here = filler.fill(piece)
                sink.put(piece, fills)
                n_rows += n_here
                for name, holes in fills.items():
                    n_filled[name] += holes.rows.size
                if tell is not None:
                    tell(source.fraction())
            if not n_rows:
                raise UnusableTable(f"{source.name} has columns, but no rows.")
            sink.close()
            out.commit()
    passed = {name: IGNORED if name in used else UNKNOWN for name in source.columns if name not in n_filled}
    return Streamed(source.name, n_rows, n_filled, passed, source.notices)


class _Filler:
    """Turns pieces into fills: only rows with holes are given to the imputer.

    Attributes
    ----------
    filled : sequence of str
        The columns whose holes are filled.
    written : Written
        How columns are written.
    """

    def __init__(
        self,
        imputer: Any,
        names: Sequence[str],
        used: Sequence[str],
        filled: Sequence[str],
        source: TextFile | ArrowFile,
        na: tuple[str, ...],
    ) -> None:
        self._imputer = imputer
        self._names = names
        self._used = used
        self.filled = filled
        self._source = source
        self._markers = tuple(marker for marker in read_markers(na) if isinstance(marker, float))
        # A whole number is written as one, unless the first numbers of its column are written otherwise.
        self._whole = dict.fromkeys(used, True)
        self._seen: set[str] = set()
        types = dict.fromkeys(used, load_arrow().float64())
        if isinstance(source, ArrowFile):
            self._check_types(source)
            types = self._types_of_fills(source)
        self.written = Written(self._whole, types)

    def pieces(self) -> Any:
        """Of the file."""
        return self._source.pieces() if isinstance(self._source, ArrowFile) else self._source.blocks()

    def fill(self, piece: Any) -> tuple[Fills, int]:
        """The fills of a piece, and how many rows it has."""
        columns = (
            self._numbers_in_text(piece) if isinstance(piece, Block) else self._numbers_in_arrow(piece)
        )
        missing = {name: holes_in(columns[name]) for name in self._used}
        holed = np.zeros(len(missing[self._used[0]]), dtype=bool)
        for name in self.filled:
            holed |= missing[name]
        if not holed.any():
            return {}, holed.size
        return self._fill_rows(columns, missing, holed), holed.size

    def _fill_rows(
        self, columns: Mapping[str, Any], missing: Mapping[str, Booleans], holed: Booleans
    ) -> Fills:
        pa = load_arrow()
        rows = np.flatnonzero(holed)
        some = {name: column.take(pa.array(rows)) for name, column in columns.items()}
        nothing = pa.nulls(rows.size, pa.float64())
        # Columns that the imputer leaves alone may hold anything: nothing will do.
        table = pa.table([some.get(name, nothing) for name in self._names], names=list(self._names))
        result = self._imputer.transform(table)
        fills = {}
        for name in self.filled:
            here = np.flatnonzero(missing[name][rows])
            if here.size and name in result.column_names:
                values = result.column(name).take(pa.array(here)).combine_chunks()
                fills[name] = Holes(rows[here], values)
        return fills

    def _numbers_in_text(self, block: Block) -> dict[str, Any]:
        pa = load_arrow()
        found = {}
        for name in self._used:
            column = block.source.positions[name]
            cells = read_cells(block.fields, column, block.source.reader)
            if cells.other.any():
                facts = Facts()
                add_facts(facts, cells, block, column)
                refuse_cell(
                    name, facts, block.source.name, "to do without the column, learn a model without it"
                )
            if name not in self._seen and not np.isnan(cells.values).all():
                self._seen.add(name)
                self._whole[name] = cells.written_whole
            found[name] = pa.array(cells.values)
        return found

    def _numbers_in_arrow(self, table: Any) -> dict[str, Any]:
        return {name: numbers_of(table.column(name), self._markers) for name in self._used}

    def _check_types(self, source: ArrowFile) -> None:
        types = dict(zip(source.columns, source.schema.types, strict=True))
        for name in self._used:
            if not is_number(types[name]) and not load_arrow().types.is_null(types[name]):
                raise UnusableTable(
                    f"{source.name}: column {name!r} is {kind_of(types[name])}, but the model fills it "
                    "with numbers."
                )

    def _types_of_fills(self, source: ArrowFile) -> dict[str, Any]:
        """What the imputer makes of columns of these types: asked with a row of nothing but holes."""
        pa = load_arrow()
        types = dict(zip(source.columns, source.schema.types, strict=True))
        arrays = [
            numbers_of(pa.chunked_array([pa.nulls(1, types[name])]), ())
            if name in self._used
            else pa.nulls(1, pa.float64())
            for name in self._names
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self._imputer.transform(pa.table(arrays, names=list(self._names)))
        return {name: result.schema.field(name).type for name in self.filled if name in result.column_names}


def columns_of(imputer: Any) -> tuple[list[str], list[str]]:
    """All columns of the table that an imputer was fitted on, and those that it uses."""
    names = getattr(imputer, "feature_names_in_", None)
    if names is None:
        raise UnusableTable(
            "The model was learned from a table without names of columns, so that those of a file cannot "
            "be told. Learn it with `iim fit`, or from a frame with names."
        )
    every = [str(name) for name in names]
    chosen = imputer.get_params()["columns"]
    if chosen is None:
        return every, every
    used = {name if isinstance(name, str) else every[name] for name in chosen}
    return every, [name for name in every if name in used]


def markers_of(imputer: Any) -> tuple[str, ...]:
    """What an imputer calls missing, as text."""
    said = imputer.get_params()["missing_values"]
    several = said if isinstance(said, (list, tuple, set, frozenset, np.ndarray)) else [said]
    return tuple(str(marker) for marker in several if marker is not None and marker == marker)


def refuse_absent(name: str, columns: Sequence[str], file: str) -> None:
    """Raise for a column of the model that a file does not have."""
    try:
        refuse_unknown(name, columns, file)
    except UnusableTable as error:
        raise UnusableTable(f"{error} The model needs it.") from None
