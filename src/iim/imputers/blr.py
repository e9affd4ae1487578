"""BLR: Bayesian linear regression, a draw of the model and of the value."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim._checks import whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.methods.posterior import PosteriorDraw
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.core.uncertainty.row_draws import row_normals
from iim.imputers._declaring import fitted, parameter
from iim.imputers._drawing import DrawingImputer
from iim.imputers._patterns import Solution


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
    random_state : int, RandomState or None, default=0
        Where the draws come from: the same number, the same fills; None draws anew at every fit.

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
    >>> from iim import BlrImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, np.nan]])
    >>> BlrImputer(ridge=0.0).fit_transform(table)[-1].round(6)  # an exact law leaves nothing open
    array([3., 7.])
    """

    paper_name = "BLR"
    family = "attribute"

    draws: int = parameter(default=1, check=whole_number(least=1), kw_only=False)

    _models: ModelCache[Solution[tuple[PosteriorDraw, ...]]] = fitted()

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
