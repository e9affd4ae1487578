"""The loop over patterns: one for all methods that fill one column from the known ones.

::

    rows with holes ─► patterns ─► problem: donors ─► solve ─► ask ─► predict ─► filled cells
                                       (Source)       (cached) the method implements these three

Each hole is filled from the known values of its own row. A filled value is never used for another hole, and
fills do not depend on the other rows to fill. Models are cached by pattern: ``fit`` learns those of its own
table, ``transform`` those of new patterns, and ``fit_transform`` learns and fills in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import Problem, SeenPattern
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Fills
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern, RowGroup, all_others, group_patterns
from iim.core.source import Source
from iim.matrix import MaskedMatrix

Model = TypeVar("Model")

NOBODY = Neighbors(np.empty((0, 0)), np.empty((0, 0), np.intp))
"""No neighbours of no rows."""


@dataclass(frozen=True)
class Receivers:
    """Rows to fill that have the same pattern.

    Attributes
    ----------
    pattern : Pattern
        Their known columns, and the column to fill.
    rows : ndarray of shape (n_receivers,)
        Their positions in the table to fill.
    values : ndarray of shape (n_receivers, n_columns)
        Their values in all columns.
    """

    pattern: Pattern
    rows: Integers
    values: Floats

    @property
    def known(self) -> Floats:
        """(n_receivers, n_known): all their observed values."""
        return self.values[:, list(self.pattern.observed)]


@dataclass(frozen=True)
class Asked(Generic[Model]):
    """Receivers with their coordinates and nearest donors.

    Attributes
    ----------
    receivers : Receivers
        The rows.
    model : object
        The model, with all parts that these rows need.
    points : ndarray of shape (n_receivers, n_observed)
        Their coordinates in the space of the donors.
    neighbors : Neighbors
        Their nearest donors; NOBODY for methods without neighbours.
    """

    receivers: Receivers
    model: Model
    points: Floats
    neighbors: Neighbors = NOBODY


class Method(Protocol[Model]):
    """The functions that the loop needs from a method."""

    @property
    def needs_columns(self) -> bool:
        """Whether the method needs known columns; without any, the column mean is filled."""

    def solve(self, source: Source, problem: Problem, previous: Model | None, context: Context) -> Model:
        """Learn from the donors; ``previous`` is the model of another problem, perhaps of equal donors."""

    def ask(self, source: Source, model: Model, receivers: Receivers, context: Context) -> Asked[Model]:
        """Find coordinates and neighbours of the rows, and learn the models that these need."""

    def predict(self, asked: Asked[Model], context: Context) -> Fills:
        """The missing values."""

    def learn_rest(self, model: Model, context: Context) -> Model:
        """The model with all parts that any row could need."""


AnyMethod = TypeVar("AnyMethod", bound=Method[Any])


@dataclass(frozen=True)
class PatternLoop(Generic[Model, AnyMethod]):
    """A method applied to a source, pattern by pattern.

    Attributes
    ----------
    source : Source
        The training table.
    method : Method
        Solves and predicts.
    models : ModelCache
        Models learned so far, by pattern.
    """

    source: Source
    method: AnyMethod
    models: ModelCache[Model]

    rounds: ClassVar[None] = None
    """Patterns have no rounds; see :class:`~iim.core.rounds.round_loop.RoundLoop`."""
    n_rounds: ClassVar[int] = 1

    def source_for(self, column: int) -> Source:
        """The table that a column's models learned from."""
        del column
        return self.source

    @property
    def learned_from(self) -> MaskedMatrix:
        """The training rows, with their missing cells."""
        return self.source.matrix

    def learn(
        self, matrix: MaskedMatrix, context: Context, groups: Sequence[RowGroup] | None = None
    ) -> list[SeenPattern]:
        """Learn the models that the missing cells of a table need (the paper's offline phase).

        Parameters
        ----------
        matrix : MaskedMatrix
            The table of ``source``.
        context : Context
            How to run.
        groups : sequence of RowGroup, optional
            Its incomplete rows, if they were grouped before.

        Returns
        -------
        list of SeenPattern
            All its patterns. Those for which the cache has no room are learned when they are needed.
        """
        seen: list[SeenPattern] = []
        previous: Asked[Model] | None = None
        for receivers, part in _in_turn(matrix, context, groups):
            problem = self.source.pose(receivers.pattern)
            seen.append(SeenPattern(receivers.pattern, receivers.rows.size, problem.fallback))
            if self.models.has_room and (problem.observed or not self.method.needs_columns):
                previous = self._solve(problem, receivers, previous, part)
            part.report(1, 1)
        return seen

    def fill(
        self, matrix: MaskedMatrix, context: Context, groups: Sequence[RowGroup] | None = None
    ) -> Iterator[Fills]:
        """Fill the missing cells of a table, pattern by pattern; while ``fit`` runs, models are cached.

        Parameters
        ----------
        matrix : MaskedMatrix
            The table, with the columns of ``source``.
        context : Context
            How to run.
        groups : sequence of RowGroup, optional
            Its incomplete rows and the columns to fill in them, if they were grouped before.

        Yields
        ------
        Fills
            The filled cells of each pattern.
        """
        previous: Asked[Model] | None = None
        for receivers, part in _in_turn(matrix, context, groups):
            pattern, rows = receivers.pattern, receivers.rows
            model = self.models.find(pattern)
            if model is None:
                problem = self.source.pose(pattern)
                if not problem.observed and self.method.needs_columns:
                    means = np.full(rows.size, self.source.means[pattern.target])
                    yield Fills(pattern, rows, means, problem.fallback)
                    continue
                previous = self._solve(problem, receivers, previous, part)
            else:
                previous = self.method.ask(self.source, model, receivers, part)
                if previous.model is not model:
                    self.models.store(pattern, previous.model)
            yield self.method.predict(previous, part)

    def _solve(
        self, problem: Problem, receivers: Receivers, previous: Asked[Model] | None, context: Context
    ) -> Asked[Model]:
        former = None if previous is None else previous.model
        model = self.method.solve(self.source, problem, former, context.part(0, 2))
        asked = self.method.ask(self.source, model, receivers, context.part(1, 2))
        self.models.store(receivers.pattern, asked.model)
        return asked

    def fill_cells(
        self, matrix: MaskedMatrix, wanted: Booleans, context: Context, *, explaining: bool = False
    ) -> Iterator[Fills]:
        """Fill some of the missing cells.

        Parameters
        ----------
        matrix : MaskedMatrix
            The rows, with the columns of ``source``.
        wanted : ndarray of shape (n_rows, n_columns)
            True for the cells to fill. Cells of the same column in rows with the same holes are filled too.
        context : Context
            How to run.
        explaining : bool
            Ignored: with patterns, candidates are always kept.

        Yields
        ------
        Fills
            Of some rows.
        """
        del explaining
        groups = []
        for group in group_patterns(matrix.missing):
            asked: Booleans = np.any(wanted[group.rows], axis=0)
            patterns = tuple(pattern for pattern in group.patterns if asked[pattern.target])
            groups += [replace(group, patterns=patterns)] if patterns else []
        yield from self.fill(matrix, context, groups)

    def learn_single_holes(self, context: Context) -> None:
        """Learn all models that rows with a single hole can need."""
        n_columns = self.source.matrix.n_columns
        for target in range(n_columns):
            pattern, part = all_others(target, n_columns), context.part(target, n_columns)
            model = self.models.find(pattern)
            if model is None:
                problem = self.source.pose(pattern)
                if not problem.observed and self.method.needs_columns:
                    continue
                model = self.method.solve(self.source, problem, None, part.part(0, 2))
            self.models.kept[pattern] = self.method.learn_rest(model, part.part(1, 2))


def _in_turn(
    matrix: MaskedMatrix, context: Context, groups: Sequence[RowGroup] | None
) -> Iterator[tuple[Receivers, Context]]:
    """Each pattern with its rows, and the context for its share of the progress."""
    groups = group_patterns(matrix.missing) if groups is None else groups
    n_patterns, done = sum(len(group.patterns) for group in groups), 0
    for group in groups:
        values = matrix.values[group.rows]
        for pattern in group.patterns:
            yield Receivers(pattern, group.rows, values), context.part(done, n_patterns)
            done += 1
