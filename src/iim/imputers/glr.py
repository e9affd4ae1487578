"""GLR: one global linear regression of a column on the known ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, real_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.linear import Line, learn_line
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._patterns import PatternImputer


class GlrImputer(PatternImputer):
    """Fill what one linear regression over all rows predicts.

    Prefer it where one linear law holds for the whole table, whatever the neighbours look like; it is fast
    and extrapolates. Where the law differs from region to region (heterogeneous data) it fits none of them.
    Cost: O(n m^2) per pattern to learn, O(m) per hole to fill.

    Parameters
    ----------
    alpha : float, default=0.001
        Ridge weight, on scaled columns. With more rows than columns it hardly matters; more keeps nearly
        dependent columns from getting large slopes of opposite sign.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge weighs on: the slopes only, or the intercept too, as the paper's formula is printed.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before the ridge: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).
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
    >>> from iim.imputers import GlrImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, np.nan]])
    >>> GlrImputer(alpha=0).fit_transform(table)[-1].round(6)
    array([3., 7.])
    """

    paper_name = "GLR"
    family = "attribute"
    PAPER: ClassVar[Mapping[str, Any]] = {**PatternImputer.PAPER, "penalty": "all"}

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "alpha": real_number(least=0.0),
        "penalty": one_of("slopes", "all"),
    }

    def __init__(
        self,
        alpha: float = 0.001,
        *,
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
        progress: bool | Callable[[float], None] = False,
    ) -> None:
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
        self.progress = progress

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Line:
        del problem, context
        return learn_line(
            donors.points, donors.targets, alpha=self._fixed.alpha, penalty=self._fixed.penalty
        )

    def _predict(self, model: Line, points: Floats, receivers: Receivers, context: Context) -> Floats:
        del receivers, context
        return model.predict(points)
