"""Rows as sums of a few directions: singular vectors of a table with holes, and projection on them."""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.arithmetic.row_products import times
from iim.core.execution.context import Context
from iim.core.patterns import group_patterns
from iim.core.scaling import LARGEST

SAME_ERROR = 1e-9
"""Errors that differ by less, in standard deviations, differ by rounding."""

GUESSES_ADD = 0.05
"""With holes, larger ranks must err less by this share to be preferred: guesses pass for directions."""


def leading_vectors(rows: Floats, rank: int) -> Floats:
    """Right singular vectors of the largest singular values, (rank, m), the largest entry positive."""
    # The triangular factor has the same vectors, and costs less than the left ones would.
    vectors = np.linalg.svd(np.linalg.qr(rows, mode="r"), full_matrices=False)[2][:rank]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1)
    return np.asarray(vectors * np.where(largest < 0, -1.0, 1.0))


def choose_rank(
    points: Floats, missing: Booleans, *, start: Floats, unit: Floats, most: int, max_iter: int
) -> int:
    """The number of vectors that predicts known cells best, each from the rest of its row.

    Vectors of one half of the rows are judged on the other half, and the other way round: on the rows that
    they come from, the more of them, the better they would seem. With projection P on the vectors, a round
    of filling cell j alone changes it by P_jj times what the round before changed. So rounds need not be
    done to know where they lead.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; their holes hold a first guess.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing; each column has a known one.
    start : ndarray of shape (m,)
        Where a fill begins.
    unit : ndarray of shape (m,)
        What errors are measured in, by column.
    most : int
        The largest number to try, 1 or more.
    max_iter : int
        Rounds of filling.

    Returns
    -------
    int
        From 1 to ``most``, no more than half of the rows; the smallest of about equally good ones. O(n m^2)
        each.
    """
    most = min(most, len(points) // 2)
    if most <= 1:
        return 1
    square = np.zeros((most, points.shape[1]))
    halves = split_rows(len(points))
    for teaching, judging in (halves, halves[::-1]):
        vectors = leading_vectors(points[teaching], most)
        rows, holes = points[judging], missing[judging]
        for rank in range(1, most + 1):
            projection = vectors[:rank].T @ vectors[:rank]
            own = np.clip(np.diag(projection), 0.0, 1.0)
            kept = own**max_iter
            # 1 + own + own^2 + ...: a column that the vectors explain by itself does not move at all.
            gone = np.divide(1.0 - kept, 1.0 - own, out=np.full(own.size, float(max_iter)), where=own < 1.0)
            error = ((rows - rows @ projection) * gone + (rows - start) * kept) / unit
            square[rank - 1] += (np.where(holes, 0.0, error) ** 2).sum(axis=0)
    errors = np.sqrt(square / (~missing).sum(axis=0)).mean(axis=1)
    worse = GUESSES_ADD if missing.any() else 0.0
    return int(np.flatnonzero(errors <= (1.0 + worse) * errors.min() + SAME_ERROR)[0]) + 1


def split_rows(n_rows: int) -> tuple[Integers, Integers]:
    """Two random halves, always the same; every other row would split a designed table by a factor."""
    order = np.random.default_rng(0).permutation(n_rows)
    return order[: n_rows // 2], order[n_rows // 2 :]


def learn_vectors(
    points: Floats,
    missing: Booleans,
    *,
    rank: int,
    unit: Floats,
    tol: float,
    max_iter: int,
    context: Context,
) -> tuple[Floats, int]:
    """Alternate singular vectors and fills until the fills rest.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; their holes hold a first guess.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    rank : int
        How many vectors; no more than rows, fewer than columns; 0 learns nothing.
    unit : ndarray of shape (m,)
        What changes are measured in, by column.
    tol : float
        Ends the rounds if the fills change by less, as a root mean square.
    max_iter : int
        Most rounds, 1 or more.
    context : Context
        Told the rounds done and the most there can be.

    Returns
    -------
    vectors : ndarray of shape (rank, m)
        Orthonormal, the most important first.
    n_iter : int
        Rounds done. O(n m^2) each, n counting the rows with holes.
    """
    if rank == 0:
        return np.empty((0, points.shape[1])), 0
    holed = missing.any(axis=1)
    rows, holes = points[holed], missing[holed]
    # What complete rows contribute does not change from round to round.
    fixed = np.linalg.qr(points[~holed], mode="r")
    for n_iter in range(1, max_iter + 1):
        vectors = leading_vectors(np.vstack([fixed, rows]), rank)
        projected = (rows @ vectors.T) @ vectors
        change = ((projected - rows) / unit)[holes]
        rows = np.where(holes, projected, rows)
        context.report(n_iter, max_iter)
        if change.size == 0 or np.sqrt(np.mean(change**2)) < tol:
            break
    return vectors, n_iter


def project_holes(
    points: Floats, missing: Booleans, vectors: Floats, *, unit: Floats, tol: float, max_iter: int
) -> Floats:
    """Replace each row's missing entries by its projection on the vectors, until they rest.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; their holes hold a first guess.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    vectors : ndarray of shape (rank, m)
        Orthonormal.
    unit : ndarray of shape (m,)
        What changes are measured in, by column.
    tol : float
        A row is done if its fills change by less, as a root mean square.
    max_iter : int
        Most rounds for a row.

    Returns
    -------
    ndarray of shape (n, m)
        The points, filled; each row by itself. O(m times holes) for each row and round.
    """
    filled = points.copy()
    projection = vectors.T @ vectors
    for group in group_patterns(missing):
        at, to = np.array(group.observed, np.intp), np.array(group.targets, np.intp)
        known = times(points[np.ix_(group.rows, at)], projection[np.ix_(at, to)])
        among = projection[np.ix_(to, to)]
        fills = points[np.ix_(group.rows, to)]
        moving = np.arange(group.rows.size)
        for _ in range(max_iter):
            former = fills[moving]
            fills[moving] = known[moving] + times(former, among)
            square = np.zeros(moving.size)
            for place, column in enumerate(to):
                change = np.clip(
                    (fills[moving, place] - former[:, place]) / unit[column], -LARGEST, LARGEST
                )
                square += change**2
            moving = moving[np.sqrt(square / to.size) >= tol]
            if moving.size == 0:
                break
        filled[np.ix_(group.rows, to)] = fills
    return filled
