"""Missing patterns: which columns are known (F), and which one is to be filled (A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from iim._arrays import Booleans, Integers


class Pattern(NamedTuple):
    """One regression problem: fill ``target`` from ``observed``."""

    observed: tuple[int, ...]
    """F: positions of the known columns, increasing."""
    target: int
    """A: position of the column to fill."""


@dataclass(frozen=True)
class RowGroup:
    """Rows with holes in the same columns; each hole is filled from the known columns, one by one."""

    observed: tuple[int, ...]
    targets: tuple[int, ...]
    rows: Integers

    def patterns(self) -> list[Pattern]:
        """One pattern for each column with a hole."""
        return [Pattern(self.observed, target) for target in self.targets]


def group_patterns(missing: Booleans) -> list[RowGroup]:
    """Group the incomplete rows by their holes.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where a value is missing.

    Returns
    -------
    list of RowGroup
        In order of first appearance; rows increase within a group. Complete rows are in none.
    """
    rows = np.flatnonzero(missing.any(axis=1))
    if rows.size == 0:
        return []
    packed = np.packbits(missing[rows], axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, group_of = np.unique(keys, return_index=True, return_inverse=True)
    by_group = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of))[:-1]
    members = np.split(rows[by_group], ends)
    return [_row_group(missing, members[group]) for group in np.argsort(first)]


def _row_group(missing: Booleans, rows: Integers) -> RowGroup:
    holes = missing[rows[0]]
    return RowGroup(
        observed=tuple(np.flatnonzero(~holes).tolist()),
        targets=tuple(np.flatnonzero(holes).tolist()),
        rows=rows,
    )
