"""Warnings that point to the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from iim.exceptions import ImputationWarning

_NOT_THE_USER = ("iim", "sklearn", "joblib")
"""Packages whose frames a warning skips: ours, and those that run pipelines."""


_SILENT: ContextVar[bool] = ContextVar("_SILENT", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """Suppress ``warn_user`` in this thread; other warnings are not affected.

    For methods that are tried out, or that are parts of others. A filter of :mod:`warnings` would affect
    all threads.
    """
    token = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(token)


def warn_user(message: str, category: type[ImputationWarning]) -> None:
    """Warn at the nearest line outside of the packages in ``_NOT_THE_USER``."""
    if _SILENT.get():
        return
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
