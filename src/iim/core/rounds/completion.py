"""Complete the training rows: each column from all the others, in rounds until convergence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iim._arrays import Booleans, Integers
from iim.core.donors import Fallback, enough_donors
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.learning import learn_models
from iim.core.rounds.completed_table import CompletedTable, running_mean
from iim.core.rounds.known_neighbors import find_known_neighbors, start_from_neighbors
from iim.core.settings import RoundSettings
from iim.core.source import Source
from iim.core.voting import cast_votes
from iim.matrix import MaskedMatrix


def complete(
    source: Source, method: IndividualModels, rounds: RoundSettings, context: Context
) -> CompletedTable:
    """Choose the training rows, and fill their missing cells.

    Parameters
    ----------
    source : Source
        The table.
    method : IndividualModels
        How columns are filled.
    rounds : RoundSettings
        First fills, tolerance and most rounds. The fills have converged when their root mean square change,
        in scaled coordinates, is ``tol`` or less.
    context : Context
        Threads and progress (rounds, of ``max_iter``).

    Returns
    -------
    CompletedTable
    """
    completed = choose_rows(source, rounds)
    known, n_neighbors = completed.known, method.settings.n_neighbors
    if known.all() or known.shape[1] == 1:
        return completed
    if rounds.start == "knn":
        values = completed.source.matrix.values
        found = find_known_neighbors(
            completed, values, ~known, n_neighbors=n_neighbors, shared=True, context=context
        )
        completed = completed.with_values(start_from_neighbors(completed, found, values))
    n_rounds = 0
    change = np.inf
    while n_rounds < rounds.max_iter and change > rounds.tol:
        before = completed
        n_rounds += 1
        completed = _go_round(completed, method, n_rounds, context.part(n_rounds - 1, rounds.max_iter))
        moved = completed.by_column.coordinates - before.by_column.coordinates
        change = float(np.sqrt(np.mean(moved[~completed.by_column.known] ** 2)))
    return replace(completed, n_rounds=n_rounds)


def choose_rows(source: Source, rounds: RoundSettings) -> CompletedTable:
    """The training rows, with column means in their missing cells."""
    matrix = source.matrix
    chosen, fallbacks = choose_donors_of_columns(
        matrix.missing, which=source.which, min_donors=source.min_donors, max_donors=rounds.max_donors
    )
    rows = np.flatnonzero(chosen.any(axis=1))
    known = ~matrix.missing[rows]
    values = np.where(known, matrix.values[rows], source.means)
    return CompletedTable(
        source=replace(source, matrix=MaskedMatrix(values, np.zeros_like(known), matrix.columns)),
        known=known,
        donors=chosen[rows],
        rows=rows,
        turns=np.argsort(matrix.missing.sum(axis=0), kind="stable"),
        low=np.fmin.reduce(matrix.values, axis=0),
        high=np.fmax.reduce(matrix.values, axis=0),
        fallbacks=fallbacks,
        rounds=rounds,
        n_rounds=1,
    )


def choose_donors_of_columns(
    missing: Booleans, *, which: str, min_donors: int, max_donors: int
) -> tuple[Booleans, tuple[Fallback, ...]]:
    """Choose for each column, among the rows where it is known, those with the fewest missing cells.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Missing cells of the table.
    which : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer complete rows than this are too few.
    max_donors : int
        Most rows for a column. Ties in the number of missing cells are thinned evenly over the table.

    Returns
    -------
    chosen : ndarray of shape (n_rows, n_columns)
        True for the donors of each column.
    fallbacks : tuple of Fallback
        For each column: AVAILABLE, if complete rows are wanted and there are too few.
    """
    n_holes = missing.sum(axis=1)
    complete_rows = np.flatnonzero(n_holes == 0)
    chosen = np.zeros_like(missing)
    fallbacks = []
    for column in range(missing.shape[1]):
        rows, fallback = np.flatnonzero(~missing[:, column]), Fallback.NONE
        if which == "complete":
            if complete_rows.size >= enough_donors(rows.size, min_donors):
                rows = complete_rows
            else:
                fallback = Fallback.AVAILABLE
        if rows.size > max_donors:
            rows = _fewest_holes(rows, n_holes, max_donors)
        chosen[rows, column] = True
        fallbacks.append(fallback)
    return chosen, tuple(fallbacks)


def _fewest_holes(rows: Integers, n_holes: Integers, limit: int) -> Integers:
    rows = rows[np.argsort(n_holes[rows], kind="stable")]
    first, stop = np.searchsorted(n_holes[rows], n_holes[rows[limit - 1]] + np.array([0, 1]))
    evenly = first + (np.arange(limit - first) * (stop - first)) // (limit - first)
    return np.concatenate([rows[:first], rows[evenly]])


def _go_round(
    completed: CompletedTable, method: IndividualModels, turn: int, context: Context
) -> CompletedTable:
    """Fill each column once more, from the current values of the others."""
    settings, values = method.settings, completed.source.matrix.values
    found = find_known_neighbors(
        completed, values, ~completed.known, n_neighbors=settings.n_neighbors, context=context
    )
    for done, column in enumerate(completed.turns.tolist()):
        rows = np.flatnonzero(found.missing[:, column])
        if rows.size == 0:
            continue
        part = context.part(done, completed.turns.size)
        models = method.solve(completed.source, completed.pose(column), None, part.silent)
        neighbors = found.among(models, rows)
        models = learn_models(models, neighbors.place, settings=settings, context=part)
        points = models.coordinates(completed.source.scaling, values[rows])
        votes = cast_votes(models, points, neighbors, reach=settings.reach, context=part)
        values = values.copy()
        voted = np.clip(votes.values, completed.low[column], completed.high[column])
        values[rows, column] = running_mean(values[rows, column], voted, turn)
        completed = completed.with_values(values)
    return completed
