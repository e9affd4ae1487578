"""Sums of decision trees: from the root of each down to a leaf, in fixed order."""

from __future__ import annotations

from typing import Any

import numpy as np

from iim._arrays import Booleans, Integers
from iim.kernels._jit import kernel


@kernel
def sum_leaves(
    inputs: Any,
    first: Integers,
    left: Integers,
    column: Integers,
    value: Any,
    unknown_left: Booleans,
    sums: Any,
) -> None:
    """Add the leaf values of each row, tree after tree, in the precision of the sums.

    Parameters
    ----------
    inputs : ndarray of shape (n_rows, n_inputs)
        NaN where missing.
    first : ndarray of shape (n_trees,)
        The root of each tree.
    left : ndarray of shape (n_nodes,)
        The left child of each node; the right one follows it. Both come after the node. 0 for a leaf.
    column : ndarray of shape (n_nodes,)
        The input that a node splits on.
    value : ndarray of shape (n_nodes,)
        The threshold of a node: smaller values go left. The value of a leaf.
    unknown_left : ndarray of shape (n_nodes,)
        Whether rows with a missing input go left.
    sums : ndarray of shape (n_rows,)
        Initial values; the leaf values are added in place.
    """
    for row in range(inputs.shape[0]):
        total = sums[row]
        for root in first:
            node = root
            while left[node] > 0:
                known = inputs[row, column[node]]
                goes_left = unknown_left[node] if np.isnan(known) else known < value[node]
                node = left[node] if goes_left else left[node] + 1
            total += value[node]
        sums[row] = total
