"""BLR: Bayesian linear regression; draws a model from the posterior, then the value."""

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
    """Fill with a draw from a Bayesian linear regression, as ``norm`` of the R package mice does.

    Coefficients and residual variance are drawn from their posterior, then the value from that model. So a
    filled column keeps its variance, and fills with different ``random_state`` differ by their uncertainty,
    as multiple imputation requires. As a single estimate, a draw has a larger error than the mean: for
    small errors prefer GLR, or more ``draws``. Cost: as GLR.

    Parameters
    ----------
    draws : int, default=1
        How many draws are averaged. One keeps the variance of the column; many come close to GLR.
    ridge : float, default=1e-05
        Ridge weight, as a share of the diagonal of X'X, for collinear columns.
        0.001 or more biases noticeably; 0 is plain least squares.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation, by median and interquartile
        range, or not at all. Has little effect here.
    random_state : int, RandomState or None, default=0
        Seed of the draws: the same number gives the same fills; None draws new ones at every fit.

    Notes
    -----
    The model is drawn once per combination of known columns F and missing column A, from a generator seeded
    by (``random_state``, F, A); the residual of a row by (``random_state``, the row's known values, A). The
    same row gets the same fill in any batch, and rows with equal known values get equal fills. So where the
    known columns take few values, the variance of the filled column is not kept. A row without any known
    value gets a draw around the column mean.

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
    >>> BlrImputer(ridge=0.0).fit_transform(table)[-1].round(6)  # no residual variance: draws are equal
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
