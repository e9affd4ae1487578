"""Seeded removal of known cells: what a method is measured on.

Every function takes the holes of a table, and returns where to make more. Known cells only are removed,
and never the last one of a column, so that there is something to learn from. What is removed from a column
is drawn by a generator of its own, seeded by (random state, repeat, position of the column): to ask for one
more column or repeat changes no other cell.
"""

from __future__ import annotations

from collections.abc import Iterable

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
"""How often a row of the table is drawn whose holes another row could have."""


def column_generator(seed: int, repeat: int, column: int) -> np.random.Generator:
    """The generator of what is removed from one column in one repeat."""
    return np.random.default_rng([seed, repeat, column])


def count_to_remove(n_known: int, hide: float) -> int:
    """How many of a column's known cells are removed.

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


def remove_cells(
    missing: Booleans, columns: Iterable[int], *, hide: float, seed: int, repeat: int
) -> Booleans:
    """Remove cells at random, column by column.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where the table has a hole already.
    columns : iterable of int
        Positions of the columns that lose cells. Give a single one for the case of one incomplete
        attribute: it loses the same cells as among others.
    hide : float or int
        How many, see :func:`count_to_remove`.
    seed, repeat : int
        With the column, the coordinates of what is drawn.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        True where a known cell is removed.
    """
    removed = np.zeros_like(missing)
    for column in columns:
        known = np.flatnonzero(~missing[:, column])
        shuffled = column_generator(seed, repeat, column).permutation(known)
        removed[shuffled[: count_to_remove(known.size, hide)], column] = True
    return removed


def remove_like_holes(missing: Booleans, *, share: float, seed: int, repeat: int) -> Booleans:
    """Remove cells so that rows look like those of the table that have holes.

    A share of the rows, other ones in each repeat as long as there are any, lose what some row of the table
    lacks, drawn at random among those whose holes include the row's own; rows of which no other row tells
    how to go on lose one cell of a column with holes. In a table without holes each row loses one cell, and
    all columns the same number. A row keeps a known cell, a column half of its own.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        True where the table has a hole already; each column has a known value.
    share : float
        Of the rows, between 0 and 1.
    seed, repeat : int
        The coordinates of what is drawn.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        True where a known cell is removed; all False where no row could keep one.
    """
    n_rows, n_columns = missing.shape
    if n_columns < 2:
        return np.zeros_like(missing)
    order = np.random.default_rng([seed, 0]).permutation(n_rows)
    n_chosen = max(1, round(share * n_rows))
    rows = order[(repeat * n_chosen + np.arange(n_chosen)) % n_rows]
    random = np.random.default_rng([seed, 1, repeat])
    removed = np.zeros_like(missing)
    incomplete = missing[missing.any(axis=1) & ~missing.all(axis=1)]
    waiting = rows[(~missing[rows]).sum(axis=1) > 1]
    for _ in range(TRIES if len(incomplete) else 0):
        drawn = incomplete[random.integers(len(incomplete), size=waiting.size)]
        own = missing[waiting]
        fits = ~(own & ~drawn).any(axis=1) & (drawn & ~own).any(axis=1)
        removed[waiting[fits]] = (drawn & ~own)[fits]
        waiting = waiting[~fits]
    holed = missing.any(axis=0)
    able = ~missing[waiting] & (holed if holed.any() else True)
    # The same number of each column, as far as rows know them: by turns, from a column drawn at random.
    turns = (np.arange(waiting.size)[:, None] + random.permutation(n_columns)) % n_columns
    chosen = np.argmin(np.where(able, turns, n_columns), axis=1)
    there = able.any(axis=1)
    removed[waiting[there], chosen[there]] = True
    _keep_half(removed, missing, random)
    return removed


def _keep_half(removed: Booleans, missing: Booleans, random: np.random.Generator) -> None:
    """Give cells back to columns that lost more than half of what they knew."""
    n_most = (~missing).sum(axis=0) // 2
    for column in np.flatnonzero(removed.sum(axis=0) > n_most):
        lost = random.permutation(np.flatnonzero(removed[:, column]))
        removed[lost[n_most[column] :], column] = False


def remove_clusters(
    matrix: MaskedMatrix,
    columns: Iterable[int],
    *,
    hide: float,
    cluster_size: int,
    seed: int,
    repeat: int,
    scale: str = "standard",
) -> Booleans:
    """Remove cells of rows that are near each other, so that the nearest donors are gone, too.

    A row drawn at random loses its value together with the ``cluster_size - 1`` rows nearest to it, among
    those that know the value, until the number asked for is reached; the last cluster may be cut short.
    Each column loses cells by itself: near is near on all the other columns of the table as it came, scaled
    as ``scale`` says, with the column mean in place of a hole. So there are clusters in any
    table, however many holes it has: rows with few known values count as ordinary ones, and rows
    without any other value as the most ordinary of all. Of rows at the same distance, one drawn earlier
    comes first. With clusters of one, or a single column, cells go as in :func:`remove_cells`.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table; each column has a known value.
    columns : iterable of int
        Positions of the columns that lose cells.
    hide : float or int
        How many cells of each column, see :func:`count_to_remove`.
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
        True where a known cell is removed.
    """
    if cluster_size == 1 or matrix.n_columns == 1:
        return remove_cells(matrix.missing, columns, hide=hide, seed=seed, repeat=repeat)
    removed = np.zeros_like(matrix.missing)
    for column in columns:
        known = np.flatnonzero(~matrix.missing[:, column])
        shuffled = column_generator(seed, repeat, column).permutation(known)
        others = [other for other in range(matrix.n_columns) if other != column]
        n_wanted = count_to_remove(known.size, hide)
        rows = _in_clusters(matrix.select(np.asarray(others)), shuffled, cluster_size, n_wanted, scale)
        removed[rows[:n_wanted], column] = True
    return removed


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
