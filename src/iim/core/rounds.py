"""Rounds: each column from all the others, for tables with too many patterns to learn one by one.

Where almost every row has a pattern of its own, there are as many sets of models to learn as rows. Here is
one set per column instead, learned from rows that are completed first (:mod:`iim.core.completing`), then
frozen::

    table with holes ─► rows to learn from ─► first fills ─► rounds ─► completed rows ─► a model for each
    row to fill ─► nearest donors on what it knows ─► first fills ─► rounds of votes ─► filled row

Donors are asked because they are near on what a row really knows; what their models need besides are the
row's own fills so far. A donor really knows the value that it is asked for: no row is its own donor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.completed import Askers, Completed, find_donors, settle, start_from_neighbors
from iim.core.donors import Fallback
from iim.core.fills import Ballot, Fills
from iim.core.learning import PatternModels, learn_models
from iim.core.library import ModelLibrary
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern
from iim.core.voting import Votes
from iim.core.workers import Progress, Workers, part_of
from iim.matrix import MaskedMatrix

CELLS_AT_ONCE = 2**17
"""Missing cells that are filled side by side: what their nearest donors say is held in memory."""


def impute_in_rounds(
    completed: Completed,
    library: ModelLibrary[PatternModels],
    matrix: MaskedMatrix,
    *,
    explaining: bool = False,
    workers: Workers,
    progress: Progress | None = None,
) -> Iterator[Fills]:
    """Fill the holes of a table, each row by itself.

    A row is done when a round changes none of its fills by more than ``tol`` in scaled coordinates,
    whatever other rows do. Its fills stay within the range of their columns' known values, unless it has
    one hole only: then there is nothing to guess, and its fill is the vote. A row of which nothing is
    known gets the column means.

    Parameters
    ----------
    completed : Completed
        The donors, and how long to go on.
    library : ModelLibrary
        What has been learned; what is missing is learned now and remembered.
    matrix : MaskedMatrix
        The table to fill, with the columns of the training table.
    explaining : bool
        Whether ballots tell what the rows were filled with when they were voted on.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the rounds done, of as many as there may be.

    Yields
    ------
    Fills
        The filled cells of a column in some of the rows.
    """
    unknown = matrix.missing.all(axis=1)
    if unknown.any():
        yield from _column_means(completed, np.flatnonzero(unknown))
    waiting = np.flatnonzero(matrix.missing.any(axis=1) & ~unknown)
    batches = _batches(np.count_nonzero(matrix.missing[waiting], axis=1))
    for at, batch in enumerate(batches):
        yield from _impute_rows(
            completed,
            library,
            matrix,
            waiting[batch],
            explaining=explaining,
            workers=workers,
            progress=part_of(progress, at, len(batches)),
        )


def _batches(n_holes: Integers) -> list[slice]:
    """Parts of the rows to fill, each with CELLS_AT_ONCE holes at most, or one row."""
    before = np.cumsum(n_holes) - n_holes
    batches: list[slice] = []
    first = 0
    while first < n_holes.size:
        stop = int(np.searchsorted(before + n_holes, before[first] + CELLS_AT_ONCE, side="right"))
        batches.append(slice(first, max(stop, first + 1)))
        first = batches[-1].stop
    return batches


def _column_means(completed: Completed, rows: Integers) -> Iterator[Fills]:
    for column, mean in enumerate(completed.training.means):
        yield Fills(Pattern((), column), rows, np.full(rows.size, mean), Fallback.MEAN, None)


def _impute_rows(
    completed: Completed,
    library: ModelLibrary[PatternModels],
    matrix: MaskedMatrix,
    rows: Integers,
    *,
    explaining: bool,
    workers: Workers,
    progress: Progress | None,
) -> Iterator[Fills]:
    missing = matrix.missing[rows]
    values = np.where(missing, completed.training.means, matrix.values[rows])
    askers = find_donors(completed, values, missing, workers=workers)
    if completed.rounds.start == "knn":
        values = start_from_neighbors(completed, askers, values)
    turns = [column for column in completed.turns.tolist() if missing[:, column].any()]
    ballots = {column: _open_ballot(completed, library, askers, column, workers) for column in turns}
    if explaining:
        ballots = {column: _with_receivers(ballot, values) for column, ballot in ballots.items()}
    guessing = np.count_nonzero(missing, axis=1) > 1
    changing = np.ones(rows.size, bool)
    for turn in range(1, completed.rounds.max_iter + 1):
        before = completed.coordinates(values)
        for column in turns:
            holed = np.flatnonzero(missing[:, column])
            voting = np.flatnonzero(changing[holed])
            here = holed[voting]
            votes = _ask(completed, ballots[column], values[here], voting, workers)
            votes = np.where(guessing[here], completed.within(column, votes), votes)
            values[here, column] = settle(values[here, column], votes, turn)
        if progress is not None:
            progress(turn, completed.rounds.max_iter)
        changing &= np.abs(completed.coordinates(values) - before).max(axis=1) > completed.rounds.tol
        if not changing.any():
            break
    for column in turns:
        holed = np.flatnonzero(missing[:, column])
        yield Fills(
            completed.pattern(column),
            rows[holed],
            values[holed, column],
            completed.fallbacks[column],
            ballots[column],
        )


def _open_ballot(
    completed: Completed,
    library: ModelLibrary[PatternModels],
    askers: Askers,
    column: int,
    workers: Workers,
) -> Ballot:
    """Whom a column's cells ask, with models learned for those that have none; nothing said yet."""
    pattern = completed.pattern(column)
    known = library.find(pattern)
    models = completed.prepare(column, workers) if known is None else known
    neighbors = askers.neighbors(np.flatnonzero(askers.missing[:, column]), models, column)
    asked = np.unique(neighbors.place)
    models = learn_models(models, asked, settings=completed.training.settings, workers=workers)
    if models is not known:
        library.remember(pattern, models)
    shape = neighbors.place.shape
    votes = Votes(np.empty(shape), np.empty(shape), np.empty(shape[0]))
    return Ballot(models, neighbors, votes, completed.rows)


def _with_receivers(ballot: Ballot, values: Floats) -> Ballot:
    return replace(ballot, receivers=np.empty((ballot.neighbors.place.shape[0], values.shape[1])))


def _ask(
    completed: Completed, ballot: Ballot, receivers: Floats, voting: Integers, workers: Workers
) -> Floats:
    """Let the donors of some cells vote, and note on the ballot what they say."""
    asked = Neighbors(ballot.neighbors.distance[voting], ballot.neighbors.place[voting])
    votes = completed.vote(ballot.models, receivers, asked, workers)
    ballot.votes.candidates[voting] = votes.candidates
    ballot.votes.weights[voting] = votes.weights
    ballot.votes.values[voting] = votes.values
    if ballot.receivers is not None:
        ballot.receivers[voting] = receivers
    return votes.values
