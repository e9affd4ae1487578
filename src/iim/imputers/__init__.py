"""The methods, as scikit-learn estimators.

``METHODS`` is the registry: contract tests, docs and tools list their methods from it. A method is one
file, one row here, one test. Its class is imported on first access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iim.imputers._base import Imputer


class Methods(MutableMapping[str, type[Any]]):
    """Classes of imputers by key; users can add their own.

    Parameters
    ----------
    rows : mapping
        The module and the class of each, below this package.
    """

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows: dict[str, str | type[Any]] = dict(rows)

    def __getitem__(self, key: str) -> type[Any]:
        row = self._rows[key]
        if not isinstance(row, str):
            return row
        module, _, name = row.partition(".")
        method: type[Any] = getattr(import_module(f"{__name__}.{module}"), name)
        return method

    def __contains__(self, key: object) -> bool:
        # Without importing the class.
        return key in self._rows

    def __setitem__(self, key: str, method: type[Any]) -> None:
        self._rows[key] = method

    def __delitem__(self, key: str) -> None:
        del self._rows[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Methods({', '.join(self)})"

    def homes(self) -> dict[str, str]:
        """The module of each class of the package, by the name of the class; nothing is imported."""
        rows = [row.split(".") for row in self._rows.values() if isinstance(row, str)]
        return {name: f"{__name__}.{module}" for module, name in rows}


METHODS = Methods(
    {
        "mean": "mean.MeanImputer",
        "knn": "knn.KnnImputer",
        "knne": "knne.KnneImputer",
        "ifc": "ifc.IfcImputer",
        "gmm": "gmm.GmmImputer",
        "svd": "svd.SvdImputer",
        "ills": "ills.IllsImputer",
        "glr": "glr.GlrImputer",
        "loess": "loess.LoessImputer",
        "blr": "blr.BlrImputer",
        "eracer": "eracer.EracerImputer",
        "pmm": "pmm.PmmImputer",
        "xgb": "xgb.XgbImputer",
        "iim": "iim.IIMImputer",
        "auto": "auto.AutoImputer",
    }
)
"""Every method, by its key."""

__all__ = ["METHODS", "Imputer"]


def __getattr__(name: str) -> Any:
    homes = {**METHODS.homes(), "Imputer": f"{__name__}._base"}
    if name in homes:
        return getattr(import_module(homes[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
