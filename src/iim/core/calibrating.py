"""Calibration: hide known cells, fill them as others are filled, and see how wrong the fills are.

It holds for every setting and for both strategies, since the whole way from learning to the vote is gone
again without the hidden cells, in several turns. The cost is that of a few fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.completed import Completed
from iim.core.completing import complete
from iim.core.errors import ErrorScale, candidate_spread, learn_scale
from iim.core.fills import Fills
from iim.core.hiding import SHARE_OF_ROWS, HiddenCells, hide_cells
from iim.core.iim import impute
from iim.core.library import ModelLibrary
from iim.core.rounds import impute_in_rounds
from iim.core.training import Training, train
from iim.core.workers import Progress, Workers
from iim.matrix import MaskedMatrix

FEW_CELLS = 20
"""With fewer hidden cells, a column takes the errors of all columns, each in units of its own."""

SHARE_IN_ROUNDS = 1 / 5
"""Rows that lose cells at a time in rounds: there, they still are donors of their other columns."""

MOST_VALUES = 1000
"""Known values of a column that are kept to say how wrong its mean is."""

Settle = Callable[[Floats, int], Floats]
"""Rounds and limits the fills of a column."""


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


def calibrate(
    source: Training | Completed, settle: Settle, *, workers: Workers, progress: Progress | None = None
) -> Calibration:
    """Find out how wrong fills are.

    Parameters
    ----------
    source : Training or Completed
        What was learned from. In rounds these are the donors' rows, with the holes that they had.
    settle : callable
        Makes of a column's fills what is given to the user.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the turns done.

    Returns
    -------
    Calibration
    """
    matrix = _as_it_came(source)
    n_columns = matrix.n_columns
    errors: list[list[Floats]] = [[] for _ in range(n_columns)]
    spreads: list[list[Floats]] = [[] for _ in range(n_columns)]
    in_rounds = isinstance(source, Completed)
    turns = hide_cells(matrix.missing, share=SHARE_IN_ROUNDS if in_rounds else SHARE_OF_ROWS)
    for done, hidden in enumerate(turns):
        for fills in _fill_hidden(source, matrix, hidden, workers):
            column = fills.pattern.target
            at = np.flatnonzero(hidden.columns[fills.rows] == column)
            if fills.ballot is None or at.size == 0:
                continue
            truth = matrix.values[hidden.rows[fills.rows[at]], column]
            errors[column].append(_difference(truth, settle(fills.values[at], column)))
            votes = fills.ballot.votes
            spreads[column].append(candidate_spread(votes.candidates[at], votes.weights[at]))
        if progress is not None:
            progress(done + 1, len(turns))
    units = [_unit(known) for known in _known_values(matrix)]
    pairs = [
        (np.concatenate([*error, np.empty(0)]), np.concatenate([*spread, np.empty(0)]))
        for error, spread in zip(errors, spreads, strict=True)
    ]
    return Calibration(_learn_scales(pairs, units), _scales_of_means(source, matrix, units, settle))


def _as_it_came(source: Training | Completed) -> MaskedMatrix:
    """The rows that were learned from, without fills."""
    if isinstance(source, Training):
        return source.matrix
    matrix = source.training.matrix
    return MaskedMatrix(np.where(source.known, matrix.values, np.nan), ~source.known, matrix.columns)


def _fill_hidden(
    source: Training | Completed, matrix: MaskedMatrix, hidden: HiddenCells, workers: Workers
) -> Iterator[Fills]:
    """Learn again without the hidden cells, and fill them; rows are numbered as hidden cells are."""
    without = _with_holes(matrix, hidden.missing)
    settings = source.training.settings if isinstance(source, Completed) else source.settings
    training = train(without, settings)
    if isinstance(source, Completed):
        completed, _ = complete(training, source.rounds, workers=workers)
        receivers = _rows_of(without, hidden.rows)
        yield from impute_in_rounds(completed, ModelLibrary({}), receivers, workers=workers)
        return
    for column in np.unique(hidden.columns).tolist():
        at = np.flatnonzero(hidden.columns == column)
        receivers = _rows_of(without, hidden.rows[at])
        for fills in impute(training, ModelLibrary({}), receivers, only=column, workers=workers):
            yield replace(fills, rows=at[fills.rows])


def _with_holes(matrix: MaskedMatrix, missing: Booleans) -> MaskedMatrix:
    return MaskedMatrix(np.where(missing, np.nan, matrix.values), missing, matrix.columns)


def _rows_of(matrix: MaskedMatrix, rows: Integers) -> MaskedMatrix:
    return MaskedMatrix(matrix.values[rows], matrix.missing[rows], matrix.columns)


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
    source: Training | Completed, matrix: MaskedMatrix, units: list[float], settle: Settle
) -> tuple[ErrorScale, ...]:
    """How wrong the mean is: as wrong as it is for the known values."""
    means = source.training.means if isinstance(source, Completed) else source.means
    scales = []
    for column, known in enumerate(_known_values(matrix)):
        fill = settle(means[column : column + 1], column)
        scores = np.sort(_difference(known, fill) / units[column])
        if scores.size > MOST_VALUES:
            scores = np.quantile(scores, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
        scales.append(ErrorScale(units[column], 1.0, 0.0, scores))
    return tuple(scales)
