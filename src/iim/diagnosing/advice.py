"""From two numbers to a sentence."""

from __future__ import annotations

import math

from iim._showing import count
from iim.diagnosing.measuring import FEWEST_KNOWN

HIGH = 0.7
"""R2 from here on: most of what varies is told."""

CLEARLY = 1.5
"""How many times larger one error is than the other to say so."""


def advise(r2_neighbors: float, r2_regression: float) -> str:
    """What R2_S and R2_H suggest.

    Parameters
    ----------
    r2_neighbors, r2_regression : float
        Measured values; NaN if the hidden cells did not vary.

    Returns
    -------
    str
    """
    if math.isnan(r2_neighbors) or math.isnan(r2_regression):
        return "The hidden values hardly vary: there was nothing to tell methods apart by."
    if r2_neighbors >= HIGH and r2_regression >= HIGH:
        return _both_high(r2_neighbors, r2_regression)
    if r2_regression >= HIGH:
        return "Sparse: neighbours do not share values, but one law holds. Prefer regression (glr) or iim."
    if r2_neighbors >= HIGH:
        return "Heterogeneous: no one law holds, but neighbours share values. Prefer knn, loess or iim."
    # Not "use the mean": local laws can hold where neither neighbours nor a global one tell anything.
    return (
        "Neither neighbours nor one law tell it well; local laws (iim, loess) or trees (xgb) may: compare."
    )


def _both_high(r2_neighbors: float, r2_regression: float) -> str:
    by_neighbors, by_regression = math.sqrt(1.0 - r2_neighbors), math.sqrt(1.0 - r2_regression)
    if by_regression > CLEARLY * by_neighbors:
        return "Both tell it, neighbours clearly better than one law. Prefer knn, loess or iim."
    if by_neighbors > CLEARLY * by_regression:
        return "Both tell it, one law clearly better than neighbours. Prefer regression (glr) or iim."
    return "Neighbours share values, and one law holds: most methods will do; glr is the cheapest."


def why_not(n_known: int, *, constant: bool, n_columns: int) -> str | None:
    """Why a column cannot be measured; None if it can.

    Parameters
    ----------
    n_known : int
        Its known values.
    constant : bool
        Whether these are all equal.
    n_columns : int
        Columns of the table with any known value.

    Returns
    -------
    str or None
    """
    if n_known == 0:
        return "No value is known: nothing can be learned."
    if n_known < FEWEST_KNOWN:
        return f"Only {count(n_known, 'value')} known: too few to measure ({FEWEST_KNOWN} are needed)."
    if constant:
        return "All known values are equal: R2 is undefined, and any method will fill that value."
    if n_columns < 2:
        return "No other column has values to tell it from: only the column mean is left."
    return None
