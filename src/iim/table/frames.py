"""Frames to numbers and back, with narwhals: one path for pandas, polars and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from iim._arrays import Booleans, Integers
from iim._checks import check_parameters, exactly, one_of
from iim.exceptions import MissingDependency, UnusableTable
from iim.matrix import MaskedMatrix
from iim.table.columns import WITH_COLUMNS, named_values, read_column
from iim.table.fills import Filled, whole_range

Frame: TypeAlias = "nw.DataFrame[Any]"

BACKENDS = ("pandas", "polars", "pyarrow")
"""Kinds of frames for results; the default is the first that is installed."""

_FLOATS = {name: np.dtype(name.lower()) for name in ("Float32", "Float64")}
"""Float dtypes that are kept, by their name in narwhals."""

_WHOLE = {
    "Boolean": np.dtype(np.bool_),
    **{
        f"{kind}{size}": np.dtype(f"{kind.lower()}{size}")
        for kind in ("Int", "UInt")
        for size in (8, 16, 32, 64)
    },
}
"""Dtypes of whole numbers and booleans that can be kept, by their name in narwhals."""


def as_frame(table: Any) -> Frame | None:
    """The table as a narwhals frame; None if it is not a frame."""
    if isinstance(table, np.ndarray):
        # Testing for all kinds of frames takes longer than filling a row.
        return None
    if nw.dependencies.is_pandas_dataframe(table) and table.columns.nlevels > 1:
        raise UnusableTable(
            f"The names of the columns have {table.columns.nlevels} levels (a pandas MultiIndex); one is "
            "needed. Flatten them first, for example with `table.columns = ['_'.join(map(str, name)) for "
            "name in table.columns]`."
        )
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


def read_frame(
    frame: Frame,
    missing_values: Any,
    *,
    positions: Integers | None = None,
    leave_out: str = WITH_COLUMNS,
) -> MaskedMatrix:
    """Read a frame column by column.

    Parameters
    ----------
    frame : narwhals DataFrame
        Columns of numbers or booleans, nulls allowed; columns of objects if each is a number or null.
    missing_values : object
        More marks of missing values, besides nulls and NaN.
    positions : ndarray, optional
        The columns to read; all by default.
    leave_out : str
        Advice for leaving a column out, for messages.

    Returns
    -------
    MaskedMatrix
        The columns that were read.
    """
    named = named_values(missing_values)
    # Read once: some frames make a new list of names at each access.
    columns = frame.columns
    names = tuple(columns if positions is None else (columns[position] for position in positions))
    values = np.empty((frame.shape[0], len(names)), dtype=np.float64)
    missing = np.empty(values.shape, dtype=bool)
    for place, name in enumerate(names):
        values[:, place], missing[:, place] = read_column(name, frame.get_column(name), named, leave_out)
    return MaskedMatrix(values, missing, names)


def whole_ranges(frame: Frame, positions: Integers) -> list[tuple[float, float]]:
    """Ranges of the types of some columns of whole numbers."""
    columns = frame.columns
    dtypes = [_WHOLE.get(str(frame.get_column(columns[position]).dtype)) for position in positions]
    return [(-np.inf, np.inf) if dtype is None else whole_range(dtype) for dtype in dtypes]


def write_frame(
    frame: Frame,
    new: Filled,
    kept: Integers,
    indicators: dict[str, Booleans],
    names: Sequence[str] | None = None,
) -> Any:
    """Write fills to a copy of a frame; returns the native frame.

    Parameters
    ----------
    frame : narwhals DataFrame
        The original.
    new : Filled
        The fills, and their positions.
    kept : ndarray
        Positions of the columns to return.
    indicators : dict
        Boolean columns to append, by name; they become 0.0 and 1.0.
    names : sequence of str, optional
        New names of the kept columns.

    Returns
    -------
    native frame
        A column without missing values is the original one. Filled columns of floats keep their dtype, and
        so do columns of whole numbers and booleans filled with whole numbers; all others become float64.
    """
    columns = frame.columns
    series = []
    for place, position in new.holed(kept):
        column = frame.get_column(columns[position])
        own = _FLOATS.get(str(column.dtype))
        if own is None and new.limits.whole[position]:
            own = _WHOLE.get(str(column.dtype))
        if own is None:
            values = new.values[:, place].copy()
            series.append(nw.new_series(column.name, values, nw.Float64, backend=frame.implementation))
        else:
            # Only missing cells are written, so that known cells keep their bits in any dtype.
            holes = np.flatnonzero(new.missing[:, place])
            fills = new.values[holes, place] if own == np.float64 else new.narrowed(place, own)
            series.append(column.scatter(holes, fills))
    appended = [
        nw.new_series(name, column.astype(np.float64), nw.Float64, backend=frame.implementation)
        for name, column in indicators.items()
    ]
    return _replaced(frame, kept, series, names, appended)


def write_mask(frame: Frame, mask: Booleans, kept: Integers, names: Sequence[str] | None = None) -> Any:
    """A frame of True and False with the rows and columns of :func:`write_frame`, without indicators."""
    columns = frame.columns
    series = [
        nw.new_series(columns[position], mask[:, position], nw.Boolean, backend=frame.implementation)
        for position in kept
    ]
    return _replaced(frame, kept, series, names)


def mask_frame(mask: Booleans, names: Sequence[str], backend: Any) -> Any:
    """A native frame of True and False with the given names."""
    return nw.from_dict(dict(zip(names, mask.T, strict=True)), backend=backend).to_native()


def as_kind(native: Any, kind: str) -> Any:
    """Convert a frame to another kind, column by column, if the packages are installed."""
    frame = nw.from_native(native)
    if kind == frame.implementation.value:
        return native
    try:
        return frame.to_pandas() if kind == "pandas" else frame.to_polars()
    except ImportError:
        return native


def _replaced(
    frame: Frame,
    kept: Integers,
    series: list[nw.Series[Any]],
    names: Sequence[str] | None,
    appended: Sequence[nw.Series[Any]] = (),
) -> Any:
    # Dropped rather than selected: a pandas frame without columns keeps its rows only if they are dropped.
    columns = frame.columns
    dropped = set(range(len(columns))) - set(kept.tolist())
    result = frame.drop([columns[position] for position in dropped]) if dropped else frame.clone()
    if series:
        result = result.with_columns(series)
    if names is not None:
        result = result.rename(dict(zip(result.columns, names, strict=True)))
    native = (result.with_columns(appended) if appended else result).to_native()
    if frame.implementation.is_pandas():
        # User metadata of the frame; some operations of pandas drop it, and the name of the columns.
        came = frame.to_native()
        native.attrs, native.columns.name = deepcopy(came.attrs), came.columns.name
    return native


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None) -> Any:
    """A frame from columns.

    Parameters
    ----------
    columns : mapping
        Values by name: each column all text or None, or all numbers, or all True or False.
    backend : {"pandas", "polars", "pyarrow"} or None
        The kind of frame; None is the first that is installed.

    Returns
    -------
    native frame
    """
    check_parameters("to_frame", {"backend": backend}, {"backend": exactly(None) | one_of(*BACKENDS)})
    schema = {name: _dtype_of(values) for name, values in columns.items()}
    kinds: tuple[Any, ...] = BACKENDS if backend is None else (backend,)
    for kind in kinds:
        try:
            return nw.from_dict(dict(columns), schema, backend=kind).to_native()
        except ImportError:
            continue
    wanted = backend or "pandas"
    raise MissingDependency(
        f"A frame needs the package {wanted}, which is not installed. Install it with "
        f'`pip install "iim[{wanted}]"`.'
        if wanted != "pyarrow"
        else "A pyarrow table needs the package pyarrow, which is not installed."
    )


def _dtype_of(values: Sequence[Any]) -> Any:
    if all(value is None or isinstance(value, str) for value in values):
        return nw.String
    if all(isinstance(value, bool) for value in values):
        return nw.Boolean
    return nw.Int64 if all(isinstance(value, int) for value in values) else nw.Float64
