"""Messages that are equal but for their numbers, and values as plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\d[\d.]*(?:e[-+]?\d+)?|\b(?:inf|nan)\b", re.IGNORECASE)
_LIST = re.compile(r"#(?:[\s,;]+#)+")


def gist(message: str) -> str:
    """The message without its numbers and lists of numbers: equal for those that differ in nothing else.

    >>> gist("no convergence after 300 steps: 1.5e-3")
    'no convergence after # steps: #'
    """
    return _LIST.sub("#", _NUMBER.sub("#", message))


def count_alike(messages: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Count messages with a gist in common under the first of them.

    Parameters
    ----------
    messages : iterable of (str, int)
        Messages, and how often each came.

    Returns
    -------
    dict
        How often each came, in order of appearance.
    """
    # Not by the line that warned: one line may warn of anything, on behalf of whoever called it.
    first: dict[str, str] = {}
    counted: dict[str, int] = {}
    for message, times in messages:
        kept = first.setdefault(gist(message), message)
        counted[kept] = counted.get(kept, 0) + times
    return counted


def as_python(value: Any) -> Any:
    """The value, or each of a collection, as Python's own: ``0.5``, not ``np.float64(0.5)``."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple, range, set, frozenset, np.ndarray)):
        return [as_python(one) for one in value]
    return value
