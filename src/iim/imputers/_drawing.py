"""Methods that draw from the posterior of a linear regression: BLR and PMM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._checks import real_number, whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.posterior import Posterior, PosteriorDraw, learn_posterior
from iim.core.source import DonorValues
from iim.core.uncertainty.row_draws import pattern_generator
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import fitted, parameter
from iim.imputers._patterns import PatternImputer
from iim.imputers._seeds import LARGEST_SEED, RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix
from iim.persistence.fields import whole


class DrawingImputer(PatternImputer):
    """Base of methods whose models are drawn once per pattern, and values once per row."""

    PAPER: ClassVar[Mapping[str, Any]] = {"donors": "complete", "min_donors": 1}

    _needs_columns = False
    draws: int = parameter(default=1, check=whole_number(least=1))
    ridge: float = parameter(default=1e-5, check=real_number(least=0.0))
    random_state: int | np.random.RandomState | None = parameter(default=0, check=RANDOM_STATE)

    _seed: Annotated[int, whole(0, LARGEST_SEED)] = fitted()

    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[None, Context]:
        self._seed = seed_from(self.random_state)
        return super()._begin(matrix, context)

    @one_blas_thread()
    def _draw_models(
        self, problem: Problem, donors: DonorValues
    ) -> tuple[Posterior, tuple[PosteriorDraw, ...]]:
        """The posterior given the donors, and ``draws`` models drawn from it."""
        posterior = learn_posterior(donors.points, donors.targets, ridge=self._fixed.ridge)
        generator = pattern_generator(self._seed, problem.pattern)
        return posterior, tuple(posterior.draw(generator) for _ in range(self._fixed.draws))
