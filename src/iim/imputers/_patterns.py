"""Methods that solve one regression problem for each combination of known columns and missing column.

Such a method is a subclass with two hooks: ``_solve`` learns from the donors of a problem, ``_predict``
returns the missing values of some rows. :mod:`iim.core.pattern_loop` chooses donors and fallbacks, and
caches models, as for IIM.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from iim._arrays import Floats
from iim._checks import one_of, whole_number
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Fills
from iim.core.pattern_loop import Asked, PatternLoop, Receivers
from iim.core.patterns import Pattern
from iim.core.scaling import EXPONENT, in_table_units
from iim.core.source import DonorValues, Source, learn_source
from iim.imputers._base import Imputer
from iim.imputers._declaring import fitted, parameter
from iim.imputers._loops import LoopImputer
from iim.matrix import MaskedMatrix
from iim.persistence.fields import MOST_ROUNDS, Field, Refused, Sizes, positions

NO_MODEL = Field("no model", lambda cache, _: not cache.kept)

Model = TypeVar("Model")

FEW_DONORS = 20
"""Fewest donors of any regression, for ``min_donors="auto"``."""


@dataclass(frozen=True)
class Solution(Generic[Model]):
    """The cached part of a solved problem."""

    observed: Annotated[tuple[int, ...], positions("observed", below="columns")]
    exponent: Annotated[int, EXPONENT]
    fallback: Fallback
    model: Model

    def are_for(self, pattern: Pattern) -> bool:
        """Whether it uses known columns of a pattern only: others are NaN."""
        return set(self.observed) <= set(pattern.observed)

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse a regression with another number of slopes; ERACER's has one more, of the neighbours."""
        more = getattr(self.model, "n_more_slopes", 0)
        if sizes.find("slopes") != len(self.observed) + more:
            raise Refused("a regression does not have the columns that it is for")


class PatternImputer(LoopImputer):
    """Base of the methods that fill a column from the known ones, pattern by pattern.

    Parameters
    ----------
    donors : {"available", "complete"}, default="available"
        Which rows may be donors: those with known values in the columns used, or only complete rows.
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows with a known value, if that is less), known
        columns are dropped one by one, first the one whose removal makes the most donors available. With
        none left, the fill is the column mean. "auto" is 20, or twice the number of columns if that is
        more.
    """

    PAPER: ClassVar[Mapping[str, Any]] = {"scale": "none", "donors": "complete", "min_donors": 1}

    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    donors: str = parameter(default="available", check=one_of("available", "complete"))
    min_donors: str | int = parameter(default="auto", check=one_of("auto") | whole_number(least=1))

    _source: Source = fitted()
    _models: Annotated[ModelCache[Solution[Any]], NO_MODEL] = fitted()
    _fixed: SimpleNamespace = fitted()

    _learns_ahead: ClassVar[bool] = True
    """Whether ``fit`` solves the problems of its own table; if not, they are solved when needed.

    False for methods whose model is an index of the donors: they are as fast, and small in a pickle.
    """
    _needs_columns: ClassVar[bool] = True
    """Whether the method needs known columns; without any, the fill is the column mean."""

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
        """The value of ``min_donors="auto"``: a regression needs more donors than slopes."""
        return max(FEW_DONORS, 2 * n_columns)

    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[None, Context]:
        # A copy: set_params takes effect at the next fit.
        self._fixed = SimpleNamespace(**{name: getattr(self, name) for name in self._deciding()})
        wanted = self._wanted_donors(matrix.n_columns) if self.min_donors == "auto" else self.min_donors
        self._source = learn_source(matrix, scale=self.scale, which=self.donors, min_donors=int(wanted))
        self._models = ModelCache(is_open=self._learns_ahead)
        return None, context

    def _end(self, context: Context) -> None:
        del context
        self._models.close()

    def _check_kept(self, sizes: Sizes) -> None:
        super()._check_kept(sizes)
        checks, found = self._checks, vars(self._fixed)
        possible = found.keys() == self._deciding() and all(
            checks[name].accepts(value) for name, value in found.items()
        )
        repeats = [found[name] for name in ("max_iter", "rounds", "draws") if name in found]
        if not possible or max(repeats, default=0) > MOST_ROUNDS:
            raise Refused(
                f"`_fixed`: possible parameters, with rounds and draws up to {MOST_ROUNDS}, are needed"
            )

    @property  # type: ignore[misc]  # made from fitted attributes
    def _loop(self) -> PatternLoop[Any, _Hooks]:
        return PatternLoop(self._source, _Hooks(self), self._models)

    @classmethod
    def _deciding(cls) -> set[str]:
        """Names of the parameters that determine fills."""
        return set(cls._checks) - set(Imputer._checks) - {"n_jobs", "random_state"}


@dataclass(frozen=True)
class _Hooks:
    """An imputer's hooks, adapted to the loop over patterns."""

    imputer: PatternImputer

    @property
    def needs_columns(self) -> bool:
        return self.imputer._needs_columns

    def solve(
        self, source: Source, problem: Problem, previous: Solution[Any] | None, context: Context
    ) -> Solution[Any]:
        del previous
        donors = source.donor_values(problem)
        exponent = donors.exponent if self.imputer._in_target_unit else 0
        model = self.imputer._solve(problem, donors, context.silent)
        return Solution(problem.observed, exponent, problem.fallback, model)

    def ask(
        self, source: Source, model: Solution[Any], receivers: Receivers, context: Context
    ) -> Asked[Solution[Any]]:
        del context
        return Asked(receivers, model, source.scaling.coordinates(receivers.values, model.observed))

    def predict(self, asked: Asked[Solution[Any]], context: Context) -> Fills:
        solution, receivers = asked.model, asked.receivers
        values = self.imputer._predict(solution.model, asked.points, receivers, context.silent)
        context.report(1, 1)
        values = in_table_units(values, solution.exponent)
        return Fills(receivers.pattern, receivers.rows, values, solution.fallback)

    def learn_rest(self, model: Solution[Any], context: Context) -> Solution[Any]:
        del context
        return model
