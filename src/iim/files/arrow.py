"""Parquet and Feather files, through Arrow: types are kept, pieces are read one after the other."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

import numpy as np

from iim._arrays import Booleans
from iim.exceptions import MissingDependency, UnusableTable
from iim.files.choosing import EMPTY
from iim.files.text import check_names

ROWS = 1 << 16
"""Rows of a piece at most: a group of more rows is taken in several."""


def load_arrow() -> Any:
    """The package pyarrow; an error that says what to install if it is not there."""
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra, and slow to load)
    except ImportError as error:
        raise MissingDependency(
            "Files need the package pyarrow, which is not installed. Install it with "
            '`pip install "iim[cli]"`.'
        ) from error
    return pa


class Bytes(Protocol):
    """The bytes of a file: one that was opened, on a disk or elsewhere."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    def seekable(self) -> BinaryIO | None:
        """The file itself, if one can jump in it."""

    def read(self, n_bytes: int) -> bytes:
        """The next bytes."""


class ArrowFile:
    """A Parquet or Feather file.

    Parameters
    ----------
    opened : Bytes
        Its bytes.
    kind : {"parquet", "feather"}
        Its format.

    Attributes
    ----------
    name : str
        What to call it in messages.
    columns : tuple of str
        Names of its columns; one without a name is called "column 3", by its place.
    schema : pyarrow.Schema
        Its columns as they are in the file.
    n_rows : int
        Its rows.
    notices : tuple of str
        What a user should be told.
    compression : str or None
        How a Parquet file is compressed.
    footer : pyarrow.parquet.FileMetaData or None
        What a Parquet file says of its groups of rows.
    """

    def __init__(self, opened: Bytes, kind: str) -> None:
        pa = load_arrow()
        self.name = opened.name
        self.kind = kind
        self.compression: str | None = None
        self.footer: Any = None
        self._n_read = 0
        with self._undamaged():
            file = opened.seekable() or io.BytesIO(_read_all(opened))
            if kind == "parquet":
                import pyarrow.parquet as pq  # noqa: PLC0415 (slow to load)

                self._file = pq.ParquetFile(file)
                self.schema = self._file.schema_arrow
                self.footer = self._file.metadata
                self.n_rows = int(self.footer.num_rows)
                if self.footer.num_row_groups and self.footer.num_columns:
                    self.compression = self.footer.row_group(0).column(0).compression
            else:
                self._file = pa.ipc.open_file(file)
                self.schema = self._file.schema
                self.n_rows = sum(
                    self._file.get_batch(at).num_rows for at in range(self._file.num_record_batches)
                )
        if not self.schema.names:
            raise UnusableTable(f"{self.name} has no columns.")
        self.columns, self.notices = check_names(list(self.schema.names), self.name)

    def pieces(self, groups: Sequence[int] | None = None) -> Iterator[Any]:
        """The table in pieces of no more than ``ROWS`` rows, with the names of ``columns``.

        Parameters
        ----------
        groups : sequence of int, optional
            Which groups of rows of a Parquet file; all by default.

        Yields
        ------
        pyarrow.Table
        """
        pa = load_arrow()
        with self._undamaged():
            for batch in self._batches(groups):
                for at in range(0, batch.num_rows, ROWS):
                    table = pa.Table.from_batches([batch.slice(at, ROWS)])
                    self._n_read += table.num_rows
                    yield table.rename_columns(list(self.columns))

    def fraction(self) -> float:
        """How much of the file is read, from 0 to 1."""
        return self._n_read / self.n_rows if self.n_rows else 1.0

    def select(self, names: Sequence[str], groups: Sequence[int] | None = None) -> Any:
        """Some columns of a Parquet file at once.

        Parameters
        ----------
        names : sequence of str
            Some of ``columns``.
        groups : sequence of int, optional
            Which groups of rows; all by default.

        Returns
        -------
        pyarrow.Table
            The columns, in the order of ``names``.
        """
        originals = dict(zip(self.columns, self.schema.names, strict=True))
        wanted = [originals[name] for name in names]
        chosen = range(self.footer.num_row_groups) if groups is None else groups
        with self._undamaged():
            # What is asked for by name is also found within others.
            table = self._file.read_row_groups(list(chosen), columns=wanted).select(wanted)
        return table.rename_columns(list(names))

    def _batches(self, groups: Sequence[int] | None) -> Iterator[Any]:
        if self.kind == "feather":
            for at in range(self._file.num_record_batches):
                yield self._file.get_batch(at)
        else:
            # Group by group, so that those of the output are the same where they are not too large.
            for at in range(self.footer.num_row_groups) if groups is None else groups:
                yield from self._file.iter_batches(batch_size=ROWS, row_groups=[at])

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        pa = load_arrow()
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise UnusableTable(
                f"{self.name} cannot be read as {self.kind.capitalize()}: {reason}. It may be damaged or "
                "cut off."
            ) from error


