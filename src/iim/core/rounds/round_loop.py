"""The loop over columns: learning and filling from a completed table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import Fallback, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Ballot, Fills, Lines
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels, learn_models
from iim.core.patterns import Pattern, RowGroup, all_others
from iim.core.rounds.choices import RoundPlan
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.completion import expected_of, pose_models, receive, rest_of, vote
from iim.core.rounds.known_votes import ask_known
from iim.core.source import Source
from iim.matrix import MaskedMatrix
from iim.persistence.fields import Refused, Sizes

CELLS_AT_ONCE = 2**17
"""Missing cells filled in one batch: the predictions of their nearest donors are held in memory."""


@dataclass(frozen=True)
class RoundLoop:
    """A method applied to a completed table, column by column.

    Attributes
    ----------
    completed : CompletedTable
        The training rows.
    rounds : RoundPlan
        How they were completed, and how a table is filled.
    method : IndividualModels
        The parameters.
    models : ModelCache
        Models learned so far, by column.
    """

    completed: CompletedTable
    rounds: RoundPlan
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

    def source_for(self, column: int) -> Source:
        """The table that a column's models learned from."""
        return self.completed.for_column(column)

    @property
    def n_rounds(self) -> int:
        """How often the training rows are filled: all but the last time to complete them."""
        return len(self.rounds.rounds)

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
        self._learn_columns(np.arange(self.completed.known.shape[1]), context)

    def _learn_columns(self, columns: Integers, context: Context) -> None:
        n_columns = self.completed.known.shape[1]
        for done, column in enumerate(columns.tolist()):
            pattern = all_others(column, n_columns)
            if pattern.observed and pattern not in self.models.kept:
                self.models.kept[pattern] = learn_models(
                    self._pose(column, context),
                    settings=self.method.settings,
                    context=context.part(done, columns.size),
                )

    def _pose(self, column: int, context: Context) -> PatternModels:
        tuning = self.rounds.rounds[-1].columns[column].tuning
        with context.one_blas_thread():
            return pose_models(self.completed, column, tuning, self.method.settings, context.silent)

    def fill(
        self,
        matrix: MaskedMatrix,
        context: Context,
        groups: Sequence[RowGroup] | None = None,
        *,
        explaining: bool = False,
    ) -> Iterator[Fills]:
        """Fill the missing cells of a table, row by row; while ``fit`` runs, learn from it first.

        A fill uses what its row knows, and no other fill of the row. A row without known values gets the
        column means.

        Parameters
        ----------
        matrix : MaskedMatrix
            The table, with the columns of the training table.
        context : Context
            Threads and progress (columns filled).
        groups : sequence of RowGroup, optional
            Ignored.
        explaining : bool
            Whether ballots keep the lines that the donors' models draw.

        Yields
        ------
        Fills
            The filled cells of a column in some of the rows.
        """
        del groups
        if self.models.is_open:
            self.learn(matrix, context.part(0, 2))
            context = context.part(1, 2)
        unknown = matrix.missing.all(axis=1)
        rows = np.flatnonzero(unknown)
        for column, mean in enumerate(self.completed.source.means if rows.size else ()):
            yield Fills(Pattern((), column), rows, np.full(rows.size, mean), Fallback.MEAN)
        waiting = np.flatnonzero(matrix.missing.any(axis=1) & ~unknown)
        batches = _batches(np.count_nonzero(matrix.missing[waiting], axis=1))
        for at, batch in enumerate(batches):
            rows, part = waiting[batch], context.part(at, len(batches))
            values, missing = matrix.values[rows], matrix.missing[rows]
            with context.one_blas_thread():
                expected = expected_of(self.completed, self.rounds.rounds[-1], values, missing)
            columns = np.flatnonzero(missing.any(axis=0)).tolist()
            for done, column in enumerate(columns):
                holed = np.flatnonzero(missing[:, column])
                with context.one_blas_thread():
                    ballot = self._hold(
                        values, missing, holed, column, expected[holed, column], part, explaining=explaining
                    )
                problem = ballot.models.problem
                yield Fills(problem.pattern, rows[holed], ballot.votes.values, problem.fallback, ballot)
                part.report(done + 1, len(columns))

    def fill_cells(
        self, matrix: MaskedMatrix, wanted: Booleans, context: Context, *, explaining: bool = False
    ) -> Iterator[Fills]:
        """Fill the columns in which a missing cell is wanted.

        Parameters
        ----------
        matrix : MaskedMatrix
            The rows.
        wanted : ndarray of shape (n_rows, n_columns)
            True for the cells to fill. Other missing cells of their columns are filled too.
        context : Context
            How to run.
        explaining : bool
            See ``fill``.

        Yields
        ------
        Fills
            Of these columns.
        """
        asked: Booleans = np.any(wanted, axis=0)
        for fills in self.fill(matrix, context, explaining=explaining):
            if asked[fills.pattern.target]:
                yield fills

    def _hold(
        self,
        values: Floats,
        missing: Booleans,
        holed: Integers,
        column: int,
        expected: Floats,
        context: Context,
        *,
        explaining: bool,
    ) -> Ballot:
        """Ask the donors of a column for some rows, and let them vote."""
        completed, settings = self.completed, self.method.settings
        pattern = all_others(column, missing.shape[1])
        choice = self.rounds.rounds[-1].columns[column]
        known = self.models.find(pattern)
        before = self._pose(column, context) if known is None else known
        receivers = receive(completed, values, missing, holed, column)
        models, answers = ask_known(
            before,
            completed.for_column(column).points(before.problem),
            receivers,
            n_neighbors=choice.n_neighbors,
            alphas=[choice.alpha],
            settings=settings,
            with_slopes=explaining,
            context=context.silent,
        )
        if models is not known:
            self.models.store(pattern, models)
        votes = vote(completed, models, answers, column, choice, expected, reach=settings.reach)
        lines = None
        if answers.slopes is not None:
            at_donor = answers.said[choice.level, choice.alpha] - answers.said["own", choice.alpha]
            levels = models.targets[answers.neighbors.place] + at_donor
            # Drawn as the candidates are.
            base = np.ldexp(rest_of(completed, column, choice, expected), -models.exponent)
            lines = Lines(choice.vote * levels + base[:, None], choice.vote * answers.slopes)
        return Ballot(models, answers.neighbors, votes, completed.rows, lines)


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
