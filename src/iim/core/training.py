"""The table that is learned from."""

from __future__ import annotations

from dataclasses import dataclass

from iim._arrays import Floats
from iim.core.means import column_means
from iim.core.scaling import Scaling, learn_scaling
from iim.core.settings import Settings
from iim.matrix import MaskedMatrix


@dataclass(frozen=True)
class Training:
    """The table that is learned from, and what holds for all its patterns.

    Attributes
    ----------
    matrix : MaskedMatrix
        The table; every column has a known value.
    scaling : Scaling
        Of its columns.
    means : ndarray of shape (n_columns,)
        Mean of each column's known values: the last resort.
    settings : Settings
        All decisions.
    """

    matrix: MaskedMatrix
    scaling: Scaling
    means: Floats
    settings: Settings


def train(matrix: MaskedMatrix, settings: Settings) -> Training:
    """Take in a table; learn its scales and means."""
    return Training(matrix, learn_scaling(matrix, settings.scale), column_means(matrix), settings)
