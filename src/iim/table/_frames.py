"""Frames to numbers and back, through narwhals: one path for pandas, polars and their kin."""

from __future__ import annotations

from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.exceptions import UnusableTable
from iim.matrix import MaskedMatrix
from iim.table._arrays import fit_dtype
from iim.table._columns import read_numbers, read_objects

Frame: TypeAlias = "nw.DataFrame[Any]"


def as_frame(table: Any) -> Frame | None:
    """See a table as a frame; None if it is none."""
    if nw.dependencies.is_pandas_dataframe(table) and not table.columns.is_unique:
        repeated = table.columns[table.columns.duplicated()][0]
        raise UnusableTable(f"Column {repeated!r} appears more than once. Give every column its own name.")
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise UnusableTable(
            f"The table is a lazy {type(table).__module__.split('.')[0]} frame, which holds no values "
            "yet. Call its `collect()` first."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def read_frame(frame: Frame, missing_values: Any) -> MaskedMatrix:
    """Read a frame column by column.

    Parameters
    ----------
    frame : narwhals DataFrame
        Columns of numbers or booleans, nulls allowed; columns of objects if each is a number or null.
    missing_values : object
        What is missing besides nulls and NaN.

    Returns
    -------
    MaskedMatrix
    """
    values = np.empty(frame.shape, dtype=np.float64)
    missing = np.empty(frame.shape, dtype=bool)
    for position, name in enumerate(frame.columns):
        values[:, position], missing[:, position] = _read_series(
            frame.get_column(name), name, missing_values
        )
    return MaskedMatrix(values, missing, tuple(frame.columns))


def _read_series(series: nw.Series[Any], name: Any, missing_values: Any) -> tuple[Floats, Booleans]:
    null = series.is_null().to_numpy()
    if null.all():
        return np.full(null.size, np.nan), np.ones(null.size, dtype=bool)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        array = series.to_numpy()
        if array.dtype.kind in "buif":
            numbers, missing = read_numbers(array, name, missing_values)
            numbers[null] = np.nan
            return numbers, missing | null
        return read_objects(array, name, missing_values)
    if series.dtype in (nw.Object, nw.Unknown):
        return read_objects(np.asarray(series.to_list(), dtype=object), name, missing_values)
    first = int(np.flatnonzero(~null)[0])
    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        return read_objects(np.asarray(series.to_list(), dtype=object), name, missing_values)
    raise UnusableTable(
        f"Column {name!r} is of type {series.dtype}, which is not a number (first: row {first}, "
        f"{series[first]!r}). Leave the column out, or make it numeric."
    )


def write_frame(
    frame: Frame,
    filled: Floats,
    missing: Booleans,
    kept: Integers,
    indicators: dict[str, Booleans],
) -> Any:
    """Put filled values into a copy of a frame; the native frame is returned.

    Parameters
    ----------
    frame : narwhals DataFrame
        As it came in.
    filled, missing : ndarray of shape (n_rows, n_columns)
        New values, and where they go.
    kept : ndarray
        Positions of the columns to give back.
    indicators : dict
        Boolean columns to append, by name; they become 0.0 and 1.0.

    Returns
    -------
    native frame
        A column without a hole is the original one; one with holes becomes float64 (float32 stays).
    """
    backend = frame.implementation
    new = []
    for position in kept:
        name = frame.columns[position]
        came = frame.get_column(name).dtype
        if not missing[:, position].any():
            continue
        single = came == nw.Float32
        dtype = np.dtype(np.float32 if single else np.float64)
        # Where nothing is missing, filled holds the observed value, in float64: exact for float32 too.
        column = fit_dtype(filled[:, position], dtype)
        new.append(nw.new_series(name, column, nw.Float32 if single else nw.Float64, backend=backend))
    new += [
        nw.new_series(name, column.astype(np.float64), nw.Float64, backend=backend)
        for name, column in indicators.items()
    ]
    # Dropped rather than selected: a pandas frame left without columns keeps its rows.
    dropped = set(range(len(frame.columns))) - set(kept.tolist())
    result = frame.drop([frame.columns[position] for position in dropped]) if dropped else frame.clone()
    return (result.with_columns(new) if new else result).to_native()
