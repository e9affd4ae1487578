"""Missing patterns: which columns are known (F), and which one is to be filled (A)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Self

import numpy as np

from iim._arrays import Booleans, Integers
from iim.persistence.fields import COUNT, Refused, Sizes, booleans, integers, positions


class Pattern(NamedTuple):
    """The known columns of a row with a hole, and the column that is to be filled."""

    observed: Annotated[tuple[int, ...], positions(below="columns")]
    """F: positions of the known columns, increasing."""
    target: Annotated[int, COUNT]
    """A: position of the column to fill."""

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse a target outside of the columns, or among the observed ones."""
        if not self.target < (sizes.find("columns") or 0) or self.target in self.observed:
            raise Refused(f"`Pattern.target`: another column than those is needed; received {self.target}")


@dataclass(frozen=True)
class PatternList:
    """Patterns as arrays, to save memory and file size.

    Attributes
    ----------
    known : ndarray of shape (n_patterns, n_columns)
        True for the observed columns.
    target : ndarray of shape (n_patterns,)
        Position of the column to fill.
    """

    known: Annotated[Booleans, booleans("patterns", "columns")]
    target: Annotated[Integers, integers("patterns", below="columns")]

    @classmethod
    def of(cls, patterns: Iterable[Pattern], n_columns: int) -> Self:
        """Sorted, without duplicates."""
        listed = sorted(set(patterns))
        known = np.zeros((len(listed), n_columns), bool)
        for row, pattern in zip(known, listed, strict=True):
            row[list(pattern.observed)] = True
        return cls(known, np.array([pattern.target for pattern in listed], np.intp))

    def __iter__(self) -> Iterator[Pattern]:
        for known, target in zip(self.known, self.target.tolist(), strict=True):
            yield Pattern(tuple(np.flatnonzero(known).tolist()), target)


def all_others(target: int, n_columns: int) -> Pattern:
    """The pattern of a row with one hole."""
    return Pattern(tuple(column for column in range(n_columns) if column != target), target)


@dataclass(frozen=True)
class RowGroup:
    """Rows with holes in the same columns; each hole is filled from the known columns."""

    patterns: tuple[Pattern, ...]
    """One for each column with a hole."""
    rows: Integers

    @property
    def observed(self) -> tuple[int, ...]:
        """The known columns."""
        return self.patterns[0].observed

    @property
    def targets(self) -> tuple[int, ...]:
        """The columns with holes."""
        return tuple(pattern.target for pattern in self.patterns)


def group_patterns(missing: Booleans) -> list[RowGroup]:
    """Group the incomplete rows by their holes.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where a value is missing.

    Returns
    -------
    list of RowGroup
        In order of first appearance; rows increase within a group. Complete rows are in no group.
    """
    rows = np.flatnonzero(missing.any(axis=1))
    if rows.size == 0:
        return []
    packed = np.packbits(missing[rows], axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, group_of = np.unique(keys, return_index=True, return_inverse=True)
    by_group = np.argsort(group_of, kind="stable")
    members = np.split(rows[by_group], np.cumsum(np.bincount(group_of))[:-1])
    groups = []
    for group in np.argsort(first):
        holes = missing[members[group][0]]
        observed = tuple(np.flatnonzero(~holes).tolist())
        patterns = tuple(Pattern(observed, target) for target in np.flatnonzero(holes).tolist())
        groups.append(RowGroup(patterns, members[group]))
    return groups
