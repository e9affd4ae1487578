"""Tables of users: opened with scikit-learn's checks, and returned as the same type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from iim._arrays import Booleans, Integers
from iim.table.fills import whole_range
from iim.table.frames import BACKENDS, Frame, as_frame, mask_frame, whole_ranges, write_mask
from iim.table.tables import plain_array

Table: TypeAlias = "np.ndarray[Any, Any] | Frame"
"""A table as the user gave it."""


def open_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Table:
    """Open a table; shape and names are checked as in scikit-learn.

    Parameters
    ----------
    estimator : BaseEstimator
        The imputer, which stores shape and names, or compares with them.
    X : object
        The user's table.
    reset : bool
        True at ``fit``, where they are stored.

    Returns
    -------
    ndarray or narwhals DataFrame
    """
    frame = as_frame(X)
    if frame is not None:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in frame.shape:
            _refuse_empty(estimator, frame.shape)
        return frame
    X = plain_array(X)
    array: np.ndarray[Any, Any] = check_array(
        X, dtype=None, ensure_all_finite=False, input_name="X", estimator=estimator
    )
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # One text among the numbers of a list, and numpy makes text of them all.
        array = np.asarray(X, dtype=object)
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    return array


def _refuse_empty(estimator: BaseEstimator, shape: tuple[int, int]) -> None:
    # The words of scikit-learn's check_array, which frames do not go through.
    what = "sample" if shape[0] == 0 else "feature"
    raise ValueError(
        f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required by "
        f"{type(estimator).__name__}."
    )


def kind_of_frame(X: Any) -> str | None:
    """The kind of a frame, if results can be frames of that kind; None for all else."""
    frame = as_frame(X)
    kind = None if frame is None else str(frame.implementation.value)
    return kind if kind in BACKENDS else None


def names_of(table: Table) -> tuple[Any, ...]:
    """Names of the columns; those of an array are scikit-learn's x0, x1 and so on."""
    if isinstance(table, np.ndarray):
        return tuple(f"x{position}" for position in range(table.shape[1]))
    return tuple(table.columns)


def ranges_of(table: Table, positions: Integers) -> list[tuple[float, float]]:
    """Ranges of the dtypes of some columns, for whole numbers."""
    if isinstance(table, np.ndarray):
        is_whole = table.dtype.kind in "bui"
        return [whole_range(table.dtype) if is_whole else (-np.inf, np.inf)] * positions.size
    return whole_ranges(table, positions)


def output_kind(estimator: BaseEstimator) -> str:
    """The setting of ``set_output``: "default", "pandas" or "polars"."""
    # scikit-learn has no public name for it; this is where set_output and clone keep it.
    own: str | None = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return own or str(get_config()["transform_output"])


def array_as_kind(array: np.ndarray[Any, Any], names: Sequence[str], kind: str) -> Any:
    """An array as a frame of the type set by ``set_output``; unchanged for "default"."""
    return array if kind == "default" else mask_frame(array, names, kind)


def write_mask_like(
    table: Table, mask: Booleans, kept: Integers, names: Sequence[str] | None, kind: str
) -> Any:
    """A table of True and False of the same type as ``table``, or of the type ``kind``.

    Parameters
    ----------
    table : ndarray or narwhals DataFrame
        As it came in.
    mask : ndarray of shape (n_rows, n_columns)
        The cells, of all columns.
    kept : ndarray
        Positions of the columns to give back.
    names : sequence of str or None
        Their names, if they are not those that they have.
    kind : {"default", "pandas", "polars"}
        What ``set_output`` asks for.

    Returns
    -------
    array or frame
    """
    if not isinstance(table, np.ndarray) and kind in ("default", table.implementation.value):
        return write_mask(table, mask, kept, names)
    mask = mask[:, kept]
    return mask if kind == "default" else mask_frame(mask, names or (), kind)


def text_names(table: Table, kept: Integers) -> list[str] | None:
    """Names of the kept columns as text, if some are not; None if all are text.

    scikit-learn refuses a mix of text and others, such as the whole numbers that pandas starts with.
    """
    if isinstance(table, np.ndarray) or all(isinstance(name, str) for name in table.columns):
        return None
    columns = table.columns
    return [str(columns[position]) for position in kept]
