"""The loop over patterns: one for all methods that fill one column from the known ones.

::

    rows with holes ─► patterns ─► problem: donors ─► solve ─► ask ─► predict ─► filled cells
                                       (Source)       (kept)   a method brings these three

Each hole is filled from the row's own known values, one by one: a filled value is never used for another
hole, and the other rows to fill play no part. What is solved is kept by pattern: ``fit`` solves ahead what
its own table will ask, ``transform`` what is new, and ``fit_transform`` learns while it fills.
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
        What they know, and what is to be filled.
    rows : ndarray of shape (n_receivers,)
        Their positions in the table to fill.
    values : ndarray of shape (n_receivers, n_columns)
        The rows, as the table has them.
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
    """Receivers placed among the donors of a model.

    Attributes
    ----------
    receivers : Receivers
        The rows.
    model : object
        What was learned, with all that these rows need of it.
    points : ndarray of shape (n_receivers, n_observed)
        Where they lie among the donors.
    neighbors : Neighbors
        The donors that they ask; NOBODY for methods that ask none in particular.
    """

    receivers: Receivers
    model: Model
    points: Floats
    neighbors: Neighbors = NOBODY


class Method(Protocol[Model]):
    """What a method brings to the loop."""

    @property
    def needs_columns(self) -> bool:
        """Whether there is nothing to learn without known columns: then the column mean is filled."""

    def solve(self, source: Source, problem: Problem, previous: Model | None, context: Context) -> Model:
        """Learn from the donors; ``previous`` is the model of another problem, perhaps of the same rows."""

    def ask(self, source: Source, model: Model, receivers: Receivers, context: Context) -> Asked[Model]:
        """Place rows among the donors, and learn what they need besides."""

    def predict(self, asked: Asked[Model], context: Context) -> Fills:
        """The missing values."""

    def learn_rest(self, model: Model, context: Context) -> Model:
        """The model with all that any row could need of it."""


AnyMethod = TypeVar("AnyMethod", bound=Method[Any])


@dataclass(frozen=True)
class PatternLoop(Generic[Model, AnyMethod]):
    """A method at work on a source, pattern by pattern.

    Attributes
    ----------
    source : Source
        The table learned from.
    method : Method
        What solves and predicts.
    models : ModelCache
        What has been learned, by pattern.
    """

    source: Source
    method: AnyMethod
    models: ModelCache[Model]

    rounds: ClassVar[None] = None
    """There are none; see :class:`~iim.core.rounds.round_loop.RoundLoop`."""
    n_rounds: ClassVar[int] = 1

    @property
    def learned_from(self) -> MaskedMatrix:
        """The rows that were learned from, with their holes."""
        return self.source.matrix

    def learn(
        self, matrix: MaskedMatrix, context: Context, groups: Sequence[RowGroup] | None = None
    ) -> list[SeenPattern]:
        """Solve ahead what the holes of a table will ask (the paper's offline phase).

        Parameters
        ----------
        matrix : MaskedMatrix
            The table; that of ``source``.
        context : Context
            How to run.
        groups : sequence of RowGroup, optional
            Its rows with holes, if they are known.

        Returns
        -------
        list of SeenPattern
            All its patterns. Past the room of the cache, they are left to be solved when they are needed.
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
        """Fill the holes of a table, pattern by pattern; while ``fit`` runs, what that takes is kept.

        Parameters
        ----------
        matrix : MaskedMatrix
            The table, with the columns of ``source``.
        context : Context
            How to run.
        groups : sequence of RowGroup, optional
            Its rows with holes, and the columns to fill in them, if they are known.

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
        """Fill some missing cells, and not the others.

        Parameters
        ----------
        matrix : MaskedMatrix
            The rows, with the columns of ``source``.
        wanted : ndarray of shape (n_rows, n_columns)
            True for the cells; those in the same column of rows with the same holes come with them.
        context : Context
            How to run.
        explaining : bool
            Of no consequence here: a pattern's votes tell all.

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
        """Learn ahead all that any row with one hole can ask."""
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
    """Each pattern with its rows, and the context of its part of the work."""
    groups = group_patterns(matrix.missing) if groups is None else groups
    n_patterns, done = sum(len(group.patterns) for group in groups), 0
    for group in groups:
        values = matrix.values[group.rows]
        for pattern in group.patterns:
            yield Receivers(pattern, group.rows, values), context.part(done, n_patterns)
            done += 1
