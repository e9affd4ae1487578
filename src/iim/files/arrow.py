"""Parquet and Feather, with Arrow: types are kept, pieces are read one after the other."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from iim._arrays import Booleans
from iim._names import quoted
from iim.exceptions import MissingDependency, UnusableTable
from iim.files.cells import Filled, Fills, Holes, read_markers
from iim.files.dialects import Layout, check_names
from iim.files.streams import Opened, Output
from iim.table.columns import count_facts
from iim.table.kinds import ColumnKind, Facts, declared_kind

ROWS = 1 << 16
"""Rows of a piece, at most; a larger row group is read in several pieces."""


def load_arrow() -> Any:
    """The package pyarrow; an error with advice if it is not installed."""
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra, and slow to load)
    except ImportError as error:
        raise MissingDependency(
            "Files need the package pyarrow, which is not installed. Install it with "
            '`pip install "iim[cli]"`.'
        ) from error
    return pa


class ArrowSource:
    """An Arrow file that is read once; a piece of it is a table of at most ``ROWS`` rows.

    Parameters
    ----------
    opened : Opened
        Its bytes.
    layout : Layout
        Options of the user.
    na : tuple of str
        More marks of missing values.

    Attributes
    ----------
    name, format : str
        Its name in messages, and its format.
    columns : tuple of str
        Names of its columns; one without a name gets its position, such as "column 3".
    schema : pyarrow.Schema
        Its columns as they are in the file.
    n_rows : int
        Its rows.
    notices : tuple of str
        Notes for the user.
    markers : tuple of float or str
        More marks of missing values.
    declared : dict of str to ColumnKind
        Kinds declared by the types of columns.
    """

    format: str
    declared: Mapping[str, ColumnKind]
    delimiter = named = encoder = None
    line_end, mark, letters = "\n", b"", "utf-8"

    def __init__(self, opened: Opened, layout: Layout, na: tuple[str, ...]) -> None:
        del layout
        self.name = opened.name
        self.markers = read_markers(na)
        self._numbers = tuple(marker for marker in self.markers if isinstance(marker, float))
        self._n_read = 0
        self.schema: Any
        self.n_rows: int
        with self._undamaged():
            self._open(opened.seekable() or io.BytesIO(opened.rest()))
        if not self.schema.names:
            raise UnusableTable(f"{self.name} has no columns.")
        self.columns, self.notices = check_names(list(self.schema.names), self.name)
        self.header = self.columns
        self._types = dict(zip(self.columns, self.schema.types, strict=True))
        found = {name: declared_kind(dtype) for name, dtype in self._types.items()}
        self.declared = {name: kind for name, kind in found.items() if kind is not None}

    def _open(self, file: Any) -> None:
        raise NotImplementedError

    def _batches(self) -> Iterator[Any]:
        raise NotImplementedError

    def pieces(self) -> Iterator[Any]:
        """The table in pieces, with the names of ``columns``."""
        pa = load_arrow()
        with self._undamaged():
            for batch in self._batches():
                for at in range(0, batch.num_rows, ROWS):
                    table = pa.Table.from_batches([batch.slice(at, ROWS)])
                    self._n_read += table.num_rows
                    yield table.rename_columns(list(self.columns))

    def fraction(self) -> float:
        """Share of the file that has been read, from 0 to 1."""
        return self._n_read / self.n_rows if self.n_rows else 1.0

    def numbers(self, piece: Any, names: Sequence[str], *, every: bool) -> Any:
        """The numbers of a piece, in their types; nulls in missing cells."""
        del every
        return load_arrow().table(
            [numbers_of(piece.column(name), self._numbers) for name in names], names=list(names)
        )

    def hole_row(self, names: Sequence[str]) -> list[Any]:
        """A row of missing cells, by column, in the types of the numbers."""
        pa = load_arrow()
        return [numbers_of(pa.chunked_array([pa.nulls(1, self._types[name])]), ()) for name in names]

    def facts(self, frame: Any) -> Iterator[Facts]:
        """Facts about columns over all pieces; the numbers of ``frame`` may be a sample."""
        return map(count_facts, frame.column_names, frame.columns)

    def writes_whole(self, name: str) -> None:
        """None: types decide how numbers are written."""

    def refuse_texts(self, names: Sequence[str], leave_out: str | None = None) -> None:
        """Nothing to refuse: columns of numbers hold no text."""

    def arrow_schema(self, types: Mapping[str, Any]) -> Any:
        """The schema, with wider types for columns whose fills need them."""
        fields = [
            field.with_type(filled_type(field.type, types[name])) if name in types else field
            for name, field in zip(self.columns, self.schema, strict=True)
        ]
        return load_arrow().schema(fields, metadata=self.schema.metadata)

    def arrow_table(self, piece: Any, schema: Any) -> Any:
        """A piece unchanged: its columns are converted when they are filled."""
        del schema
        return piece

    def texts(self, piece: Any, fills: Fills) -> list[list[str | None]]:
        """The cells of a piece as text, by column, with fills; None for nulls."""
        columns = []
        for name, column in zip(self.columns, piece.columns, strict=True):
            if name in fills:
                dtype = filled_type(column.type, fills[name].values.type)
                column = with_fills(name, column, fills[name], dtype)  # noqa: PLW2901
            columns.append(_texts(name, column))
        return columns

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        pa = load_arrow()
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise UnusableTable(
                f"{self.name} cannot be read as {self.format.capitalize()}: {reason[:300]}. It may be "
                "damaged or cut off."
            ) from error


class ParquetSource(ArrowSource):
    """A Parquet file."""

    format = "parquet"

    def _open(self, file: Any) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415 (slow to load)

        self._file = pq.ParquetFile(file)
        self.schema = self._file.schema_arrow
        self.n_rows = int(self._file.metadata.num_rows)

    @property
    def compression(self) -> str:
        """Compression of its first column."""
        footer = self._file.metadata
        if not (footer.num_row_groups and footer.num_columns):
            return "snappy"
        found: str = footer.row_group(0).column(0).compression
        return "none" if found == "UNCOMPRESSED" else found.lower()

    def _batches(self) -> Iterator[Any]:
        # Row group by row group, so that the output has the same groups unless they are too large.
        for at in range(self._file.metadata.num_row_groups):
            yield from self._file.iter_batches(batch_size=ROWS, row_groups=[at])


class FeatherSource(ArrowSource):
    """A Feather file, in Arrow's own format."""

    format = "feather"

    def _open(self, file: Any) -> None:
        self._file = load_arrow().ipc.open_file(file)
        self.schema = self._file.schema
        self.n_rows = sum(batch.num_rows for batch in self._batches())

    def _batches(self) -> Iterator[Any]:
        for at in range(self._file.num_record_batches):
            yield self._file.get_batch(at)


