"""Which columns are missing together, and how many rows have the values to fill them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim.core.patterns import group_patterns
from iim.matrix import MaskedMatrix

MOST_COUNTED = 1000
"""Patterns, by frequency, whose donors are counted; each is compared with all patterns."""


@dataclass(frozen=True)
class MissingPattern:
    """Rows that miss the same columns.

    Attributes
    ----------
    columns : tuple
        Names of the missing columns.
    n_rows : int
        Number of rows that miss exactly these columns.
    donors : dict or None
        For each missing column, the number of rows with its value and with all that these rows have. None
        beyond the 1000 most frequent patterns, where they are not counted.
    """

    columns: tuple[Any, ...]
    n_rows: int
    donors: Mapping[Any, int] | None


def find_patterns(matrix: MaskedMatrix) -> tuple[MissingPattern, ...]:
    """All patterns of a table, the most frequent first; ties in order of appearance.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table.

    Returns
    -------
    tuple of MissingPattern
        Rows without a missing cell are in none. Time is proportional to the number of patterns times the
        thousand most frequent ones, not to rows times patterns.
    """
    groups = sorted(group_patterns(matrix.missing), key=lambda group: -group.rows.size)
    n_complete = int(np.count_nonzero(~matrix.missing.any(axis=1)))
    # Distinct patterns of missing cells, complete rows included, and their numbers of rows.
    holes = np.array(
        [np.zeros(matrix.n_columns, bool), *(matrix.missing[group.rows[0]] for group in groups)]
    )
    sizes = np.array([n_complete, *(group.rows.size for group in groups)])
    found = []
    for at, group in enumerate(groups):
        donors = None
        if at < MOST_COUNTED:
            know_the_same = ~holes[:, list(group.observed)].any(axis=1)
            donors = {
                matrix.columns[target]: int(sizes[know_the_same & ~holes[:, target]].sum())
                for target in group.targets
            }
        names = tuple(matrix.columns[target] for target in group.targets)
        found.append(MissingPattern(names, int(group.rows.size), donors))
    return tuple(found)
