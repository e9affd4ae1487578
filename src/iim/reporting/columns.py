"""The columns of a summary: what each holds, what it was filled with, how well and how surely."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.diagnosing.result import ColumnDiagnosis, Diagnosis
from iim.imputers import Imputer
from iim.imputers._numbers import columns_of
from iim.reporting.certainty import Evidence, count_sizes, judge
from iim.reporting.distributions import count_in_bins, describe
from iim.reporting.records import Certainty, ColumnSummary, LearningSizes
from iim.table._tables import Reading

NO_VALUE = "no known value: 0"
"""What is said of a cell that ``keep_empty_features`` fills."""


def numeric_positions(reading: Reading) -> list[int]:
    """For each column of the matrix, its place among all columns of the table."""
    return [at for at, name in enumerate(reading.columns) if name not in reading.set_aside]


def places_in_matrix(imputer: Imputer, reading: Reading) -> Integers:
    """For each column that the imputer knows, its place in the matrix; -1 if it is not there.

    By position: an imputer that was fitted on an array calls its columns by names of its own.
    """
    n_columns = len(columns_of(imputer))
    if n_columns == reading.matrix.n_columns:
        return np.arange(n_columns)
    numeric = np.array([name not in reading.set_aside for name in reading.columns])
    return np.where(numeric, np.cumsum(numeric) - 1, -1)


def describe_columns(
    reading: Reading,
    filled: Floats | None,
    fillable: Booleans,
    *,
    diagnosis: Diagnosis | None,
    evidence: Evidence | None,
    fallbacks: Mapping[int, Mapping[str, int]],
) -> tuple[tuple[ColumnSummary, ...], Certainty | None]:
    """Describe every column, and how sure its fills are.

    Parameters
    ----------
    reading : Reading
        The table as numbers.
    filled : ndarray of shape (n_rows, n_columns) or None
        The filled matrix.
    fillable : ndarray of shape (n_rows, n_columns)
        True where a cell of the matrix is missing and filled.
    diagnosis : Diagnosis or None
        R2_S and R2_H.
    evidence : Evidence or None
        Candidates.
    fallbacks : mapping
        Cells that were filled with less than asked for, by position of the column and by what was given up.

    Returns
    -------
    columns : tuple of ColumnSummary
        All columns of the table, those that are set aside included.
    certainty : Certainty or None
        Of all columns together.
    """
    matrix = reading.matrix
    positions = numeric_positions(reading)
    known = [matrix.values[~matrix.missing[:, at], at] for at in range(matrix.n_columns)]
    observed = [describe(values) for values in known]
    measured = {} if diagnosis is None else {one.column: one for one in diagnosis.columns}
    certainty, spreads = None, np.empty(0)
    if evidence is not None:
        certainty, spreads = judge(evidence, int(fillable.sum()), observed, positions)
    found = {}
    for place, position in enumerate(positions):
        fills = np.empty(0) if filled is None else filled[fillable[:, place], place]
        asked = np.zeros(0, bool) if evidence is None else evidence.columns == place
        there = observed[place]
        found[position] = ColumnSummary(
            position=position,
            name=str(matrix.columns[place]),
            kind="numbers",
            n_missing=matrix.n_rows - known[place].size,
            n_known=known[place].size,
            n_filled=fills.size,
            observed=there,
            filled=describe(fills),
            histogram=count_in_bins(known[place], fills),
            outside=_outside(fills, there.low, there.high) if there is not None and fills.size else None,
            **_measured(measured.get(matrix.columns[place])),
            fallbacks=fallbacks.get(position, {}),
            spread=_median(spreads[asked]),
            learning=_sizes(evidence, asked, certainty),
        )
    aside = {
        at: ColumnSummary(at, str(name), reading.set_aside[name])
        for at, name in enumerate(reading.columns)
        if at not in found
    }
    every = found | aside
    return tuple(every[at] for at in range(len(reading.columns))), certainty


def _median(spreads: Floats) -> float | None:
    judged = spreads[~np.isnan(spreads)]
    return float(np.median(judged)) if judged.size else None


def _outside(fills: Floats, low: float, high: float) -> float:
    return float(np.mean((fills < low) | (fills > high)))


def _measured(one: ColumnDiagnosis | None) -> dict[str, Any]:
    if one is None:
        return {}
    return {
        "r2_neighbors": _number(one.r2_neighbors),
        "r2_regression": _number(one.r2_regression),
        "advice": one.advice,
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _sizes(evidence: Evidence | None, asked: Booleans, certainty: Certainty | None) -> LearningSizes | None:
    if evidence is None or certainty is None or certainty.learning is None:
        return None
    return count_sizes(evidence.candidates.n_learning[asked], certainty.learning)


def find_fallbacks(
    imputer: Imputer | None,
    evidence: Evidence | None,
    reading: Reading,
    fillable: Booleans,
    *,
    fitted_here: bool,
) -> tuple[dict[int, dict[str, int]], str]:
    """What was given up, by position of the column, and where that was counted.

    Candidates know it of the cells of this table; other methods know it of the table that they were fitted
    on, which tells nothing of this one unless it is the same.
    """
    positions = numeric_positions(reading)
    if evidence is not None and evidence.every == 1:
        # Those that nobody was asked for are of columns that were empty when it was fitted.
        asked = np.bincount(evidence.columns, minlength=len(positions))
        counts = _without_values(fillable.sum(axis=0) - asked, positions)
        fallen = np.flatnonzero(evidence.candidates.fallbacks != "none")
        for at in fallen:
            given_up = counts.setdefault(positions[evidence.columns[at]], {})
            what = str(evidence.candidates.fallbacks[at])
            given_up[what] = given_up.get(what, 0) + 1
        return counts, "cells"
    at_fit = getattr(imputer, "fallbacks_", None)
    if imputer is None or not fitted_here:
        return {}, "never" if at_fit is None else "elsewhere"
    empty = reading.matrix.missing.all(axis=0)
    counts = _without_values(np.where(empty, fillable.sum(axis=0), 0), positions)
    if at_fit is None:
        return counts, "never"
    names, places = columns_of(imputer), places_in_matrix(imputer, reading)
    return counts | {
        positions[places[names.index(name)]]: {str(what): int(number) for what, number in given_up.items()}
        for name, given_up in at_fit.items()
    }, "fit"


def _without_values(n_cells: Integers, positions: Sequence[int]) -> dict[int, dict[str, int]]:
    """Cells of columns without a known value, which ``keep_empty_features`` fills with 0."""
    return {position: {NO_VALUE: int(n)} for position, n in zip(positions, n_cells, strict=True) if n}
