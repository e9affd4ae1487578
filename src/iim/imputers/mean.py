"""Mean: every missing cell of a column gets the mean of its known values."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.column_means import column_means
from iim.imputers._base import Imputer
from iim.imputers._declaring import fitted
from iim.matrix import MaskedMatrix
from iim.persistence.fields import floats


class MeanImputer(Imputer):
    """Fill with the mean of the column.

    The baseline for comparisons. When not: it lowers the variance of the column and its correlations with
    the others. Cost O(n m).

    Parameters
    ----------
    progress : bool or callable, default=False
        Accepted for uniformity, without effect.

    Attributes
    ----------
    means_ : ndarray
        Mean of each column that had a known value at fit.

    References
    ----------
    .. [1] A. Farhangfar, L. A. Kurgan, W. Pedrycz: "A Novel Framework for Imputation of Missing Values in
       Databases", IEEE Transactions on Systems, Man, and Cybernetics A 37(5), 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import MeanImputer
    >>> MeanImputer().fit_transform(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 8.0]]))
    array([[1., 4.],
           [2., 6.],
           [3., 8.]])
    """

    paper_name = "Mean"
    family = "tuple"

    means_: Annotated[Floats, floats("columns")] = fitted()

    def _fit(self, matrix: MaskedMatrix) -> None:
        self.means_ = column_means(matrix)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        return np.where(matrix.missing, self.means_, matrix.values)
