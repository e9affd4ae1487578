"""Mean: every hole of a column gets the mean of its known values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.column_means import column_means
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
        columns: Sequence[Any] | None = None,
        min_value: Any = None,
        max_value: Any = None,
        round_integers: bool = False,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.progress = progress

    def _fit(self, matrix: MaskedMatrix) -> None:
        self.means_ = column_means(matrix)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        return np.where(matrix.missing, self.means_, matrix.values)
