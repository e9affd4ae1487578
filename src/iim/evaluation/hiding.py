"""Known cells to hide, seeded: what a method is measured on.

Every function takes the holes of a table, and returns where to make more. Known cells only are hidden, and
never the last one of a column, so that there is something to learn from. What :func:`hide_cells` and
:func:`hide_clusters` hide of a column is drawn by a generator of its own, seeded by (random state, repeat,
position of the column): to ask for one more column or repeat changes no other cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from iim._arrays import Booleans, Integers
from iim._checks import Check, whole_number
from iim.core.execution.context import Context
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.scaling import learn_scaling
from iim.matrix import MaskedMatrix

SHARE_OR_COUNT = Check(
    "a share between 0 and 1, both excluded",
    lambda value: isinstance(value, (float, np.floating)) and 0.0 < float(value) < 1.0,
) | whole_number(least=1)
"""What the parameter ``hide`` may be: a share of the known cells, or how many of each column."""


TRIES = 8
"""How often rows are tried that could be made to look like one with holes."""


def column_generator(seed: int, repeat: int, column: int) -> np.random.Generator:
    """The generator of what is hidden of one column in one repeat."""
    return np.random.default_rng([seed, repeat, column])


def count_to_hide(n_known: int, hide: float) -> int:
    """How many of a column's known cells are hidden.

    Parameters
    ----------
    n_known : int
        Known cells of the column.
    hide : float or int
        A share of them, rounded, but at least one; or a number of cells.

    Returns
    -------
    int
        At most ``n_known - 1``: the last known cell stays. 0 if there are fewer than two.
    """
    wanted = max(1, round(hide * n_known)) if isinstance(hide, (float, np.floating)) else int(hide)
    return max(0, min(wanted, n_known - 1))


def hide_cells(
    missing: Booleans, columns: Iterable[int], *, hide: float, seed: int, repeat: int
) -> Booleans:
    """Hide cells at random, column by column.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where the table has a hole already.
    columns : iterable of int
        Positions of the columns that lose cells. Give a single one for the case of one incomplete
        attribute: it loses the same cells as among others.
    hide : float or int
        How many, see :func:`count_to_hide`.
    seed, repeat : int
        With the column, the coordinates of what is drawn.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        True where a known cell is hidden.
    """
    hidden = np.zeros_like(missing)
    for column in columns:
        known = np.flatnonzero(~missing[:, column])
        shuffled = column_generator(seed, repeat, column).permutation(known)
        hidden[shuffled[: count_to_hide(known.size, hide)], column] = True
    return hidden


class LikeHoles(NamedTuple):
    """Cells that are hidden, and those of them, one in a row, that are like the holes of the table.

    Holes of rows with many count more often among all that are hidden: such a row was drawn for any of
    them, and has lost them all.
    """

    hidden: Booleans
    typical: Booleans


def hide_like_holes(
    missing: Booleans, columns: Iterable[int], *, share: float, seed: int, repeat: int
) -> LikeHoles:
    """Hide cells so that they are like the table's own holes: as few columns are known beside them.

    For each cell that is to be hidden, the columns taking turns, a row of the table is drawn that lacks the
    column, and another row is given all its holes: one that can be made to look exactly so, or at least to
    have as many. A column without any hole is hidden alone. Rows differ from repeat to repeat as long as
    there are any; a row keeps a known cell, a column half of its own.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where the table has a hole already.
    columns : iterable of int
        Positions of the columns that take turns; others are hidden beside them only.
    share : float
        Of the rows, between 0 and 1, that lose cells.
    seed, repeat : int
        The coordinates of what is drawn.

    Returns
    -------
    LikeHoles
        Both of shape (n_rows, n_columns), True where a known cell is hidden; all False where no row could
        keep one.
    """
    n_rows, n_columns = missing.shape
    hidden, typical = np.zeros_like(missing), np.zeros_like(missing)
    turns = np.array(list(columns), np.intp)
    if n_columns < 2 or turns.size == 0 or n_rows == 0:
        return LikeHoles(hidden, typical)
    random = np.random.default_rng([seed, 1, repeat])
    n_cells = max(1, round(share * n_rows))
    first = np.random.default_rng([seed, 0]).permutation(n_rows)
    pool = np.roll(first, -repeat * n_cells)
    column = np.tile(random.permutation(turns), -(-n_cells // turns.size))[:n_cells]
    wanted = _draw_holes(missing, column, random)
    waiting = np.arange(n_cells)
    for _ in range(TRIES):
        # Rows that do not fit the one fit another, perhaps, or serve at the end.
        rows, pool = np.split(pool, [waiting.size])
        at = waiting[: rows.size]
        own = missing[rows]
        fits = ~own[np.arange(rows.size), column[at]] & ~(own & ~wanted[at]).any(axis=1)
        hidden[rows[fits]] = (wanted[at] & ~own)[fits]
        typical[rows[fits], column[at[fits]]] = True
        pool = np.concatenate([pool, rows[~fits]])
        waiting = np.concatenate([waiting[rows.size :], at[~fits]])
    cells = LikeHoles(hidden, typical)
    _hide_as_many(cells, missing, wanted[waiting], column[waiting], pool[: 2 * waiting.size], random)
    _keep_one(hidden, missing, random)
    _keep_half(hidden, missing, random)
    return LikeHoles(hidden, hidden & typical)


def _draw_holes(missing: Booleans, columns: Integers, random: np.random.Generator) -> Booleans:
    """For each cell the holes of a row that lacks its column; the column alone, if none does."""
    wanted = np.zeros((columns.size, missing.shape[1]), bool)
    for column in np.unique(columns).tolist():
        cells, rows = np.flatnonzero(columns == column), np.flatnonzero(missing[:, column])
        if rows.size:
            wanted[cells] = missing[random.choice(rows, cells.size)]
        wanted[cells, column] = True
    return wanted


def _hide_as_many(
    cells: LikeHoles,
    missing: Booleans,
    wanted: Booleans,
    columns: Integers,
    rows: Integers,
    random: np.random.Generator,
) -> None:
    """Give rows that cannot look exactly so as many holes, as far as they have not more already."""
    # Those with few holes of their own first, and fewest where few are wanted.
    rows = rows[np.argsort(missing[rows].sum(axis=1), kind="stable")][: len(wanted)]
    order = np.argsort(wanted.sum(axis=1), kind="stable")[: rows.size]
    wanted, columns, own = wanted[order], columns[order], missing[rows]
    each = np.arange(rows.size)
    knows = ~own[each, columns]
    others = wanted & ~own
    others[each, columns] = False
    n_more = wanted.sum(axis=1) - own.sum(axis=1) - 1
    places = np.argsort(np.argsort(np.where(others, random.random(others.shape), 2.0), axis=1), axis=1)
    lost = others & (places < n_more[:, None])
    lost[each, columns] = True
    cells.hidden[rows[knows]] = lost[knows]
    cells.typical[rows[knows], columns[knows]] = True


def _keep_one(hidden: Booleans, missing: Booleans, random: np.random.Generator) -> None:
    """Give a cell back to rows that lost all that they knew."""
    for row in np.flatnonzero((hidden | missing).all(axis=1) & hidden.any(axis=1)):
        hidden[row, random.choice(np.flatnonzero(hidden[row]))] = False


def _keep_half(hidden: Booleans, missing: Booleans, random: np.random.Generator) -> None:
    """Give cells back to columns that lost more than half of what they knew."""
    n_most = (~missing).sum(axis=0) // 2
    for column in np.flatnonzero(hidden.sum(axis=0) > n_most):
        lost = random.permutation(np.flatnonzero(hidden[:, column]))
        hidden[lost[n_most[column] :], column] = False


def hide_clusters(
    matrix: MaskedMatrix,
    columns: Iterable[int],
    *,
    hide: float,
    cluster_size: int,
    seed: int,
    repeat: int,
    scale: str = "standard",
) -> Booleans:
    """Hide cells of rows that are near each other, so that the nearest donors are gone, too.

    A row drawn at random loses its value together with the ``cluster_size - 1`` rows nearest to it, among
    those that know the value, until the number asked for is reached; the last cluster may be cut short.
    Each column loses cells by itself: near is near on all the other columns of the table as it came, scaled
    as ``scale`` says, with the column mean in place of a hole. So there are clusters in any
    table, however many holes it has: rows with few known values count as ordinary ones, and rows
    without any other value as the most ordinary of all. Of rows at the same distance, one drawn earlier
    comes first. With clusters of one, or a single column, cells go as in :func:`hide_cells`.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table; each column has a known value.
    columns : iterable of int
        Positions of the columns that lose cells.
    hide : float or int
        How many cells of each column, see :func:`count_to_hide`.
    cluster_size : int
        Rows of a cluster. The larger, the further away are the donors that are left.
    seed, repeat : int
        With the column, the coordinates of what is drawn.
    scale : {"standard", "none"}, default="standard"
        Columns in standard deviations before distances, or as they are: then those with large numbers
        decide who is near, as in the paper.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        True where a known cell is hidden.
    """
    if cluster_size == 1 or matrix.n_columns == 1:
        return hide_cells(matrix.missing, columns, hide=hide, seed=seed, repeat=repeat)
    hidden = np.zeros_like(matrix.missing)
    for column in columns:
        known = np.flatnonzero(~matrix.missing[:, column])
        shuffled = column_generator(seed, repeat, column).permutation(known)
        others = [other for other in range(matrix.n_columns) if other != column]
        n_wanted = count_to_hide(known.size, hide)
        rows = _in_clusters(matrix.select(np.asarray(others)), shuffled, cluster_size, n_wanted, scale)
        hidden[rows[:n_wanted], column] = True
    return hidden


def _in_clusters(
    others: MaskedMatrix, shuffled: Integers, cluster_size: int, n_wanted: int, scale: str
) -> Integers:
    """The first rows, ``n_wanted`` or more, of a new order: each pulls its nearest ones to its side."""
    scaling = learn_scaling(others, scale)
    points = scaling.coordinates(others.values[shuffled], tuple(range(others.n_columns)))
    # In standard deviations, means are 0, and so is every row in a constant column.
    means = np.zeros(others.n_columns) if scale == "standard" else np.nanmean(others.values, axis=0)
    points = np.where(others.missing[shuffled], means, points)
    tree = index_donors(points)
    # Each row adds itself at least: no more than n_wanted are needed to begin with.
    near = nearest_donors(tree, points[:n_wanted], n_neighbors=cluster_size, context=Context())
    ordered: dict[int, None] = {}
    for at, members in enumerate(tree.donor[near.place].tolist()):
        if at not in ordered:
            # Before its duplicates, which may fill the list of its nearest.
            cluster = [at, *(member for member in members if member != at)]
            ordered.update(dict.fromkeys(cluster[:cluster_size]))
    return shuffled[list(ordered)]
