"""From a table, its fills and what was measured to a summary: plain data that every page is made from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.comparing.page import failures_in_words, heading
from iim.comparing.result import Comparison
from iim.diagnosing.patterns import MissingPattern, find_patterns
from iim.diagnosing.result import ColumnDiagnosis, Diagnosis
from iim.imputers import IIMImputer, Imputer
from iim.imputers._numbers import columns_of
from iim.reporting.certainty import Evidence, ask_for_candidates, count_sizes, judge
from iim.reporting.distributions import count_in_bins, describe
from iim.reporting.holes import describe_holes
from iim.reporting.records import (
    BestMethod,
    Certainty,
    ColumnSummary,
    Contest,
    Filling,
    Leader,
    Summary,
    TableFacts,
)
from iim.reporting.repeating import key_of, plain_settings, snippet
from iim.table._tables import Reading
from iim.versions import versions

TITLE = "Missing values"
"""What a page without a title or a file is called."""


def summarize_filling(
    reading: Reading,
    imputer: Imputer | None,
    filled: Floats | None,
    *,
    frame: Any = None,
    comparison: Comparison | None = None,
    diagnosis: Diagnosis | None = None,
    title: str | None = None,
    source: str | None = None,
    notes: Sequence[str] = (),
    seconds: Mapping[str, float] | None = None,
) -> Summary:
    """Put together what is known of a table and of its fills; nothing is fitted or filled.

    Parameters
    ----------
    reading : Reading
        The table as numbers.
    imputer : Imputer or None
        What filled it, fitted on the columns of the matrix or on all columns of the table; None if nothing
        was filled.
    filled : ndarray of shape (n_rows, n_columns) or None
        The filled matrix. NaN where a missing cell was left as it is.
    frame : array or frame, optional
        What to ask ``imputer.candidates`` for, if it is IIM: the table that it filled. Without it, nothing
        is said of how sure the fills are.
    comparison : Comparison, optional
        How methods did on hidden cells.
    diagnosis : Diagnosis, optional
        R2_S and R2_H.
    title, source : str, optional
        What to call the page, and the file of the table.
    notes : sequence of str, default=()
        Warnings in words.
    seconds : mapping, optional
        Time taken, by what it was for.

    Returns
    -------
    Summary
    """
    matrix = reading.matrix
    fillable = matrix.missing & (np.zeros(1, bool) if filled is None else ~np.isnan(filled))
    positions = [at for at, name in enumerate(reading.columns) if name not in reading.set_aside]
    places = dict(zip(matrix.columns, positions, strict=True))
    patterns = find_patterns(matrix) if diagnosis is None else diagnosis.patterns
    evidence = _ask(imputer, frame, fillable, reading)
    columns, certainty = _describe_columns(reading, filled, fillable, diagnosis, evidence)
    fallbacks, counted = _fallbacks(imputer, evidence, reading)
    columns = {
        place: ColumnSummary(**{**vars(one), "fallbacks": fallbacks.get(place, {})})
        for place, one in columns.items()
    }
    return Summary(
        title=title or (f"{TITLE} of {source}" if source else TITLE),
        source=source,
        table=_facts(reading, patterns),
        columns=tuple(
            columns.get(at) or ColumnSummary(at, str(name), reading.set_aside[name], fallbacks={})
            for at, name in enumerate(reading.columns)
        ),
        holes=describe_holes(matrix.missing, positions, places, patterns),
        filling=None
        if imputer is None
        else _filling(imputer, matrix.missing, fillable, fallbacks, counted),
        certainty=certainty,
        contest=None if comparison is None else _contest(comparison),
        measured=diagnosis is not None,
        notes=tuple(notes),
        settings={} if imputer is None else plain_settings(imputer),
        versions=versions(),
        snippet=snippet(imputer, comparison, source=source, measured=diagnosis is not None),
        seconds={name: float(time) for name, time in (seconds or {}).items()},
    )


def _facts(reading: Reading, patterns: Sequence[MissingPattern]) -> TableFacts:
    missing = reading.matrix.missing
    n_missing = int(missing.sum())
    return TableFacts(
        n_rows=reading.matrix.n_rows,
        n_columns=reading.matrix.n_columns,
        n_set_aside=len(reading.set_aside),
        n_missing=n_missing,
        share=n_missing / missing.size if missing.size else 0.0,
        n_complete=int(np.count_nonzero(~missing.any(axis=1))),
        n_patterns=len(patterns),
    )


def _ask(imputer: Imputer | None, frame: Any, fillable: Booleans, reading: Reading) -> Evidence | None:
    if not isinstance(imputer, IIMImputer) or frame is None or not fillable.any():
        return None
    return ask_for_candidates(imputer, frame, fillable, places_in_matrix(imputer, reading))


def places_in_matrix(imputer: Imputer, reading: Reading) -> Integers:
    """For each column that the imputer knows, its place in the matrix; -1 if it is not there.

    By position: an imputer that was fitted on an array calls its columns by names of its own.
    """
    n_columns = len(columns_of(imputer))
    if n_columns == reading.matrix.n_columns:
        return np.arange(n_columns)
    numeric = np.array([name not in reading.set_aside for name in reading.columns])
    return np.where(numeric, np.cumsum(numeric) - 1, -1)


def _describe_columns(
    reading: Reading,
    filled: Floats | None,
    fillable: Booleans,
    diagnosis: Diagnosis | None,
    evidence: Evidence | None,
) -> tuple[dict[int, ColumnSummary], Certainty | None]:
    matrix = reading.matrix
    positions = [at for at, name in enumerate(reading.columns) if name not in reading.set_aside]
    known = [matrix.values[~matrix.missing[:, at], at] for at in range(matrix.n_columns)]
    observed = [describe(values) for values in known]
    measured = {one.column: one for one in diagnosis.columns} if diagnosis is not None else {}
    certainty, spreads = (
        (None, None) if evidence is None else judge(evidence, int(fillable.sum()), observed, positions)
    )
    found = {}
    for place, position in enumerate(positions):
        fills = np.empty(0) if filled is None else filled[fillable[:, place], place]
        asked = None if evidence is None else evidence.columns == place
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
            spread=float(np.median(spreads[asked])) if asked is not None and asked.any() else None,
            learning=_sizes(evidence, asked, certainty),
        )
    return found, certainty


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


def _sizes(evidence: Evidence | None, asked: Any, certainty: Certainty | None) -> Any:
    if evidence is None or certainty is None or certainty.learning is None:
        return None
    return count_sizes(evidence.candidates.n_learning[asked], certainty.learning)


def _fallbacks(
    imputer: Imputer | None, evidence: Evidence | None, reading: Reading
) -> tuple[dict[int, dict[str, int]], str]:
    """What was given up by position of the column, and where it was counted."""
    positions = [at for at, name in enumerate(reading.columns) if name not in reading.set_aside]
    if evidence is not None and evidence.every == 1:
        counts: dict[int, dict[str, int]] = {}
        fallen = np.flatnonzero(evidence.candidates.fallbacks != "none")
        for at in fallen:
            given_up = counts.setdefault(positions[evidence.columns[at]], {})
            what = str(evidence.candidates.fallbacks[at])
            given_up[what] = given_up.get(what, 0) + 1
        return counts, "cells"
    at_fit = getattr(imputer, "fallbacks_", None)
    if imputer is None or at_fit is None:
        return {}, "never"
    names, places = columns_of(imputer), places_in_matrix(imputer, reading)
    return {
        positions[places[names.index(name)]]: {str(what): int(number) for what, number in given_up.items()}
        for name, given_up in at_fit.items()
    }, "fit"


def _filling(
    imputer: Imputer,
    missing: Booleans,
    fillable: Booleans,
    fallbacks: Mapping[int, Mapping[str, int]],
    counted: str,
) -> Filling:
    n_filled = int(fillable.sum())
    strategy = getattr(imputer, "strategy_", None)
    return Filling(
        method=key_of(imputer),
        imputer=type(imputer).__name__,
        paper_name=str(getattr(imputer, "paper_name", type(imputer).__name__)),
        n_filled=n_filled,
        n_left=int(missing.sum()) - n_filled,
        n_fallbacks=None if counted == "never" else sum(sum(one.values()) for one in fallbacks.values()),
        fallbacks_counted=counted,
        strategy=None if strategy is None else f"{strategy} ({strategy.reason})",
    )


def _contest(comparison: Comparison) -> Contest:
    return Contest(
        leaders=tuple(
            Leader(
                score.method,
                score.normalised_error,
                score.spread,
                score.mean_rank,
                score.fit_seconds,
                score.transform_seconds,
                score.n_failed,
            )
            for score in comparison.overall
        ),
        best=tuple(
            BestMethod(
                str(best.column),
                best.method,
                best.normalised_error,
                best.rms_error,
                best.n_cells,
                best.alike,
            )
            for best in comparison.recommended
        ),
        n_columns=len(comparison.columns),
        how=heading(comparison),
        failures=tuple(failures_in_words(comparison)),
    )
