"""A folder of Parquet files: its numbers as a Dask DataFrame, and its files with missing cells filled.

::

    folder ─► footers ─► columns of numbers ─► a partition for each piece of a file ─► fit, impute
    file ────────────────────────────────────┴─► the same file, its missing cells filled

Only numbers go through Dask. To be written, a file is read again, and only its missing cells change: text,
dates and ids, types and known numbers stay as they are.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from dask import delayed
from dask.utils import natural_sort_key

from iim.exceptions import UnusableTable
from iim.files.arrow import filled_type, holes_in, numbers_of, with_fills
from iim.files.cells import Holes, read_markers
from iim.files.dialects import check_names
from iim.files.filled_files import columns_of, markers_of
from iim.files.tables import IGNORED, UNKNOWN, Choice, refuse_unknown, refuse_without_numbers
from iim.imputers import Imputer
from iim.persistence.atomic import UNFINISHED
from iim.table.columns import count_facts
from iim.table.kinds import EMPTY, OTHER, Facts, declared_kind, kind_of

ENDINGS = (".parquet", ".parq", ".pq")
"""Endings of Parquet file names."""

PIECE_BYTES = 128 * 2**20
"""A larger file is cut between its row groups into pieces of about this many bytes, uncompressed."""


@dataclass(frozen=True)
class Piece:
    """Row groups that a worker holds at once: a partition, and a file of the output."""

    path: str
    groups: tuple[int, ...]
    output: str


@dataclass(frozen=True)
class ParquetFolder:
    """The Parquet files of a folder, described by their footers.

    Attributes
    ----------
    name : str
        The folder as the user wrote it, for messages.
    n_rows : int
        Rows of all files.
    pieces : tuple of Piece
        All rows, in order.
    schemas : dict
        The schema of each file, by path.
    """

    name: str
    n_rows: int
    pieces: tuple[Piece, ...]
    schemas: Mapping[str, Any]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of any file."""
        return tuple(dict.fromkeys(name for schema in self.schemas.values() for name in schema.names))

    def column_type(self, column: str) -> Any:
        """The Arrow type for a column's numbers in all files; for other columns, the type of one file."""
        found: dict[Any, str] = {}
        for path, schema in self.schemas.items():
            if column in schema.names:
                found.setdefault(schema.field(column).type, path)
        found.pop(pa.null(), None)
        if not any(map(_is_number, found)):
            return next(iter(found), pa.null())
        for path, schema in self.schemas.items():
            if column not in schema.names:
                raise UnusableTable(
                    f"{path} has no column {column!r}, which other files have. Give all the same columns."
                )
        try:
            schemas = [pa.schema([(column, dtype)]) for dtype in found]
            return pa.unify_schemas(schemas, promote_options="permissive").field(column).type
        except pa.ArrowException as error:
            listed = ", ".join(f"{dtype} in {path}" for dtype, path in found.items())
            raise UnusableTable(
                f"{self.name}: column {column!r} has types that cannot be combined ({listed}). Give it one "
                f"type in all files, or leave it alone with --ignore {column!r}."
            ) from error


def _is_number(dtype: Any) -> bool:
    kind = declared_kind(dtype)
    return kind is not None and kind.is_numeric


