"""PMM: predictive mean matching; fills are observed values of rows with similar predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim._checks import whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.methods.mean_matching import draw_matches
from iim.core.methods.posterior import PosteriorDraw
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.core.uncertainty.row_draws import row_uniforms
from iim.imputers._declaring import fitted, parameter
from iim.imputers._drawing import DrawingImputer
from iim.imputers._patterns import Solution
from iim.persistence.fields import Refused, Sizes, floats, many, some


@dataclass(frozen=True)
class Matching:
    """Donors sorted by their predictions, with their values, and the models drawn for receivers."""

    predicted: Annotated[Floats, some(floats("donors", finite=False))]
    values: Annotated[Floats, floats("donors")]
    drawn: Annotated[tuple[PosteriorDraw, ...], many(least=1)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse predictions out of order."""
        del sizes
        if np.any(self.predicted[:-1] > self.predicted[1:]):
            raise Refused("`Matching.predicted`: increasing numbers are needed")


class PmmImputer(DrawingImputer):
    """Fill with the value of a row whose prediction is similar, as ``pmm`` of the R package mice does.

    A linear regression predicts all donors (by its estimate) and the incomplete row (by a posterior draw of
    the coefficients). The fill is the observed value of one of the donors with the closest predictions. So
    only observed values are filled in: whole numbers stay whole, bounds hold. Prefer it for multiple
    imputation of skewed, bounded or rounded columns. When not: as a single estimate, a random donor has a
    larger error than a mean. Cost: as GLR, and O(log n) per hole.

    Parameters
    ----------
    matches : int, default=5
        Number of donors with the closest predictions to draw from. More increase the variance; with 1 few
        donors are used repeatedly.
    draws : int, default=1
        How many matches are averaged. With more than one, fills need not be observed values.
    ridge : float, default=1e-05
        Ridge weight, as a share of the diagonal of X'X, for collinear columns.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation, by median and interquartile
        range, or not at all. Has little effect here.
    random_state : int, RandomState or None, default=0
        Seed of the draws: the same number gives the same fills; None draws new ones at every fit.

    Notes
    -----
    Donors with equally close predictions are drawn with equal probability. The coefficients are drawn once
    per combination of known columns F and missing column A, from a generator seeded by (``random_state``,
    F, A); the donor of a row by (``random_state``, the row's known values, A). The same row gets the same
    fill in any batch, and rows with equal known values get equal fills. So where the known columns take few
    values, so do the fills. A row without any known value gets a random known value of the column.

    References
    ----------
    .. [1] L. R. Landerman, K. C. Land, C. F. Pieper: "An Empirical Evaluation of the Predictive Mean
       Matching Method for Imputing Missing Values", Sociological Methods & Research 26(1), 1997.
    .. [2] S. van Buuren, K. Groothuis-Oudshoorn: "mice: Multivariate Imputation by Chained Equations in R",
       Journal of Statistical Software 45(3), 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import PmmImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [2.2, np.nan]])
    >>> PmmImputer(matches=1).fit_transform(table)[-1]
    array([2.2, 5. ])
    """

    paper_name = "PMM"
    family = "attribute"

    # Fills are observed values, bit for bit.
    _in_target_unit = False
    matches: int = parameter(default=5, check=whole_number(least=1), kw_only=False)

    _models: ModelCache[Solution[Matching]] = fitted()

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Matching:
        del context
        posterior, drawn = self._draw_models(problem, donors)
        predicted = posterior.line.predict(donors.points)
        values = self._source.matrix.values[problem.rows, problem.pattern.target]
        # Ties by value, so that the order of the rows has no effect.
        order = np.lexsort((values, predicted))
        return Matching(predicted[order], values[order], drawn)

    def _predict(self, model: Matching, points: Floats, receivers: Receivers, context: Context) -> Floats:
        del context
        chances = row_uniforms(self._seed, receivers.pattern.target, receivers.known, 2 * len(model.drawn))
        total = np.zeros(chances.shape[0])
        for at, drawn in enumerate(model.drawn):
            wanted = drawn.line.predict(points)
            match = draw_matches(
                model.predicted,
                wanted,
                n_matches=self._fixed.matches,
                chances=chances[:, 2 * at : 2 * at + 2],
            )
            total += model.values[match] / len(model.drawn)
        return total
