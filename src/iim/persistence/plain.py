"""Limits of plain values in files: numbers, text, collections and arrays of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from iim.persistence.fields import Refused

MOST_IN_RANGE = 10**6
"""The longest range: to look through it must not take for ever."""

MOST_LETTERS = 10**6
"""The largest array of text: numpy makes every entry as long as the longest."""

MOST_BITS = 4096
"""The longest whole number."""

MOST_ALIKE = 64
"""The most entries of a set or dict with the same hash: each is compared with all others of them."""

KEPT_DTYPES = frozenset(
    ["bool", *("float16", "float32", "float64")]
    + [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
)
"""What arrays and numpy's single values may be made of."""


def refuse_collisions(entries: Iterable[Any]) -> None:
    """Refuse entries, made to have the same hash, that would take for ever to put into a set or dict.

    The hash of a number is no secret: a file can hold any number of different ones that share it.
    """
    # Sorted, not counted by a dict, which would take more memory than the entries.
    hashes = np.sort(np.fromiter(map(hash, entries), np.int64))
    if hashes.size > MOST_ALIKE and np.any(hashes[MOST_ALIKE:] == hashes[:-MOST_ALIKE]):
        raise Refused(f"more than {MOST_ALIKE} entries of a set or dict have the same hash")
