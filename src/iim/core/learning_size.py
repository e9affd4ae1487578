"""Choosing l, the number of learning neighbours: the candidates and the validation rows (Algorithm 3).

All candidates of the grid are learned and validated in one pass, donor by donor. The choice itself is
``choose`` in ``kernels/learn.py``: the least squared error on the donor's validation rows, its *judges*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iim._arrays import Integers
from iim.core.execution.context import Context
from iim.core.neighbors import nearest_other_donors
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation, judge_lists


def usable_grid(learning_grid: Sequence[int], n_donors: int, *, most: int | None = None) -> Integers:
    """The candidates up to the number of donors; if there is none, the number of donors.

    If there are more than ``most``, that many, evenly spread over the grid with both ends.
    """
    usable = sorted({candidate for candidate in learning_grid if candidate <= n_donors})
    grid = np.array(usable or [n_donors], np.intp)
    if most is None or grid.size <= most:
        return grid
    return grid[np.unique(np.linspace(0, grid.size - 1, most).astype(np.intp))]


def grid_steps(grid: Integers) -> Integers:
    """The step of the grid that each rank up to the last candidate belongs to."""
    return np.searchsorted(grid, np.arange(grid[-1]), side="right")


def find_judges(tree: Tree, grid: Integers, *, n_neighbors: int, context: Context) -> Validation:
    """Find the validation rows of each donor's models: its judges.

    If donor j were missing, the models of its nearest other donors would fill it. So the model of donor i
    is validated on all j that have i among their nearest (Algorithm 3). A donor that is among no one's
    nearest is validated on its own nearest other donors.

    Parameters
    ----------
    tree : Tree
        The donors.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours; a single one needs no validation.
    n_neighbors : int
        k.
    context : Context
        Threads and progress (donors searched for).

    Returns
    -------
    Validation
        Memory O(n k); empty lists for a single candidate.
    """
    if grid.size == 1:
        return Validation(np.zeros(tree.donor.size + 1, np.intp), np.empty(0, np.intp))
    nearest = nearest_other_donors(tree, n_neighbors=n_neighbors, context=context)
    return judge_lists(np.ascontiguousarray(nearest.place), tree.place)


def rename_judges(validation: Validation, order: Integers, name: Integers) -> Validation:
    """The same lists under another numbering of the donors.

    Parameters
    ----------
    validation : Validation
        A list of positions for each position.
    order : ndarray of shape (n_donors,)
        The former position of each list.
    name : ndarray of shape (n_donors,)
        The new number of each position.

    Returns
    -------
    Validation
        The order within each list is kept. O(n k).
    """
    lengths = np.diff(validation.first)[order]
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    within = np.arange(first[-1]) - np.repeat(first[:-1], lengths)
    judges = validation.judges[np.repeat(validation.first[order], lengths) + within]
    return Validation(first, name[judges])
