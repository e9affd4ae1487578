"""Known cells to hide, so that what is filled in for them can be compared with what was there.

Hidden cells look like the table's own holes: for each of them a hole of the same column is drawn, and a row
that knows the column is given the other holes of that row, too. So a cell that is hidden has as few known
columns beside it as a cell that is really missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from iim._arrays import Booleans, Integers

SEED = 20190408
"""Cells are drawn, but always the same ones: what is learned from them belongs to the table alone."""

MOST_CELLS = 4000
"""Cells hidden in all."""

CELLS_PER_COLUMN = 400
"""Cells hidden in a column, if there are enough."""

SHARE_OF_ROWS = 1 / 8
"""Rows that lose cells at a time: of more, the others would learn with noticeably fewer donors."""

LEAST_TURNS, MOST_TURNS, ROWS_OF_TURNS = 5, 30, 12_000
"""How often that share is hidden: so often that about so many rows are learned from, within limits."""

FEW_ROWS, ROWS_PER_CELL = 1000, 2
"""Of more rows, so many for each cell of a turn are looked at: to look at all would take long."""


@dataclass(frozen=True)
class HiddenCells:
    """Cells that are hidden at the same time, at most one to be judged in a row.

    Attributes
    ----------
    rows, columns : ndarray of shape (n_cells,)
        The cells whose fills are compared with what was there; each row once.
    missing : ndarray of shape (n_rows, n_columns)
        The holes of the whole table with these, and with those that go with them.
    """

    rows: Integers
    columns: Integers
    missing: Booleans


def hide_cells(missing: Booleans, *, share: float = SHARE_OF_ROWS) -> list[HiddenCells]:
    """Choose which cells to hide, in several turns.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        The holes that are there.
    share : float, default=SHARE_OF_ROWS
        Rows that lose cells at a time. More make fewer turns of the same number of cells in all.

    Returns
    -------
    list of HiddenCells
        Turns without any cell are left out: there are none where no column has two known values.
    """
    n_rows, n_columns = missing.shape
    if missing.size == 0:
        return []
    n_turns = int(np.clip(ROWS_OF_TURNS // n_rows, LEAST_TURNS, MOST_TURNS))
    n_cells = min(
        MOST_CELLS,
        CELLS_PER_COLUMN * n_columns,
        int(np.count_nonzero(~missing)),
        n_turns * max(1, int(n_rows * SHARE_OF_ROWS)),
    )
    n_turns = -(-n_cells // max(1, int(n_rows * share)))
    # At least two, so that not all depends on one choice of what is learned from.
    sizes = [len(part) for part in np.array_split(np.arange(n_cells), max(n_turns, 2))]
    chooser = _Chooser(missing)
    turns = [chooser.hide(size) for size in sizes]
    return [turn for turn in turns if turn.rows.size]


class _Chooser:
    """Draws cells, column by column in turn; none of them twice."""

    def __init__(self, missing: Booleans) -> None:
        self._missing = missing
        self._judged = missing.copy()
        self._generator = np.random.default_rng(SEED)
        self._columns = self._cycle()
        self._holed = [np.flatnonzero(column) for column in missing.T]

    def hide(self, n_cells: int) -> HiddenCells:
        """Draw the cells of a turn; fewer than asked for, if rows or known values are too few."""
        hidden = self._missing.copy()
        # A column keeps at least half of its known values.
        left = np.count_nonzero(~self._missing, axis=0) // 2
        rows = self._generator.permutation(len(hidden))[: max(FEW_ROWS, ROWS_PER_CELL * n_cells)]
        missing = self._missing[rows]
        rows_for = _RowFinder(missing)
        free = np.ones(rows.size, bool)
        chosen: list[tuple[int, int]] = []
        for column in islice(self._columns, n_cells):
            knows = free & ~self._judged[rows, column]
            if left[column] < 1 or not knows.any():
                continue
            holes = self._draw_holes(column)
            at = int(self._generator.choice(rows_for(knows, holes)))
            lost = self._cells_to_hide(missing[at], holes, column)
            if np.any(left[lost] < 1):
                lost = np.array([column])
            left[lost] -= 1
            free[at] = False
            hidden[rows[at], lost] = True
            self._judged[rows[at], column] = True
            chosen.append((int(rows[at]), column))
        cells = np.array(chosen, np.intp).reshape(-1, 2)
        return HiddenCells(cells[:, 0], cells[:, 1], hidden)

    def _cycle(self) -> Iterator[int]:
        while True:
            yield from self._generator.permutation(self._missing.shape[1]).tolist()

    def _draw_holes(self, column: int) -> Booleans:
        """The holes of a row that lacks a column; if none does, of any row, and that one."""
        rows = self._holed[column]
        row = self._generator.choice(rows) if rows.size else self._generator.integers(len(self._missing))
        holes = np.array(self._missing[row])
        holes[column] = True
        return holes

    def _cells_to_hide(self, missing: Booleans, holes: Booleans, column: int) -> Integers:
        """The column plus other cells, until the row has as many holes as the template."""
        others = np.flatnonzero(holes & ~missing)
        others = others[others != column]
        n_more = np.count_nonzero(holes) - np.count_nonzero(missing) - 1
        if n_more < others.size:
            others = self._generator.permutation(others)[: max(n_more, 0)]
        return np.append(others, column)


class _RowFinder:
    """Finds rows that can be given some holes."""

    def __init__(self, missing: Booleans) -> None:
        self._n_holes = np.count_nonzero(missing, axis=1)
        self._packed = np.packbits(missing, axis=1)

    def __call__(self, knows: Booleans, holes: Booleans) -> Integers:
        """Rows that can be made to have these holes; if there are none, as many holes; if none, any."""
        fewer = knows & (self._n_holes < np.count_nonzero(holes))
        within = fewer & ~(self._packed & np.packbits(~holes)).any(axis=1)
        return np.flatnonzero(next((rows for rows in (within, fewer) if rows.any()), knows))
