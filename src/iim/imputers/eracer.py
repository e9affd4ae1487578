"""ERACER: a regression on the row's own columns and on its neighbours' values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, real_number, whole_number
from iim.core.arithmetic.row_products import averaged
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.linear import Line, learn_line
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import KnownValues, index_donors, index_values, nearest_other_donors
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues, TargetScale
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer


@dataclass(frozen=True)
class Relations:
    """The regression, the donors whose values it asks for, and the rounds it took."""

    scale: TargetScale
    donors: KnownValues
    line: Line
    n_rounds: int


class EracerImputer(PatternImputer):
    """Fill by a regression on the row's known columns and on the mean value of its nearest rows.

    The value to fill depends on the row's other values, as in a global regression, and on what the rows
    near it have in that column, as in kNN. Values that the neighbours miss themselves are estimated too:
    all are refilled and the regression learned again until nothing changes. Prefer it where both the law
    and the neighbours tell something; it still is one law for all rows. Cost: a search of k neighbours for
    every row at fit, O(n m^2) per round; per hole a search of k neighbours.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many of the nearest other rows are averaged.
    alpha : float, default=0.001
        Ridge weight, on scaled columns.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge weighs on: the slopes only, or the intercept too, as the IIM paper's formula is
        printed.
    max_iter : int, default=20
        Rounds at most.
    tol : float, default=0.001
        Rounds end when the estimates' root mean square change is at most this, in the scaled unit of
        the column.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances and ridge: by mean and standard deviation, by median
        and interquartile range, or not at all (the paper).
    donors : {"available", "complete"}, default="available"
        Which rows may be donors: those that know the columns at hand, or only those without any hole.
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows that know the value, if that is less), known
        columns are given up one by one, the one that frees most donors first; with none left, the column
        mean is used. "auto" is 20, or twice the number of columns if that is more.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        What means "missing". NaN, None and nulls always do.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had holes at fit.
    keep_empty_features : bool, default=False
        Keep columns without any known value at fit, filled with 0 (or the nearest value within bounds),
        instead of dropping them.
    columns : sequence of str or int, or None, default=None
        Columns to fill and to learn from, by name or position; None means all. The others may hold
        anything (text, dates), pass through untouched, and play no part in a fill.
    min_value, max_value : number, "observed", sequence, dict or None, default=None
        Bounds of what is filled in: one for all columns, one for each column of the table, or a dict from
        names or positions of columns to bounds. "observed" is the smallest or largest known value at fit,
        None no bound. Known cells may lie outside.
    round_integers : bool, default=False
        Fill columns whose known values at fit are whole numbers with whole numbers; columns of integers
        and booleans then keep their type.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. Never changes a fill.
    progress : bool or callable, default=False
        True shows a line on the terminal for calls longer than a second; a callable gets a number from
        0 to 1.

    Attributes
    ----------
    n_iter_ : int
        Rounds until nothing changed, of the slowest pattern that ``fit`` learned; 1 if there was none.
    fallbacks_ : dict
        For each column, how many missing cells of the table given to ``fit`` had to be filled with less
        than asked for, by what was given up.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Notes
    -----
    ``fit`` iterates over the rows of its own table and freezes the regression; any row is then filled in
    one pass, from the known values of its nearest donors.

    References
    ----------
    .. [1] C. Mayfield, J. Neville, S. Prabhakar: "ERACER: A Database Approach for Statistical Inference and
       Data Cleaning", ACM SIGMOD International Conference on Management of Data, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import EracerImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [4, np.nan]])
    >>> EracerImputer(n_neighbors=2, alpha=0).fit_transform(table)[-1].round(6)
    array([4., 9.])
    """

    paper_name = "ERACER"
    family = "attribute"
    PAPER: ClassVar[Mapping[str, Any]] = {**PatternImputer.PAPER, "penalty": "all"}

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "n_neighbors": whole_number(least=1),
        "alpha": real_number(least=0.0),
        "penalty": one_of("slopes", "all"),
        "max_iter": whole_number(least=1),
        "tol": real_number(least=0.0),
        "n_jobs": NUMBER_OF_JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        alpha: float = 0.001,
        penalty: str = "slopes",
        max_iter: int = 20,
        tol: float = 0.001,
        scale: str = "standard",
        donors: str = "available",
        min_donors: str | int = "auto",
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        columns: Sequence[Any] | None = None,
        min_value: Any = None,
        max_value: Any = None,
        round_integers: bool = False,
        n_jobs: int | None = -1,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.scale = scale
        self.donors = donors
        self.min_donors = min_donors
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.n_jobs = n_jobs
        self.progress = progress

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
            # Where most values are missing, estimates can chase each other: smaller steps end that.
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
    # Changes beyond all squares are infinite: not the end yet.
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean(changes**2))) if changes.size else 0.0
