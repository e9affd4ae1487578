"""The steps of IIM one by one, through the functions of ``iim.core``.

This is the one place, with ``lists.py``, that knows how the package is made inside: if a step there gets
another shape, adapt it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import iim
from iim.core import donors
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels, learn_models
from iim.core.patterns import all_others
from iim.core.settings import Settings
from iim.core.source import Source, learn_source
from iim.kernels.validation import Validation
from iim.matrix import MaskedMatrix
from speed.plan import settings
from speed.tables import Holed

DECISIONS = (
    "n_neighbors",
    "alpha",
    "penalty",
    "scale",
    "validation",
    "distance",
    "level",
    "weights",
    "donors",
    "min_donors",
)


@dataclass(frozen=True)
class Problem:
    """One table, one column to fill, taken in but not learned from."""

    source: Source
    problem: donors.Problem
    settings: Settings

    @property
    def target(self) -> int:
        """The column to fill."""
        return self.problem.pattern.target

    def points(self) -> np.ndarray:
        """Scaled coordinates of the donors."""
        return self.source.points(self.problem)

    def queries(self, rows: np.ndarray) -> np.ndarray:
        """Scaled coordinates of other rows."""
        return self.source.scaling.coordinates(self.source.matrix.values[rows], self.problem.observed)

    def prepare(self, context: Context) -> PatternModels:
        """Index the donors and find out who judges whom."""
        return IndividualModels(self.settings).solve(self.source, self.problem, None, context)

    def learn(
        self, models: PatternModels, context: Context, places: np.ndarray | None = None
    ) -> PatternModels:
        """Learn the models of all donors, or of some."""
        return learn_models(models, places, settings=self.settings, context=context)


def pose(table: Holed, grid: Sequence[int]) -> Problem:
    """The problem that the holes of a table pose, with the settings that all is measured with."""
    decisions = settings(grid)
    chosen = Settings(
        learning_grid=tuple(grid), reach=np.inf, **{name: decisions[name] for name in DECISIONS}
    )
    values = np.ascontiguousarray(table.values, dtype=np.float64)
    matrix = MaskedMatrix(values, np.isnan(values), tuple(range(values.shape[1])))
    source = learn_source(matrix, scale=chosen.scale, which=chosen.donors, min_donors=chosen.min_donors)
    return Problem(source, source.pose(all_others(table.target, values.shape[1])), chosen)


def judged_by_nobody(models: PatternModels) -> PatternModels:
    """The same donors with nothing to judge their models on: learning costs what is left."""
    nobody = Validation(np.zeros_like(models.validation.first), models.validation.judges[:0])
    return replace(models, validation=nobody)


def fit_transform(table: Holed, grid: Sequence[int], n_jobs: int, **changes: object) -> None:
    """The whole job; models are learned for the donors that the holes ask."""
    iim.IIMImputer(**settings(grid, **changes), n_jobs=n_jobs).fit_transform(table.values)


def learn_everyone(table: Holed, grid: Sequence[int], n_jobs: int) -> None:
    """The same, and the models of all other donors too: ready for any new row."""
    imputer = iim.IIMImputer(**settings(grid), n_jobs=n_jobs).fit(table.values)
    (models,) = imputer._loop.models.kept.values()
    learn_models(models, settings=imputer._loop.method.settings, context=Context(n_threads=n_jobs))
    imputer.transform(table.values)
