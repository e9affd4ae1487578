"""GLR: one global linear regression of a column on the known ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from iim._arrays import Floats
from iim._checks import one_of, real_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.methods.linear import Line, learn_line
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._declaring import fitted, parameter
from iim.imputers._patterns import PatternImputer, Solution


class GlrImputer(PatternImputer):
    """Fill with the prediction of one linear regression over all rows.

    Prefer it where one linear formula holds for the whole table; it is fast and extrapolates. When not: if
    the relation differs from region to region (heterogeneous data), it fits none of them. Cost: O(n m^2)
    per pattern to learn, O(m) per hole to fill.

    Parameters
    ----------
    alpha : float, default=0.001
        Ridge weight, on scaled columns. With more rows than columns it has little effect; larger values
        keep nearly collinear columns from getting large slopes of opposite sign.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge penalises: the slopes only, or the intercept too (the paper's formula).
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before the ridge: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).

    Notes
    -----
    Equal to IIM with all donors as learning neighbours (Proposition 2 of the IIM paper). With
    ``penalty="slopes"`` it is scikit-learn's ``Ridge`` on the scaled columns, with "all"
    ``Ridge(fit_intercept=False)`` on a column of ones beside them.

    References
    ----------
    .. [1] R. J. A. Little: "Regression with Missing X's: A Review", Journal of the American Statistical
       Association 87(420), 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import GlrImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, np.nan]])
    >>> GlrImputer(alpha=0).fit_transform(table)[-1].round(6)
    array([3., 7.])
    """

    paper_name = "GLR"
    family = "attribute"
    PAPER: ClassVar[Mapping[str, Any]] = {**PatternImputer.PAPER, "penalty": "all"}

    alpha: float = parameter(default=0.001, check=real_number(least=0.0), kw_only=False)
    penalty: str = parameter(default="slopes", check=one_of("slopes", "all"))

    _models: ModelCache[Solution[Line]] = fitted()

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Line:
        del problem, context
        return learn_line(
            donors.points, donors.targets, alpha=self._fixed.alpha, penalty=self._fixed.penalty
        )

    def _predict(self, model: Line, points: Floats, receivers: Receivers, context: Context) -> Floats:
        del receivers, context
        return model.predict(points)
