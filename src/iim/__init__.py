"""Fill missing numbers in tables: each row learns its own model, the nearest rows' models vote.

Names are loaded when they are first used, so that ``import iim`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iim.comparing import compare
    from iim.core.settings import PAPER
    from iim.diagnosing import diagnose
    from iim.exceptions import (
        FallbackWarning,
        ImputationWarning,
        InvalidParameter,
        MissingDependency,
        UnusableCell,
        UnusableFile,
        UnusableTable,
    )
    from iim.imputers import (
        METHODS,
        AutoImputer,
        BlrImputer,
        EracerImputer,
        GlrImputer,
        GmmImputer,
        IfcImputer,
        IIMImputer,
        IllsImputer,
        KnneImputer,
        KnnImputer,
        LoessImputer,
        MeanImputer,
        PmmImputer,
        SvdImputer,
        XgbImputer,
    )
    from iim.imputers.files import load
    from iim.reporting import report, summarize
    from iim.versions import show_versions

__version__ = "0.1.0"

_HOME_OF = {
    "AutoImputer": "iim.imputers",
    "BlrImputer": "iim.imputers",
    "EracerImputer": "iim.imputers",
    "FallbackWarning": "iim.exceptions",
    "GlrImputer": "iim.imputers",
    "GmmImputer": "iim.imputers",
    "IIMImputer": "iim.imputers",
    "IfcImputer": "iim.imputers",
    "IllsImputer": "iim.imputers",
    "ImputationWarning": "iim.exceptions",
    "InvalidParameter": "iim.exceptions",
    "KnnImputer": "iim.imputers",
    "KnneImputer": "iim.imputers",
    "LoessImputer": "iim.imputers",
    "METHODS": "iim.imputers",
    "MeanImputer": "iim.imputers",
    "MissingDependency": "iim.exceptions",
    "PAPER": "iim.core.settings",
    "PmmImputer": "iim.imputers",
    "SvdImputer": "iim.imputers",
    "UnusableCell": "iim.exceptions",
    "UnusableFile": "iim.exceptions",
    "UnusableTable": "iim.exceptions",
    "XgbImputer": "iim.imputers",
    "compare": "iim.comparing",
    "diagnose": "iim.diagnosing",
    "experiments": "iim.experiments",
    "load": "iim.imputers.files",
    "report": "iim.reporting",
    "samples": "iim.samples",
    "show_versions": "iim.versions",
    "summarize": "iim.reporting",
}

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
    "experiments",
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