def _read_all(opened: Bytes) -> bytes:
    parts = []
    while part := opened.read(1 << 22):
        parts.append(part)
    return b"".join(parts)


def is_number(dtype: Any) -> bool:
    """Whether a type of Arrow is of numbers (or of booleans, which are filled as 0 and 1)."""
    types = load_arrow().types
    return bool(
        types.is_integer(dtype)
        or types.is_floating(dtype)
        or types.is_boolean(dtype)
        or types.is_decimal(dtype)
    )


def kind_of(dtype: Any) -> str:
    """What a type of Arrow that is not of numbers is called."""
    types = load_arrow().types
    names = {
        "text": types.is_string(dtype) or types.is_large_string(dtype),
        "categories": types.is_dictionary(dtype),
        "dates": types.is_date(dtype) or types.is_timestamp(dtype),
        "times": types.is_time(dtype),
        "durations": types.is_duration(dtype),
        EMPTY: types.is_null(dtype),
    }
    return next((name for name, fits in names.items() if fits), f"of type {dtype}")


def numbers_of(column: Any, markers: tuple[float, ...]) -> Any:
    """A column of numbers as imputers read it: nulls where it is missing, and where it holds a marker."""
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
    """True where a column has no value: null or NaN."""
    import pyarrow.compute as pc  # noqa: PLC0415 (slow to load)

    pa = load_arrow()
    if pa.types.is_floating(column.type):
        missing = pc.is_null(column, nan_is_null=True)
    else:
        missing = pc.is_null(column)
    if isinstance(missing, pa.ChunkedArray):
        missing = missing.combine_chunks()
    return np.asarray(missing.to_numpy(zero_copy_only=False), dtype=bool)


def with_fills(name: str, column: Any, missing: Booleans, values: Any, dtype: Any) -> Any:
    """A column of a given type with values in its holes.

    Parameters
    ----------
    name : str
        Of the column, for messages.
    column : pyarrow.ChunkedArray
        As it was.
    missing : ndarray of shape (n_rows,)
        Where values go.
    values : pyarrow.Array
        One for each hole.
    dtype : pyarrow.DataType
        What the column is to be.

    Returns
    -------
    pyarrow.Array
        Cells that are no holes are as they were.
    """
    import pyarrow.compute as pc  # noqa: PLC0415 (slow to load)

    pa = load_arrow()
    if pa.types.is_decimal(dtype):
        values = pc.round(values.cast(pa.float64()), ndigits=dtype.scale)
    try:
        values = values.cast(dtype)
    except pa.ArrowInvalid as error:
        raise UnusableTable(
            f"Column {name!r} is of type {dtype}, which cannot hold what it is filled with: {error}. Bound "
            "it with --min and --max, or give the column a wider type."
        ) from error
    places = np.cumsum(missing) - 1
    spread = values.take(pa.array(np.where(missing, places, 0))) if len(values) else None
    column = pa.chunked_array(column.chunks, column.type).cast(dtype)
    return column if spread is None else pc.if_else(pa.array(missing), spread, column)


def filled_type(original: Any, values: Any) -> Any:
    """The type of a column once values of another type are in its holes."""
    types = load_arrow().types
    if types.is_null(original):
        return values
    keeps = types.is_floating(original) or types.is_decimal(original) or not types.is_floating(values)
    return original if keeps else load_arrow().float64()
