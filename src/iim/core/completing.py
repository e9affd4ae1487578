"""Complete the rows to learn from: each column from all the others, in rounds until little changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iim._arrays import Booleans, Integers
from iim.core.completed import Completed, find_donors, settle, start_from_neighbors
from iim.core.donors import Fallback, SeenPattern, enough_donors
from iim.core.learning import PatternModels, learn_models
from iim.core.patterns import Pattern
from iim.core.settings import Rounds, Settings
from iim.core.training import Training
from iim.core.workers import Progress, Workers, part_of
from iim.matrix import MaskedMatrix


def complete(
    training: Training, rounds: Rounds, *, workers: Workers, progress: Progress | None = None
) -> tuple[Completed, int]:
    """Choose the rows to learn from, and fill their holes.

    Parameters
    ----------
    training : Training
        The table.
    rounds : Rounds
        From where, and how long. The end has come when the root mean square change of the fills, in
        scaled coordinates, is ``tol`` or less.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the turns done, of as many as there may be.

    Returns
    -------
    completed : Completed
    n_rounds : int
        Rounds that it took.
    """
    matrix = training.matrix
    chosen, fallbacks = choose_donors_of_columns(
        matrix.missing, settings=training.settings, max_donors=rounds.max_donors
    )
    rows = np.flatnonzero(chosen.any(axis=1))
    known = ~matrix.missing[rows]
    values = np.where(known, matrix.values[rows], training.means)
    completed = Completed(
        training=replace(training, matrix=MaskedMatrix(values, np.zeros_like(known), matrix.columns)),
        known=known,
        donors=chosen[rows],
        rows=rows,
        turns=np.argsort(matrix.missing.sum(axis=0), kind="stable"),
        low=np.fmin.reduce(matrix.values, axis=0),
        high=np.fmax.reduce(matrix.values, axis=0),
        fallbacks=fallbacks,
        rounds=rounds,
    )
    if known.all() or matrix.n_columns == 1:
        return completed, 1
    if rounds.start == "knn":
        askers = find_donors(completed, values, ~known, shared=True, workers=workers)
        completed = completed.with_values(start_from_neighbors(completed, askers, values))
    n_rounds = 0
    change = np.inf
    while n_rounds < rounds.max_iter and change > rounds.tol:
        before = completed
        n_rounds += 1
        report = part_of(progress, n_rounds - 1, rounds.max_iter)
        completed = _go_round(completed, n_rounds, workers, report)
        change = float(np.sqrt(np.mean((completed.columns - before.columns)[~completed.knows] ** 2)))
    return completed, n_rounds


def choose_donors_of_columns(
    missing: Booleans, *, settings: Settings, max_donors: int
) -> tuple[Booleans, tuple[Fallback, ...]]:
    """Choose for each column the rows that know it and have the fewest other holes.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Holes of the table.
    settings : Settings
        Which donors, and how few are too few.
    max_donors : int
        Rows for a column at most. Of rows with equally many holes, some from all over the table.

    Returns
    -------
    chosen : ndarray of shape (n_rows, n_columns)
        True for the donors of each column.
    fallbacks : tuple of Fallback
        For each column: available rows, if complete ones are wanted and there are too few.
    """
    n_holes = missing.sum(axis=1)
    complete_rows = np.flatnonzero(n_holes == 0)
    chosen = np.zeros_like(missing)
    fallbacks = []
    for column in range(missing.shape[1]):
        rows, fallback = np.flatnonzero(~missing[:, column]), Fallback.NONE
        if settings.donors == "complete":
            if complete_rows.size >= enough_donors(rows.size, settings.min_donors):
                rows = complete_rows
            else:
                fallback = Fallback.AVAILABLE
        chosen[_fewest_holes(rows, n_holes, max_donors), column] = True
        fallbacks.append(fallback)
    return chosen, tuple(fallbacks)


def _fewest_holes(rows: Integers, n_holes: Integers, limit: int) -> Integers:
    if rows.size <= limit:
        return rows
    rows = rows[np.argsort(n_holes[rows], kind="stable")]
    first, stop = np.searchsorted(n_holes[rows], n_holes[rows[limit - 1]] + np.array([0, 1]))
    evenly = first + (np.arange(limit - first) * (stop - first)) // (limit - first)
    return np.concatenate([rows[:first], rows[evenly]])


def learn_columns(
    completed: Completed, columns: Integers, *, workers: Workers, progress: Progress | None = None
) -> dict[Pattern, PatternModels]:
    """Learn the models of all donors of some columns."""
    learned: dict[Pattern, PatternModels] = {}
    for done, column in enumerate(columns.tolist()):
        if completed.pattern(column).observed:
            learned[completed.pattern(column)] = learn_models(
                completed.prepare(column, workers),
                settings=completed.training.settings,
                workers=workers,
                progress=part_of(progress, done, columns.size),
            )
    return learned


def count_cells(completed: Completed, missing: Booleans) -> list[SeenPattern]:
    """The missing cells of a table by column, and what they have to give up."""
    seen: list[SeenPattern] = []
    unknown = int(np.count_nonzero(missing.all(axis=1)))
    for column, n_cells in enumerate(np.count_nonzero(missing, axis=0).tolist()):
        seen.append(SeenPattern(completed.pattern(column), n_cells - unknown, completed.fallbacks[column]))
        seen.append(SeenPattern(Pattern((), column), unknown, Fallback.MEAN))
    return [part for part in seen if part.n_cells]


def _go_round(completed: Completed, turn: int, workers: Workers, progress: Progress | None) -> Completed:
    """Fill each column once more, from the others as they are by then."""
    values = completed.training.matrix.values
    askers = find_donors(completed, values, ~completed.known, workers=workers)
    for done, column in enumerate(completed.turns.tolist()):
        rows = np.flatnonzero(askers.missing[:, column])
        if rows.size == 0:
            continue
        models = completed.prepare(column, workers)
        neighbors = askers.neighbors(rows, models, column)
        models = learn_models(
            models,
            np.unique(neighbors.place),
            settings=completed.training.settings,
            workers=workers,
            progress=part_of(progress, done, completed.turns.size),
        )
        votes = completed.vote(models, values[rows], neighbors, workers)
        values = values.copy()
        voted = completed.within(column, votes.values)
        values[rows, column] = settle(values[rows, column], voted, turn)
        completed = completed.with_values(values)
    return completed
