"""Choosing how many neighbours to learn from: the candidates, and who judges them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iim._arrays import Integers
from iim.core.neighbors import nearest_other_donors
from iim.core.workers import Progress, Workers
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation, judged_lists


def usable_grid(learning_grid: Sequence[int], n_donors: int) -> Integers:
    """The candidates that the donors suffice for; if none is small enough, all donors."""
    usable = sorted({candidate for candidate in learning_grid if candidate <= n_donors})
    return np.array(usable or [n_donors], np.intp)


def grid_steps(grid: Integers) -> Integers:
    """The step of the grid that each rank up to the last candidate belongs to."""
    return np.searchsorted(grid, np.arange(grid[-1]), side="right")


def judge_lists(
    tree: Tree, *, n_neighbors: int, workers: Workers, progress: Progress | None = None
) -> Validation:
    """Find the donors that each donor's models are judged on.

    Donor j is imputed, as a trial, by the models of its nearest other donors; so donor i is judged on
    all j that have i among their nearest (Algorithm 2). A donor that is nobody's neighbour is judged on
    its own nearest other donors.

    Parameters
    ----------
    tree : Tree
        The donors.
    n_neighbors : int
        k.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the donors whose judges are found.

    Returns
    -------
    Validation
        Memory O(n k).
    """
    nearest = nearest_other_donors(tree, n_neighbors=n_neighbors, workers=workers, progress=progress)
    return judged_lists(np.ascontiguousarray(nearest.place), tree.place)


def rename_judges(validation: Validation, order: Integers, name: Integers) -> Validation:
    """The same lists, sorted and called otherwise.

    Parameters
    ----------
    validation : Validation
        Lists of positions, one for each position.
    order : ndarray of shape (n_donors,)
        The former position of each list.
    name : ndarray of shape (n_donors,)
        What each position is called now.

    Returns
    -------
    Validation
        Each list in its own order. O(n k).
    """
    lengths = np.diff(validation.first)[order]
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    within = np.arange(first[-1]) - np.repeat(first[:-1], lengths)
    judged = validation.judged[np.repeat(validation.first[order], lengths) + within]
    return Validation(first, name[judged])
