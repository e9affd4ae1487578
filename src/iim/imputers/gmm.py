"""GMM: a Gaussian mixture of whole rows; fills are conditional means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import NUMBER, Check, one_of, real_number, whole_number
from iim.core.methods.coordinates import Coordinates, informed_rows, learn_coordinates
from iim.core.methods.kmeans import best_known, group_points
from iim.core.methods.mixture import (
    Mixture,
    begin_mixture,
    fill_block,
    improve,
    split_blocks,
    training_blocks,
)
from iim.imputers._base import Imputer
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import fitted, parameter
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT, floats, scalar

AUTO_ROWS = 8
"""Rows per column and component for ``n_components="auto"``."""

AUTO_MOST = 10
"""Most components of ``n_components="auto"``: more gained little accuracy, and took long."""

LEAST_REG_COVAR, MOST_REG_COVAR = 1e-9, 1e3
"""Smaller values do not keep covariances invertible; with larger ones the data have no effect."""

_FILL = one_of("conditional", "mean")
_REG_COVAR = Check(
    f"a number from {LEAST_REG_COVAR:g} to {MOST_REG_COVAR:g}",
    lambda value: NUMBER.accepts(value) and LEAST_REG_COVAR <= value <= MOST_REG_COVAR,
)


class GmmImputer(Imputer):
    r"""Fill with the conditional mean of a Gaussian mixture, given the known values of the row.

    Rows are modelled as draws from one of several normal distributions, learned from all known cells by
    expectation-maximisation (EM), incomplete rows included. A hole gets each component's regression on the
    known columns, averaged by the posterior probability of the components. One component is linear
    regression; several follow curves, and groups of rows with different relations. Prefer it for tables of
    some hundred rows and more with few columns, all continuous. When not: a component has about m^2 / 2
    parameters, so with many columns or few rows it overfits, and columns with few distinct values are not
    normal. Cost O(n c m^2) and O(c m^3) for every missing pattern, per iteration, for c components; memory
    O(n m).

    Parameters
    ----------
    n_components : "auto" or int, default="auto"
        Number of components; fewer if there are not as many distinct rows to initialise them. "auto" is one
        for every 8 rows per column, at least 1 and at most 10.
    fill : {"conditional", "mean"}, default="conditional"
        The prediction of a component: its conditional mean given the row's known values, or its mean (the
        "cluster average" of the IIM paper), which is much coarser.
    reg_covar : float, default=0.0001
        Added to the variance of every component in every column, as a share of the column's variance;
        from 1e-9 to 1000. Larger values are more stable for collinear columns and columns with few
        distinct values; beyond 1, fills are close to the components' means.
    scale : {"standard", "robust", "none"}, default="standard"
        How columns are brought to one scale for the k-means groups that initialise the components: by mean
        and standard deviation, by median and interquartile range, or not at all (the paper). The mixture
        itself does not depend on scales.
    max_iter : int, default=100
        Most iterations at fit.
    tol : float, default=0.001
        Tolerance: the iteration ends when it raises the mean log-likelihood of the rows by less than this.
    random_state : int, RandomState or None, default=0
        Seed of the k-means groups that initialise the components. None takes a new one for each fit.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Share of each component.
    means_ : ndarray of shape (n_components, n_columns)
        Their means in the units of the table, over the columns that had a known value at fit.
    covariances_ : ndarray of shape (n_components, n_columns, n_columns)
        Their covariances, likewise; clipped to the largest finite float.
    n_iter_ : int
        Iterations at fit; ``max_iter`` if it did not converge.

    Notes
    -----
    For known columns F and missing ones M, component c with weight w, mean :math:`\mu` and covariance
    :math:`\Sigma` has the posterior probability :math:`w_c N(x_F; \mu_F, \Sigma_{FF})`, normalised, and the
    conditional mean :math:`\mu_M + \Sigma_{MF} \Sigma_{FF}^{-1} (x_F - \mu_F)`. Learning also uses the
    conditional covariance, :math:`\Sigma_{MM} - \Sigma_{MF} \Sigma_{FF}^{-1} \Sigma_{FM}` [2]_; on
    complete tables it is scikit-learn's ``GaussianMixture``. It is initialised by k-means groups of the
    complete rows or, if these are fewer than m + 1 per component, of the rows with fewest holes. The order
    of rows has no effect. A row without any known value gets the column means. ``PAPER`` is not published:
    it was inferred from the errors that the IIM paper prints for GMM. These equal those of the column mean
    or are worse, which no mixture of several components gives, so 3 is only a guess.

    References
    ----------
    .. [1] X. Yan, W. Xiong, L. Hu, F. Wang, K. Zhao: "Missing Value Imputation Based on Gaussian Mixture
       Model for the Internet of Things", Mathematical Problems in Engineering, 2015.
    .. [2] Z. Ghahramani, M. I. Jordan: "Supervised Learning from Incomplete Data via an EM Approach",
       NIPS 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import GmmImputer
    >>> table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [4, np.nan]])
    >>> GmmImputer().fit_transform(table)[-1].round(2)
    array([4., 9.])
    """

    paper_name = "GMM"
    family = "tuple"

    PAPER: ClassVar[Mapping[str, Any]] = {
        "n_components": 3,
        "fill": "mean",
        "reg_covar": 1e-6,
        "scale": "none",
    }

    n_components: str | int = parameter(
        default="auto", check=one_of("auto") | whole_number(least=1), kw_only=False
    )
    fill: str = parameter(default="conditional", check=_FILL)
    reg_covar: float = parameter(default=0.0001, check=_REG_COVAR)
    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    max_iter: int = parameter(default=100, check=whole_number(least=1))
    tol: float = parameter(default=0.001, check=real_number(least=0.0))
    random_state: int | np.random.RandomState | None = parameter(default=0, check=RANDOM_STATE)

    _coordinates: Coordinates = fitted()
    _mixture: Mixture = fitted()
    _how: Annotated[str, scalar(_FILL)] = fitted()
    weights_: Annotated[Floats, floats("components")] = fitted()
    means_: Annotated[Floats, floats("components", "columns", any_order=True)] = fitted()
    covariances_: Annotated[Floats, floats("components", "columns", "columns", any_order=True)] = fitted()
    n_iter_: Annotated[int, COUNT] = fitted()

    @one_blas_thread()
    def _fit(self, matrix: MaskedMatrix) -> None:
        known, n_components = informed_rows(matrix), self._wanted(matrix)
        # Enough rows for a covariance of full rank in each component; EM uses the others too.
        first = best_known(known.missing, (matrix.n_columns + 1) * n_components)
        generator = np.random.default_rng(seed_from(self.random_state))
        groups = group_points(
            learn_coordinates(known, self.scale).points(known)[first],
            known.missing[first],
            n_components,
            generator,
        )
        # Always "standard": the mixture does not depend on scales, but rounding does. `scale` is for
        # groups.
        self._coordinates = learn_coordinates(known, "standard")
        points, blocks = self._coordinates.points(known), training_blocks(known.missing)
        mixture = begin_mixture(points[first], known.missing[first], groups, reg_covar=self.reg_covar)
        former = -np.inf
        with self._running("learning") as context:
            for n_iter in range(1, self.max_iter + 1):
                mixture, log_likelihood = improve(mixture, points, blocks, reg_covar=self.reg_covar)
                context.report(n_iter, self.max_iter)
                if abs(log_likelihood - former) < self.tol:
                    break
                former = log_likelihood
        self._mixture, self._how, self.n_iter_ = mixture, self.fill, n_iter
        self.weights_ = mixture.weights
        self.means_ = self._coordinates.table_units(mixture.means)
        self.covariances_ = self._coordinates.table_covariances(mixture.covariances)

    def _wanted(self, matrix: MaskedMatrix) -> int:
        if not isinstance(self.n_components, str):
            return self.n_components
        return min(max(matrix.n_rows // (AUTO_ROWS * max(matrix.n_columns, 1)), 1), AUTO_MOST)

    @one_blas_thread()
    def _fill(self, matrix: MaskedMatrix) -> Floats:
        points = self._coordinates.points(matrix)
        blocks = list(split_blocks(matrix.missing))
        with self._running("filling") as context:
            for at, block in enumerate(blocks):
                known = points[np.ix_(block.rows, block.observed)]
                fills = fill_block(self._mixture, block, known, how=self._how)
                points[np.ix_(block.rows, block.targets)] = fills
                context.report(at + 1, len(blocks))
        return self._coordinates.fill(matrix, points)
