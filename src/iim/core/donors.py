"""Which rows a pattern learns from, and the fallback when they are too few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import numpy as np

from iim._arrays import Booleans, Integers
from iim.core.patterns import Pattern
from iim.persistence.fields import Refused, Sizes, increasing, positions, some


class Fallback(StrEnum):
    """The fallback that filled a cell. Where several apply, the last one counts."""

    NONE = "none"
    AVAILABLE = "available rows instead of complete ones"
    FEWER_COLUMNS = "fewer columns"
    MEAN = "column mean"


@dataclass(frozen=True)
class Problem:
    """The regression solved for a pattern: its target on known columns, over the donors.

    Attributes
    ----------
    pattern : Pattern
        Known columns and target of the rows to fill.
    observed : tuple of int
        The columns used, a subset of the pattern's; empty if the fallback is the column mean.
    rows : ndarray of shape (n_donors,)
        The donors: rows of the training table, increasing. Each has a value in the target and in all of
        ``observed``.
    fallback : Fallback
        The fallback, if one was needed.
    """

    pattern: Pattern
    observed: Annotated[tuple[int, ...], positions("observed", below="columns", least=1)]
    rows: Annotated[Integers, some(increasing("donors", below="rows"))]
    fallback: Fallback

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse columns that receivers lack: their values would be NaN."""
        del sizes
        if not set(self.observed) <= set(self.pattern.observed):
            raise Refused("`Problem.observed`: columns of its pattern are needed")


def enough_donors(n_known: int, min_donors: int) -> int:
    """How many donors suffice: ``min_donors``, or half of the rows with a known target if that is less.

    A small table cannot reach the minimum, and dropping columns for it would only lose information.
    """
    return max(1, min(min_donors, -(-n_known // 2)))


def choose_donors(
    missing: Booleans, pattern: Pattern, *, which: str, min_donors: int, counts: Integers | None = None
) -> Problem:
    """Choose the rows to learn a pattern from.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Missing cells of the training table.
    pattern : Pattern
        The known columns and the target.
    which : {"available", "complete"}
        Rows without missing values in the pattern's columns, or in any column. Without enough complete
        rows, available rows are used.
    min_donors : int
        The fewest donors wanted, see :func:`enough_donors`. While there are fewer, one known column is
        dropped: the one whose removal makes the most donors available. Ties go to the column with the most
        missing cells, then to the first.
    counts : ndarray of shape (n_rows,), optional
        How many rows of the table each row of ``missing`` stands for; one each by default.

    Returns
    -------
    Problem
    """
    counts = np.ones(missing.shape[0], np.intp) if counts is None else counts
    known = np.flatnonzero(~missing[:, pattern.target])
    enough = enough_donors(int(counts[known].sum()), min_donors)
    fallback = Fallback.NONE
    if which == "complete":
        complete = np.flatnonzero(~missing.any(axis=1))
        if counts[complete].sum() >= enough and pattern.observed:
            return Problem(pattern, pattern.observed, complete, Fallback.NONE)
        fallback = Fallback.AVAILABLE
    observed = np.array(pattern.observed, np.intp)
    holes = missing[np.ix_(known, observed)]
    n_holes, of_known = holes.sum(axis=1), counts[known]
    left = np.ones(observed.size, bool)
    while left.any() and of_known[n_holes == 0].sum() < enough:
        nearly = n_holes == 1
        freed = of_known[nearly] @ holes[nearly]
        # Of the columns left: the most donors gained, then the most missing cells, then the first.
        drop = np.lexsort((-np.arange(observed.size), of_known @ holes, freed, left))[-1]
        n_holes = n_holes - holes[:, drop]
        left[drop] = False
        fallback = Fallback.FEWER_COLUMNS
    if not left.any():
        fallback = Fallback.MEAN
    return Problem(pattern, tuple(observed[left].tolist()), known[n_holes == 0], fallback)


@dataclass(frozen=True)
class SeenPattern:
    """A pattern of the training table: its number of cells, and their fallback."""

    pattern: Pattern
    n_cells: int
    fallback: Fallback


def count_fallbacks(seen: Iterable[SeenPattern], columns: tuple[Any, ...]) -> dict[Any, dict[str, int]]:
    """Number of cells filled by a fallback, by column in the table's order, then by fallback."""
    counts: dict[Any, Counter[str]] = {}
    for each_seen in sorted(seen, key=lambda each: (each.pattern.target, str(each.fallback))):
        if each_seen.fallback is not Fallback.NONE:
            column = columns[each_seen.pattern.target]
            counts.setdefault(column, Counter())[str(each_seen.fallback)] += each_seen.n_cells
    return {column: dict(given_up) for column, given_up in counts.items()}
