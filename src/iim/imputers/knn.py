"""kNN: the mean of the nearest donors' values."""

from __future__ import annotations

from iim._arrays import Floats
from iim._checks import one_of, whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import KnownValues, index_values
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._declaring import parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer


class KnnImputer(PatternImputer):
    """Fill with the mean of the k nearest rows with a known value.

    Distances use the known columns of the incomplete row. Prefer it where similar rows have similar values.
    When not: if no near row has a similar value (sparse data), fills are biased towards the values of the
    rows there are. Cost: a nearest-neighbour search per hole, memory O(n (m + k)). scikit-learn's
    ``KNNImputer`` gives the same values for a single incomplete column, in time and memory that grow with
    n squared.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many donors are averaged. More lower the variance, fewer the bias.
    weights : {"uniform", "distance"}, default="uniform"
        Whether all donors have the same weight, or the inverse of their distance.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows with a known value, if that is less), known
        columns are dropped one by one, first the one whose removal makes the most donors available. With
        none left, the fill is the column mean. "auto" is ``2 * n_neighbors``.

    Notes
    -----
    Equal to IIM with a single learning neighbour, equal votes and ``distance="scaled"`` (Proposition 1 of
    the IIM paper).

    References
    ----------
    .. [1] N. S. Altman: "An Introduction to Kernel and Nearest-Neighbor Nonparametric Regression",
       The American Statistician 46(3), 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import KnnImputer
    >>> table = np.array([[0, 10.0], [1, 20], [8, 90], [9, 100], [2, np.nan]])
    >>> KnnImputer(n_neighbors=2).fit_transform(table)[-1]
    array([ 2., 15.])
    """

    paper_name = "kNN"
    family = "tuple"

    _learns_ahead = False
    n_neighbors: int = parameter(default=10, check=whole_number(least=1), kw_only=False)
    weights: str = parameter(default="uniform", check=one_of("uniform", "distance"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    def _wanted_donors(self, n_columns: int) -> int:
        del n_columns
        return 2 * int(self.n_neighbors)  # numpy's small integers would overflow

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> KnownValues:
        del problem, context
        return index_values(donors.points, donors.targets)

    def _predict(
        self, model: KnownValues, points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del receivers
        return neighbors_mean(
            model,
            points,
            n_neighbors=self._fixed.n_neighbors,
            weights=self._fixed.weights,
            context=context,
        )
