"""Calibration: hide known cells, fill them, and measure the errors.

Learning and voting are repeated without the hidden cells, so calibration is valid for all settings and both
strategies. The cost is that of a few fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from iim._arrays import Booleans, Floats
from iim.core.execution.context import Context
from iim.core.held_out.hiding import LikeHoles, hide_like_holes
from iim.core.strategy import Loop, begin
from iim.core.uncertainty.error_scale import ErrorScale, learn_scale
from iim.evaluation.scoring import spread
from iim.matrix import MaskedMatrix
from iim.persistence.fields import many

FEW_CELLS = 20
"""A column with fewer hidden cells uses the errors of all columns, each in its own unit."""

SEED = 20190408
"""Fixed, so that the calibration depends on the table alone."""

SHARE_IN_PATTERNS, SHARE_IN_ROUNDS = 1 / 8, 1 / 5
"""Share of rows with hidden cells per repeat. Larger shares would leave noticeably fewer donors; in rounds
these rows still are donors of their other columns."""

MOST_CELLS, CELLS_PER_COLUMN = 4000, 400
"""Most hidden cells in all, and per column."""

LEAST_TURNS, MOST_TURNS, ROWS_OF_TURNS = 5, 30, 12_000
"""Bounds of the number of repeats, and the number of rows to learn from in all repeats together."""

MOST_VALUES = 1000
"""Most errors stored for the fallback to a column's mean."""

ApplyLimits = Callable[[Floats, int], Floats]
"""Rounds and bounds the fills of a column, as in ``transform``."""


@dataclass(frozen=True)
class Calibration:
    """Error distributions of fills, by column.

    Attributes
    ----------
    voted : tuple of ErrorScale
        For fills by votes of donors.
    means : tuple of ErrorScale
        For fills by the column mean (fallback).
    """

    voted: Annotated[tuple[ErrorScale, ...], many(size="columns")]
    means: Annotated[tuple[ErrorScale, ...], many(size="columns")]


def calibrate(loop: Loop, apply_limits: ApplyLimits, context: Context) -> Calibration:
    """Measure the errors of fills on hidden cells.

    Parameters
    ----------
    loop : PatternLoop or RoundLoop
        The fitted loop. In rounds, cells are hidden in the training rows, in addition to their own holes.
    apply_limits : callable
        Rounds and bounds a column's fills.
    context : Context
        Threads and progress (repeats).

    Returns
    -------
    Calibration
    """
    matrix = loop.learned_from
    errors: list[list[Floats]] = [[] for _ in range(matrix.n_columns)]
    spreads: list[list[Floats]] = [[] for _ in range(matrix.n_columns)]
    turns = hide_in_turns(matrix.missing, SHARE_IN_PATTERNS if loop.rounds is None else SHARE_IN_ROUNDS)
    for done, (hidden, judged) in enumerate(turns):
        missing, rows = matrix.missing | hidden, np.flatnonzero(judged.any(axis=1))
        without = MaskedMatrix(np.where(hidden, np.nan, matrix.values), missing, matrix.columns)
        again = begin(without, loop.method.settings, loop.rounds, context.silent)
        # Closed, so that only the models for the hidden cells are learned.
        again.models.close()
        for fills in again.fill_cells(without.take(rows), judged[rows], context.silent):
            column = fills.pattern.target
            at = np.flatnonzero(judged[rows[fills.rows], column])
            if fills.ballot is None or at.size == 0:
                continue
            truth = matrix.values[rows[fills.rows[at]], column]
            errors[column].append(_difference(truth, apply_limits(fills.values[at], column)))
            spreads[column].append(fills.ballot.votes.spread[at])
        context.report(done + 1, len(turns))
    # A constant column has the unit 1.
    units = [spread(known) or 1.0 for known in _known_values(matrix)]
    pairs = [
        (np.concatenate([*error, np.empty(0)]), np.concatenate([*apart, np.empty(0)]))
        for error, apart in zip(errors, spreads, strict=True)
    ]
    means = _scales_of_means(matrix, loop.source.means, units, apply_limits)
    return Calibration(_learn_scales(pairs, units), means)


def hide_in_turns(missing: Booleans, share: float) -> list[LikeHoles]:
    """The cells to hide in each repeat, in a ``share`` of the rows.

    There are at least two repeats, so that not all errors depend on one choice of donors.
    """
    n_rows, n_columns = int(np.count_nonzero(~missing.all(axis=1))), missing.shape[1]
    n_turns = int(np.clip(ROWS_OF_TURNS // max(n_rows, 1), LEAST_TURNS, MOST_TURNS))
    n_cells = min(
        MOST_CELLS,
        CELLS_PER_COLUMN * n_columns,
        int(np.count_nonzero(~missing)),
        n_turns * max(1, int(n_rows * SHARE_IN_PATTERNS)),
    )
    n_turns = max(2, -(-n_cells // max(1, int(n_rows * share))))
    turns = hide_like_holes(
        missing, range(n_columns), n_rows=-(-n_cells // n_turns), repeats=n_turns, seed=SEED
    )
    return [turn for turn in turns if turn.typical.any()]


def _known_values(matrix: MaskedMatrix) -> list[Floats]:
    columns = range(matrix.n_columns)
    return [matrix.values[~matrix.missing[:, column], column] for column in columns]


def _difference(truth: Floats, fill: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.nan_to_num(truth - fill)


def _learn_scales(pairs: list[tuple[Floats, Floats]], units: list[float]) -> tuple[ErrorScale, ...]:
    """One scale for each column; columns with few cells share one, apart from the unit."""
    enough = [error.size >= FEW_CELLS for error, _ in pairs]
    shared = None
    if not all(enough):
        errors = np.concatenate([error / unit for (error, _), unit in zip(pairs, units, strict=True)])
        spreads = np.concatenate([spread / unit for (_, spread), unit in zip(pairs, units, strict=True)])
        shared = learn_scale(errors, spreads, 1.0)
    return tuple(
        learn_scale(error, spread, unit) if shared is None or is_enough else replace(shared, unit=unit)
        for (error, spread), unit, is_enough in zip(pairs, units, enough, strict=True)
    )


def _scales_of_means(
    matrix: MaskedMatrix, means: Floats, units: list[float], apply_limits: ApplyLimits
) -> tuple[ErrorScale, ...]:
    """Errors of the column mean, measured on the known values."""
    scales = []
    for column, known in enumerate(_known_values(matrix)):
        fill = apply_limits(means[column : column + 1], column)
        scores = np.sort(_difference(known, fill) / units[column])
        if scores.size > MOST_VALUES:
            scores = np.quantile(scores, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
        scales.append(ErrorScale(units[column], 1.0, 0.0, scores))
    return tuple(scales)
