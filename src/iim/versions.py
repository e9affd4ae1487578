"""Versions of what matters, for bug reports and for the foot of a table of results."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from iim import __version__

PARTS = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "narwhals",
    "safetensors",
    "joblib",
    "rich",
    "pandas",
    "polars",
    "pyarrow",
    "xgboost",
    "matplotlib",
    "dask",
    "distributed",
    "pyspark",
)
"""Packages whose versions can change a result or a bug."""

WHEELS = {"xgboost": ("xgboost-cpu", "xgboost")}
"""Packages that come under more than one name."""


def own_version() -> str:
    """Version of iim itself."""
    return __version__


def versions() -> dict[str, str]:
    """Versions of iim, Python, the machine, and the packages that iim uses.

    Returns
    -------
    dict
        Versions by name; "not installed" for a missing package.
    """
    found = {
        "iim": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    for part in PARTS:
        found[part] = next(filter(None, map(_version, WHEELS.get(part, (part,)))), "not installed")
    return found


def _version(wheel: str) -> str | None:
    try:
        return version(wheel)
    except PackageNotFoundError:
        return None


def show_versions() -> None:
    """Write the versions of iim, Python and the packages that iim uses to standard output."""
    for name, text in versions().items():
        sys.stdout.write(f"{name:>13}: {text}\n")