def write_arrow(
    source: Any,
    named: str | None,
    types: Mapping[str, Any],
    pieces: Iterable[Filled],
    output: Output,
) -> None:
    """Write Parquet or Feather, with a row group for each piece."""
    pa = load_arrow()
    form, schema = named or source.format, source.arrow_schema(types)
    if source.format != form:
        # Row groups of Parquet may have different categories; Feather needs one list.
        plain = [
            field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
            for field in schema
        ]
        schema = pa.schema(plain, metadata=schema.metadata)
    writer: Any
    if form == "parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415 (slow to load)

        writer = pq.ParquetWriter(output, schema, compression=getattr(source, "compression", "snappy"))
    else:
        options = pa.ipc.IpcWriteOptions(compression="lz4", emit_dictionary_deltas=True)
        writer = pa.ipc.new_file(output, schema, options=options)
    for piece, _, fills in pieces:
        table = source.arrow_table(piece, schema)
        arrays = [
            with_fills(name, column, fills[name], field.type)
            if name in fills
            else (column if column.type == field.type else column.cast(field.type))
            for name, column, field in zip(source.columns, table.columns, schema, strict=True)
        ]
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    writer.close()


def numbers_of(column: Any, markers: tuple[float, ...]) -> Any:
    """A column of numbers as imputers read it, with nulls for marks of missing values."""
    import pyarrow.compute as pc  # noqa: PLC0415 (slow to load)

    pa = load_arrow()
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    elif pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    for marker in markers:
        scalar = _as_scalar(marker, column.type)
        if scalar is not None:
            column = pc.if_else(pc.equal(column, scalar), pa.scalar(None, column.type), column)
    return column


def _as_scalar(marker: float, dtype: Any) -> Any:
    """A number in the type of a column; None if the type cannot hold it."""
    pa = load_arrow()
    if pa.types.is_boolean(dtype) or (pa.types.is_integer(dtype) and not marker.is_integer()):
        return None
    try:
        return pa.scalar(int(marker) if pa.types.is_integer(dtype) else marker, dtype)
    except (pa.ArrowInvalid, OverflowError):
        return None


def holes_in(column: Any) -> Booleans:
    """True where a column has null or NaN."""
    import pyarrow.compute as pc  # noqa: PLC0415 (slow to load)

    pa = load_arrow()
    if pa.types.is_floating(column.type):
        missing = pc.is_null(column, nan_is_null=True)
    else:
        missing = pc.is_null(column)
    if isinstance(missing, pa.ChunkedArray):
        missing = missing.combine_chunks()
    return np.asarray(missing.to_numpy(zero_copy_only=False), dtype=bool)


def with_fills(name: str, column: Any, holes: Holes, dtype: Any) -> Any:
    """A column with its missing cells filled, in a given type.

    Parameters
    ----------
    name : str
        Of the column, for messages.
    column : pyarrow.ChunkedArray
        The column.
    holes : Holes
        Positions of the missing cells, and their fills.
    dtype : pyarrow.DataType
        Type of the result.

    Returns
    -------
    pyarrow.Array
        Known cells are unchanged.
    """
    import pyarrow.compute as pc  # noqa: PLC0415 (slow to load)

    pa = load_arrow()
    values = holes.values
    if pa.types.is_decimal(dtype):
        values = pc.round(values.cast(pa.float64()), ndigits=dtype.scale)
    try:
        values = values.cast(dtype)
    except pa.ArrowInvalid as error:
        raise UnusableTable(
            f"Column {quoted(name)} is of type {dtype}, which cannot hold its fills: {error}. Bound them "
            "with --min and --max, or give the column a wider type."
        ) from error
    column = pa.chunked_array(column.chunks, column.type).cast(dtype)
    if not len(values):
        return column
    missing = np.zeros(len(column), dtype=bool)
    missing[holes.rows] = True
    spread = values.take(pa.array(np.where(missing, np.cumsum(missing) - 1, 0)))
    return pc.if_else(pa.array(missing), spread, column)


def filled_type(original: Any, values: Any) -> Any:
    """The type of a column after filling it with values of another type."""
    types = load_arrow().types
    if types.is_null(original):
        return values
    keeps = types.is_floating(original) or types.is_decimal(original) or not types.is_floating(values)
    return original if keeps else load_arrow().float64()


def _texts(name: str, column: Any) -> list[str | None]:
    """The cells of a column as text; None for nulls."""
    pa = load_arrow()
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException as error:
        raise UnusableTable(
            f"Column {quoted(name)} is of type {column.type}, which cannot be written as text: {error}."
        ) from error
    return texts
