"""The methods, as scikit-learn estimators.

``METHODS`` is the registry: what is listed here is what the contract tests, the docs and every tool built
on top know of. A method is one file, one row here, one test.
"""

from __future__ import annotations

from iim.imputers._base import Imputer
from iim.imputers.iim import IIMImputer
from iim.imputers.knn import KnnImputer
from iim.imputers.mean import MeanImputer

METHODS: dict[str, type[Imputer]] = {
    "mean": MeanImputer,
    "knn": KnnImputer,
    "iim": IIMImputer,
}
"""Every method, by its key."""

__all__ = ["METHODS", "IIMImputer", "Imputer", "KnnImputer", "MeanImputer"]
