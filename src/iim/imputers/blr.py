"""BLR: Bayesian linear regression, a draw of the model and of the value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.posterior import PosteriorDraw
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.core.uncertainty.row_draws import row_normals
from iim.imputers._drawing import DrawingImputer


class BlrImputer(DrawingImputer):
    """Fill a draw from a Bayesian linear regression, as ``norm`` of the R package mice does.

    Coefficients and noise are drawn from their posterior, then the value from the model so drawn. A filled
    column keeps its spread, and fills with different ``random_state`` differ as much as the data leave
    open: that is what multiple imputation needs. As a single best guess a draw is worse than its mean:
    prefer GLR, or raise ``draws``, if small errors are what counts. Cost: as GLR.

    Parameters
    ----------
    draws : int, default=1
        How many draws are averaged. One keeps the spread of the column; many come close to GLR.
    ridge : float, default=1e-05
        Share of the diagonal of X'X added to it, so that dependent columns do not break the regression.
        0.001 or more biases noticeably; 0 is plain least squares.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation, by median and interquartile
        range, or not at all. Hardly matters here.
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
    random_state : int, RandomState or None, default=0
        Where the draws come from: the same number, the same fills; None draws anew at every fit.
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
    The model is drawn once per combination of known columns and missing column, from a generator seeded
    by (``random_state``, F, A); the noise of a row by (``random_state``, the row's known values, A). The
    same row gets the same fill in any batch. So rows that know the same values get the same fill: where the
    known columns take few values, so do the filled ones, and their spread is not kept. A row that knows
    nothing gets a draw around the column mean.

    References
    ----------
    .. [1] D. B. Rubin: "Multiple Imputation for Nonresponse in Surveys", Wiley, 1987.
    .. [2] S. van Buuren, K. Groothuis-Oudshoorn: "mice: Multivariate Imputation by Chained Equations in R",
       Journal of Statistical Software 45(3), 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import BlrImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, np.nan]])
    >>> BlrImputer(ridge=0.0).fit_transform(table)[-1].round(6)  # an exact law leaves nothing open
    array([3., 7.])
    """

    paper_name = "BLR"
    family = "attribute"

    def __init__(
        self,
        draws: int = 1,
        *,
        ridge: float = 1e-5,
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
        random_state: int | np.random.RandomState | None = 0,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.draws = draws
        self.ridge = ridge
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
        self.random_state = random_state
        self.progress = progress

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> tuple[PosteriorDraw, ...]:
        del context
        return self._draw_models(problem, donors)[1]

    def _predict(
        self, model: tuple[PosteriorDraw, ...], points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del context
        noise = row_normals(self._seed, receivers.pattern.target, receivers.known, len(model))
        total = np.zeros(noise.shape[0])
        for at, drawn in enumerate(model):
            total += drawn.line.predict(points) + drawn.sigma * noise[:, at]
        return total / len(model)
