"""Choose known cells to hide, by a seed.

Every function takes the missing cells of a table, and returns more. Only known cells are hidden, and never
the last one of a column. :func:`hide_cells` and :func:`hide_clusters` use a generator for each column,
seeded by (random state, repeat, position of the column): another column or repeat changes no other cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from iim._arrays import Booleans, Integers
from iim._checks import Check, whole_number
from iim.core.execution.context import Context
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.scaling import learn_scaling
from iim.exceptions import InvalidParameter
from iim.matrix import MaskedMatrix

SHARE_OR_COUNT = Check(
    "a share between 0 and 1, both excluded",
    lambda value: isinstance(value, (float, np.floating)) and 0.0 < float(value) < 1.0,
) | whole_number(least=1)
"""Check of the parameter ``hide``: a share of the known cells, or their number, of each column."""


def column_generator(seed: int, repeat: int, column: int) -> np.random.Generator:
    """The generator for one column in one repeat."""
    return np.random.default_rng([seed, repeat, column])


def count_to_hide(n_known: int, hide: float) -> int:
    """The number of a column's known cells to hide.

    Parameters
    ----------
    n_known : int
        Known cells of the column.
    hide : float or int
        A share of them, rounded to at least one cell; or a number of cells.

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
        True where a value is missing.
    columns : iterable of int
        Positions of the columns to hide cells in. A column's cells do not depend on the other columns.
    hide : float or int
        How many, see :func:`count_to_hide`.
    seed, repeat : int
        Seed the generator, together with the column.

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


def hide_one_per_row(n_rows: int, n_columns: int, *, share: float, seed: int | Sequence[int]) -> Booleans:
    """Hide one value in each of some random rows, as in the paper.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape of the table.
    share : float
        Share of the rows with a hidden value, between 0 and 1, both excluded; rounded to whole rows, at
        least one and at most all but one.
    seed : int or sequence of int
        Seed of the draws.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        True where a value is hidden.
    """
    if n_rows < 2 or not 0.0 < share < 1.0:
        raise InvalidParameter(
            "hide_one_per_row: two rows or more and a share between 0 and 1, both excluded, are needed; "
            f"received {n_rows} rows and a share of {share!r}."
        )
    random = np.random.default_rng(seed)
    rows = random.permutation(n_rows)[: min(max(round(share * n_rows), 1), n_rows - 1)]
    hidden = np.zeros((n_rows, n_columns), bool)
    hidden[rows, random.integers(n_columns, size=rows.size)] = True
    return hidden


def hide_everywhere(n_rows: int, n_columns: int, *, share: float, seed: int | Sequence[int]) -> Booleans:
    """Hide each cell of a table with the same probability; rows and columns may lose all values."""
    hidden: Booleans = np.random.default_rng(seed).random((n_rows, n_columns)) < share
    return hidden


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
    """Hide cells in clusters of near rows, so that the nearest donors are hidden too.

    A random row's value is hidden together with those of the ``cluster_size - 1`` rows nearest to it, among
    rows with a known value, until there are enough hidden cells; the last cluster may be smaller. Columns
    are handled separately. Distances use all other columns, scaled by ``scale``, with the column mean in
    missing cells; so clusters are defined in any table, and rows with few known values lie near the mean.
    Ties in distance go to the row drawn earlier. With clusters of one, or a single column, it is
    :func:`hide_cells`.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table; each column has a known value.
    columns : iterable of int
        Positions of the columns to hide cells in.
    hide : float or int
        How many cells of each column, see :func:`count_to_hide`.
    cluster_size : int
        Rows of a cluster. With larger clusters, the remaining donors are farther away.
    seed, repeat : int
        Seed the generator, together with the column.
    scale : {"standard", "none"}, default="standard"
        Columns in standard deviations before distances, or unscaled as in the paper, where columns with
        large numbers dominate.

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
    """At least ``n_wanted`` rows, reordered so that each is followed by its nearest ones."""
    scaling = learn_scaling(others, scale)
    points = scaling.coordinates(others.values[shuffled], tuple(range(others.n_columns)))
    # In standard deviations, means are 0, and so is every row in a constant column.
    means = np.zeros(others.n_columns) if scale == "standard" else np.nanmean(others.values, axis=0)
    points = np.where(others.missing[shuffled], means, points)
    tree = index_donors(points)
    # Each row adds at least itself, so n_wanted queries suffice.
    near = nearest_donors(tree, points[:n_wanted], n_neighbors=cluster_size, context=Context())
    ordered: dict[int, None] = {}
    for at, members in enumerate(tree.donor[near.place].tolist()):
        if at not in ordered:
            # The row itself first: its duplicates may fill the list of its nearest.
            cluster = [at, *(member for member in members if member != at)]
            ordered.update(dict.fromkeys(cluster[:cluster_size]))
    return shuffled[list(ordered)]
