"""From a table, its fills and what was measured to a summary: plain data that every page is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from iim._arrays import Booleans, Floats
from iim.comparing.page import failures_in_words, heading
from iim.comparing.result import Comparison
from iim.diagnosing.patterns import MissingPattern, find_patterns
from iim.diagnosing.result import Diagnosis
from iim.imputers import Imputer
from iim.imputers.iim import IIMImputer
from iim.reporting.certainty import Evidence, ask_for_candidates
from iim.reporting.columns import describe_columns, find_fallbacks, numeric_positions, places_in_matrix
from iim.reporting.holes import describe_holes
from iim.reporting.records import BestMethod, Contest, Filling, Leader, Summary, TableFacts
from iim.reporting.repeating import (
    Recipe,
    compared_as,
    has_default_settings,
    key_of,
    plain_settings,
    snippet,
)
from iim.table._tables import Reading
from iim.versions import versions

TITLE = "Missing values"
"""What a page without a title or a file is called."""


def summarize_filling(
    reading: Reading,
    imputer: Imputer | None,
    filled: Floats | None,
    *,
    evidence: Evidence | None = None,
    fitted_here: bool = True,
    recipe: Recipe | None = None,
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
    evidence : Evidence, optional
        The candidates, if it is IIM. Without them, nothing is said of how sure the fills are.
    fitted_here : bool, default=True
        Whether the imputer was fitted on this table, so that what it counted then is true of it.
    recipe : Recipe, optional
        What else the report was made with, to repeat it.
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
    fillable = _filled_cells(reading, filled)
    patterns = find_patterns(matrix) if diagnosis is None else diagnosis.patterns
    fallbacks, counted = find_fallbacks(imputer, evidence, reading, fillable, fitted_here=fitted_here)
    columns, certainty = describe_columns(
        reading, filled, fillable, diagnosis=diagnosis, evidence=evidence, fallbacks=fallbacks
    )
    return Summary(
        title=title or (f"{TITLE} of {source}" if source else TITLE),
        source=source,
        table=_facts(reading, patterns),
        columns=columns,
        holes=describe_holes(matrix, numeric_positions(reading), patterns),
        filling=None
        if imputer is None
        else _filling(imputer, matrix.missing, fillable, fallbacks, counted),
        certainty=certainty,
        contest=None if comparison is None else _contest(comparison, imputer),
        measured=diagnosis is not None,
        notes=tuple(notes),
        settings={} if imputer is None else plain_settings(imputer),
        versions=versions(),
        snippet=snippet(
            imputer,
            comparison,
            diagnosis,
            source=source,
            fitted_here=fitted_here,
            recipe=recipe or Recipe(),
        ),
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


def _filled_cells(reading: Reading, filled: Floats | None) -> Booleans:
    return reading.matrix.missing & (np.zeros(1, bool) if filled is None else ~np.isnan(filled))


def ask(imputer: IIMImputer, filled: Floats | None, reading: Reading) -> Evidence | None:
    """The candidates of the filled cells; None if there are none. See :func:`summarize_filling`."""
    fillable, places = _filled_cells(reading, filled), places_in_matrix(imputer, reading)
    if not fillable.any() or (places[imputer._known_columns] < 0).any():
        return None
    return ask_for_candidates(imputer, reading.matrix, fillable, places)


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
        n_fallbacks=None
        if counted in ("never", "elsewhere")
        else sum(sum(one.values()) for one in fallbacks.values()),
        fallbacks_counted=counted,
        strategy=None if strategy is None else f"{strategy} ({strategy.reason})",
    )


def _contest(comparison: Comparison, imputer: Imputer | None) -> Contest:
    own = None if imputer is None else compared_as(comparison, key_of(imputer))
    return Contest(
        own=own,
        same_settings=own is not None and imputer is not None and has_default_settings(imputer),
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
