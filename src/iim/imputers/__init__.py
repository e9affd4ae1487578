"""The methods, as scikit-learn estimators.

``METHODS`` is the registry: what is listed here is what the contract tests, the docs and every tool built
on top know of. A method is one file, one row here, one test.
"""

from __future__ import annotations

from iim.imputers._base import Imputer
from iim.imputers.auto import AutoImputer
from iim.imputers.blr import BlrImputer
from iim.imputers.eracer import EracerImputer
from iim.imputers.glr import GlrImputer
from iim.imputers.gmm import GmmImputer
from iim.imputers.ifc import IfcImputer
from iim.imputers.iim import IIMImputer
from iim.imputers.ills import IllsImputer
from iim.imputers.knn import KnnImputer
from iim.imputers.knne import KnneImputer
from iim.imputers.loess import LoessImputer
from iim.imputers.mean import MeanImputer
from iim.imputers.pmm import PmmImputer
from iim.imputers.svd import SvdImputer
from iim.imputers.xgb import XgbImputer

METHODS: dict[str, type[Imputer]] = {
    "mean": MeanImputer,
    "knn": KnnImputer,
    "knne": KnneImputer,
    "ifc": IfcImputer,
    "gmm": GmmImputer,
    "svd": SvdImputer,
    "ills": IllsImputer,
    "glr": GlrImputer,
    "loess": LoessImputer,
    "blr": BlrImputer,
    "eracer": EracerImputer,
    "pmm": PmmImputer,
    "xgb": XgbImputer,
    "iim": IIMImputer,
    "auto": AutoImputer,
}
"""Every method, by its key."""

__all__ = [
    "METHODS",
    "AutoImputer",
    "BlrImputer",
    "EracerImputer",
    "GlrImputer",
    "GmmImputer",
    "IIMImputer",
    "IfcImputer",
    "IllsImputer",
    "Imputer",
    "KnnImputer",
    "KnneImputer",
    "LoessImputer",
    "MeanImputer",
    "PmmImputer",
    "SvdImputer",
    "XgbImputer",
]
