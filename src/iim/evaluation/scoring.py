"""Errors of filled values."""

from __future__ import annotations

import math

import numpy as np

from iim._arrays import Floats

ROUNDING = 1e-12
"""Relative tolerance in a constant column: smaller errors are rounding."""


def rms_error(truth: Floats, filled: Floats) -> float:
    """Root of the mean squared error, the paper's criterion; 0 is perfect.

    Parameters
    ----------
    truth, filled : ndarray of shape (n_cells,)
        At least one value.

    Returns
    -------
    float
        In the unit of the values. No square overflows.
    """
    with np.errstate(over="ignore"):
        return _root_mean_square(truth - filled)


def spread(values: Floats) -> float:
    """Standard deviation of some values (divided by n); exactly 0 if all are equal."""
    if values.min() == values.max():
        return 0.0
    # In units of the largest, so that neither sums nor squares overflow.
    unit = float(np.abs(values).max())
    return unit * float(np.std(values / unit))


def normalised_error(error: float, known: Floats) -> float:
    """An RMS error in standard deviations of the column, so that columns can be averaged.

    About 1 is what the column mean achieves; 0 is perfect.

    Parameters
    ----------
    error : float
        RMS error.
    known : ndarray of shape (n_known,)
        All known values of the column, hidden ones included, so that every method and repeat has the same
        unit.

    Returns
    -------
    float
        For a constant column, 0 if the error is rounding, infinity otherwise.
    """
    unit = spread(known)
    if unit > 0.0:
        return error / unit
    return 0.0 if error <= ROUNDING * float(np.abs(known).max()) else math.inf


def r_squared(truth: Floats, filled: Floats, means: Floats | float) -> float:
    """Coefficient of determination, as in the paper's section on criteria.

    Parameters
    ----------
    truth, filled : ndarray of shape (n_cells,)
        Hidden values, and their fills.
    means : float, or ndarray of shape (n_cells,)
        Mean of the values that were not hidden: the baseline. One for each cell, if cells of several draws
        are pooled.

    Returns
    -------
    float
        1 is perfect, 0 is as good as the mean, below 0 is worse. NaN if every hidden value equals the mean.
    """
    with np.errstate(over="ignore"):
        error, total = _root_mean_square(truth - filled), _root_mean_square(truth - means)
    return 1.0 - (error / total) ** 2 if total > 0.0 else math.nan


def ranks(errors: Floats) -> Floats:
    """Ranks by increasing error, from 1; ties get the average of their ranks.

    Parameters
    ----------
    errors : ndarray of shape (n_methods,)
        NaN for a method that failed; these share the last ranks.

    Returns
    -------
    ndarray of shape (n_methods,)
    """
    failed = np.isnan(errors)
    # Failures rank after infinity, which is a measured error.
    keys = list(zip(failed.tolist(), np.where(failed, 0.0, errors).tolist(), strict=True))
    return np.array([sum(k < key for k in keys) + (1 + keys.count(key)) / 2 for key in keys])


def _root_mean_square(values: Floats) -> float:
    unit = float(np.abs(values).max())
    if unit == 0.0 or not math.isfinite(unit):
        return unit
    return unit * math.sqrt(float(np.mean((values / unit) ** 2)))
