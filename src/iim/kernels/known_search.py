"""Nearest donors on the known columns of a row, where nearly every row knows other columns.

A tree is built for one set of columns; here every row has its own set and compares all donors. A squared
distance is a quadratic form of the gaps, O(m^2) for each donor. Expanded, most of it does not depend on the
row: with x a donor, q the row, M the metric, K the known columns and U the others, ::

    (x - q)_K' M_KK (x - q)_K = x'Mx - 2 x_U'(Mx)_U + x_U' M_UU x_U - 2 x_K' M_KK q_K + q_K' M_KK q_K

Rows know most columns, so U is small. The expansion cancels digits: less a bound of its rounding, it is a
lower bound of the distance, and single precision is enough. Only donors whose lower bound is not above the
k-th distance so far are measured; the result is bit for bit that of measuring all.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Floats, Integers
from iim.kernels._jit import kernel

Singles: TypeAlias = npt.NDArray[np.float32]

TILE = 256
"""Donors whose bounds are computed together: their coordinates stay in the cache for a group of rows."""

NUMBERS_AT_ONCE = 2**18
"""Numbers in the factors of a group of rows: they stay in the cache."""

LINES_AT_ONCE = 4
"""Lines of a tile that are added in one pass over the sums."""

STRIP = 64
"""Donors of a tile that are tested together whether any may be near."""

BATCH = 32
"""Donors wait to be measured until there are as many: measuring fewer takes hardly less time."""

SLACK = 16.0 * float(np.finfo(np.float32).eps)
"""Times m + 4: the rounding of an expansion is a smaller share of the sum of its absolute terms."""

UNDERFLOW = float(np.finfo(np.float32).tiny)
"""What underflow takes from an expansion is far below."""


@kernel
def lay_tiles(points: Floats, metric: Floats, centre: Floats, tiles: Singles) -> None:
    """Lay out donors for :func:`lower_bounds`. O(n m^2).

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Coordinates.
    metric : ndarray of shape (n_observed, n_observed)
        M.
    centre : ndarray of shape (n_observed,)
        Origin of the expansions; the nearer to the rows, the less they round.
    tiles : ndarray of shape (n_tiles, 2 n_observed + 3, TILE)
        Receives, by donor, x from the centre, Mx, 1, minus the bound of rounding, and x'Mx less this bound.
    """
    n_donors, n_observed = points.shape
    tiles[:] = 0.0
    slack = SLACK * (n_observed + 4.0)
    for donor in range(n_donors):
        tile, at = tiles[donor // TILE], donor % TILE
        size, total = 0.0, 0.0
        for row in range(n_observed):
            own, value = points[donor, row] - centre[row], 0.0
            for column in range(n_observed):
                value += metric[row, column] * (points[donor, column] - centre[column])
            tile[row, at], tile[n_observed + row, at] = own, value
            size += np.sqrt(metric[row, row]) * abs(own)
            total += own * value
        tile[2 * n_observed, at] = 1.0
        tile[2 * n_observed + 1, at] = -slack * size * size
        tile[2 * n_observed + 2, at] = total - slack * size * size


@kernel
def factorise_known(metric: Floats, known: Integers, factor: Floats) -> bool:
    """Cholesky factor of the metric's part for the known columns, in the lower triangle. O(m^3).

    Returns
    -------
    bool
        Whether all pivots are positive, so that rounding is bounded. Another pivot becomes 0, with its
        column.
    """
    regular = True
    for row in range(known.shape[0]):
        for column in range(row + 1):
            total = metric[known[row], known[column]]
            for inner in range(column):
                total -= factor[row, inner] * factor[column, inner]
            if column < row:
                factor[row, column] = (
                    total / factor[column, column] if factor[column, column] > 0.0 else 0.0
                )
            else:
                regular = regular and total > 0.0
                factor[row, row] = np.sqrt(max(total, 0.0))
    return regular


@kernel
def known_distances(
    columns: Floats, query: Floats, known: Integers, factor: Floats, step: Floats, out: Floats
) -> None:
    """Squared distances from ``query`` to donors on its known columns: of the factor times the gaps.

    O(n m^2), or O(n m) where the factor is diagonal. ``step`` is scratch for one number per donor; with
    ``out`` it says how many of the donors, the first ones in ``columns``, are measured.
    """
    out[:] = 0.0
    for turn in range(known.shape[0]):
        step[:] = 0.0
        for at in range(turn, known.shape[0]):
            weight = factor[at, turn]
            if weight != 0.0:
                value, line = query[known[at]], columns[known[at]]
                for donor in range(step.shape[0]):
                    step[donor] += weight * (line[donor] - value)
        for donor in range(step.shape[0]):
            out[donor] += step[donor] * step[donor]


@kernel
def expand(metric: Floats, query: Floats, centre: Floats, known: Integers, pull: Floats) -> float:
    """The parts of the expansion that depend on the row alone. O(m^2).

    Parameters
    ----------
    pull : ndarray of shape (n_observed,)
        Receives ``-2 M_KK q_K`` at the known columns.

    Returns
    -------
    float
        ``q_K' M_KK q_K``, less the bound of rounding.
    """
    size, total = 0.0, 0.0
    for row in known:
        own, value = query[row] - centre[row], 0.0
        for column in known:
            value += metric[row, column] * (query[column] - centre[column])
        pull[row] = -2.0 * value
        size += np.sqrt(metric[row, row]) * abs(own)
        total += own * value
    return total - SLACK * (query.shape[0] + 4.0) * size * size - UNDERFLOW


@kernel
def add_lines(
    tile: Singles, times: int, lines: Integers, weights: Singles, n_lines: int, out: Singles
) -> None:
    """Add the sum of weighted lines of a tile, multiplied by one of its lines, to ``out``.

    LINES_AT_ONCE in a pass: the last pass is filled up with line 0, without weight.
    """
    for at in range(n_lines, n_lines + LINES_AT_ONCE - 1):
        lines[at], weights[at] = 0, 0.0
    for first in range(0, n_lines, LINES_AT_ONCE):
        a, b, c, d = lines[first], lines[first + 1], lines[first + 2], lines[first + 3]
        u, v, w, x = weights[first], weights[first + 1], weights[first + 2], weights[first + 3]
        for at in range(TILE):
            pair = u * tile[a, at] + v * tile[b, at]
            out[at] += tile[times, at] * (pair + (w * tile[c, at] + x * tile[d, at]))


@kernel
def lower_bounds(
    tile: Singles,
    metric: Floats,
    columns: Integers,
    n_known: int,
    pull: Floats,
    own: float,
    lines: Integers,
    weights: Singles,
    out: Singles,
) -> None:
    """Lower bounds of the squared distances from a row to a tile of donors.

    Parameters
    ----------
    tile : ndarray of shape (2 n_observed + 3, TILE)
        From :func:`lay_tiles`.
    columns : ndarray of shape (n_observed,)
        The ``n_known`` columns that the row knows, then the others.
    pull, own : ndarray of shape (n_observed,) and float
        From :func:`expand`.
    lines, weights : ndarray of shape (n_observed + LINES_AT_ONCE,)
        Scratch.
    out : ndarray of shape (TILE,)
        Receives the bounds. O(min(|K|, |U|)^2 + m) for each donor.
    """
    n_observed = metric.shape[0]
    n_absent = n_observed - n_known
    # The same sum over the absent columns or, where these are many, over the known ones.
    from_whole = n_absent * (n_absent + 4) < n_known**2
    begin, stop = (n_known, n_observed) if from_whole else (0, n_known)
    base, rest = 2 * n_observed + 1 + from_whole, np.float32(own)
    for at in range(TILE):
        out[at] = tile[base, at] + rest
    for first in range(begin, stop):
        column, n_lines = columns[first], 0
        if from_whole:
            lines[0], weights[0], n_lines = n_observed + column, -2.0, 1
        for inner in range(begin, first + 1):
            weight = metric[column, columns[inner]] * (1.0 if inner == first else 2.0)
            if weight != 0.0:
                lines[n_lines], weights[n_lines] = columns[inner], weight
                n_lines += 1
        add_lines(tile, column, lines, weights, n_lines, out)
    for at in range(n_known):
        lines[at], weights[at] = columns[at], pull[columns[at]]
    add_lines(tile, 2 * n_observed, lines, weights, n_known, out)


@kernel
def list_near(bounds: Singles, first: int, n_donors: int, far: float, near: Integers, n_near: int) -> int:
    """List the donors of a tile that may be within ``far``, after those listed; return how many.

    An overflow is no bound.
    """
    # Rounded to the nearest single: no other single is between.
    limit, infinite = np.float32(far), np.float32(np.inf)
    for begin in range(0, min(TILE, n_donors - first), STRIP):
        n_beyond = 0
        for at in range(STRIP):
            n_beyond += limit < bounds[begin + at] < infinite
        if n_beyond < STRIP:
            for at in range(begin, min(begin + STRIP, n_donors - first)):
                near[n_near] = first + at
                n_near += not limit < bounds[at] < infinite
    return n_near


@kernel
def measure(
    points: Floats,
    query: Floats,
    known: Integers,
    factor: Floats,
    near: Integers,
    measured: Floats,
    step: Floats,
    distance: Floats,
) -> None:
    """Squared distances from a row to the donors listed; ``measured`` is scratch. O(m^2) each."""
    for column in known:
        for place in range(near.shape[0]):
            measured[column, place] = points[near[place], column]
    known_distances(measured, query, known, factor, step, distance)


@kernel
def keep_smallest(
    distance: Floats, donors: Integers, nearest_distance: Floats, nearest_donor: Integers
) -> None:
    """Put donors among the nearest, in order of (distance, donor).

    Donors come in increasing order, in one call or several, and the first ones, as many as are kept, are
    all among them. O(n k) at worst; about O(n) if donors are not sorted by decreasing distance.
    """
    limit = nearest_donor.shape[0]
    for at in range(distance.shape[0]):
        donor = donors[at]
        if donor < limit or distance[at] < nearest_distance[limit - 1]:
            rank = min(donor, limit - 1)
            while rank > 0 and nearest_distance[rank - 1] > distance[at]:
                nearest_distance[rank] = nearest_distance[rank - 1]
                nearest_donor[rank] = nearest_donor[rank - 1]
                rank -= 1
            nearest_distance[rank] = distance[at]
            nearest_donor[rank] = donor


@kernel
def order_columns(missing: Booleans, columns: Integers) -> int:
    """List the columns that a row knows, then the others; return how many it knows."""
    n_known, n_absent = 0, 0
    for column in range(missing.shape[0]):
        if missing[column]:
            n_absent += 1
            columns[-n_absent] = column
        else:
            columns[n_known] = column
            n_known += 1
    return n_known


@kernel
def nearest_known_block(
    points: Floats,
    tiles: Singles,
    centre: Floats,
    metric: Floats,
    queries: Floats,
    missing: Booleans,
    nearest_distance: Floats,
    nearest_donor: Integers,
) -> None:
    """Nearest donors of some rows, on the columns that each knows.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Coordinates of the donors, completed.
    tiles, centre : ndarray of shape (n_tiles, 2 n_observed + 3, TILE) and (n_observed,)
        The same from :func:`lay_tiles`.
    metric : ndarray of shape (n_observed, n_observed)
        Squared distances are the gaps' quadratic form under its part for the known columns.
    queries, missing : ndarray of shape (n_queries, n_observed)
        Coordinates of the rows, and where they are missing: those are not used.
    nearest_distance, nearest_donor : ndarray of shape (n_queries, k)
        Receive squared distances and donors, in order of (distance, donor).

    Notes
    -----
    O(n_donors min(|K|, |U|)^2 + n_donors m + m^3) per row, and O(m^2) for each donor that is measured; all
    of them if the known part of the metric is singular. Memory O(m^2) for a group of rows.
    """
    n_queries, n_observed = queries.shape
    group = max(1, min(n_queries, NUMBERS_AT_ONCE // max(n_observed**2, 1)))
    # Of each row: its columns, known ones first, what its distances to all donors have in common, and the
    # donors that wait to be measured.
    columns, n_known = np.empty((group, n_observed), np.intp), np.empty(group, np.intp)
    factor, pull = np.empty((group, n_observed, n_observed)), np.empty((group, n_observed))
    own, n_near = np.empty(group), np.empty(group, np.intp)
    near, bounds = np.empty((group, BATCH + TILE), np.intp), np.empty(TILE, np.float32)
    lines = np.empty(n_observed + LINES_AT_ONCE, np.intp)
    weights = np.empty(n_observed + LINES_AT_ONCE, np.float32)
    measured = np.empty((n_observed, BATCH + TILE))
    step, distance = np.empty(BATCH + TILE), np.empty(BATCH + TILE)
    for begin in range(0, n_queries, group):
        stop = min(begin + group, n_queries)
        for query in range(begin, stop):
            at = query - begin
            n_known[at] = order_columns(missing[query], columns[at])
            known = columns[at, : n_known[at]]
            own[at] = expand(metric, queries[query], centre, known, pull[at])
            if not factorise_known(metric, known, factor[at]):
                own[at] = -np.inf
            n_near[at], nearest_distance[query, -1] = 0, np.inf
        for tile in range(tiles.shape[0]):
            for query in range(begin, stop):
                at, far = query - begin, nearest_distance[query, -1]
                if far < np.inf:
                    lower_bounds(
                        tiles[tile],
                        metric,
                        columns[at],
                        n_known[at],
                        pull[at],
                        own[at],
                        lines,
                        weights,
                        bounds,
                    )
                else:
                    bounds[:] = -np.inf
                count = list_near(bounds, tile * TILE, points.shape[0], far, near[at], n_near[at])
                n_near[at] = count
                if count < BATCH and tile + 1 < tiles.shape[0]:
                    continue
                n_near[at] = 0
                measure(
                    points,
                    queries[query],
                    columns[at, : n_known[at]],
                    factor[at],
                    near[at, :count],
                    measured,
                    step[:count],
                    distance[:count],
                )
                keep_smallest(
                    distance[:count], near[at, :count], nearest_distance[query], nearest_donor[query]
                )
