"""ERACER: a regression on the row's own columns and on its neighbours' values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import one_of, real_number, whole_number
from iim.core.arithmetic.row_products import averaged
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.methods.linear import Line, learn_line
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import KnownValues, index_donors, index_values, nearest_other_donors
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues, TargetScale
from iim.imputers._declaring import fitted, parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer, Solution
from iim.persistence.fields import COUNT


@dataclass(frozen=True)
class Relations:
    """The regression, the donors for its neighbour means, and its number of iterations."""

    scale: TargetScale
    donors: KnownValues
    line: Line
    n_rounds: Annotated[int, COUNT]

    n_more_slopes: ClassVar[int] = 1
    """Inputs of the regression in addition to the known columns."""


class EracerImputer(PatternImputer):
    """Fill by a regression on the row's known columns and on the mean value of its nearest rows.

    The inputs are the row's other values, as in a global regression, and the mean of its neighbours in the
    column to fill, as in kNN. Neighbours' missing values are estimated too: fills and regression are
    iterated until convergence. Prefer it where both a regression and neighbours predict the column. When
    not: it fits one formula to all rows. Cost: a search of k neighbours for every row at fit, O(n m^2) per
    iteration; per hole a search of k neighbours.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many of the nearest other rows are averaged.
    alpha : float, default=0.001
        Ridge weight, on scaled columns.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge penalises: the slopes only, or the intercept too (the IIM paper's formula).
    max_iter : int, default=20
        Most iterations.
    tol : float, default=0.001
        Tolerance: the iteration ends when the root mean square change of the estimates is at most this, in
        the scaled unit of the column.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances and ridge: by mean and standard deviation, by median
        and interquartile range, or not at all (the paper).

    Attributes
    ----------
    n_iter_ : int
        Iterations of the slowest pattern that ``fit`` learned; 1 if there was none.

    Notes
    -----
    ``fit`` iterates over the rows of its own table, then freezes the regression. Rows are filled in one
    pass, from the known values of their nearest donors.

    References
    ----------
    .. [1] C. Mayfield, J. Neville, S. Prabhakar: "ERACER: A Database Approach for Statistical Inference and
       Data Cleaning", ACM SIGMOD International Conference on Management of Data, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import EracerImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [4, np.nan]])
    >>> EracerImputer(n_neighbors=2, alpha=0).fit_transform(table)[-1].round(6)
    array([4., 9.])
    """

    paper_name = "ERACER"
    family = "attribute"
    PAPER: ClassVar[Mapping[str, Any]] = {**PatternImputer.PAPER, "penalty": "all"}

    n_neighbors: int = parameter(default=10, check=whole_number(least=1), kw_only=False)
    alpha: float = parameter(default=0.001, check=real_number(least=0.0))
    penalty: str = parameter(default="slopes", check=one_of("slopes", "all"))
    max_iter: int = parameter(default=20, check=whole_number(least=1))
    tol: float = parameter(default=0.001, check=real_number(least=0.0))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    _models: ModelCache[Solution[Relations]] = fitted()
    n_iter_: Annotated[int, COUNT] = fitted()

    def _end(self, context: Context) -> None:
        super()._end(context)
        self.n_iter_ = max([solved.model.n_rounds for solved in self._models.kept.values()], default=1)

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Relations:
        matrix = self._source.matrix
        scale = self._source.target_scale(problem.pattern.target, donors.exponent)
        knows = ~matrix.missing[:, list(problem.observed)].any(axis=1)
        waiting = np.flatnonzero(knows & matrix.missing[:, problem.pattern.target])
        others = self._source.scaling.coordinates(matrix.values[waiting], problem.observed)
        means = _NeighborMeans(np.vstack([donors.points, others]), self._fixed.n_neighbors, context)
        indexed = index_values(donors.points, donors.targets)
        estimates = self._near_mean(indexed, others, context)
        n_rounds, step, moved = 0, 1.0, np.inf
        while n_rounds < self._fixed.max_iter and moved > self._fixed.tol:
            near = scale.coordinates(means.of(np.concatenate([donors.targets, estimates])))
            line = learn_line(
                np.column_stack([donors.points, near[: donors.targets.size]]),
                donors.targets,
                alpha=self._fixed.alpha,
                penalty=self._fixed.penalty,
            )
            change = line.predict(np.column_stack([others, near[donors.targets.size :]])) - estimates
            before, moved = moved, _rms(change / scale.spread)
            # Where most values are missing, estimates can oscillate: halve the step.
            step = step if moved < before else step / 2
            estimates = estimates + step * change
            n_rounds += 1
        return Relations(scale, indexed, line, n_rounds)

    def _predict(self, model: Relations, points: Floats, receivers: Receivers, context: Context) -> Floats:
        del receivers
        near = model.scale.coordinates(self._near_mean(model.donors, points, context))
        return model.line.predict(np.column_stack([points, near]))

    def _near_mean(self, donors: KnownValues, points: Floats, context: Context) -> Floats:
        return neighbors_mean(
            donors, points, n_neighbors=self._fixed.n_neighbors, weights="uniform", context=context
        )


class _NeighborMeans:
    """The nearest other rows of every row, found once, and means of values over them."""

    def __init__(self, points: Floats, n_neighbors: int, context: Context) -> None:
        tree = index_donors(points)
        near = nearest_other_donors(tree, n_neighbors=n_neighbors, context=context)
        self._near = tree.donor[near.place[tree.place]]

    def of(self, values: Floats) -> Floats:
        """Mean value of the nearest other rows of each row; a row without others gets its own."""
        return averaged(values[self._near]) if self._near.shape[1] else values


def _rms(changes: Floats) -> float:
    # Squares that overflow are infinite: not converged.
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean(changes**2))) if changes.size else 0.0
