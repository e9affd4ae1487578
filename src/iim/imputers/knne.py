"""kNNE: an ensemble of kNN, each member with its own subset of columns."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from iim._arrays import Floats
from iim._checks import one_of, whole_number
from iim.core.arithmetic.row_products import averaged
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import KnownValues, index_values
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._declaring import parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer

MOST_COLUMNS = 8
"""Most known columns for ``subsets="all"``: the number of subsets doubles with each column."""


class Member(NamedTuple):
    """One kNN of the ensemble: the columns it measures distances on, and its donors."""

    columns: tuple[int, ...]
    donors: KnownValues


class KnneImputer(PatternImputer):
    """Fill with the mean of several kNN estimates, each with distances on other columns.

    An irrelevant column affects only the members that use it. Prefer it to kNN where some columns are
    noise. When not: where all columns matter, each member lacks some. Cost: as many nearest-neighbour
    searches per hole as there are members.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many donors each member averages.
    subsets : {"leave-one-out", "all"}, default="leave-one-out"
        The members: one without each known column; or one for each subset of known columns (with more than
        8 known columns, "leave-one-out" is used). A single known column makes a single member: plain kNN.
    weights : {"uniform", "distance"}, default="uniform"
        Whether the donors of a member have the same weight, or the inverse of their distance.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows with a known value, if that is less), known
        columns are dropped one by one, first the one whose removal makes the most donors available. With
        none left, the fill is the column mean. "auto" is ``2 * n_neighbors``.

    References
    ----------
    .. [1] C. Domeniconi, B. Yan: "Nearest Neighbor Ensemble", International Conference on Pattern
       Recognition (ICPR), 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import KnneImputer
    >>> table = np.array([[0, 5, 10.0], [1, 5, 20], [8, 1, 90], [9, 0, 100], [1, 1, np.nan]])
    >>> KnneImputer(n_neighbors=1).fit_transform(table)[-1]  # near row 1 by x0, near row 2 by x1
    array([ 1.,  1., 55.])
    """

    paper_name = "kNNE"
    family = "tuple"

    _learns_ahead = False
    n_neighbors: int = parameter(default=10, check=whole_number(least=1), kw_only=False)
    subsets: str = parameter(default="leave-one-out", check=one_of("leave-one-out", "all"))
    weights: str = parameter(default="uniform", check=one_of("uniform", "distance"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    def _wanted_donors(self, n_columns: int) -> int:
        del n_columns
        return 2 * int(self.n_neighbors)  # numpy's small integers would overflow

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> tuple[Member, ...]:
        del context
        return tuple(
            Member(columns, index_values(donors.points[:, columns], donors.targets))
            for columns in column_subsets(len(problem.observed), self._fixed.subsets)
        )

    def _predict(
        self, model: tuple[Member, ...], points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del receivers
        means = [
            neighbors_mean(
                member.donors,
                np.ascontiguousarray(points[:, member.columns]),
                n_neighbors=self._fixed.n_neighbors,
                weights=self._fixed.weights,
                context=context,
            )
            for member in model
        ]
        # `averaged` stays within their range: if all are equal, rounding must not change the value.
        return averaged(np.column_stack(means))


def column_subsets(n_columns: int, which: str) -> list[tuple[int, ...]]:
    """The subsets of columns of the members."""
    if n_columns == 1:
        return [(0,)]
    if which == "all" and n_columns <= MOST_COLUMNS:
        sizes = range(1, n_columns + 1)
    else:
        sizes = range(n_columns - 1, n_columns)
    return [columns for size in sizes for columns in combinations(range(n_columns), size)]
