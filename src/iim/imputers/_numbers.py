"""What a fitted imputer makes of a table, as numbers: for those who look at fills, not for users."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._arrays import Floats
from iim.imputers._base import Imputer
from iim.imputers._containers import open_table


def fill_numbers(imputer: Imputer, X: Any) -> Floats:
    """The filled table, with every column that ``X`` has.

    Parameters
    ----------
    imputer : Imputer
        Fitted.
    X : array or frame of shape (n_rows, n_columns)
        The table.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The values that ``transform`` gives, before a narrower dtype rounds them; NaN in columns that it
        leaves out or passes through.
    """
    check_is_fitted(imputer)
    new = imputer._fill_table(open_table(imputer, X, reset=False))
    values = np.full((new.values.shape[0], len(imputer._columns_in)), np.nan)
    chosen = np.isin(new.positions, imputer._kept)
    values[:, new.positions[chosen]] = new.values[:, chosen]
    return values


def columns_of(imputer: Imputer) -> tuple[Any, ...]:
    """Names of the columns that a fitted imputer knows, in order."""
    return imputer._columns_in


def is_fitted(imputer: Imputer) -> bool:
    """Whether ``fit`` came to its end."""
    return imputer.__sklearn_is_fitted__()
