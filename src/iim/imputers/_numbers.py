"""Filled tables as numbers, for comparisons and reports."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.exceptions import InvalidParameter
from iim.imputers._base import Imputer
from iim.imputers._containers import open_table
from iim.table.frames import as_frame


def fill_numbers(imputer: Imputer, X: Any) -> Floats:
    """The filled table, with every column that ``X`` has.

    Parameters
    ----------
    imputer : Imputer
        Fitted on ``X`` first if it is not fitted.
    X : array or frame of shape (n_rows, n_columns)
        The table, which is read once.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The values of ``transform``, before rounding to a narrower dtype; NaN in columns that it drops or
        passes through.
    """
    if is_fitted(imputer):
        new = imputer._fill_table(open_table(imputer, X, reset=False))
    else:
        _, matrix, filled = imputer._learn(X, imputer._fit_fill)
        new = imputer._new_values(matrix, filled)
    values = np.full((new.values.shape[0], len(imputer._columns_in)), np.nan)
    chosen = np.isin(new.positions, imputer._kept)
    values[:, new.positions[chosen]] = new.values[:, chosen]
    return values


def read_filled(imputer: Imputer, filled: Any, n_rows: int) -> Floats:
    """The same, from what ``transform`` or ``fit_transform`` of the imputer returned.

    Parameters
    ----------
    imputer : Imputer
        Fitted.
    filled : array or frame
        The filled table.
    n_rows : int
        Rows of the table that it was made from.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        As of :func:`fill_numbers`.
    """
    frame, kept = as_frame(filled), imputer._kept
    table = np.asarray(filled) if frame is None else frame
    wanted = (n_rows, kept.size + imputer._indicated.size)
    if table.shape != wanted:
        raise InvalidParameter(
            f"`filled`: what `fit_transform` of the imputer returned, of {wanted[0]} rows and {wanted[1]} "
            f"columns, is needed; received a table of shape {table.shape}."
        )
    values = np.full((n_rows, len(imputer._columns_in)), np.nan)
    for place in np.flatnonzero(np.isin(kept, imputer._chosen_columns)).tolist():
        column = table[:, place] if frame is None else frame.get_column(frame.columns[place]).to_numpy()
        values[:, kept[place]] = column
    return values


def used_columns(imputer: Any) -> list[Any]:
    """Names of the columns that a fitted imputer uses; empty for any other object."""
    if not isinstance(imputer, Imputer) or not is_fitted(imputer):
        return []
    return [imputer._columns_in[position] for position in imputer._chosen_columns]


def is_fitted(imputer: Imputer) -> bool:
    """Whether ``fit`` was completed."""
    return imputer.__sklearn_is_fitted__()
