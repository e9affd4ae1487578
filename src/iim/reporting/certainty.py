"""How sure: how far the candidates of a cell agree, and the l that were chosen for their models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.imputers.evidence import Candidates
from iim.imputers.iim import IIMImputer
from iim.matrix import MaskedMatrix
from iim.reporting.records import Certainty, Distribution, LearningSizes, UncertainCell

MOST_ASKED = 5_000
"""Missing cells whose candidates are asked for."""

MOST_CANDIDATES = 2_000_000
"""The same of candidates, for those who ask many donors."""

MOST_LISTED = 20
"""Least certain cells that are listed."""

MOST_SIZES = 24
"""Values of l that are counted one by one; more are put together."""


@dataclass(frozen=True)
class Evidence:
    """The candidates of cells, in the places of the matrix.

    Attributes
    ----------
    every : int
        Of the rows with holes, each so-many-th was asked.
    rows, columns : ndarray of shape (n_asked,)
        Places of the cells in the matrix.
    candidates : Candidates
        What was said of them.
    """

    every: int
    rows: Integers
    columns: Integers
    candidates: Candidates


def ask_for_candidates(
    imputer: IIMImputer, matrix: MaskedMatrix, fillable: Booleans, places: Integers
) -> Evidence:
    """Ask IIM for the candidates of missing cells: of all, or of rows evenly spread over the table.

    Parameters
    ----------
    imputer : IIMImputer
        Fitted.
    matrix : MaskedMatrix
        What it is to fill.
    fillable : ndarray of shape (n_rows, n_columns)
        True where a cell of the matrix is missing and filled.
    places : ndarray of shape (n_columns_in,)
        For each column that the imputer knows, its place in the matrix; -1 for none.

    Returns
    -------
    Evidence
    """
    counts = fillable.sum(axis=1)
    holed = np.flatnonzero(counts)
    most = max(1, min(MOST_ASKED, MOST_CANDIDATES // int(imputer.n_neighbors)))
    every = max(1, -(-int(counts.sum()) // most))
    while counts[holed[::every]].sum() > most and every < holed.size:
        every += 1
    rows = holed[::every]
    known = imputer._known_columns
    found = imputer._candidates(matrix.take(rows).select(places[known]), known)
    return Evidence(every, rows[found.rows], places[found.columns], found)


def judge(
    evidence: Evidence, n_cells: int, observed: Sequence[Distribution | None], positions: Sequence[int]
) -> tuple[Certainty, Floats]:
    """Spreads of the asked cells, the least certain ones, and the chosen l.

    Parameters
    ----------
    evidence : Evidence
        The candidates.
    n_cells : int
        How many cells were filled.
    observed : sequence of Distribution or None
        Known values of each column of the matrix.
    positions : sequence of int
        The place of each column of the matrix in the table.

    Returns
    -------
    certainty : Certainty
    spreads : ndarray of shape (n_asked,)
        Of each cell, in standard deviations of its column. A column mean spreads as the column's known
        values do, which is 1. NaN where there is none to speak of: a single model cannot disagree, and a
        column that does not vary has no measure.
    """
    found = evidence.candidates
    low, high, spreads = _candidate_spreads(found)
    deviations = np.array([one.deviation if one else 0.0 for one in observed])[evidence.columns]
    lows = np.array([one.low if one else np.nan for one in observed])[evidence.columns]
    highs = np.array([one.high if one else np.nan for one in observed])[evidence.columns]
    by_mean = np.isnan(low)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = np.where(by_mean, 1.0, spreads / deviations)
    n_models = np.count_nonzero(found.donors >= 0, axis=1)
    # Two known values at least: of one, the deviation is 0.
    judged = (deviations > 0.0) & (n_models != 1) & ~np.isnan(relative)
    relative = np.where(judged, relative, np.nan)
    # Of what cannot be judged, least is known.
    worst = np.where(judged, relative, np.inf)
    order = np.lexsort((evidence.columns, evidence.rows, -worst, judged))[:MOST_LISTED]
    cells = tuple(
        UncertainCell(
            row=int(evidence.rows[at]),
            column=positions[evidence.columns[at]],
            value=float(found.imputed[at]),
            low=float(lows[at] if by_mean[at] else low[at]),
            high=float(highs[at] if by_mean[at] else high[at]),
            spread=float(relative[at]) if judged[at] else None,
            n_models=int(n_models[at]),
            fallback=str(found.fallbacks[at]),
        )
        for at in order
    )
    median, upper = np.quantile(relative[judged], [0.5, 0.9]) if judged.any() else (np.nan, np.nan)
    certainty = Certainty(
        n_asked=len(found),
        n_cells=n_cells,
        n_judged=int(judged.sum()),
        every=evidence.every,
        median=float(median),
        upper=float(upper),
        cells=cells,
        learning=count_sizes(found.n_learning),
    )
    return certainty, relative


def _candidate_spreads(found: Candidates) -> tuple[Floats, Floats, Floats]:
    """Smallest and largest candidate, and their weighted deviation; NaN where there are none."""
    asked = found.donors >= 0
    low = np.where(asked, found.values, np.inf).min(axis=1, initial=np.inf)
    high = np.where(asked, found.values, -np.inf).max(axis=1, initial=-np.inf)
    none = ~asked.any(axis=1)
    values = np.where(asked, found.values, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        # Largest candidate by largest candidate, so that squares do not overflow.
        scale = np.maximum(np.abs(values).max(axis=1, initial=0.0, keepdims=True), np.finfo(float).tiny)
        values = values / scale
        mean = (found.weights * values).sum(axis=1, keepdims=True)
        spread = (
            np.sqrt((found.weights * np.where(asked, values - mean, 0.0) ** 2).sum(axis=1)) * scale[:, 0]
        )
    return tuple(np.where(none, np.nan, one) for one in (low, high, spread))  # type: ignore[return-value]


def count_sizes(n_learning: Integers, bins: LearningSizes | None = None) -> LearningSizes | None:
    """How often each l was asked; None if none was.

    Parameters
    ----------
    n_learning : ndarray
        The l of asked donors; 0 where none was asked.
    bins : LearningSizes, optional
        Bins to count in; found from the values if left out.

    Returns
    -------
    LearningSizes or None
    """
    sizes = n_learning[n_learning > 0]
    if not sizes.size:
        return None
    if bins is None:
        starts = np.unique(sizes)
        if starts.size > MOST_SIZES:
            # By ratio: whether a model is learned from 3 or 4 rows matters, from 300 or 301 it does not.
            wanted = np.geomspace(starts[0], starts[-1], MOST_SIZES + 1)[:-1]
            starts = np.unique(starts[np.searchsorted(starts, wanted)])
    else:
        starts = np.array(bins.low)
    place = np.searchsorted(starts, sizes, side="right") - 1
    counts = np.bincount(place, minlength=starts.size)
    if bins is not None:
        return LearningSizes(bins.low, bins.high, tuple(counts.tolist()))
    high = [int(sizes[place == at].max()) for at in range(starts.size)]
    return LearningSizes(tuple(starts.tolist()), tuple(high), tuple(counts.tolist()))
