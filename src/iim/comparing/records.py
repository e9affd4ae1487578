"""The records of a comparison, as plain values."""

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
        Time of the fit and of the fill of this column; NaN if they failed.
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
    """A warning of a method.

    Attributes
    ----------
    method : str
        The method's name.
    message : str
        Category and text of the warning. Of warnings that differ in numbers only, the first.
    times : int
        Number of such warnings over all fits.
    """

    method: str
    message: str
    times: int
