"""The steps of IIM one by one, through the functions of ``iim.core``.

This is the one place, with ``lists.py``, that knows how the package is made inside: if a step there gets
another shape, adapt it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import iim
from iim.core.donors import DonorChoice, choose_donors
from iim.core.learning import PatternModels, learn_models, prepare_models
from iim.core.manners import plain_manner
from iim.core.patterns import Pattern
from iim.core.settings import Settings
from iim.core.training import Training, train
from iim.core.workers import Workers
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

    training: Training
    choice: DonorChoice
    target: int

    def points(self) -> np.ndarray:
        """Scaled coordinates of the donors."""
        values = self.training.matrix.values[self.choice.rows]
        return self.training.scaling.coordinates(values, self.choice.observed)

    def queries(self, rows: np.ndarray) -> np.ndarray:
        """Scaled coordinates of other rows."""
        return self.training.scaling.coordinates(self.training.matrix.values[rows], self.choice.observed)

    def prepare(self, workers: Workers) -> PatternModels:
        """Index the donors and find out who judges whom."""
        return prepare_models(
            self.training.matrix,
            self.training.scaling,
            self.choice,
            self.target,
            plain_manner(self.training.settings),
            settings=self.training.settings,
            workers=workers,
        )

    def learn(
        self, models: PatternModels, workers: Workers, places: np.ndarray | None = None
    ) -> PatternModels:
        """Learn the models of all donors, or of some."""
        return learn_models(models, places, settings=self.training.settings, workers=workers)


def pose(table: Holed, grid: Sequence[int]) -> Problem:
    """The problem that the holes of a table pose, with the settings that all is measured with."""
    decisions = settings(grid)
    chosen = Settings(
        learning_grid=tuple(grid), reach=np.inf, **{name: decisions[name] for name in DECISIONS}
    )
    values = np.ascontiguousarray(table.values, dtype=np.float64)
    matrix = MaskedMatrix(values, np.isnan(values), tuple(range(values.shape[1])))
    training = train(matrix, chosen)
    observed = tuple(column for column in range(values.shape[1]) if column != table.target)
    choice = choose_donors(
        matrix.missing,
        Pattern(observed, table.target),
        which=chosen.donors,
        min_donors=chosen.min_donors,
    )
    return Problem(training, choice, table.target)


def judged_by_nobody(models: PatternModels) -> PatternModels:
    """The same donors with nothing to judge their models on: learning costs what is left."""
    nobody = Validation(np.zeros_like(models.validation.first), models.validation.judged[:0])
    return replace(models, validation=nobody)


def fit_transform(table: Holed, grid: Sequence[int], n_jobs: int, **changes: object) -> None:
    """The whole job; models are learned for the donors that the holes ask."""
    iim.IIMImputer(**settings(grid, **changes), n_jobs=n_jobs).fit_transform(table.values)


def learn_everyone(table: Holed, grid: Sequence[int], n_jobs: int) -> None:
    """The same, and the models of all other donors too: ready for any new row."""
    imputer = iim.IIMImputer(**settings(grid), n_jobs=n_jobs).fit(table.values)
    (models,) = imputer._library.kept.values()
    learn_models(models, settings=imputer._training.settings, workers=Workers(n_threads=n_jobs))
    imputer.transform(table.values)
