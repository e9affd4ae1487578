"""Weights of several methods, learned from cells that all of them have filled.

Each method's error on a hidden cell is known. With weights that sum to one, the error of a blend is the
blend of the errors. So the mean squared error of a blend is a quadratic form in the Gram matrix of the
errors: the mean product of the errors of each two methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from iim._arrays import Booleans, Floats, Integers

LARGEST_ERROR = 1e6
"""Errors are clipped to this many standard deviations: a method so wrong gets no weight anyway."""

FEWEST_CELLS = 10
"""A column with fewer hidden cells takes the weights of the whole table."""

CELLS_OF_ALL = 10.0
"""Shrinkage of a column's weights towards those of the whole table, as a number of cells.

It acts like this many more hidden cells, each with the squared distance between the weights as its loss."""

SMALLEST_SQUARE = 1e-12
"""Below this mean square the error is rounding; do not normalise by it."""

CELLS_APART = 40.0
"""Shrinkage of the errors' correlations: with this many cells, half of the estimate is the cells' own.

The other half is the same for all pairs of methods: half of the mean correlation."""

FARTHEST = 1.0
"""Fills are clipped to this many standard deviations around the weighted median of all methods' fills.

So one local model that extrapolates far cannot move the blend."""

LEAST_WEIGHT = 0.02
"""Smaller weights in a column are dropped: they do not justify the time of a method."""

_SLIGHT = 1e-6
"""Penalty on unequal weights, as a share of the best squared error; decides between equal methods only."""


@dataclass(frozen=True)
class HiddenCells:
    """Known cells that were hidden, and each method's errors on them.

    Attributes
    ----------
    column : ndarray of shape (n_cells,)
        The column of each cell.
    half : ndarray of shape (n_cells,)
        True for cells in one half of the rows; weights chosen on one half are scored on the other.
    errors : ndarray of shape (n_cells, n_methods)
        Filled minus true value, in standard deviations of the column.
    """

    column: Integers
    half: Booleans
    errors: Floats

    def where(self, wanted: Booleans) -> HiddenCells:
        """Some of the cells."""
        return HiddenCells(self.column[wanted], self.half[wanted], self.errors[wanted])

    def methods(self, places: Sequence[int]) -> HiddenCells:
        """The same cells, with some of the methods."""
        return HiddenCells(self.column, self.half, np.ascontiguousarray(self.errors[:, list(places)]))


def blend_weights(gram: Floats) -> Floats:
    """Weights, none negative, with sum 1, of the blend with the least squared error.

    Parameters
    ----------
    gram : ndarray of shape (n_methods, n_methods)
        Mean product of the errors of each two methods.

    Returns
    -------
    ndarray of shape (n_methods,)

    Notes
    -----
    The quadratic form ``q(w)`` is homogeneous. So the minimum of ``q(u) + (sum(u) - 1)^2`` over all ``u``
    that are not negative is at a multiple of the weights, and there equals ``q / (1 + q)``. That is a
    non-negative least squares problem.
    """
    n_methods = len(gram)
    # In units of the best method's mean square, unless that is rounding.
    unit = max(float(np.diag(gram).min()), SMALLEST_SQUARE * float(np.diag(gram).max())) or 1.0
    values, vectors = np.linalg.eigh(gram / unit + _SLIGHT * np.eye(n_methods))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    try:
        found, _ = nnls(np.vstack([root, np.ones((1, n_methods))]), np.append(np.zeros(n_methods), 1.0))
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        # nnls has an iteration limit, and older versions fail on nearly singular input: use the best
        # method.
        return best_alone(gram)
    total = float(found.sum())
    if not total > 0:
        return best_alone(gram)
    weights: Floats = found / total
    return weights


def best_alone(gram: Floats) -> Floats:
    """All weight on the method with the least squared error; the first one on ties."""
    weights = np.zeros(len(gram))
    weights[int(np.argmin(np.diag(gram)))] = 1.0
    return weights


def choose_weights(cells: HiddenCells, n_columns: int, *, blend: bool) -> Floats:
    """Weights for every column, from its own cells, shrunk towards the weights of all cells.

    Parameters
    ----------
    cells : HiddenCells
        Without any, the first method fills every column.
    n_columns : int
        Columns of the table.
    blend : bool
        Whether several methods may have weight in a column, or only one.

    Returns
    -------
    ndarray of shape (n_columns, n_methods)
        Each row has the sum 1.
    """
    if len(cells.column) == 0:
        # No errors to compare: the first method.
        return np.tile(np.eye(1, cells.errors.shape[1]), (n_columns, 1))
    choose = blend_weights if blend else best_alone
    counts = np.bincount(cells.column, minlength=n_columns)
    # Each in units of its best method's error: else the columns with the largest errors would decide for
    # all.
    own = {int(column): _gram(cells.errors[cells.column == column]) for column in np.unique(cells.column)}
    n_methods = cells.errors.shape[1]
    of_all = sum((counts[at] * gram for at, gram in own.items()), np.zeros((n_methods, n_methods)))
    weights = np.tile(choose(_shrunk(of_all / len(cells.column), len(cells.column))), (n_columns, 1))
    apart = np.eye(n_methods) - weights[0][:, None]
    for column, gram in own.items():
        n_own = int(counts[column])
        if n_own >= FEWEST_CELLS:
            # With sum 1, `apart @ w` is the difference of w to the weights of the whole table.
            pull = CELLS_OF_ALL / n_own * apart.T @ apart if blend else 0.0
            weights[column] = choose(_shrunk(gram, n_own) + pull)
    return weights


def crossed_errors(cells: HiddenCells, n_columns: int, *, blend: bool) -> Floats:
    """Cross-validated errors of the blend: weights chosen on each half of the cells, scored on the other.

    Parameters
    ----------
    cells, n_columns, blend
        See :func:`choose_weights`.

    Returns
    -------
    ndarray of shape (n_cells,)
        NaN if one half is empty.
    """
    errors = np.full(len(cells.column), np.nan)
    for half in (False, True):
        scored = cells.half == half
        if scored.any() and not scored.all():
            weights = choose_weights(cells.where(~scored), n_columns, blend=blend)
            # Fills and errors differ by the true value, so the clipped blend of errors is that of fills.
            errors[scored] = _blend(cells.errors[scored], weights[cells.column[scored]], 1.0)
    return errors


def keep_useful(weights: Floats) -> tuple[Integers, Floats]:
    """Drop weights below LEAST_WEIGHT from their column, and normalise the others to sum 1.

    Parameters
    ----------
    weights : ndarray of shape (n_columns, n_methods)
        With sum 1 in each column; the largest always stays.

    Returns
    -------
    kept : ndarray of int
        Positions of the methods that have a weight left.
    weights : ndarray of shape (n_columns, n_kept)
        Their weights.
    """
    useful = weights >= np.minimum(LEAST_WEIGHT, weights.max(axis=1, keepdims=True))
    kept = np.flatnonzero(useful.any(axis=0))
    left = np.ascontiguousarray(np.where(useful, weights, 0.0)[:, kept])
    return kept, left / left.sum(axis=1, keepdims=True)


def blend_fills(fills: Sequence[Floats], weights: Floats, spreads: Floats) -> Floats:
    """Weighted mean of the methods' fills in each cell, after clipping around their weighted median.

    Parameters
    ----------
    fills : sequence of ndarray of shape (n_rows, n_columns)
        Of each method.
    weights : ndarray of shape (n_columns, n_methods)
        With sum 1 in each column.
    spreads : ndarray of shape (n_columns,)
        Standard deviation of each column.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
    """
    blended = np.empty_like(fills[0])
    for column, own in enumerate(weights):
        used = np.flatnonzero(own > 0).tolist()
        values = np.column_stack([fills[at][:, column] for at in used])
        blended[:, column] = _blend(values, np.tile(own[used], (len(values), 1)), spreads[column])
    return blended


def _blend(values: Floats, weights: Floats, spread: float) -> Floats:
    """Weighted sum of each row, after clipping around its weighted median."""
    order = np.argsort(values, axis=1, kind="stable")
    passed = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    middle = np.take_along_axis(order, np.argmax(passed >= 0.5 * passed[:, -1:], axis=1)[:, None], axis=1)
    median = np.take_along_axis(values, middle, axis=1)
    with np.errstate(over="ignore"):
        near = np.clip(values, median - FARTHEST * spread, median + FARTHEST * spread)
        # Halved, so that sums of the largest floats stay finite until they are clipped.
        total = np.zeros(len(values))
        for at in range(values.shape[1]):
            total += 0.5 * weights[:, at] * near[:, at]
        # Rounding must not move a value on which all agree.
        blended: Floats = np.clip(2.0 * total, near.min(axis=1), near.max(axis=1))
    return blended


def _gram(errors: Floats) -> Floats:
    """Mean products of errors, in units of the best method's mean square."""
    cut = np.clip(errors, -LARGEST_ERROR, LARGEST_ERROR)
    # einsum adds in a fixed order; a matrix product may split the sum among threads.
    gram: Floats = np.einsum("ci,cj->ij", cut, cut) / len(cut)
    best = float(np.diag(gram).min())
    return gram / best if best > SMALLEST_SQUARE else gram


def _shrunk(gram: Floats, n_cells: int) -> Floats:
    """The Gram matrix with its correlations shrunk towards their mean; see ``CELLS_APART``."""
    n_methods = len(gram)
    if n_methods == 1:
        return gram
    roots = np.sqrt(np.diag(gram))
    sizes = np.outer(roots, roots)
    correlations = np.divide(gram, sizes, out=np.zeros_like(gram), where=sizes > 0)
    mean = (correlations.sum() - np.trace(correlations)) / (n_methods * (n_methods - 1))
    expected = np.where(np.eye(n_methods) > 0, gram, sizes * mean / 2)
    believed = n_cells / (n_cells + CELLS_APART)
    shrunk: Floats = believed * gram + (1 - believed) * expected
    return shrunk
