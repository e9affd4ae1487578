"""Low-rank model of a table with missing values: singular vectors, and projection on them."""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.arithmetic.row_products import times
from iim.core.execution.context import Context
from iim.core.patterns import group_patterns
from iim.core.scaling import LARGEST

SAME_ERROR = 1e-9
"""Smaller differences of errors, in standard deviations, are rounding."""

GUESSES_ADD = 0.05
"""With missing cells, a larger rank must lower the error by this share: it may fit the first fills."""


def leading_vectors(rows: Floats, rank: int) -> Floats:
    """Right singular vectors of the largest singular values, (rank, m), signed by their largest entry."""
    # The triangular factor R has the same right vectors, and its decomposition is cheaper.
    vectors = np.linalg.svd(np.linalg.qr(rows, mode="r"), full_matrices=False)[2][:rank]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1)
    return np.asarray(vectors * np.where(largest < 0, -1.0, 1.0))


def choose_rank(
    points: Floats, missing: Booleans, *, start: Floats, unit: Floats, most: int, max_iter: int
) -> int:
    """The rank with the smallest cross-validated error of known cells, each predicted from its row.

    Two folds: vectors of each half of the rows are scored on the other half, since on their own rows larger
    ranks always win (overfitting). With projection P on the vectors, each iteration changes the fill of a
    single cell j by P_jj times the change before. So the result of all iterations is a geometric series, in
    closed form.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing; each column has a known one.
    start : ndarray of shape (m,)
        First fill of each column.
    unit : ndarray of shape (m,)
        Unit of errors, by column.
    most : int
        The largest rank to test, 1 or more.
    max_iter : int
        Iterations of filling.

    Returns
    -------
    int
        From 1 to ``most``, at most half of the rows; the smallest of nearly equal ones. O(n m^2) each.
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
            # 1 + own + own^2 + ...; with own = 1 the fill never changes.
            gone = np.divide(1.0 - kept, 1.0 - own, out=np.full(own.size, float(max_iter)), where=own < 1.0)
            error = ((rows - rows @ projection) * gone + (rows - start) * kept) / unit
            square[rank - 1] += (np.where(holes, 0.0, error) ** 2).sum(axis=0)
    errors = np.sqrt(square / (~missing).sum(axis=0)).mean(axis=1)
    worse = GUESSES_ADD if missing.any() else 0.0
    return int(np.flatnonzero(errors <= (1.0 + worse) * errors.min() + SAME_ERROR)[0]) + 1


def split_rows(n_rows: int) -> tuple[Integers, Integers]:
    """Two random halves, always the same. Every other row would split a designed table by a factor."""
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
    """Alternate singular vectors and fills until the fills converge.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    rank : int
        Number of vectors; at most the number of rows, fewer than columns; 0 learns nothing.
    unit : ndarray of shape (m,)
        Unit of changes, by column.
    tol : float
        Tolerance: converged if the root mean square change of the fills is smaller.
    max_iter : int
        Most iterations, 1 or more.
    context : Context
        Threads and progress (iterations, of ``max_iter``).

    Returns
    -------
    vectors : ndarray of shape (rank, m)
        Orthonormal, by decreasing singular value.
    n_iter : int
        Iterations done. O(n m^2) each, n counting the rows with missing cells.
    """
    if rank == 0:
        return np.empty((0, points.shape[1])), 0
    holed = missing.any(axis=1)
    rows, holes = points[holed], missing[holed]
    # The part of complete rows is the same in all iterations.
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
    """Replace each row's missing entries by its projection on the vectors, until they converge.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        Points; missing cells hold a first fill.
    missing : ndarray of shape (n, m)
        True where a coordinate is missing.
    vectors : ndarray of shape (rank, m)
        Orthonormal.
    unit : ndarray of shape (m,)
        Unit of changes, by column.
    tol : float
        Tolerance: a row has converged if the root mean square change of its fills is smaller.
    max_iter : int
        Most iterations for a row.

    Returns
    -------
    ndarray of shape (n, m)
        The points, filled row by row. O(m times holes) for each row and iteration.
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
