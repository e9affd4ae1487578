"""The loop over columns, in rounds: learning and filling from a completed table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import Fallback, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Ballot, Fills
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels, learn_models
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern, RowGroup
from iim.core.rounds.completed_table import CompletedTable, running_mean
from iim.core.rounds.known_neighbors import KnownNeighbors, find_known_neighbors, start_from_neighbors
from iim.core.settings import RoundSettings
from iim.core.source import Source
from iim.core.voting import Votes, cast_votes
from iim.matrix import MaskedMatrix
from iim.persistence.fields import Refused, Sizes

CELLS_AT_ONCE = 2**17
"""Missing cells filled in one batch: the predictions of their nearest donors are held in memory."""


@dataclass(frozen=True)
class RoundLoop:
    """A method applied to a completed table, column by column, in rounds.

    Attributes
    ----------
    completed : CompletedTable
        The training rows.
    method : IndividualModels
        Solves and votes.
    models : ModelCache
        Models learned so far, by column.
    """

    completed: CompletedTable
    method: IndividualModels
    models: ModelCache[PatternModels]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse models whose donors are not those of their column."""
        del sizes
        for pattern, models in self.models.kept.items():
            problem = self.completed.pose(pattern.target)
            if pattern != problem.pattern or not np.array_equal(models.problem.rows, problem.rows):
                raise Refused("the donors of a column are not those that its models are for")

    @property
    def source(self) -> Source:
        """The completed rows."""
        return self.completed.source

    @property
    def rounds(self) -> RoundSettings:
        """How incomplete rows are filled."""
        return self.completed.rounds

    @property
    def n_rounds(self) -> int:
        """Rounds needed to complete the training rows."""
        return self.completed.n_rounds

    @property
    def learned_from(self) -> MaskedMatrix:
        """The training rows, with their missing cells."""
        return self.completed.as_it_came

    def learn(
        self, matrix: MaskedMatrix, context: Context, groups: Sequence[RowGroup] | None = None
    ) -> list[SeenPattern]:
        """Learn the models of all donors of the columns with missing cells.

        Parameters
        ----------
        matrix : MaskedMatrix
            The table given to ``fit``.
        context : Context
            Threads and progress (donors learned).
        groups : sequence of RowGroup, optional
            Ignored.

        Returns
        -------
        list of SeenPattern
            The missing cells by column.
        """
        del groups
        self._learn_columns(np.flatnonzero(matrix.missing.any(axis=0)), context)
        unknown = int(np.count_nonzero(matrix.missing.all(axis=1)))
        seen: list[SeenPattern] = []
        for column, n_cells in enumerate(np.count_nonzero(matrix.missing, axis=0).tolist()):
            problem = self.completed.pose(column)
            seen.append(SeenPattern(problem.pattern, n_cells - unknown, problem.fallback))
            seen.append(SeenPattern(Pattern((), column), unknown, Fallback.MEAN))
        return [part for part in seen if part.n_cells]

    def learn_single_holes(self, context: Context) -> None:
        """Learn the models of all columns."""
        self._learn_columns(np.arange(self.completed.turns.size), context)

    def _learn_columns(self, columns: Integers, context: Context) -> None:
        for done, column in enumerate(columns.tolist()):
            problem = self.completed.pose(column)
            if problem.observed and problem.pattern not in self.models.kept:
                models = self.method.solve(self.completed.source, problem, None, context.silent)
                self.models.kept[problem.pattern] = learn_models(
                    models, settings=self.method.settings, context=context.part(done, columns.size)
                )

    def fill(
        self,
        matrix: MaskedMatrix,
        context: Context,
        groups: Sequence[RowGroup] | None = None,
        *,
        explaining: bool = False,
    ) -> Iterator[Fills]:
        """Fill the missing cells of a table, row by row; while ``fit`` runs, learn from it first.

        A row has converged when a round changes none of its fills by more than ``tol`` in scaled
        coordinates; other rows do not matter. Its fills are clipped to the range of their columns' known
        values. A row with a single hole is not clipped, since its prediction uses no fill. A row without
        known values gets the column means.

        Parameters
        ----------
        matrix : MaskedMatrix
            The table, with the columns of the training table.
        context : Context
            Threads and progress (rounds, of ``max_iter``).
        groups : sequence of RowGroup, optional
            Ignored.
        explaining : bool
            Whether ballots keep the receivers' values, fills included, at prediction.

        Yields
        ------
        Fills
            The filled cells of a column in some of the rows.
        """
        if self.models.is_open:
            self.learn(matrix, context.part(0, 2), groups)
            context = context.part(1, 2)
        unknown = matrix.missing.all(axis=1)
        rows = np.flatnonzero(unknown)
        for column, mean in enumerate(self.completed.source.means if rows.size else ()):
            yield Fills(Pattern((), column), rows, np.full(rows.size, mean), Fallback.MEAN)
        waiting = np.flatnonzero(matrix.missing.any(axis=1) & ~unknown)
        batches = _batches(np.count_nonzero(matrix.missing[waiting], axis=1))
        for at, batch in enumerate(batches):
            rows = waiting[batch]
            part, missing = context.part(at, len(batches)), matrix.missing[rows]
            values, ballots = self._start(matrix.values[rows], missing, part)
            if explaining:
                ballots = {column: _with_receivers(ballot, values) for column, ballot in ballots.items()}
            self._vote_in_rounds(values, missing, ballots, part)
            for column, ballot in ballots.items():
                holed, problem = np.flatnonzero(missing[:, column]), ballot.models.problem
                yield Fills(problem.pattern, rows[holed], values[holed, column], problem.fallback, ballot)

    def fill_cells(
        self, matrix: MaskedMatrix, wanted: Booleans, context: Context, *, explaining: bool = False
    ) -> Iterator[Fills]:
        """Fill all missing cells of the rows: in rounds, each fill needs the others.

        Parameters
        ----------
        matrix : MaskedMatrix
            The rows.
        wanted : ndarray of shape (n_rows, n_columns)
            Ignored.
        context : Context
            How to run.
        explaining : bool
            See ``fill``.

        Yields
        ------
        Fills
            Of all missing cells.
        """
        del wanted
        yield from self.fill(matrix, context, explaining=explaining)

    def _start(
        self, values: Floats, missing: Booleans, context: Context
    ) -> tuple[Floats, dict[int, Ballot]]:
        """First fills of some rows, and the nearest donors for each column, in the order of ``turns``."""
        completed = self.completed
        values = np.where(missing, self.completed.source.means, values)
        found = find_known_neighbors(
            completed, values, missing, n_neighbors=self.method.settings.n_neighbors, context=context
        )
        if completed.rounds.start == "knn":
            values = start_from_neighbors(completed, found, values)
        turns = [column for column in completed.turns.tolist() if missing[:, column].any()]
        return values, {column: self._open_ballot(found, column, context) for column in turns}

    def _open_ballot(self, found: KnownNeighbors, column: int, context: Context) -> Ballot:
        """The nearest donors of a column's missing cells, with their models; predictions are empty."""
        problem = self.completed.pose(column)
        known = self.models.find(problem.pattern)
        models = (
            self.method.solve(self.completed.source, problem, None, context.silent)
            if known is None
            else known
        )
        neighbors = found.among(models, np.flatnonzero(found.missing[:, column]))
        models = learn_models(
            models, neighbors.place, settings=self.method.settings, context=context.silent
        )
        if models is not known:
            self.models.store(problem.pattern, models)
        shape = neighbors.place.shape
        votes = Votes(np.empty(shape), np.empty(shape), np.empty(shape[0]))
        return Ballot(models, neighbors, votes, self.completed.rows)

    def _vote_in_rounds(
        self, values: Floats, missing: Booleans, ballots: dict[int, Ballot], context: Context
    ) -> None:
        """Repeat the votes of all columns, each row until it converges; changes ``values``."""
        completed, rounds = self.completed, self.completed.rounds
        guessing = np.count_nonzero(missing, axis=1) > 1
        changing = np.ones(missing.shape[0], bool)
        for turn in range(1, rounds.max_iter + 1):
            before = completed.coordinates(values)
            for column, ballot in ballots.items():
                holed = np.flatnonzero(missing[:, column])
                voting = np.flatnonzero(changing[holed])
                here = holed[voting]
                votes = self._vote(ballot, values[here], voting, context)
                within = np.clip(votes, completed.low[column], completed.high[column])
                votes = np.where(guessing[here], within, votes)
                values[here, column] = running_mean(values[here, column], votes, turn)
            context.report(turn, rounds.max_iter)
            changing &= np.abs(completed.coordinates(values) - before).max(axis=1) > rounds.tol
            if not changing.any():
                break

    def _vote(self, ballot: Ballot, receivers: Floats, voting: Integers, context: Context) -> Floats:
        """Predict some cells by their donors' models, and store the candidates on the ballot."""
        asked = Neighbors(ballot.neighbors.distance[voting], ballot.neighbors.place[voting])
        points = ballot.models.coordinates(self.completed.source.scaling, receivers)
        votes = cast_votes(ballot.models, points, asked, reach=self.method.settings.reach, context=context)
        ballot.votes.candidates[voting] = votes.candidates
        ballot.votes.weights[voting] = votes.weights
        ballot.votes.values[voting] = votes.values
        if ballot.receivers is not None:
            ballot.receivers[voting] = receivers
        return votes.values


def _batches(n_holes: Integers) -> list[slice]:
    """Batches of the rows to fill, each with at most CELLS_AT_ONCE missing cells, or one row."""
    before = np.cumsum(n_holes) - n_holes
    batches: list[slice] = []
    first = 0
    while first < n_holes.size:
        stop = int(np.searchsorted(before + n_holes, before[first] + CELLS_AT_ONCE, side="right"))
        batches.append(slice(first, max(stop, first + 1)))
        first = batches[-1].stop
    return batches


def _with_receivers(ballot: Ballot, values: Floats) -> Ballot:
    return replace(ballot, receivers=np.empty((ballot.neighbors.place.shape[0], values.shape[1])))
