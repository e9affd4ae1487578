"""Warnings of fallbacks: once at fit, and at transform for new patterns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from iim.core.donors import SeenPattern, count_fallbacks
from iim.exceptions import FallbackWarning
from iim.imputers._telling import warn_user

MOST_NAMED = 5
"""Columns that a warning names; ``fallbacks_`` has all."""


def warn_of_fallbacks(seen: Iterable[SeenPattern], columns: tuple[Any, ...]) -> None:
    """Warn if cells are filled by a fallback.

    Rows without any known value are not in the warning: they always get column means.
    """
    counts = count_fallbacks((each for each in seen if each.pattern.observed), columns)
    if not counts:
        return
    n_cells = sum(sum(given_up.values()) for given_up in counts.values())
    parts = [
        f"{column!r}: " + ", ".join(f"{number:,} ({what})" for what, number in given_up.items())
        for column, given_up in list(counts.items())[:MOST_NAMED]
    ]
    more = f"; and {len(counts) - MOST_NAMED} more columns" if len(counts) > MOST_NAMED else ""
    warn_user(
        f"{n_cells:,} missing cell{'s are' if n_cells > 1 else ' is'} filled by a fallback, because there "
        f"are too few donor rows: {'; '.join(parts)}{more}.",
        FallbackWarning,
    )
