"""Hide known cells so that rows get missing patterns like those of the table, by a seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from iim._arrays import Booleans, Integers

ROWS_PER_CELL = 4
"""Rows drawn as candidates for each row that gets hidden cells; those with few holes fit more often."""

TRIES = 8
"""How often rows and templates are paired at random, before only the number of holes is matched."""


class LikeHoles(NamedTuple):
    """Hidden cells of one repeat.

    ``typical`` has one cell of each row, the one for which the row was chosen; ``hidden`` also the cells
    hidden with it. Rows with many hidden cells have a larger share of ``hidden`` than of ``typical``.
    """

    hidden: Booleans
    typical: Booleans


def hide_like_holes(
    missing: Booleans, columns: Iterable[int], *, n_rows: int, repeats: int, seed: int
) -> list[LikeHoles]:
    """Hide cells so that rows get missing patterns like those of the table.

    The columns take turns. For each cell, a row with a missing value in the column is drawn as a template,
    and another row gets the holes of the template: exactly those if possible, else as many. In a column
    without missing values, the cell is hidden alone. No cell is typical in two repeats. Rows keep a known
    cell, and columns half of theirs.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where a value is missing.
    columns : iterable of int
        Positions of the columns that take turns; others are hidden only together with them.
    n_rows : int
        Rows with hidden cells in each repeat; fewer if no others are possible.
    repeats : int
        Number of repeats.
    seed : int
        Seed of the draws.

    Returns
    -------
    list of LikeHoles
        One for each repeat, of shape (n_rows, n_columns) each. Nothing is hidden where no row could keep a
        known cell.
    """
    turns = np.array(list(columns), np.intp)
    left = np.zeros_like(missing)
    left[:, turns] = ~missing[:, turns]
    draws = []
    for repeat in range(repeats):
        random = np.random.default_rng([seed, repeat])
        able = np.flatnonzero(left.any(axis=1) & ((~missing).sum(axis=1) > 1))
        rows = random.permutation(able)[: ROWS_PER_CELL * n_rows]
        cells = _give_holes(missing, left[rows], rows, turns, min(n_rows, rows.size), random)
        _keep_half(cells.hidden, missing, random)
        typical = cells.hidden & cells.typical
        draws.append(LikeHoles(cells.hidden, typical))
        left &= ~typical
    return draws


def _give_holes(
    missing: Booleans,
    free: Booleans,
    rows: Integers,
    turns: Integers,
    n_cells: int,
    random: np.random.Generator,
) -> LikeHoles:
    """Choose free cells, one in a row, and hide each with others, by a template."""
    cells = LikeHoles(np.zeros_like(missing), np.zeros_like(missing))
    column = np.resize(random.permutation(turns), n_cells)
    wanted = _draw_templates(missing, column, random)
    own, pool, waiting = missing[rows], np.arange(rows.size), np.arange(n_cells)
    for _ in range(TRIES):
        place, pool = np.split(pool, [waiting.size])
        fits = free[place, column[waiting]] & ~(own[place] & ~wanted[waiting]).any(axis=1)
        _hide(cells, rows[place[fits]], wanted[waiting[fits]] & ~own[place[fits]], column[waiting[fits]])
        # A row that does not fit one template may fit another.
        pool, waiting = np.concatenate([pool, random.permutation(place[~fits])]), waiting[~fits]
    if waiting.size == 0:
        return cells
    # The rest: rows with the fewest holes get as many as the template. If the column is missing in the row
    # already, another column is hidden.
    place = pool[np.argsort(own[pool].sum(axis=1), kind="stable")][: waiting.size]
    waiting = waiting[np.argsort(wanted[waiting].sum(axis=1), kind="stable")]
    known = free[place, column[waiting]]
    another = np.argmax(np.where(free[place], random.random(free[place].shape), -1.0), axis=1)
    chosen = np.where(known, column[waiting], another)
    _hide(cells, rows[place], _as_many(own[place], wanted[waiting], chosen, random), chosen)
    return cells


def _draw_templates(missing: Booleans, columns: Integers, random: np.random.Generator) -> Booleans:
    """For each cell, the holes of a row that lacks its column; the column alone, if no row does."""
    wanted = np.zeros((columns.size, missing.shape[1]), bool)
    # Rows without any known value always get means.
    is_template = ~missing.all(axis=1)
    for column in np.unique(columns).tolist():
        cells, rows = np.flatnonzero(columns == column), np.flatnonzero(missing[:, column] & is_template)
        if rows.size:
            wanted[cells] = missing[random.choice(rows, cells.size)]
        wanted[cells, column] = True
    return wanted


def _as_many(own: Booleans, wanted: Booleans, columns: Integers, random: np.random.Generator) -> Booleans:
    """The column plus other cells, until the row has as many holes as the template."""
    each = np.arange(len(own))
    others = wanted & ~own
    others[each, columns] = False
    n_more = wanted.sum(axis=1) - own.sum(axis=1) - 1
    places = np.argsort(np.argsort(np.where(others, random.random(others.shape), 2.0), axis=1), axis=1)
    lost: Booleans = others & (places < n_more[:, None])
    lost[each, columns] = True
    return lost


def _hide(cells: LikeHoles, rows: Integers, lost: Booleans, columns: Integers) -> None:
    cells.hidden[rows] = lost
    cells.typical[rows, columns] = True


def _keep_half(hidden: Booleans, missing: Booleans, random: np.random.Generator) -> None:
    """Unhide cells in columns that lost more than half of their known values."""
    n_most = (~missing).sum(axis=0) // 2
    for column in np.flatnonzero(hidden.sum(axis=0) > n_most):
        lost = random.permutation(np.flatnonzero(hidden[:, column]))
        hidden[lost[n_most[column] :], column] = False
