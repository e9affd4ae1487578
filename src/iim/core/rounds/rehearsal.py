"""Choose how rounds fill each column, by filling cells that are known.

On copies of the table, known cells are hidden so that rows get missing patterns like the table's own. The
copies are completed round by round. In each round, every column is filled in all ways, and the way with the
smallest error on the hidden cells is taken, for each column. Rounds end when they no longer help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.execution.context import Context
from iim.core.held_out.hiding import hide_like_holes
from iim.core.held_out.shrinkage import GAIN, NO_SHRINKAGE, SHARES, loss_of
from iim.core.held_out.tuning import LEVELS, ColumnTuning, default_tuning, retune_column
from iim.core.learning import PatternModels
from iim.core.learning_size import usable_grid
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.completion import choose_rows, go_round, pose_models, receive, vote
from iim.core.rounds.gaussian import RIDGES
from iim.core.rounds.known_votes import Answers, ask_known
from iim.core.settings import TRIED_WEIGHTS, RoundSettings, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix

SEED = 20190408
"""Fixed, so that choices depend on the table alone."""

SHARE = 1 / 8
"""Share of the rows with hidden cells in each copy."""

MOST_CELLS, MOST_ROWS = 100_000, 5000
"""Most cells and rows of a copy: longer tables are thinned evenly."""

CELLS_OF_COPIES, MOST_COPIES = 400, 5
"""Small tables have several copies: about this many hidden cells in all."""

PRIOR = 60
"""Hidden cells of a column whose errors count as much as those of all columns in its choices."""

PRIOR_OF_SHARES = 300
"""The same for the shares of a fill: shares that are right for few cells are mostly luck."""

PATIENCE = 2
"""Rounds end after this many that did not help."""

MOST_WORK = 6e10
"""Most multiplications of all rounds: wide tables rehearse fewer, at least one."""


@dataclass(frozen=True)
class Copy:
    """A copy of the table with hidden cells.

    Attributes
    ----------
    matrix : MaskedMatrix
        The copy.
    truth : ndarray of shape (n_rows, n_columns)
        The table's values.
    hidden : ndarray of shape (n_rows, n_columns)
        True for hidden cells.
    """

    matrix: MaskedMatrix
    truth: Floats
    hidden: Booleans


@dataclass(frozen=True)
class Rehearsal:
    """What was found.

    Attributes
    ----------
    plan : RoundPlan
        The rounds, each with the best way for each column.
    loss : float
        Of its fills of the hidden cells, see :func:`loss_of`.
    error : float
        Their mean absolute error, in standard deviations of the columns.
    """

    plan: RoundPlan
    loss: float
    error: float


def make_copies(matrix: MaskedMatrix) -> list[Copy]:
    """Copies of a table with hidden cells; none, if no row could keep a known cell."""
    n_rows = min(matrix.n_rows, MOST_ROWS, MOST_CELLS // matrix.n_columns)
    matrix = matrix.take((np.arange(n_rows) * matrix.n_rows) // max(n_rows, 1))
    n_hiding = max(1, int(n_rows * SHARE))
    turns = hide_like_holes(
        matrix.missing, range(matrix.n_columns), n_rows=n_hiding, repeats=MOST_COPIES, seed=SEED
    )
    n_hidden = np.cumsum([np.count_nonzero(turn.hidden) for turn in turns])
    turns = turns[: 1 + int(np.searchsorted(n_hidden, CELLS_OF_COPIES))]
    copies = []
    for turn in turns:
        missing = matrix.missing | turn.hidden
        # A column may have known values in other rows of the table only.
        if turn.hidden.any() and not missing.all(axis=0).any():
            values = np.where(turn.hidden, np.nan, matrix.values)
            copies.append(Copy(MaskedMatrix(values, missing, matrix.columns), matrix.values, turn.hidden))
    return copies


Way: TypeAlias = tuple[str, str, int, float]
"""Level, weights, number of neighbours, ridge weight."""


def rehearse(
    copies: Sequence[Copy],
    settings: Settings,
    rounds: RoundSettings,
    *,
    alphas: Sequence[float],
    context: Context,
) -> Rehearsal:
    """Choose the rounds.

    Parameters
    ----------
    copies : sequence of Copy
        From :func:`make_copies`.
    settings : Settings
        All parameters; those that are "auto" are chosen.
    rounds : RoundSettings
        Those of rounds.
    alphas : sequence of float
        Ridge weights to try.
    context : Context
        How to run.

    Returns
    -------
    Rehearsal
    """
    ridge, tables = _begin(copies, settings, rounds)
    ways = _ways(settings, alphas)
    done: list[Round] = []
    best = Rehearsal(plain_plan(copies[0].matrix.n_columns, settings, rounds), np.inf, np.inf)
    n_rounds = _affordable(copies, settings, rounds)
    n_parts = 2 * n_rounds - 1
    for turn in range(n_rounds):
        before = done[-1] if done else None
        part = context.part(2 * turn, n_parts)
        chosen, errors, learned = _try_round(copies, tables, ways, before, settings, part)
        done.append(chosen)
        pooled = np.concatenate(errors)
        loss = loss_of(pooled)
        if loss < best.loss - 2.0 * GAIN:
            plan = RoundPlan(rounds.max_donors, tuple(done), ridge)
            best = Rehearsal(plan, loss, float(np.abs(pooled).mean()))
        if len(done) == min(n_rounds, len(best.plan.rounds) + PATIENCE):
            break
        part = context.part(2 * turn + 1, n_parts)
        tables = [
            go_round(table, chosen, settings, part.part(at, len(tables)), learned[at])
            for at, table in enumerate(tables)
        ]
    return best


def plain_plan(n_columns: int, settings: Settings, rounds: RoundSettings) -> RoundPlan:
    """One round without any choice, for tables too small to hide a cell."""
    tuning = default_tuning(settings)
    choice = ColumnChoice(
        tuning, tuning.level, tuning.weights, settings.n_neighbors, settings.alpha, 1.0, 0.0
    )
    return RoundPlan(rounds.max_donors, (Round((choice,) * n_columns),))


def _affordable(copies: Sequence[Copy], settings: Settings, rounds: RoundSettings) -> int:
    """How many rounds to rehearse: by the work that one takes, estimated from the shape of the copies."""
    n_observed, n_donors = copies[0].matrix.n_columns - 1, copies[0].matrix.n_rows
    grid = usable_grid(settings.learning_grid, n_donors)
    model = int(grid[-1]) * n_observed**2 / 2 + grid.size * n_observed**3 / 6
    work = model * n_donors * len(copies) * (n_observed + 1)
    return int(np.clip(MOST_WORK / max(work, 1.0), 1, rounds.max_iter + 1))


def _begin(
    copies: Sequence[Copy], settings: Settings, rounds: RoundSettings
) -> tuple[float, list[CompletedTable]]:
    """The best ridge weight for the Gaussian, and the first fills of the copies."""
    sources = [
        learn_source(
            copy.matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors
        )
        for copy in copies
    ]
    begun = [[choose_rows(source, rounds.max_donors, ridge) for source in sources] for ridge in RIDGES]
    losses = [
        loss_of(np.concatenate([_errors_of_gaussian(*each) for each in zip(copies, tables, strict=True)]))
        for tables in begun
    ]
    best = int(np.argmin(losses))
    return RIDGES[best], begun[best]


def _errors_of_gaussian(copy: Copy, table: CompletedTable) -> Floats:
    """Errors of the Gaussian alone on all hidden cells, in standard deviations."""
    every = tuple(range(copy.truth.shape[1]))
    filled = table.expected(copy.matrix.values, copy.matrix.missing)
    apart = table.standard.coordinates(filled, every) - table.standard.coordinates(copy.truth, every)
    return np.asarray(apart[copy.hidden])


def _ways(settings: Settings, alphas: Sequence[float]) -> list[Way]:
    """Everything that a vote may do: the settings leave some of it open."""
    levels = tuple(LEVELS) if settings.level == "auto" else (settings.level,)
    weights = TRIED_WEIGHTS if settings.weights == "auto" else (settings.weights,)
    k = settings.n_neighbors
    return list(product(levels, weights, sorted({k, max(k // 2, 1), 2 * k}), alphas))


@dataclass(frozen=True)
class _Asked:
    """What the donors of a column say of its hidden cells in a copy."""

    rows: Integers
    """Of the copy."""
    models: PatternModels
    answers: Answers


def _try_round(
    copies: Sequence[Copy],
    tables: Sequence[CompletedTable],
    ways: Sequence[Way],
    before: Round | None,
    settings: Settings,
    context: Context,
) -> tuple[Round, list[Floats], list[list[PatternModels]]]:
    """Fill the hidden cells in all ways; return the best, its errors by column, and the models by copy."""
    n_columns = copies[0].matrix.n_columns
    most, alphas = max(way[2] for way in ways), sorted({way[3] for way in ways})
    expected = [
        table.expected(copy.matrix.values, copy.matrix.missing)
        for copy, table in zip(copies, tables, strict=True)
    ]
    options = []
    judged: list[list[_Asked]] = []
    for column in range(n_columns):
        part = context.part(column, n_columns)
        former = None if before is None else before.columns[column].tuning
        tuning = _tune(tables[0], column, former, settings, part)
        options.append([ColumnChoice(tuning, *way, 1.0, 0.0) for way in ways])
        judged.append(
            [
                _ask(copy, table, column, tuning, most, alphas, settings, part.silent)
                for copy, table in zip(copies, tables, strict=True)
            ]
        )
        part.report(1, 1)

    def errors_of(column: int, choice: ColumnChoice) -> Floats:
        parts = [np.empty(0)]
        for copy, table, one, mean in zip(copies, tables, judged[column], expected, strict=True):
            rest, reach = mean[one.rows, column], settings.reach
            votes = vote(table, one.models, one.answers, column, choice, rest, reach=reach)
            parts.append(_difference(table, column, votes.values, copy.truth[one.rows, column]))
        return np.concatenate(parts)

    tried_shares = SHARES if settings.shrinkage == "auto" else (NO_SHRINKAGE,)
    choices, errors = _choose(options, tried_shares, errors_of)
    learned = [[one[at].models for one in judged] for at in range(len(tables))]
    return Round(choices), errors, learned


def _choose(
    options: Sequence[Sequence[ColumnChoice]],
    tried_shares: Sequence[tuple[float, float]],
    errors_of: Callable[[int, ColumnChoice], Floats],
) -> tuple[tuple[ColumnChoice, ...], list[Floats]]:
    """The best of its options for each column, with the best shares; and its errors by column."""
    errors = [[errors_of(column, one) for one in tried] for column, tried in enumerate(options)]
    ways_taken = _smallest(errors, prior=PRIOR)
    # The way is chosen on one half of the hidden cells and judged on the other: the way with the smallest
    # error of many on the same cells is partly luck.
    judged_shares: list[list[Floats]] = [[np.empty(0)] * len(tried_shares) for _ in options]
    for half in (0, 1):
        taken = _smallest([[each[1 - half :: 2] for each in found] for found in errors], prior=PRIOR)
        for column, way in enumerate(taken):
            for at, (a, b) in enumerate(tried_shares):
                found = errors_of(column, replace(options[column][way], vote=a, gaussian=b))[half::2]
                judged_shares[column][at] = np.concatenate([judged_shares[column][at], found])
    shares = _smallest(judged_shares, prior=PRIOR_OF_SHARES, gain=GAIN)
    choices = tuple(
        replace(options[column][way], vote=tried_shares[share][0], gaussian=tried_shares[share][1])
        for column, (way, share) in enumerate(zip(ways_taken, shares, strict=True))
    )
    return choices, [found[share] for found, share in zip(judged_shares, shares, strict=True)]


def _tune(
    table: CompletedTable, column: int, before: ColumnTuning | None, settings: Settings, context: Context
) -> ColumnTuning:
    source, problem = table.for_column(column), table.pose(column)
    points, (targets, _) = source.points(problem), source.targets(problem)
    return retune_column(points, targets, problem.observed, before, settings=settings, context=context)


def _ask(
    copy: Copy,
    table: CompletedTable,
    column: int,
    tuning: ColumnTuning,
    n_neighbors: int,
    alphas: Sequence[float],
    settings: Settings,
    context: Context,
) -> _Asked:
    rows = np.flatnonzero(copy.hidden[:, column])
    models = pose_models(table, column, tuning, settings, context)
    models, answers = ask_known(
        models,
        table.for_column(column).points(models.problem),
        receive(table, copy.matrix.values, copy.matrix.missing, rows, column),
        n_neighbors=n_neighbors,
        alphas=alphas,
        settings=settings,
        context=context,
    )
    return _Asked(rows, models, answers)


def _difference(table: CompletedTable, column: int, filled: Floats, truth: Floats) -> Floats:
    """Errors in standard deviations; 0 in a constant column."""
    both = np.zeros((2, filled.size, table.known.shape[1]))
    both[0, :, column], both[1, :, column] = filled, truth
    scaled = [table.standard.coordinates(values, (column,))[:, 0] for values in both]
    return scaled[0] - scaled[1]


def _smallest(errors: Sequence[Sequence[Floats]], *, prior: int, gain: float = 0.0) -> list[int]:
    """The option with the smallest loss for each column.

    Parameters
    ----------
    errors : sequence of sequence of ndarray
        By column, then by option: errors on the column's hidden cells.
    prior : int
        Hidden cells of a column whose errors count as much as those of all columns.
    gain : float
        The first option is taken unless another lowers the error by more than this share.

    Returns
    -------
    list of int
    """
    pooled = np.array([loss_of(np.concatenate(each)) for each in zip(*errors, strict=True)])
    chosen = []
    for found in errors:
        n_cells = found[0].size
        own = np.array([loss_of(each) for each in found]) if n_cells else pooled
        loss = (n_cells * own + prior * pooled) / (n_cells + prior)
        best = int(np.argmin(loss))
        chosen.append(best if loss[best] < loss[0] - 2.0 * gain else 0)
    return chosen