def open_folder(name: str) -> ParquetFolder:
    """Find the Parquet files of a folder and of the folders in it, and read their footers.

    Files are in the order of their names, part-2 before part-10. Names that begin with ``_`` or ``.`` are
    left out.
    """
    root = Path(name).absolute()
    if not root.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if not root.is_dir():
        raise UnusableTable(
            f"{name} is a file. A folder of Parquet files is needed; `iim fit` and `iim apply` take files."
        )
    # Some programs write a folder with the name of a file.
    found = (path for path in root.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    names = [path.relative_to(root).as_posix() for path in found]
    names = [each for each in names if not any(part.startswith(("_", ".")) for part in each.split("/"))]
    if not names:
        raise UnusableTable(f"{name} has no Parquet files: names that end in {', '.join(ENDINGS)}.")
    schemas: dict[str, Any] = {}
    pieces: list[Piece] = []
    n_rows = 0
    for each in sorted(names, key=natural_sort_key):
        path = str(root / each)
        with _reading(path), pq.ParquetFile(path) as file:
            schemas[path] = file.schema_arrow
            pieces += _cut(path, each, file.metadata)
            n_rows += file.metadata.num_rows
        check_names(list(schemas[path].names), path)
    if not n_rows:
        raise UnusableTable(f"{name} has columns, but no rows.")
    return ParquetFolder(name, n_rows, tuple(pieces), schemas)


def _cut(path: str, name: str, footer: Any) -> list[Piece]:
    cuts: list[list[int]] = [[]]
    n_bytes = 0
    for group in range(footer.num_row_groups):
        size = footer.row_group(group).total_byte_size
        if cuts[-1] and n_bytes + size > PIECE_BYTES:
            cuts.append([])
            n_bytes = 0
        cuts[-1].append(group)
        n_bytes += size
    # In a folder with the file's name, so that no two pieces have one name.
    outputs = [name] if len(cuts) == 1 else [f"{name}/{at:05}.parquet" for at in range(len(cuts))]
    return [Piece(path, tuple(groups), output) for groups, output in zip(cuts, outputs, strict=True)]


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise UnusableTable(
            f"{path} cannot be read as Parquet: {reason}. It may be damaged or cut off."
        ) from error


@dataclass(frozen=True)
class NumberReader:
    """Reads the numbers of a piece.

    Attributes
    ----------
    columns : tuple of str
        Columns of the partitions; those without a type are empty.
    types : dict
        Arrow types of the columns that are read.
    markers : tuple of float
        Numbers that mean "missing", besides null and NaN.
    """

    columns: tuple[str, ...]
    types: Mapping[str, Any]
    markers: tuple[float, ...]

    def numbers(self, name: str, column: Any, path: str) -> Any:
        """A column of a file in its common type; null in missing cells."""
        try:
            return numbers_of(column.cast(self.types[name]), self.markers)
        except pa.ArrowException as error:
            raise UnusableTable(
                f"{path}: column {name!r} is {column.type} there and {self.types[name]} in other files. "
                f"That type cannot hold its values: {error}. Give it one type in all files."
            ) from error

    def read(self, piece: Piece) -> pd.DataFrame:
        """A partition in Arrow types, so that columns of whole numbers keep their type."""
        with _reading(piece.path), pq.ParquetFile(piece.path) as file:
            # A name would also match within nested columns.
            table = file.read_row_groups(list(piece.groups), columns=list(self.types)).select(self.types)
        return self._frame({name: table.column(name) for name in self.types}, table.num_rows, piece.path)

    def dask(self, pieces: Sequence[Piece]) -> dd.DataFrame:
        """All pieces, a partition each; nothing is read yet."""
        empty = {name: pa.chunked_array([], dtype) for name, dtype in self.types.items()}
        return dd.from_map(self.read, list(pieces), meta=self._frame(empty, 0, ""))

    def _frame(self, columns: Mapping[str, Any], n_rows: int, path: str) -> pd.DataFrame:
        nothing = pa.nulls(n_rows, pa.float64())
        arrays = [
            self.numbers(name, columns[name], path) if name in columns else nothing for name in self.columns
        ]
        return pa.table(arrays, names=list(self.columns)).to_pandas(types_mapper=pd.ArrowDtype)


@dataclass(frozen=True)
class FolderTable:
    """A folder as a table: columns to read and to fill, and why others are not.

    Attributes
    ----------
    folder : ParquetFolder
        The folder.
    reader : NumberReader
        Reads its numbers.
    filled : tuple of str
        Columns to fill.
    passed : dict
        The other columns, and why they pass through.
    markers : tuple of float or str
        Marks of missing values, of the user or the model.
    """

    folder: ParquetFolder
    reader: NumberReader
    filled: tuple[str, ...]
    passed: Mapping[str, str]
    markers: tuple[float | str, ...]

    @property
    def name(self) -> str:
        """The folder as given by the user."""
        return self.folder.name

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return self.folder.n_rows

    def dask(self) -> dd.DataFrame:
        """The numbers as a Dask DataFrame, a partition for each piece; nothing is read yet."""
        return self.reader.dask(self.folder.pieces)


def table_to_learn(folder: ParquetFolder, choice: Choice) -> FolderTable:
    """The columns of numbers, by their types; :func:`without_ids` also checks their cells."""
    types, passed = {}, dict.fromkeys(folder.columns, IGNORED)
    for name in choice.candidates(folder.columns, folder.name):
        dtype = folder.column_type(name)
        kind = declared_kind(dtype)
        if _is_number(dtype):
            types[name] = dtype
        elif choice.columns is None or kind is None or kind.kind == EMPTY:
            passed[name] = OTHER if kind is None else kind.kind
        else:
            raise UnusableTable(
                f"{folder.name}: column {name!r} is {dtype}, where numbers are needed. Leave it out of "
                "--columns."
            )
    return _with_columns(folder, types, passed, read_markers(choice.na))


def without_ids(table: FolderTable, *, wanted: bool) -> FolderTable:
    """The table without ids and empty columns; reads all its numbers, on the current Dask client.

    As for a single file, but a column is an id if no value repeats *within a piece*.

    Parameters
    ----------
    table : FolderTable
        The table.
    wanted : bool
        Whether the user named its columns: then ids stay.
    """
    counted = dask.compute(*(delayed(_count)(table.reader, piece) for piece in table.folder.pieces))
    types, passed = dict(table.reader.types), dict(table.passed)
    for name, facts in zip(table.filled, zip(*counted, strict=True), strict=True):
        kind = kind_of(reduce(add, facts))
        if kind.kind == EMPTY or not (kind.is_numeric or wanted):
            passed[name] = kind.kind
            del types[name]
    return _with_columns(table.folder, types, passed, table.markers)


def _count(reader: NumberReader, piece: Piece) -> list[Facts]:
    frame = reader.read(piece)
    return [count_facts(name, frame[name]) for name in reader.columns]


def _with_columns(folder: ParquetFolder, types: Any, passed: Any, markers: Any) -> FolderTable:
    names = tuple(types)
    passed = {name: passed[name] for name in folder.columns if name not in types}
    if not names:
        refuse_without_numbers(passed, folder.name)
    return FolderTable(folder, NumberReader(names, types, _numbers(markers)), names, passed, markers)


def table_to_fill(folder: ParquetFolder, choice: Choice, imputer: Imputer) -> FolderTable:
    """The columns of a model. Those left out by the user help to fill others, and are not filled."""
    every, used = columns_of(imputer)
    types = {}
    for name in used:
        dtype = folder.column_type(name)
        if name not in folder.columns:
            refuse_unknown(name, folder.columns, folder.name, " The model needs it.")
        if not (_is_number(dtype) or pa.types.is_null(dtype)):
            raise UnusableTable(
                f"{folder.name}: column {name!r} is {dtype}, but the model fills it with numbers."
            )
        types[name] = dtype if _is_number(dtype) else pa.float64()
    wanted = choice.candidates(folder.columns, folder.name)
    filled = tuple(name for name in used if name in wanted)
    passed = {name: IGNORED if name in used else UNKNOWN for name in folder.columns if name not in filled}
    markers = read_markers((*choice.na, *markers_of(imputer)))
    return FolderTable(
        folder, NumberReader(tuple(every), types, _numbers(markers)), filled, passed, markers
    )


def _numbers(markers: tuple[float | str, ...]) -> tuple[float, ...]:
    return tuple(marker for marker in markers if isinstance(marker, float))


def write_tasks(table: FolderTable, filled: dd.DataFrame, target: Path) -> list[Any]:
    """Tasks that write the files of a folder with their missing cells filled.

    Parameters
    ----------
    table : FolderTable
        The table.
    filled : dask.dataframe.DataFrame
        The filled ``table.dask()``.
    target : Path
        The folder to write to, which all workers see; its sub-folders are made here.

    Returns
    -------
    list of Delayed
        Each returns the number of filled cells by column.
    """
    pieces = table.folder.pieces
    for piece in pieces:
        (target / piece.output).parent.mkdir(parents=True, exist_ok=True)
    empty = filled._meta
    types = {name: pa.array(empty[name]).type for name in table.filled if name in empty.columns}
    shared = delayed((table.reader, types, target), traverse=False)
    write = delayed(write_piece, pure=False)
    return [write(piece, part, shared) for piece, part in zip(pieces, filled.to_delayed(), strict=True)]


def write_piece(
    piece: Piece, filled: pd.DataFrame, shared: tuple[NumberReader, Mapping[str, Any], Path]
) -> dict[str, int]:
    """Write a piece with its missing cells filled, row group by row group; returns counts by column."""
    reader, types, target = shared
    path = target / piece.output
    # Under a unique name: a worker given up as lost may still write while another repeats its work.
    part = path.with_name(UNFINISHED.replace("*", secrets.token_hex(8)))
    n_filled = dict.fromkeys(types, 0)
    with _reading(piece.path):
        file = pq.ParquetFile(piece.path)
    schema = file.schema_arrow
    for name, dtype in types.items():
        at = schema.get_field_index(name)
        schema = schema.set(at, schema.field(at).with_type(filled_type(schema.field(at).type, dtype)))
    with file, pq.ParquetWriter(part, schema, compression=_compression(file.metadata)) as writer:
        first = 0
        for group in piece.groups:
            with _reading(piece.path):
                table = file.read_row_group(group)
            rows = filled.iloc[first : first + table.num_rows]
            first += table.num_rows
            for name in types:
                at = schema.get_field_index(name)
                missing = np.flatnonzero(holes_in(reader.numbers(name, table.column(at), piece.path)))
                holes = Holes(missing, pa.array(rows[name].iloc[missing]))
                column = with_fills(name, table.column(at), holes, schema.field(at).type)
                table = table.set_column(at, schema.field(at), column)
                n_filled[name] += missing.size
            writer.write_table(table)
    part.replace(path)
    return n_filled


def _compression(footer: Any) -> str:
    if not footer.num_row_groups or not footer.num_columns:
        return "snappy"
    compression = str(footer.row_group(0).column(0).compression)
    return "none" if compression == "UNCOMPRESSED" else compression
