"""Nearest donors on the known columns of a row, where nearly every row has other known columns.

A tree is built for one set of columns. Here every row has its own set, so each scans all donors. Squared
distances are summed in column order, as in :mod:`iim.kernels.search`.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.kernels._jit import kernel


@kernel
def known_distances(columns: Floats, query: Floats, missing: Booleans, out: Floats) -> None:
    """Squared distances from ``query`` to all donors, on its known columns. O(n m)."""
    out[:] = 0.0
    for column in range(columns.shape[0]):
        if not missing[column]:
            value = query[column]
            for donor in range(columns.shape[1]):
                gap = columns[column, donor] - value
                out[donor] += gap * gap


@kernel
def shared_distances(
    columns: Floats, knows: Booleans, query: Floats, missing: Booleans, out: Floats, n_shared: Integers
) -> None:
    """The same on the columns observed in both, scaled up to the number of known columns of the query.

    The distance to a donor without a shared column is infinite. O(n m).
    """
    out[:] = 0.0
    n_shared[:] = 0
    n_known = 0
    for column in range(columns.shape[0]):
        if not missing[column]:
            n_known += 1
            value = query[column]
            for donor in range(columns.shape[1]):
                if knows[column, donor]:
                    gap = columns[column, donor] - value
                    out[donor] += gap * gap
                    n_shared[donor] += 1
    for donor in range(columns.shape[1]):
        out[donor] = out[donor] * (n_known / n_shared[donor]) if n_shared[donor] > 0 else np.inf


@kernel
def keep_smallest(
    distance: Floats, allowed: Booleans, nearest_distance: Floats, nearest_donor: Integers
) -> None:
    """The nearest allowed donors in order of (distance, donor); at least as many must be allowed.

    O(n k) at worst; about O(n) if donors are not sorted by decreasing distance.
    """
    limit = nearest_donor.shape[0]
    count = 0
    for donor in range(distance.shape[0]):
        if allowed[donor] and (count < limit or distance[donor] < nearest_distance[limit - 1]):
            rank = min(count, limit - 1)
            while rank > 0 and nearest_distance[rank - 1] > distance[donor]:
                nearest_distance[rank] = nearest_distance[rank - 1]
                nearest_donor[rank] = nearest_donor[rank - 1]
                rank -= 1
            nearest_distance[rank] = distance[donor]
            nearest_donor[rank] = donor
            count = min(count + 1, limit)


@kernel
def nearest_known_block(
    columns: Floats,
    knows: Booleans,
    asked: Booleans,
    shared: bool,
    queries: Floats,
    missing: Booleans,
    first_cell: Integers,
    limits: Integers,
    nearest_distance: Floats,
    nearest_donor: Integers,
) -> None:
    """Nearest donors for every missing cell of some rows, among the donors of its column.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_donors)
        Coordinates of the donors, completed, transposed.
    knows, asked : ndarray of shape (n_columns, n_donors)
        Whether a donor's value was observed, and whether it is a donor of the column.
    shared : bool
        Whether distances use only the columns observed in the donor, too.
    queries, missing : ndarray of shape (n_queries, n_columns)
        Coordinates of the rows, and their missing cells.
    first_cell : ndarray of shape (n_queries,)
        Row of the result for each query's first missing cell; its other cells follow.
    limits : ndarray of shape (n_columns,)
        How many donors to find for a column; at most its number of donors.
    nearest_distance, nearest_donor : ndarray of shape (n_cells, k)
        Receive squared distances and donors, in order of (distance, donor).

    Notes
    -----
    O(n_donors (m + number of holes)) per row; memory O(n_donors).
    """
    distance = np.empty(columns.shape[1])
    n_shared = np.empty(columns.shape[1], np.intp)
    for query in range(queries.shape[0]):
        if shared:
            shared_distances(columns, knows, queries[query], missing[query], distance, n_shared)
        else:
            known_distances(columns, queries[query], missing[query], distance)
        cell = first_cell[query]
        for column in range(columns.shape[0]):
            if missing[query, column]:
                limit = limits[column]
                keep_smallest(
                    distance, asked[column], nearest_distance[cell, :limit], nearest_donor[cell, :limit]
                )
                cell += 1
