"""Where the holes are: rows folded into strips, and the most frequent patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from iim._arrays import Integers
from iim.diagnosing.patterns import MissingPattern
from iim.matrix import MaskedMatrix
from iim.reporting.records import Holes, PatternSummary

MOST_STRIPS = 120
"""Strips that rows are folded into."""

MOST_COLUMNS = 60
"""Columns whose holes are shown, and that are shown one by one."""

MOST_PATTERNS = 12
"""Patterns that are listed."""


def describe_holes(
    matrix: MaskedMatrix, positions: Sequence[int], patterns: Sequence[MissingPattern]
) -> Holes:
    """Fold the table into strips, and list its patterns.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table as numbers.
    positions : sequence of int
        The place of each column of the matrix in the table.
    patterns : sequence of MissingPattern
        All patterns, the most frequent first.

    Returns
    -------
    Holes
    """
    missing, n_rows = matrix.missing, matrix.n_rows
    places = dict(zip(matrix.columns, positions, strict=True))
    shown = columns_to_show(missing.sum(axis=0))
    n_strips = min(MOST_STRIPS, n_rows)
    starts = np.arange(n_strips + 1) * n_rows // max(n_strips, 1)
    # Sums from here to there, instead of reduceat: that knows no empty strip.
    below = np.vstack([np.zeros((1, shown.size), np.intp), np.cumsum(missing[:, shown], axis=0)])
    strips = np.diff(below[starts], axis=0)
    return Holes(
        columns=tuple(positions[column] for column in shown),
        starts=tuple(starts.tolist()),
        missing=tuple(tuple(column.tolist()) for column in strips.T),
        patterns=tuple(_pattern(one, places) for one in patterns[:MOST_PATTERNS]),
    )


def columns_to_show(n_missing: Integers) -> Integers:
    """The columns with the most missing cells, as many as are shown, in the order of the table."""
    return np.sort(np.argsort(-n_missing, kind="stable")[:MOST_COLUMNS])


def _pattern(pattern: MissingPattern, places: Mapping[Any, int]) -> PatternSummary:
    donors = list(pattern.donors.values()) if pattern.donors is not None else []
    return PatternSummary(
        columns=tuple(places[name] for name in pattern.columns),
        n_rows=pattern.n_rows,
        least_donors=min(donors) if donors else None,
        most_donors=max(donors) if donors else None,
    )
