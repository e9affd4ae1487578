"""Methods that run in a loop of ``core``: learning, filling, or both at once, with counts of fallbacks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.core.donors import Fallback, SeenPattern, count_fallbacks
from iim.core.execution.context import Context
from iim.core.fills import Fills
from iim.core.patterns import PatternList, RowGroup
from iim.imputers._base import Imputer
from iim.imputers._declaring import fitted
from iim.imputers._fallbacks import warn_of_fallbacks
from iim.matrix import MaskedMatrix


class LoopImputer(Imputer):
    """Base of the methods that fill a table column by column.

    Attributes
    ----------
    fallbacks_ : dict
        For each column, how many missing cells of the table given to ``fit`` are filled by a fallback, by
        kind of fallback.
    """

    fallbacks_: dict[Any, Any] = fitted()
    _fallen: PatternList = fitted()
    _loop: Any = fitted()
    """The loop, with all that was learned."""

    @abstractmethod
    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[Sequence[RowGroup] | None, Context]:
        """Prepare a table. Return its patterns, if they were grouped, and the context of the rest."""

    @abstractmethod
    def _end(self, context: Context) -> None:
        """Finish after learning."""

    def _fit(self, matrix: MaskedMatrix) -> None:
        self._fit_fill(matrix, filling=False)

    def _fit_fill(self, matrix: MaskedMatrix, *, filling: bool = True) -> Floats:
        values = matrix.values.copy() if filling else matrix.values
        with self._running("learning") as context:
            groups, rest = self._begin(matrix, context)
            if filling:
                seen = _put(self._loop.fill(matrix, rest, groups), values)
            else:
                seen = self._loop.learn(matrix, rest, groups)
            self._end(context)
        fallen = [one.pattern for one in seen if one.fallback is not Fallback.NONE]
        self._fallen = PatternList(np.zeros((0, matrix.n_columns), bool), np.zeros(0, np.intp))
        self.fallbacks_ = {}
        if fallen:
            self._fallen = PatternList.of(fallen, matrix.n_columns)
            self.fallbacks_ = count_fallbacks(seen, matrix.columns)
            warn_of_fallbacks(seen, matrix.columns)
        return values

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        values = matrix.values.copy()
        with self._running("filling") as context:
            seen = _put(self._loop.fill(matrix, context), values)
        self._warn_of_new(seen, matrix)
        return values

    def _warn_of_new(self, seen: Iterable[SeenPattern], matrix: MaskedMatrix) -> None:
        """Warn of fallbacks of patterns that ``fit`` did not have."""
        fallen = [one for one in seen if one.fallback is not Fallback.NONE]
        if fallen:
            before = set(self._fallen)
            warn_of_fallbacks([one for one in fallen if one.pattern not in before], matrix.columns)


def _put(parts: Iterable[Fills], values: Floats) -> list[SeenPattern]:
    """Write filled cells into ``values``; return their patterns."""
    seen = []
    for fills in parts:
        values[fills.rows, fills.pattern.target] = fills.values
        seen.append(SeenPattern(fills.pattern, fills.rows.size, fills.fallback))
    return seen
