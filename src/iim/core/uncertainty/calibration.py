"""Calibration: hide known cells, fill them as others are filled, and see how wrong the fills are.

It holds for every setting and for both strategies, since learning and voting are repeated without the
hidden cells, in several turns. The cost is that of a few fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Floats
from iim.core.execution.context import Context
from iim.core.strategy import Loop, begin
from iim.core.uncertainty.error_scale import ErrorScale, candidate_spread, learn_scale
from iim.core.uncertainty.hidden_cells import SHARE_OF_ROWS, hide_cells
from iim.matrix import MaskedMatrix

FEW_CELLS = 20
"""With fewer hidden cells, a column takes the errors of all columns, each in units of its own."""

SHARE_IN_ROUNDS = 1 / 5
"""Rows that lose cells at a time in rounds: there, they still are donors of their other columns."""

MOST_VALUES = 1000
"""Known values of a column that are kept to say how wrong its mean is."""

ApplyLimits = Callable[[Floats, int], Floats]
"""Rounds and limits the fills of a column, as the user gets them."""


@dataclass(frozen=True)
class Calibration:
    """How wrong fills are, by column.

    Attributes
    ----------
    voted : tuple of ErrorScale
        Where donors vote.
    means : tuple of ErrorScale
        Where the column mean is all that is left.
    """

    voted: tuple[ErrorScale, ...]
    means: tuple[ErrorScale, ...]


def calibrate(loop: Loop, apply_limits: ApplyLimits, context: Context) -> Calibration:
    """Find out how wrong fills are.

    Parameters
    ----------
    loop : PatternLoop or RoundLoop
        What was learned. In rounds, cells are hidden in the donors' rows, which keep the holes they had.
    apply_limits : callable
        Makes of a column's fills what is given to the user.
    context : Context
        How to run; told of the turns done.

    Returns
    -------
    Calibration
    """
    matrix = loop.learned_from
    errors: list[list[Floats]] = [[] for _ in range(matrix.n_columns)]
    spreads: list[list[Floats]] = [[] for _ in range(matrix.n_columns)]
    turns = hide_cells(matrix.missing, share=SHARE_OF_ROWS if loop.rounds is None else SHARE_IN_ROUNDS)
    for done, hidden in enumerate(turns):
        without = MaskedMatrix(
            np.where(hidden.missing, np.nan, matrix.values), hidden.missing, matrix.columns
        )
        again = begin(without, loop.method.settings, loop.rounds, context.silent)
        # Not a fit: nothing is learned ahead of what the hidden cells ask.
        again.models.close()
        for fills in again.fill_cells(without.take(hidden.rows), hidden.columns, context.silent):
            column = fills.pattern.target
            at = np.flatnonzero(hidden.columns[fills.rows] == column)
            if fills.ballot is None or at.size == 0:
                continue
            truth = matrix.values[hidden.rows[fills.rows[at]], column]
            errors[column].append(_difference(truth, apply_limits(fills.values[at], column)))
            votes = fills.ballot.votes
            spreads[column].append(candidate_spread(votes.candidates[at], votes.weights[at]))
        context.report(done + 1, len(turns))
    units = [_unit(known) for known in _known_values(matrix)]
    pairs = [
        (np.concatenate([*error, np.empty(0)]), np.concatenate([*spread, np.empty(0)]))
        for error, spread in zip(errors, spreads, strict=True)
    ]
    means = _scales_of_means(matrix, loop.source.means, units, apply_limits)
    return Calibration(_learn_scales(pairs, units), means)


def _known_values(matrix: MaskedMatrix) -> list[Floats]:
    columns = range(matrix.n_columns)
    return [matrix.values[~matrix.missing[:, column], column] for column in columns]


def _unit(known: Floats) -> float:
    """Standard deviation, or 1 for a constant column."""
    largest = float(np.abs(known).max(initial=0.0))
    # As in scaling, by a power of two, so that no square overflows or vanishes.
    exponent = int(np.frexp(largest)[1])
    spread = float(np.ldexp(np.ldexp(known, -exponent).std(), exponent)) if known.size else 0.0
    return spread if spread > 0 else 1.0


def _difference(truth: Floats, fill: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.nan_to_num(truth - fill)


def _learn_scales(pairs: list[tuple[Floats, Floats]], units: list[float]) -> tuple[ErrorScale, ...]:
    """One scale for each column; the same for all those with few cells, but for its unit."""
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
    """How wrong the mean is: as wrong as it is for the known values."""
    scales = []
    for column, known in enumerate(_known_values(matrix)):
        fill = apply_limits(means[column : column + 1], column)
        scores = np.sort(_difference(known, fill) / units[column])
        if scores.size > MOST_VALUES:
            scores = np.quantile(scores, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
        scales.append(ErrorScale(units[column], 1.0, 0.0, scores))
    return tuple(scales)
