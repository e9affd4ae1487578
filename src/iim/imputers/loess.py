"""LOESS: a regression over the nearest donors of each incomplete row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import one_of, real_number, whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.neighbors import KnownValues, index_values, nearest_donors
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._declaring import parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer
from iim.kernels.local import fit_local_block


class LoessImputer(PatternImputer):
    """Fill with the prediction of a local regression over the nearest rows.

    For each hole, a small ridge regression is learned from the nearest donors of the incomplete row,
    weighted by distance. Prefer it for smooth relations that are locally linear. When not: near the edge of
    the data, and with few neighbours in many columns, extrapolation gives large errors. Cost per hole: a
    search of k neighbours and O(k m^2) to learn, at transform.

    Parameters
    ----------
    n_neighbors : int, default=50
        How many donors each regression is learned from. More lower the variance, fewer the bias; it should
        be well above the number of columns.
    weights : {"tricube", "uniform"}, default="tricube"
        Kernel of the weights: (1 - (d/h)^3)^3 with bandwidth h, the distance of the farthest donor, or
        equal weights (the paper). If all are equally far, weights are equal.
    alpha : float, default=0.001
        Ridge weight, on scaled columns. Larger values stabilise regressions in sparse regions.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge penalises: the slopes only, or the intercept too (the paper's formula).
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances and ridge: by mean and standard deviation, by median
        and interquartile range, or not at all (the paper).

    References
    ----------
    .. [1] W. S. Cleveland, C. Loader: "Smoothing by Local Regression: Principles and Methods", in
       Statistical Theory and Computational Aspects of Smoothing, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import LoessImputer
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
    n_neighbors: int = parameter(default=50, check=whole_number(least=1), kw_only=False)
    weights: str = parameter(default="tricube", check=one_of("tricube", "uniform"))
    alpha: float = parameter(default=0.001, check=real_number(least=0.0))
    penalty: str = parameter(default="slopes", check=one_of("slopes", "all"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> KnownValues:
        del problem, context
        return index_values(donors.points, donors.targets)

    def _predict(
        self, model: KnownValues, points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del receivers
        values = np.empty(points.shape[0])

        def work(first: int, stop: int) -> None:
            # Neighbours are held for one block at a time: memory does not grow with rows times k.
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
