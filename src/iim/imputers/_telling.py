"""Warnings that point at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from iim.exceptions import ImputationWarning

_NOT_THE_USER = ("iim", "sklearn", "joblib")
"""Packages between a call and the warning: ours, and what runs the steps of pipelines."""


_SILENT: ContextVar[bool] = ContextVar("_SILENT", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """While inside, ``warn_user`` says nothing; other threads, and other warnings, are as before.

    For methods that are tried out, or that are parts of others. The filters of :mod:`warnings` would be
    changed for all threads.
    """
    token = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(token)


def warn_user(message: str, category: type[ImputationWarning]) -> None:
    """Warn, at the nearest line that is neither ours nor of what wraps ours."""
    if _SILENT.get():
        return
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
