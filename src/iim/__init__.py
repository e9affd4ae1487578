"""Fill missing numbers in tables: each row learns its own model, the nearest rows' models vote.

Names are loaded when they are first used, so that ``import iim`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iim.core.settings import PAPER
    from iim.exceptions import (
        ImputationWarning,
        InvalidParameter,
        NotAvailable,
        UnusableCell,
        UnusableTable,
    )
    from iim.imputers import METHODS, IIMImputer
    from iim.versions import show_versions

__version__ = "0.1.0"

_HOME_OF = {
    "IIMImputer": "iim.imputers",
    "METHODS": "iim.imputers",
    "PAPER": "iim.core.settings",
    "ImputationWarning": "iim.exceptions",
    "InvalidParameter": "iim.exceptions",
    "NotAvailable": "iim.exceptions",
    "UnusableCell": "iim.exceptions",
    "UnusableTable": "iim.exceptions",
    "samples": "iim.samples",
    "show_versions": "iim.versions",
}

__all__ = [
    "METHODS",
    "PAPER",
    "IIMImputer",
    "ImputationWarning",
    "InvalidParameter",
    "NotAvailable",
    "UnusableCell",
    "UnusableTable",
    "__version__",
    "samples",
    "show_versions",
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
