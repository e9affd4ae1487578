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
class ColumnScore:
    """One method on one column, over the repeats in which it did not fail.

    Attributes
    ----------
    method : str
        The method's name.
    column : object
        The column's name.
    rms_error, rms_spread : float
        Mean, and standard deviation over repeats (NaN with fewer than two).
    normalised_error, normalised_spread : float
        The same in standard deviations of the column.
    n_cells : int
        Cells that were hidden in each repeat.
    n_failed : int
        Repeats in which it failed.
    """

    method: str
    column: Any
    rms_error: float
    rms_spread: float
    normalised_error: float
    normalised_spread: float
    n_cells: int
    n_failed: int


@dataclass(frozen=True)
class MethodScore:
    """One method over all columns.

    Attributes
    ----------
    method : str
        The method's name.
    normalised_error : float
        Mean over columns and repeats, failures left out.
    spread : float
        Standard deviation, over repeats, of the mean over columns: how much the draw of hidden cells
        matters. NaN with fewer than two repeats.
    mean_rank : float
        Its place among all methods, averaged over columns and repeats; failures share the last places.
    fit_seconds, transform_seconds : float
        Median time of a fit, and of a fill: with three repeats or more, that the first one also compiles
        or loads something does not count. Every single time is in the records.
    n_failed : int
        Columns in which it failed at least once.
    """

    method: str
    normalised_error: float
    spread: float
    mean_rank: float
    fit_seconds: float
    transform_seconds: float
    n_failed: int


@dataclass(frozen=True)
class Recommendation:
    """The best method of a column.

    Attributes
    ----------
    column : object
        The column's name.
    method : str or None
        The one with the least mean error, of those that never failed; None if all did.
    rms_error, normalised_error : float
        Its mean errors.
    n_cells : int
        Cells that were hidden in each repeat.
    alike : tuple of str, or None
        Methods that cannot be told apart from it, best first: by Student's paired t test over repeats, at
        5 % and each of them by itself, their mean errors may be the same. None is unknown: one repeat
        tells nothing of chance. Few repeats tell only clear differences from it: with three, the mean
        difference has to be 4.3 of its standard errors, with ten 2.3.
    """

    column: Any
    method: str | None
    rms_error: float
    normalised_error: float
    n_cells: int
    alike: tuple[str, ...] | None


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
