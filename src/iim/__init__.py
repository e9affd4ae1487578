"""Fill missing numbers in tables: a small model for each row, averaged over the nearest rows.

Names are imported on first access, so that ``import iim`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from iim.imputers import METHODS

if TYPE_CHECKING:
    # For type checkers and editors; `make listings` writes it from the table below.
    from iim.comparing import compare as compare
    from iim.core.settings import PAPER as PAPER
    from iim.diagnosing import diagnose as diagnose
    from iim.exceptions import FallbackWarning as FallbackWarning
    from iim.exceptions import ImputationWarning as ImputationWarning
    from iim.exceptions import InvalidParameter as InvalidParameter
    from iim.exceptions import MissingDependency as MissingDependency
    from iim.exceptions import UnusableCell as UnusableCell
    from iim.exceptions import UnusableFile as UnusableFile
    from iim.exceptions import UnusableTable as UnusableTable
    from iim.imputers.auto import AutoImputer as AutoImputer
    from iim.imputers.blr import BlrImputer as BlrImputer
    from iim.imputers.eracer import EracerImputer as EracerImputer
    from iim.imputers.files import load as load
    from iim.imputers.glr import GlrImputer as GlrImputer
    from iim.imputers.gmm import GmmImputer as GmmImputer
    from iim.imputers.ifc import IfcImputer as IfcImputer
    from iim.imputers.iim import IIMImputer as IIMImputer
    from iim.imputers.ills import IllsImputer as IllsImputer
    from iim.imputers.knn import KnnImputer as KnnImputer
    from iim.imputers.knne import KnneImputer as KnneImputer
    from iim.imputers.loess import LoessImputer as LoessImputer
    from iim.imputers.mean import MeanImputer as MeanImputer
    from iim.imputers.pmm import PmmImputer as PmmImputer
    from iim.imputers.svd import SvdImputer as SvdImputer
    from iim.imputers.xgb import XgbImputer as XgbImputer
    from iim.reporting import report as report
    from iim.reporting import summarize as summarize
    from iim.versions import show_versions as show_versions

__version__ = "0.1.0"

_HOME_OF = {
    "FallbackWarning": "iim.exceptions",
    "ImputationWarning": "iim.exceptions",
    "InvalidParameter": "iim.exceptions",
    "MissingDependency": "iim.exceptions",
    "PAPER": "iim.core.settings",
    "UnusableCell": "iim.exceptions",
    "UnusableFile": "iim.exceptions",
    "UnusableTable": "iim.exceptions",
    "compare": "iim.comparing",
    "diagnose": "iim.diagnosing",
    "load": "iim.imputers.files",
    "report": "iim.reporting",
    "samples": "iim.samples",
    "show_versions": "iim.versions",
    "summarize": "iim.reporting",
    **METHODS.homes(),
}

# `make listings` writes it, too.
__all__ = [
    "METHODS",
    "PAPER",
    "AutoImputer",
    "BlrImputer",
    "EracerImputer",
    "FallbackWarning",
    "GlrImputer",
    "GmmImputer",
    "IIMImputer",
    "IfcImputer",
    "IllsImputer",
    "ImputationWarning",
    "InvalidParameter",
    "KnnImputer",
    "KnneImputer",
    "LoessImputer",
    "MeanImputer",
    "MissingDependency",
    "PmmImputer",
    "SvdImputer",
    "UnusableCell",
    "UnusableFile",
    "UnusableTable",
    "XgbImputer",
    "__version__",
    "compare",
    "diagnose",
    "load",
    "report",
    "samples",
    "show_versions",
    "summarize",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'iim' has no attribute {name!r}")
    home = import_module(_HOME_OF[name])
    value = home if home.__name__ == f"iim.{name}" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
