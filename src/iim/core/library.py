"""What has been learned: kept from ``fit``, and recently needed besides."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import fields, is_dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from iim.core.patterns import Pattern

RECENT_BYTES = 256 * 2**20
"""Memory for models that were first needed after ``fit``; the longest unused go first."""


class Learned(Protocol):
    """What a library keeps."""

    @property
    def nbytes(self) -> int:
        """Memory held."""


Models = TypeVar("Models", bound=Learned)


class ModelLibrary(Generic[Models]):
    """Models by pattern.

    Models learned by ``fit`` stay. Those first needed later are kept as long as there is room, outside
    pickles and copies: they save time and never change a fill. Safe to use from several threads.

    Parameters
    ----------
    kept : dict
        The models learned by ``fit``.
    """

    def __init__(self, kept: dict[Pattern, Models]) -> None:
        self.kept = kept
        self._forget_recent()

    def find(self, pattern: Pattern) -> Models | None:
        """The models of a pattern, or None."""
        with self._guard():
            models = self._recent.get(pattern)
            if models is not None:
                self._recent.move_to_end(pattern)
                return models
        return self.kept.get(pattern)

    def remember(self, pattern: Pattern, models: Models) -> None:
        """Keep models for a while."""
        with self._guard():
            former = self._recent.pop(pattern, None)
            self._recent[pattern] = models
            self._recent_bytes += models.nbytes - (former.nbytes if former is not None else 0)
            while len(self._recent) > 1 and self._recent_bytes > RECENT_BYTES:
                _, oldest = self._recent.popitem(last=False)
                self._recent_bytes -= oldest.nbytes

    def _forget_recent(self) -> None:
        self._recent: OrderedDict[Pattern, Models] = OrderedDict()
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
        self.kept = {pattern: writable(models) for pattern, models in state["kept"].items()}
        self._forget_recent()


def writable(value: Any) -> Any:
    """The same, with every array in it writable.

    joblib hands large arrays to its workers as read-only maps of a file. To a compiler that is another
    type: every kernel would be compiled again for it.
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.array(value)
    if isinstance(value, tuple):
        parts = map(writable, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: writable(getattr(value, part.name)) for part in fields(value)})
    return value
