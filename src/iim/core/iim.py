"""Imputation via individual models, on one page.

::

    rows with missing cells ─► patterns (F, A) ─► donors: rows with known F and A  pattern_loop, donors
        solve     tuning of the column ─► index of donors ─► validation rows       once per pattern
        ask       neighbours of the rows to fill ─► their models, each its own l   Algorithms 1 and 3
        predict   candidates ─► vote                                               Algorithm 2

:class:`~iim.core.pattern_loop.PatternLoop` iterates over patterns. :mod:`iim.core.rounds` iterates over
columns of a table that was completed before: ``solve`` is the same, but neighbours and models are those on
the columns that a row knows (``rounds/known_votes``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from iim._arrays import Floats
from iim.core.distances import transformed
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Ballot, Fills
from iim.core.held_out.shrinkage import NO_SHRINKAGE, Shrinkage, no_shrinkage, shrink_towards
from iim.core.held_out.tuning import (
    MOST_RECEIVERS,
    ColumnTuning,
    default_tuning,
    has_choices,
    rows_to_try,
    spread_evenly,
    tune_column,
)
from iim.core.learning import PatternModels, learn_models
from iim.core.learning_size import find_judges, usable_grid
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.pattern_loop import Asked, Receivers
from iim.core.patterns import all_others
from iim.core.settings import Settings
from iim.core.source import Source
from iim.core.voting import cast_votes
from iim.matrix import MaskedMatrix


@dataclass(frozen=True)
class IndividualModels:
    """The method, as the loops use it.

    Attributes
    ----------
    settings : Settings
        All parameters.
    tunings : ModelCache
        Tunings of columns found so far, by the pattern that has all other columns.
    """

    settings: Settings
    tunings: ModelCache[ColumnTuning] = field(default_factory=ModelCache, compare=False)

    needs_columns: ClassVar[bool] = True

    def solve(
        self, source: Source, problem: Problem, previous: PatternModels | None, context: Context
    ) -> PatternModels:
        """Tune the column, index the donors, and find the validation rows of each."""
        targets, exponent = source.targets(problem)
        with context.one_blas_thread():
            tuning = self.tuning(source, problem.pattern.target, context)
            transform = tuning.transform(problem.observed)
            shrinkage = self._shrinkage(source, problem, targets, tuning, transform)
        grid = usable_grid(self.settings.learning_grid, problem.rows.size)
        if previous is not None and previous.has_same_index(problem, transform):
            tree, judges = previous.tree, previous.validation
        else:
            tree = index_donors(transformed(source.points(problem), transform))
            judges = find_judges(tree, grid, n_neighbors=self.settings.n_neighbors, context=context)
        return PatternModels.unlearned(
            problem,
            tree,
            grid,
            judges,
            (targets, exponent),
            transform,
            level=tuning.level,
            weights=tuning.weights,
            shrinkage=shrinkage,
        )

    def ask(
        self, source: Source, models: PatternModels, receivers: Receivers, context: Context
    ) -> Asked[PatternModels]:
        """Find the nearest donors of the rows to fill, and learn those of their models that are missing."""
        points = models.coordinates(source.scaling, receivers.values)
        n_neighbors = self.settings.n_neighbors
        neighbors = nearest_donors(models.tree, points, n_neighbors=n_neighbors, context=context)
        models = learn_models(models, neighbors.place, settings=self.settings, context=context)
        return Asked(receivers, models, points, neighbors)

    def predict(self, asked: Asked[PatternModels], context: Context) -> Fills:
        """Predict by the models of the nearest donors, and average."""
        receivers, models, neighbors = asked.receivers, asked.model, asked.neighbors
        votes = cast_votes(models, asked.points, neighbors, reach=self.settings.reach, context=context)
        ballot = Ballot(models, neighbors, votes)
        return Fills(receivers.pattern, receivers.rows, votes.values, models.problem.fallback, ballot)

    def learn_rest(self, models: PatternModels, context: Context) -> PatternModels:
        """Learn the models of all donors that have none yet."""
        return learn_models(models, settings=self.settings, context=context)

    def tuning(self, source: Source, target: int, context: Context) -> ColumnTuning:
        """The tuning of a column, with all other columns known; cached."""
        if not has_choices(self.settings):
            return default_tuning(self.settings)
        pattern = all_others(target, source.matrix.n_columns)
        tuning = self.tunings.find(pattern)
        if tuning is None:
            problem = source.pose(pattern)
            tuning = tune_column(
                source.points(problem),
                source.targets(problem)[0],
                problem.observed,
                source.scaling.coordinates(_receivers(source.matrix, problem), problem.observed),
                settings=self.settings,
                context=context,
            )
            self.tunings.store(pattern, tuning)
        return tuning

    def _shrinkage(
        self, source: Source, problem: Problem, targets: Floats, tuning: ColumnTuning, transform: Floats
    ) -> Shrinkage:
        """What the models of a problem are drawn towards, from a sample of its donors."""
        if tuning.shares == NO_SHRINKAGE:
            return no_shrinkage(len(problem.observed))
        sample = rows_to_try(targets.size, len(problem.observed), self.settings.learning_grid)
        return shrink_towards(source.points(problem)[sample], targets[sample], tuning.shares, transform)


def _receivers(matrix: MaskedMatrix, problem: Problem) -> Floats:
    """Rows of the training table that lack the target, and no column to predict from; some of many."""
    missing, target = matrix.missing, problem.pattern.target
    lacking = np.flatnonzero(missing[:, target] & ~missing[:, list(problem.observed)].any(axis=1))
    return matrix.values[lacking[spread_evenly(lacking.size, MOST_RECEIVERS)]]
