"""Pieces of files as partitions, and partitions with fills as files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
from dask import delayed

from iim.cluster.folders.describing import FolderTable, Piece
from iim.cluster.folders.finding import open_parquet
from iim.cluster.parted.storage import Folder
from iim.exceptions import UnusableTable
from iim.files.arrow import holes_in, is_number, numbers_of
from iim.files.output import NotWritten, Output
from iim.files.piece_fills import Holes
from iim.files.sinks import ArrowSink, Written

DIGITS = 5
"""Digits of the number in the name of a file, at least: names are in the order of the rows."""


@dataclass(frozen=True)
class Columns:
    """What is read of a piece; see :class:`~iim.cluster.folders.describing.FolderTable`."""

    frame: tuple[str, ...]
    types: Mapping[str, Any]
    markers: tuple[float, ...]

    @classmethod
    def of(cls, table: FolderTable) -> Columns:
        """Those of a table."""
        markers = tuple(marker for marker in table.markers if isinstance(marker, float))
        return cls(table.frame, table.types, markers)

    def numbers(self, name: str, column: Any, path: str) -> Any:
        """The numbers of a column, in the type that they have in all files; null where they are missing."""
        dtype = self.types[name]
        if column.type != dtype and (is_number(column.type) or pa.types.is_null(column.type)):
            try:
                column = column.cast(dtype)
            except pa.ArrowException as error:
                raise UnusableTable(
                    f"{path}: column {name!r} is {column.type} there and {dtype} in other files, which "
                    f"cannot hold its values: {error}. Give it one type in all files."
                ) from error
        # What is no number is for an imputer to refuse, which says in which row it stands.
        return numbers_of(column, self.markers) if is_number(column.type) else column

    def as_frame(self, columns: Mapping[str, Any], n_rows: int) -> pd.DataFrame:
        """Columns as a partition, in types of Arrow: whole numbers stay whole where some are missing."""
        nothing = pa.nulls(n_rows, pa.float64())
        table = pa.table([columns.get(name, nothing) for name in self.frame], names=list(self.frame))
        return table.to_pandas(types_mapper=pd.ArrowDtype)


def as_dask(table: FolderTable) -> dd.DataFrame:
    """The numbers of a folder as a Dask DataFrame, a partition for each piece; nothing is read yet."""
    wanted = Columns.of(table)
    empty = {
        name: wanted.numbers(name, pa.chunked_array([], dtype), table.name)
        for name, dtype in table.types.items()
    }
    # Dask takes an argument that is called `columns` for names of columns.
    return dd.from_map(read_piece, list(table.pieces), wanted=wanted, meta=wanted.as_frame(empty, 0))


def read_piece(piece: Piece, wanted: Columns) -> pd.DataFrame:
    """Read the numbers of a piece."""
    names = [name for name in wanted.frame if name in wanted.types]
    with open_parquet(piece.path) as source:
        found = source.select(names, piece.groups)
    numbers = {name: wanted.numbers(name, found.column(name), piece.path) for name in names}
    return wanted.as_frame(numbers, found.num_rows)


@dataclass(frozen=True)
class Writing:
    """Where and how pieces are written.

    Attributes
    ----------
    folder : Folder
        Where to; on a disk, the folders in it have to be there.
    columns : Columns
        How holes are found.
    types : dict
        Types of Arrow of what columns are filled with; these are filled, the others pass through.
    """

    folder: Folder
    columns: Columns
    types: Mapping[str, Any]


def write_pieces(table: FolderTable, filled: dd.DataFrame, folder: Folder) -> list[Any]:
    """Tasks that write a folder with its holes filled, a file for each piece.

    Parameters
    ----------
    table : FolderTable
        What is filled.
    filled : dask.dataframe.DataFrame
        What an imputer made of :func:`as_dask`.
    folder : Folder
        Where to: empty. On a disk, the folders that are needed are made here.

    Returns
    -------
    list of Delayed
        Each gives how many cells it has filled, by column.
    """
    place = folder.local()
    if place is not None:
        for inner in {piece.folder for piece in table.pieces}:
            (place / inner).mkdir(parents=True, exist_ok=True)
    types = {
        name: pa.array(filled._meta[name]).type for name in table.filled if name in filled._meta.columns
    }
    writing = delayed(Writing(folder, Columns.of(table), types), traverse=False)
    digits = max(DIGITS, len(str(len(table.pieces) - 1)))
    write = delayed(write_piece, pure=False)
    parts = filled.to_delayed()
    return [
        write(piece, f"{piece.folder}/part-{at:0{digits}}.parquet".lstrip("/"), part, writing)
        for at, (piece, part) in enumerate(zip(table.pieces, parts, strict=True))
    ]


def write_piece(piece: Piece, name: str, filled: pd.DataFrame, writing: Writing) -> dict[str, int]:
    """Write a piece as a file: as it is, its holes exchanged.

    Parameters
    ----------
    piece : Piece
        What to read again.
    name : str
        Of the file.
    filled : DataFrame of shape (n_rows, n_columns)
        Its numbers, filled.
    writing : Writing
        Where to, and how.

    Returns
    -------
    dict
        How many cells were filled, by column.
    """
    n_filled = dict.fromkeys(writing.types, 0)
    with open_parquet(piece.path) as source, _new_file(writing.folder, name) as output:
        sink = ArrowSink(source, "parquet", Written({}, writing.types), output)
        first = 0
        for table in source.pieces(piece.groups):
            fills = {}
            here = filled.iloc[first : first + table.num_rows]
            for column in writing.types:
                rows = np.flatnonzero(
                    holes_in(writing.columns.numbers(column, table.column(column), piece.path))
                )
                if rows.size:
                    fills[column] = Holes(rows, pa.array(here[column].iloc[rows]))
                    n_filled[column] += rows.size
            sink.put(table, fills)
            first += table.num_rows
        sink.close()
    return n_filled


@contextmanager
def _new_file(folder: Folder, name: str) -> Iterator[Any]:
    """Where a file is written to: it appears whole or, after an error, not at all."""
    place = folder.local()
    if place is not None:
        with Output(str(place / name), io.BytesIO()) as output:
            yield output
            output.commit()
        return
    data = pa.BufferOutputStream()
    yield data
    try:
        folder.write(name, data.getvalue().to_pybytes())
    except OSError as error:
        raise NotWritten(error.errno, error.strerror or str(error), f"{folder.url}/{name}") from error
