"""LOESS: a regression over the nearest donors of each incomplete row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, real_number, whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.neighbors import KnownValues, index_values, nearest_donors
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer
from iim.kernels.local import fit_local_block


class LoessImputer(PatternImputer):
    """Fill what a regression over the nearest rows predicts.

    For each hole a small ridge regression is learned from the nearest donors of the incomplete row, near
    ones counting more. Prefer it for smooth dependence that a plane fits locally; near the edge of the
    data, and with few neighbours in many columns, it extrapolates wildly. Cost per hole: a search of k
    neighbours and O(k m^2) to learn, at transform time; nothing is learned ahead.

    Parameters
    ----------
    n_neighbors : int, default=50
        How many donors each regression is learned from. More are steadier, fewer follow bends; well above
        the number of columns is needed.
    weights : {"tricube", "uniform"}, default="tricube"
        How donors count: (1 - (d/h)^3)^3 with h the distance of the farthest of them, or all the same (the
        paper). If all are equally far they count the same.
    alpha : float, default=0.001
        Ridge weight, on scaled columns. More keeps regressions in sparse places calm.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge weighs on: the slopes only, or the intercept too, as the paper's formula is printed.
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
    fallbacks_ : dict
        For each column, how many missing cells of the table given to ``fit`` had to be filled with less
        than asked for, by what was given up.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    References
    ----------
    .. [1] W. S. Cleveland, C. Loader: "Smoothing by Local Regression: Principles and Methods", in
       Statistical Theory and Computational Aspects of Smoothing, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import LoessImputer
    >>> x = np.linspace(0, 3, 31)
    >>> table = np.column_stack([x, np.sin(x)])
    >>> table[15, 1] = np.nan
    >>> LoessImputer(n_neighbors=6).fit_transform(table)[15].round(2)
    array([1.5 , 0.99])
    """

    paper_name = "LOESS"
    family = "attribute"
    PAPER: ClassVar[Mapping[str, Any]] = {
        **PatternImputer.PAPER,
        "n_neighbors": 200,
        "weights": "uniform",
        "penalty": "all",
    }

    _learns_ahead = False
    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "n_neighbors": whole_number(least=1),
        "weights": one_of("tricube", "uniform"),
        "alpha": real_number(least=0.0),
        "penalty": one_of("slopes", "all"),
        "n_jobs": NUMBER_OF_JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 50,
        *,
        weights: str = "tricube",
        alpha: float = 0.001,
        penalty: str = "slopes",
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
        self.weights = weights
        self.alpha = alpha
        self.penalty = penalty
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

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> KnownValues:
        del problem, context
        return index_values(donors.points, donors.targets)

    def _predict(
        self, model: KnownValues, points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del receivers
        values = np.empty(points.shape[0])

        def work(first: int, stop: int) -> None:
            # Neighbours are found and forgotten block by block: memory does not grow with rows times k.
            queries = points[first:stop]
            near = nearest_donors(
                model.tree, queries, n_neighbors=self._fixed.n_neighbors, context=Context()
            )
            fit_local_block(
                model.tree.points,
                model.targets,
                queries,
                near.distance,
                near.place,
                self._fixed.weights == "tricube",
                float(self._fixed.alpha),
                self._fixed.penalty == "all",
                values[first:stop],
            )

        context.run(work, values.size)
        return values
