"""Sums of decision trees as plain arrays: boosted trees or forests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Floats, Integers
from iim.core.patterns import Pattern
from iim.kernels.decision_trees import sum_leaves
from iim.persistence.fields import Refused, Sizes, booleans, floats, integers, real, size_of

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class DecisionTrees:
    """Trees whose leaves are added up, in single precision, one tree after the other.

    Attributes
    ----------
    n_inputs : int
        Number of input columns.
    start : float
        Initial value of the sum.
    first : ndarray of shape (n_trees,)
        The root of each tree.
    left, column, value, unknown_left : ndarray of shape (n_nodes,)
        The nodes; see :func:`~iim.kernels.decision_trees.sum_leaves`.
    """

    n_inputs: Annotated[int, size_of("inputs")]
    start: Annotated[float, real(-1e38, 1e38)]
    first: Annotated[Integers, integers("trees")]
    left: Annotated[Integers, integers("nodes", below="nodes")]
    column: Annotated[Integers, integers("nodes", below="inputs")]
    value: Annotated[Singles, floats("nodes", single=True)]
    unknown_left: Annotated[Booleans, booleans("nodes")]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse cycles and links between trees: a row passes each node at most once."""
        del sizes
        ends = np.append(self.first, self.left.size)
        if ends[0] != 0 or np.any(np.diff(ends) < 1):
            raise Refused("`DecisionTrees.first`: trees side by side are needed")
        parents = np.flatnonzero(self.left)
        end = ends[np.searchsorted(self.first, parents, "right")]
        if np.any(self.left[parents] <= parents) or np.any(self.left[parents] + 1 >= end):
            raise Refused("`DecisionTrees.left`: children after parents, in one tree, are needed")

    def are_for(self, pattern: Pattern) -> bool:
        """Whether their inputs are the known columns of a pattern."""
        return self.n_inputs == len(pattern.observed)

    def predict(self, inputs: Singles) -> Floats:
        """One value for each row; NaN is missing."""
        sums = np.full(len(inputs), self.start, np.float32)
        inputs = np.ascontiguousarray(inputs)
        sum_leaves(inputs, self.first, self.left, self.column, self.value, self.unknown_left, sums)
        return sums.astype(np.float64)
