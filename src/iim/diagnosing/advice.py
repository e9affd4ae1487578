"""From two numbers to a sentence."""

from __future__ import annotations

import math

from iim.diagnosing.measuring import FEWEST_KNOWN
from iim.present.numbers import count

HIGH = 0.7
"""R2 from here on: most of the variance is explained."""

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
        return "The hidden values hardly vary: R2 could not be measured."
    if r2_neighbors >= HIGH and r2_regression >= HIGH:
        return _both_high(r2_neighbors, r2_regression)
    if r2_regression >= HIGH:
        return "Sparse: near rows have different values, but one regression fits. Prefer glr or iim."
    if r2_neighbors >= HIGH:
        return "Heterogeneous: no one regression fits, but near rows are alike. Prefer knn, loess or iim."
    # Not "use the mean": local models can fit where neither neighbours nor one regression do.
    return "Hard to predict from the other columns. Run `iim compare`."


def _both_high(r2_neighbors: float, r2_regression: float) -> str:
    by_neighbors, by_regression = math.sqrt(1.0 - r2_neighbors), math.sqrt(1.0 - r2_regression)
    if by_regression > CLEARLY * by_neighbors:
        return "Both predict it, neighbours clearly better. Prefer knn, loess or iim."
    if by_neighbors > CLEARLY * by_regression:
        return "Both predict it, regression clearly better. Prefer glr or iim."
    return "Easy to predict, by neighbours and by regression: most methods do; glr is the cheapest."


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
        return "No other column has values to predict it from: only the column mean is left."
    return None
