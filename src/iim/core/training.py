"""The table that is learned from."""

from __future__ import annotations

from dataclasses import dataclass, field

from iim._arrays import Floats
from iim.core.library import ModelLibrary
from iim.core.manners import Manner
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
    manners : ModelLibrary
        How columns are filled best, as far as that was found out: by pattern, from all other columns.
    """

    matrix: MaskedMatrix
    scaling: Scaling
    means: Floats
    settings: Settings
    manners: ModelLibrary[Manner] = field(default_factory=lambda: ModelLibrary({}), compare=False)


def train(matrix: MaskedMatrix, settings: Settings) -> Training:
    """Take in a table; learn its scales and means."""
    return Training(matrix, learn_scaling(matrix, settings.scale), column_means(matrix), settings)
