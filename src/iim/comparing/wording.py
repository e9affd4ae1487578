"""Group messages that differ in numbers only, and convert values to plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\d[\d.]*(?:e[-+]?\d+)?|\b(?:inf|nan)\b", re.IGNORECASE)
_LIST = re.compile(r"#(?:[\s,;]+#)+")


def gist(message: str) -> str:
    """The message with its numbers replaced, so that messages which differ only there are equal.

    >>> gist("no convergence after 300 steps: 1.5e-3")
    'no convergence after # steps: #'
    """
    return _LIST.sub("#", _NUMBER.sub("#", message))


def count_alike(messages: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Count messages that have the same gist, under the first of them.

    Parameters
    ----------
    messages : iterable of (str, int)
        Messages, with their counts.

    Returns
    -------
    dict
        Counts, in order of appearance.
    """
    # Not by the line that issued it: one line may issue many different warnings.
    first: dict[str, str] = {}
    counted: dict[str, int] = {}
    for message, times in messages:
        kept = first.setdefault(gist(message), message)
        counted[kept] = counted.get(kept, 0) + times
    return counted


def as_python(value: Any) -> Any:
    """The value, or each in a collection, as Python's own type: ``0.5``, not ``np.float64(0.5)``."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple, range, set, frozenset, np.ndarray)):
        return [as_python(one) for one in value]
    return value
