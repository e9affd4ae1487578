"""Weights of several methods, learned from cells that all of them have filled.

What is known of a hidden cell is every method's error. With weights that sum to one, the error of a blend
is the blend of the errors, so that all that matters is their Gram matrix: the mean product of the errors of
each two methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from iim._arrays import Booleans, Floats, Integers

LARGEST_ERROR = 1e6
"""Errors beyond this, in standard deviations, are cut off: a method that is so wrong counts for nothing."""

FEWEST_CELLS = 10
"""With fewer hidden cells, a column has no say of its own."""

CELLS_OF_ALL = 10.0
"""How strongly the weights of a column are drawn to those of the whole table.

As if so many more cells were known, for which a step away from these weights costs its square."""

SMALLEST_SQUARE = 1e-12
"""A method with a smaller mean square knows all; to divide by it would tell rounding errors apart."""

CELLS_APART = 40.0
"""How many cells it takes to believe half of what they say of which methods err together.

The other half is that any two do so alike, with half of their mean correlation."""

FARTHEST = 1.0
"""How many standard deviations a fill may be from the weighted median of all methods' fills.

One that is farther off is brought as near: a local model that runs away must not take the others along."""

LEAST_WEIGHT = 0.02
"""What counts for less than this in a column is not worth its time."""

_SLIGHT = 1e-6
"""How much, of the best method's squared error, equal weights are preferred: decides between twins only."""


@dataclass(frozen=True)
class HiddenCells:
    """Cells that were known, and what each method said when they were hidden.

    Attributes
    ----------
    column : ndarray of shape (n_cells,)
        Where they are.
    half : ndarray of shape (n_cells,)
        True for those of one half of the rows; weights that one half has chosen are scored on the other.
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
    The quadratic form ``q(w)`` is homogeneous: the least ``q(u) + (sum(u) - 1)^2`` over all ``u`` that are
    not negative is found at a multiple of the weights, where it is ``q / (1 + q)``. That is a problem of
    least squares with bounds only.
    """
    n_methods = len(gram)
    # In units of the best one's square, unless that is next to nothing.
    unit = max(float(np.diag(gram).min()), SMALLEST_SQUARE * float(np.diag(gram).max())) or 1.0
    values, vectors = np.linalg.eigh(gram / unit + _SLIGHT * np.eye(n_methods))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    try:
        found, _ = nnls(np.vstack([root, np.ones((1, n_methods))]), np.append(np.zeros(n_methods), 1.0))
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        # Its steps are limited, and older versions fail on what is nearly singular: the best one will do.
        return best_alone(gram)
    total = float(found.sum())
    if not total > 0:
        return best_alone(gram)
    weights: Floats = found / total
    return weights


def best_alone(gram: Floats) -> Floats:
    """All weight on the method with the least squared error, the first of several."""
    weights = np.zeros(len(gram))
    weights[int(np.argmin(np.diag(gram)))] = 1.0
    return weights


def choose_weights(cells: HiddenCells, n_columns: int, *, blend: bool) -> Floats:
    """Weights for every column, learned from its own cells and, the fewer there are, from all.

    Parameters
    ----------
    cells : HiddenCells
        Without any, the first method has every column.
    n_columns : int
        Columns of the table.
    blend : bool
        Whether methods share a column, or one has it alone.

    Returns
    -------
    ndarray of shape (n_columns, n_methods)
        Each row has the sum 1.
    """
    if len(cells.column) == 0:
        # Nothing tells them apart: the first one.
        return np.tile(np.eye(1, cells.errors.shape[1]), (n_columns, 1))
    choose = blend_weights if blend else best_alone
    counts = np.bincount(cells.column, minlength=n_columns)
    # Each in units of its best method's error: those that nobody can fill would decide for all others.
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
    """Errors of what is chosen on one half of the cells, on the other half, and the other way round.

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
            # Errors are fills less what is true: their median is that of the fills, less the same.
            errors[scored] = _blend(cells.errors[scored], weights[cells.column[scored]], 1.0)
    return errors


def keep_useful(weights: Floats) -> tuple[Integers, Floats]:
    """Weights with sum 1 again, after those that hardly count are dropped from their column.

    Parameters
    ----------
    weights : ndarray of shape (n_columns, n_methods)
        With sum 1 in each column, of which the largest always stays.

    Returns
    -------
    kept : ndarray of int
        Positions of the methods that have a weight left.
    weights : ndarray of shape (n_columns, n_kept)
        Theirs.
    """
    useful = weights >= np.minimum(LEAST_WEIGHT, weights.max(axis=1, keepdims=True))
    kept = np.flatnonzero(useful.any(axis=0))
    left = np.ascontiguousarray(np.where(useful, weights, 0.0)[:, kept])
    return kept, left / left.sum(axis=1, keepdims=True)


def blend_fills(fills: Sequence[Floats], weights: Floats, spreads: Floats) -> Floats:
    """Weighted sums, cell by cell, of what is not far from the middle.

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
    """Weighted sums of rows, after values far from the weighted median are brought near it."""
    order = np.argsort(values, axis=1, kind="stable")
    passed = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    middle = np.take_along_axis(order, np.argmax(passed >= 0.5 * passed[:, -1:], axis=1)[:, None], axis=1)
    median = np.take_along_axis(values, middle, axis=1)
    with np.errstate(over="ignore"):
        near = np.clip(values, median - FARTHEST * spread, median + FARTHEST * spread)
        # Halves: sums of the largest numbers stay finite until they are cut off.
        total = np.zeros(len(values))
        for at in range(values.shape[1]):
            total += 0.5 * weights[:, at] * near[:, at]
        # Rounding must not move what all agree upon.
        blended: Floats = np.clip(2.0 * total, near.min(axis=1), near.max(axis=1))
    return blended


def _gram(errors: Floats) -> Floats:
    """Mean products of errors, in units of the best method's mean square."""
    cut = np.clip(errors, -LARGEST_ERROR, LARGEST_ERROR)
    # One sum after the other, and not divided among threads.
    gram: Floats = np.einsum("ci,cj->ij", cut, cut) / len(cut)
    best = float(np.diag(gram).min())
    return gram / best if best > SMALLEST_SQUARE else gram


def _shrunk(gram: Floats, n_cells: int) -> Floats:
    """The Gram matrix with correlations that few cells do not exaggerate; see ``CELLS_APART``."""
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
