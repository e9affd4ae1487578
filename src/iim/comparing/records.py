"""The plain values that a comparison is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    """One method, one column, one repeat.

    Attributes
    ----------
    method : str
        The method's name.
    column : object
        The column's name.
    repeat : int
        From 0.
    n_cells : int
        Cells that were hidden.
    rms_error : float
        Root of the mean squared error, in the column's unit; NaN if the method failed.
    normalised_error : float
        The same in standard deviations of the column; NaN if the method failed.
    fit_seconds, transform_seconds : float
        Time of the fit and the fill that this column was part of; NaN if they did not come to their end.
    failure : str or None
        Why the method failed.
    """

    method: str
    column: Any
    repeat: int
    n_cells: int
    rms_error: float
    normalised_error: float
    fit_seconds: float
    transform_seconds: float
    failure: str | None


@dataclass(frozen=True)
class Note:
    """Something that a method warned of.

    Attributes
    ----------
    method : str
        The method's name.
    message : str
        Category and text. Of warnings that differ only in numbers, the first.
    times : int
        How often it warned so, over all fits.
    """

    method: str
    message: str
    times: int
