"""R2_S and R2_H of the paper: how well the nearest rows, and one linear regression, predict a column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.arithmetic.column_means import column_means
from iim.core.donors import choose_donors
from iim.core.patterns import Pattern
from iim.evaluation.hiding import column_generator, count_to_hide
from iim.evaluation.scoring import r_squared
from iim.imputers import METHODS
from iim.matrix import MaskedMatrix
from iim.present.numbers import count

FEWEST_KNOWN = 10
"""Known values needed to measure a column, and rows needed with it and its predictors known."""

FEWEST_CELLS = 30
"""Cells hidden in all repeats together, unless this exceeds a quarter of the rows at a time. With fewer, R2
is too noisy; with half of the rows hidden, the rest would be sparser than the table."""

MOST_CELLS = 1000
"""Cells hidden in one repeat, at most; more would only take longer."""

WANTED_ROWS = 100
"""Predictors are dropped until at least this many rows, and twice the number of columns, have all of
them."""

DONORS_BY_NEIGHBOR = 5
"""Rows with a known value per averaged neighbour. With fewer, the mean of the nearest rows is close to the
column mean, and any small table looks sparse."""

MOST_VALUES = 1_000_000
"""Rows times columns to measure on, at most; larger tables are sampled by rows."""

HIGH = 0.7
"""R2 from here on: most of the variance is explained."""

CLEARLY = 1.5
"""How many times larger one error is than the other to say so."""


@dataclass(frozen=True)
class Measurement:
    """R2_S and R2_H of a column, and the cells they were measured on.

    Attributes
    ----------
    r2_neighbors, r2_regression : float
        R2_S and R2_H; NaN if not measured.
    n_rows : int
        Rows used.
    n_cells : int
        Hidden cells, all repeats together.
    n_neighbors : int
        Number of nearest rows averaged: the parameter, or less in a small table.
    observed : tuple of int
        Positions of the predictors.
    bounded : bool
        Whether fewer rows or hidden cells than requested were used, to bound the work or to leave enough
        rows to learn from.
    """

    r2_neighbors: float
    r2_regression: float
    n_rows: int
    n_cells: int
    n_neighbors: int
    observed: tuple[int, ...]
    bounded: bool


NOTHING = Measurement(math.nan, math.nan, 0, 0, 0, (), bounded=False)
"""Measurement of a column that cannot be measured."""


@dataclass(frozen=True)
class DiagnosisPlan:
    """Parameters of the measurement; see :func:`iim.diagnose`."""

    hide: float = 0.05
    repeats: int = 3
    n_neighbors: int = 10
    scale: str = "standard"
    seed: int = 0
    n_jobs: int | None = -1


def measure_column(matrix: MaskedMatrix, target: int, plan: DiagnosisPlan) -> Measurement:
    """Hide values of one column, and measure how well they are predicted.

    Only cells of this column are hidden, in rows where it and its predictors are known: the complete tuples
    of the paper. Columns that few of those rows have are dropped, as imputers do. Cells of all repeats are
    pooled: a mean of several R2, each of few cells, would be dominated by the worst.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table; each column has a known value.
    target : int
        Position of the column.
    plan : DiagnosisPlan
        How to measure.

    Returns
    -------
    Measurement
        ``NOTHING`` if too few rows have it together with any other column.
    """
    others = tuple(column for column in range(matrix.n_columns) if column != target)
    wanted = max(WANTED_ROWS, 2 * matrix.n_columns)
    problem = choose_donors(matrix.missing, Pattern(others, target), which="available", min_donors=wanted)
    if not problem.observed or problem.rows.size < FEWEST_KNOWN:
        return NOTHING
    rows, most = problem.rows, max(WANTED_ROWS, MOST_VALUES // (len(problem.observed) + 1))
    if rows.size > most:
        # The repeat after the last: a stream that no repeat uses.
        drawn = column_generator(plan.seed, plan.repeats, target).permutation(rows)
        rows = np.sort(drawn[:most])
    enough = min(-(-FEWEST_CELLS // plan.repeats), rows.size // 4)
    asked = max(count_to_hide(rows.size, plan.hide), enough)
    # At least half of the rows are left to learn from.
    n_hidden = min(asked, MOST_CELLS, rows.size // 2)
    n_neighbors = max(1, min(plan.n_neighbors, (rows.size - n_hidden) // DONORS_BY_NEIGHBOR))
    values = matrix.values[rows][:, [*problem.observed, target]]
    draws = [column_generator(plan.seed, at, target).permutation(rows.size) for at in range(plan.repeats)]
    repeats = [_fill_hidden(values, drawn, n_hidden, n_neighbors, plan) for drawn in draws]
    truth, near, line, means = (np.concatenate(parts) for parts in zip(*repeats, strict=True))
    return Measurement(
        r2_neighbors=r_squared(truth, near, means),
        r2_regression=r_squared(truth, line, means),
        n_rows=rows.size,
        n_cells=truth.size,
        n_neighbors=n_neighbors,
        observed=problem.observed,
        bounded=rows.size < problem.rows.size or truth.size < plan.repeats * asked,
    )


def _fill_hidden(
    values: Floats, drawn: Integers, n_hidden: int, n_neighbors: int, plan: DiagnosisPlan
) -> tuple[Floats, ...]:
    """Truth, both kinds of fills, and the mean of what is still known; the target is the last column."""
    hidden, known = np.split(drawn, [n_hidden])
    still_known = MaskedMatrix(values[known, -1:], np.zeros((known.size, 1), bool), ("target",))
    holed = values.copy()
    holed[hidden, -1] = np.nan
    neighbors = METHODS["knn"](n_neighbors=n_neighbors, scale=plan.scale, n_jobs=plan.n_jobs)
    regression = METHODS["glr"](scale=plan.scale)
    return (
        values[hidden, -1],
        neighbors.fit(holed).transform(holed[hidden])[:, -1],
        regression.fit(holed).transform(holed[hidden])[:, -1],
        np.full(hidden.size, column_means(still_known)[0]),
    )


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
        return "Not measured: the hidden values hardly vary, so R2 is undefined."
    if r2_neighbors >= HIGH and r2_regression >= HIGH:
        by_neighbors, by_regression = math.sqrt(1.0 - r2_neighbors), math.sqrt(1.0 - r2_regression)
        if by_regression > CLEARLY * by_neighbors:
            return "Both predict it, neighbours clearly better. Prefer knn, loess or iim."
        if by_neighbors > CLEARLY * by_regression:
            return "Both predict it, regression clearly better. Prefer glr or iim."
        return "Easy to predict, by neighbours and by regression: most methods do; glr is the cheapest."
    if r2_regression >= HIGH:
        return "Sparse: near rows have different values, but one regression fits. Prefer glr or iim."
    if r2_neighbors >= HIGH:
        return "Heterogeneous: no one regression fits, but near rows are alike. Prefer knn, loess or iim."
    # Not "use the mean": local models can fit where neither neighbours nor one regression do.
    return "Hard to predict from the other columns. Run `iim compare`."


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
