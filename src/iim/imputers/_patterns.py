"""Methods that solve one regression problem for each combination of known columns and missing column.

Such a method is a subclass with two hooks: ``_solve`` learns from the donors of a problem, ``_predict``
gives the missing values of some rows. Which rows are donors, what is given up when
they are too few, what is learned at ``fit`` and what is remembered later is decided in
:mod:`iim.core.pattern_loop`, once, as for IIM.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

from iim._arrays import Floats
from iim._checks import Check, one_of, whole_number
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Fills
from iim.core.pattern_loop import Asked, PatternLoop, Receivers
from iim.core.scaling import in_table_units
from iim.core.source import DonorValues, Source, learn_source
from iim.imputers._base import Imputer
from iim.imputers._loops import LoopImputer
from iim.matrix import MaskedMatrix

FEW_DONORS = 20
"""Fewer donors than this are too few for any regression."""


@dataclass(frozen=True)
class Solution:
    """What is kept of a solved problem."""

    observed: tuple[int, ...]
    exponent: int
    fallback: Fallback
    model: Any


class PatternImputer(LoopImputer):
    """Base of the methods that fill a column from the known ones, pattern by pattern."""

    PAPER: ClassVar[Mapping[str, Any]] = {"scale": "none", "donors": "complete", "min_donors": 1}

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "scale": one_of("standard", "robust", "none"),
        "donors": one_of("available", "complete"),
        "min_donors": one_of("auto") | whole_number(least=1),
    }

    scale: str
    donors: str
    min_donors: str | int

    _learns_ahead: ClassVar[bool] = True
    """Whether ``fit`` solves what its own table's holes ask; if not, problems are solved when they come up.

    Methods whose model is an index of the donors are as fast either way, and small in a pickle.
    """
    _needs_columns: ClassVar[bool] = True
    """Whether there is nothing to solve without known columns: the column mean is filled."""

    _in_target_unit: ClassVar[bool] = True
    """Whether predictions are in the unit of the donors' targets; if not, in that of the table."""

    @abstractmethod
    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Any:
        """Learn from the donors of a problem."""

    @abstractmethod
    def _predict(self, model: Any, points: Floats, receivers: Receivers, context: Context) -> Floats:
        """The missing values of some rows, in the unit of the donors' targets, or see above.

        ``points`` are the scaled coordinates of the rows on the columns of the problem.
        """

    def _wanted_donors(self, n_columns: int) -> int:
        """How many donors ``min_donors="auto"`` means: a regression needs more than it has slopes."""
        return max(FEW_DONORS, 2 * n_columns)

    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[None, Context]:
        # Parameters as they are now: what set_params does later waits for the next fit.
        self._fixed = SimpleNamespace(**{name: getattr(self, name) for name in self._deciding()})
        wanted = self._wanted_donors(matrix.n_columns) if self.min_donors == "auto" else self.min_donors
        self._source = learn_source(matrix, scale=self.scale, which=self.donors, min_donors=int(wanted))
        self._models: ModelCache[Solution] = ModelCache(is_open=self._learns_ahead)
        return None, context

    def _end(self, context: Context) -> None:
        del context
        self._models.close()

    @property
    def _loop(self) -> PatternLoop[Solution, _Hooks]:  # type: ignore[override]  # made of what is kept
        return PatternLoop(self._source, _Hooks(self), self._models)

    @classmethod
    def _deciding(cls) -> set[str]:
        """Names of the parameters that decide a fill."""
        return set(cls._all_checks()) - set(Imputer._all_checks()) - {"n_jobs", "random_state"}


@dataclass(frozen=True)
class _Hooks:
    """An imputer's hooks, as the loop over patterns calls them."""

    imputer: PatternImputer

    @property
    def needs_columns(self) -> bool:
        return self.imputer._needs_columns

    def solve(
        self, source: Source, problem: Problem, previous: Solution | None, context: Context
    ) -> Solution:
        del previous
        donors = source.donor_values(problem)
        exponent = donors.exponent if self.imputer._in_target_unit else 0
        model = self.imputer._solve(problem, donors, context.silent)
        return Solution(problem.observed, exponent, problem.fallback, model)

    def ask(
        self, source: Source, model: Solution, receivers: Receivers, context: Context
    ) -> Asked[Solution]:
        del context
        return Asked(receivers, model, source.scaling.coordinates(receivers.values, model.observed))

    def predict(self, asked: Asked[Solution], context: Context) -> Fills:
        solution, receivers = asked.model, asked.receivers
        values = self.imputer._predict(solution.model, asked.points, receivers, context.silent)
        context.report(1, 1)
        values = in_table_units(values, solution.exponent)
        return Fills(receivers.pattern, receivers.rows, values, solution.fallback)

    def learn_rest(self, model: Solution, context: Context) -> Solution:
        del context
        return model
