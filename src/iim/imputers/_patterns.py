"""Methods that solve one regression problem for each combination of known columns and missing column.

Such a method is a subclass with two hooks: ``_solve(problem)`` learns from donors, ``_predict(model,
receivers)`` tells the missing values. Which rows are donors, what is given up when they are too few, what
is learned at ``fit`` and what is remembered later is decided here, once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, whole_number
from iim.core.donors import DonorChoice, Fallback, SeenPattern, count_fallbacks
from iim.core.library import ModelLibrary
from iim.core.patterns import Pattern, group_patterns
from iim.core.problems import Problem, take_in
from iim.core.scaling import in_table_units
from iim.imputers._base import Imputer
from iim.imputers._fallbacks import fallen_patterns, warn_of_fallbacks
from iim.matrix import MaskedMatrix

KEPT_BYTES = 2**30
"""Memory for what ``fit`` learns ahead; a table with very many patterns needs more."""

FEW_DONORS = 20
"""Fewer donors than this are too few for any regression."""


@dataclass(frozen=True)
class Receivers:
    """Rows to fill.

    Attributes
    ----------
    points : ndarray of shape (n_receivers, n_observed)
        Scaled coordinates on the columns of the problem.
    known : ndarray of shape (n_receivers, n_known)
        All their observed values, as the table has them: what makes a row's random draws its own.
    """

    points: Floats
    known: Floats


@dataclass(frozen=True)
class Solution:
    """What is kept of a solved problem."""

    observed: tuple[int, ...]
    exponent: int
    fallback: Fallback
    model: Any

    @property
    def nbytes(self) -> int:
        """Memory held, about."""
        return _nbytes(self.model)


class PatternImputer(Imputer):
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

    @abstractmethod
    def _solve(self, problem: Problem, pattern: Pattern) -> Any:
        """Learn from the donors of a problem; ``pattern`` is what the rows to fill look like."""

    @abstractmethod
    def _predict(self, model: Any, pattern: Pattern, receivers: Receivers) -> Floats:
        """The missing values of some rows, in the unit of the problem's targets."""

    def _wanted_donors(self, n_columns: int) -> int:
        """How many donors ``min_donors="auto"`` means: a regression needs more than it has slopes."""
        return max(FEW_DONORS, 2 * n_columns)

    def _fit(self, matrix: MaskedMatrix) -> None:
        # Parameters as they are now: what set_params does later waits for the next fit.
        self._fixed = SimpleNamespace(**{name: getattr(self, name) for name in self._deciding()})
        self._source = take_in(
            matrix,
            scale=self.scale,
            which=self.donors,
            min_donors=self._wanted_donors(matrix.n_columns)
            if isinstance(self.min_donors, str)
            else self.min_donors,
        )
        reporter = self._reporter("learning")
        kept: dict[Pattern, Solution] = {}
        seen: list[SeenPattern] = []
        n_bytes = 0
        groups = group_patterns(matrix.missing)
        n_patterns = sum(len(group.targets) for group in groups)
        for group in groups:
            for pattern in group.patterns():
                choice = self._source.choose(pattern)
                seen.append(SeenPattern(pattern, group.rows.size, choice.fallback))
                if self._learns_ahead and self._solvable(choice) and n_bytes <= KEPT_BYTES:
                    problem = self._source.pose(pattern, choice)
                    kept[pattern] = self._solution(problem, pattern, choice.fallback)
                    n_bytes += kept[pattern].nbytes
                if reporter is not None:
                    reporter(len(seen), n_patterns)
        if reporter is not None:
            reporter.finish()
        self._library = ModelLibrary(kept)
        self.fallbacks_ = count_fallbacks(seen, matrix.columns)
        self._fallen = fallen_patterns(seen)
        warn_of_fallbacks(seen, matrix.columns)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        reporter = self._reporter("filling")
        values = matrix.values.copy()
        groups = group_patterns(matrix.missing)
        new: list[SeenPattern] = []
        for at, group in enumerate(groups):
            rows = matrix.values[group.rows]
            known = rows[:, list(group.observed)]
            for pattern in group.patterns():
                filled, fallback = self._fill_pattern(pattern, rows, known)
                values[group.rows, pattern.target] = filled
                if pattern not in self._fallen:
                    new.append(SeenPattern(pattern, group.rows.size, fallback))
            if reporter is not None:
                reporter(at + 1, len(groups))
        warn_of_fallbacks(new, matrix.columns)
        return values

    def _fill_pattern(self, pattern: Pattern, rows: Floats, known: Floats) -> tuple[Floats, Fallback]:
        solution = self._library.find(pattern)
        if solution is None:
            choice = self._source.choose(pattern)
            if not self._solvable(choice):
                return np.full(rows.shape[0], self._source.means[pattern.target]), choice.fallback
            solution = self._solution(self._source.pose(pattern, choice), pattern, choice.fallback)
            self._library.remember(pattern, solution)
        points = self._source.scaling.coordinates(rows, solution.observed)
        values = self._predict(solution.model, pattern, Receivers(points, known))
        return in_table_units(values, solution.exponent), solution.fallback

    @classmethod
    def _deciding(cls) -> set[str]:
        """Names of the parameters that decide a fill."""
        return set(cls._all_checks()) - set(Imputer._all_checks()) - {"n_jobs", "random_state"}

    def _solvable(self, choice: DonorChoice) -> bool:
        return choice.fallback is not Fallback.MEAN or not self._needs_columns

    def _solution(self, problem: Problem, pattern: Pattern, fallback: Fallback) -> Solution:
        return Solution(problem.observed, problem.exponent, fallback, self._solve(problem, pattern))


def _nbytes(value: Any) -> int:
    """Memory of the arrays in a model, at any depth."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, tuple):
        return sum(map(_nbytes, value))
    if hasattr(value, "__dict__"):
        return sum(map(_nbytes, vars(value).values()))
    return 0
