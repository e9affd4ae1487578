"""The cache of models: those that ``fit`` learned, and those first needed later."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from iim.core.patterns import Pattern
from iim.persistence.fields import Refused, Sizes
from iim.persistence.plain import refuse_collisions

KEPT_BYTES = 2**30
"""Memory for the models that ``fit`` learns; a table with very many patterns needs more."""

RECENT_BYTES = 256 * 2**20
"""Memory for models first needed after ``fit``; the least recently used are dropped first."""


Models = TypeVar("Models")


@dataclass(frozen=True)
class Entry(Generic[Models]):
    """The models of one pattern."""

    pattern: Pattern
    models: Models

    own_sizes: ClassVar[bool] = True

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse models of another pattern."""
        del sizes
        if not self.models.are_for(self.pattern):  # type: ignore[attr-defined]
            raise Refused("the columns of a model are not those of its pattern")


@dataclass(frozen=True)
class KeptCache(Generic[Models]):
    """The part of a cache that is saved. A missing entry is learned again when it is needed."""

    kept: tuple[Entry[Models], ...]

    may_lack_entries: ClassVar[bool] = True


class ModelCache(Generic[Models]):
    """Models by pattern; thread-safe.

    While ``fit`` runs, the cache is open: stored models stay, up to KEPT_BYTES. Models stored after it was
    closed are recent: they may be dropped, and they are in no pickle or copy. They save time and never
    change a fill.

    Parameters
    ----------
    kept : mapping, optional
        Models to begin with, which stay.
    is_open : bool
        Whether ``fit`` is running.

    Attributes
    ----------
    is_open : bool
        Whether ``fit`` is running.
    has_room : bool
        Whether a model stored now stays: the cache is open and not full.
    """

    kept_as: ClassVar[type] = KeptCache

    def __init__(self, kept: Mapping[Pattern, Models] | None = None, *, is_open: bool = True) -> None:
        self.kept = dict(kept or {})
        self.is_open = self.has_room = is_open
        self._kept_bytes = 0
        self._recent: OrderedDict[Pattern, Models] = OrderedDict()
        self._recent_bytes = 0
        self._lock = threading.Lock()
        self._process = os.getpid()

    def close(self) -> None:
        """End ``fit``: models stored from now on are recent."""
        self.is_open = self.has_room = False

    def find(self, pattern: Pattern) -> Models | None:
        """The models of a pattern, or None."""
        with self._guard():
            models = self._recent.get(pattern)
            if models is not None:
                self._recent.move_to_end(pattern)
                return models
        return self.kept.get(pattern)

    def store(self, pattern: Pattern, models: Models) -> None:
        """Store models: to stay if there is room, else as recent."""
        with self._guard():
            if self.has_room:
                self._kept_bytes += memory_of(models) - memory_of(self.kept.get(pattern))
                self.kept[pattern] = models
                self.has_room = self._kept_bytes <= KEPT_BYTES
                return
            self._recent_bytes += memory_of(models) - memory_of(self._recent.pop(pattern, None))
            self._recent[pattern] = models
            while len(self._recent) > 1 and self._recent_bytes > RECENT_BYTES:
                _, oldest = self._recent.popitem(last=False)
                self._recent_bytes -= memory_of(oldest)

    def to_kept(self) -> KeptCache[Models]:
        """The saved part."""
        return KeptCache(tuple(Entry(*item) for item in self.kept.items()))

    @classmethod
    def from_kept(cls, kept: KeptCache[Models]) -> Self:
        """A closed cache from a saved one."""
        refuse_collisions(entry.pattern for entry in kept.kept)
        return cls({entry.pattern: entry.models for entry in kept.kept}, is_open=False)

    def _guard(self) -> threading.Lock:
        # A fork copies a lock in its state, perhaps held by a thread that the child does not have.
        if self._process != os.getpid():
            self._lock = threading.Lock()
            self._process = os.getpid()
        return self._lock

    def __getstate__(self) -> dict[str, Any]:
        return {"kept": self.kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = {pattern: writable(models) for pattern, models in state["kept"].items()}
        self.__init__(kept, is_open=False)  # type: ignore[misc]


def memory_of(value: Any) -> int:
    """Bytes of the arrays in a model, at any depth."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    parts = value if isinstance(value, tuple) else vars(value).values() if is_dataclass(value) else ()
    return sum(map(memory_of, parts))


def writable(value: Any) -> Any:
    """The same, with every array in it writable.

    joblib passes large arrays to its workers as read-only memory maps. For numba that is another type: it
    would compile every kernel again.
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.array(value)
    if isinstance(value, tuple):
        parts = map(writable, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: writable(getattr(value, part.name)) for part in fields(value)})
    return value
