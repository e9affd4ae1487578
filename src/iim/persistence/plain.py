"""Limits of plain values in files: numbers, text, collections and arrays of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from iim.persistence.fields import Refused

MOST_IN_RANGE = 10**6
"""The longest range, to bound the time of iterating over it."""

MOST_LETTERS = 10**6
"""Most characters of an array of text: numpy makes every entry as long as the longest."""

MOST_BITS = 4096
"""Most bits of a whole number."""

MOST_ALIKE = 64
"""Most entries of a set or dict with the same hash: they are all compared with each other."""

KEPT_DTYPES = frozenset(
    ["bool", *("float16", "float32", "float64")]
    + [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
)
"""dtypes of arrays and numpy scalars."""


def refuse_collisions(entries: Iterable[Any]) -> None:
    """Refuse entries forged to have the same hash: a set or dict of them takes quadratic time.

    Hashes of numbers are not randomised, so a file can contain any number of them with the same hash.
    """
    # Sorted, not counted by a dict, which would take more memory than the entries.
    hashes = np.sort(np.fromiter(map(hash, entries), np.int64))
    if hashes.size > MOST_ALIKE and np.any(hashes[MOST_ALIKE:] == hashes[:-MOST_ALIKE]):
        raise Refused(f"more than {MOST_ALIKE} entries of a set or dict have the same hash")
