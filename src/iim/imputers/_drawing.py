"""Methods that draw from the posterior of a linear regression: BLR and PMM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from iim._checks import Check, real_number, whole_number
from iim.core.draws import pattern_generator
from iim.core.patterns import Pattern
from iim.core.posterior import Posterior, PosteriorDraw, learn_posterior
from iim.core.problems import Problem
from iim.imputers._blas import one_blas_thread
from iim.imputers._patterns import PatternImputer
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix


class DrawingImputer(PatternImputer):
    """Base of methods whose models are drawn once per pattern, and values once per row."""

    PAPER: ClassVar[Mapping[str, Any]] = {"donors": "complete", "min_donors": 1}

    _needs_columns = False
    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "draws": whole_number(least=1),
        "ridge": real_number(least=0.0),
        "random_state": RANDOM_STATE,
    }

    draws: int
    ridge: float
    random_state: int | np.random.RandomState | None

    def _fit(self, matrix: MaskedMatrix) -> None:
        self._seed = seed_from(self.random_state)
        super()._fit(matrix)

    @one_blas_thread()
    def _draw_models(
        self, problem: Problem, pattern: Pattern
    ) -> tuple[Posterior, tuple[PosteriorDraw, ...]]:
        """What the donors tell, and as many models drawn from it as are asked for."""
        posterior = learn_posterior(problem.points, problem.targets, ridge=self._fixed.ridge)
        generator = pattern_generator(self._seed, pattern)
        return posterior, tuple(posterior.draw(generator) for _ in range(self._fixed.draws))
