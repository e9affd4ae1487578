"""What has been learned: kept from ``fit``, and recently needed besides."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

from iim.core.learning import PatternModels
from iim.core.patterns import Pattern

RECENT_BYTES = 256 * 2**20
"""Memory for models that were first needed after ``fit``; the longest unused go first."""


class ModelLibrary:
    """Models by pattern.

    Models learned by ``fit`` stay. Those first needed later are kept as long as there is room, outside
    pickles and copies: they save time and never change a fill. Safe to use from several threads.

    Parameters
    ----------
    kept : dict
        The models learned by ``fit``.
    """

    def __init__(self, kept: dict[Pattern, PatternModels]) -> None:
        self.kept = kept
        self._forget_recent()

    def find(self, pattern: Pattern) -> PatternModels | None:
        """The models of a pattern, or None."""
        with self._guard():
            models = self._recent.get(pattern)
            if models is not None:
                self._recent.move_to_end(pattern)
                return models
        return self.kept.get(pattern)

    def remember(self, pattern: Pattern, models: PatternModels) -> None:
        """Keep models for a while."""
        with self._guard():
            former = self._recent.pop(pattern, None)
            self._recent[pattern] = models
            self._recent_bytes += models.nbytes - (former.nbytes if former is not None else 0)
            while len(self._recent) > 1 and self._recent_bytes > RECENT_BYTES:
                _, oldest = self._recent.popitem(last=False)
                self._recent_bytes -= oldest.nbytes

    def _forget_recent(self) -> None:
        self._recent: OrderedDict[Pattern, PatternModels] = OrderedDict()
        self._recent_bytes = 0
        self._lock = threading.Lock()
        self._process = os.getpid()

    def _guard(self) -> threading.Lock:
        # A fork copies a lock as it is, perhaps held by a thread that the child does not have.
        if self._process != os.getpid():
            self._lock = threading.Lock()
            self._process = os.getpid()
        return self._lock

    def __getstate__(self) -> dict[str, Any]:
        return {"kept": self.kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.kept = state["kept"]
        self._forget_recent()
