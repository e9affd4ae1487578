"""Mean: every hole of a column gets the mean of its known values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.core.means import column_means
from iim.imputers._base import Imputer
from iim.matrix import MaskedMatrix


class MeanImputer(Imputer):
    """Fill the mean of the column.

    The yardstick: a method that does not beat it has learned nothing. It shrinks the spread of the column
    and breaks its relations with the others. Cost O(n m).

    Parameters
    ----------
    missing_values : number, str, None, NaN or list of these, default=np.nan
        What means "missing". NaN, None and nulls always do.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had holes at fit.
    keep_empty_features : bool, default=False
        Keep columns without any known value at fit, filled with 0, instead of dropping them.
    progress : bool or callable, default=False
        Accepted for uniformity; there is nothing to wait for.

    Attributes
    ----------
    means_ : ndarray
        Mean of each column that had a known value at fit.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    References
    ----------
    .. [1] A. Farhangfar, L. A. Kurgan, W. Pedrycz: "A Novel Framework for Imputation of Missing Values in
       Databases", IEEE Transactions on Systems, Man, and Cybernetics A 37(5), 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import MeanImputer
    >>> MeanImputer().fit_transform(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 8.0]]))
    array([[1., 4.],
           [2., 6.],
           [3., 8.]])
    """

    paper_name = "Mean"
    family = "tuple"

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.progress = progress

    def _fit(self, matrix: MaskedMatrix) -> None:
        self.means_ = column_means(matrix)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        return np.where(matrix.missing, self.means_, matrix.values)
