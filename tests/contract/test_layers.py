"""One direction: kernels, core, imputers, everything above; table and core do not know each other."""

import ast
import sys
from importlib.util import resolve_name
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "iim"
MODULES = {path.stem for path in PACKAGE.iterdir()}

MAY_IMPORT = {
    "_arrays": {"numpy"},
    "exceptions": set(),
    "_checks": {"numpy", "iim.exceptions"},
    "matrix": {"numpy", "iim._arrays"},
    "kernels": {"numpy", "numba", "iim.kernels", "iim._arrays"},
    "core": {"numpy", "scipy", "iim.core", "iim.kernels", "iim._arrays", "iim.matrix", "iim.exceptions"},
    "table": {
        "numpy",
        "narwhals",
        "iim.table",
        "iim._arrays",
        "iim._checks",
        "iim.matrix",
        "iim.exceptions",
    },
    "keeping": {
        "numpy",
        "safetensors",
        # Its null, which can be among a user's missing values, is put back if it is there.
        "pandas",
        "iim.keeping",
        "iim._arrays",
        "iim._checks",
        "iim.exceptions",
    },
    "files": {
        "numpy",
        "pyarrow",
        "iim.files",
        "iim._arrays",
        "iim._checks",
        "iim._showing",
        "iim.exceptions",
        "iim.matrix",
        "iim.table",
        "iim.keeping",
    },
    "_names": {"iim._checks", "iim.exceptions"},
    "_showing": set(),
    "removing": {"numpy", "iim._arrays", "iim._checks", "iim.exceptions", "iim.matrix", "iim.core"},
    "scoring": {"numpy", "iim._arrays", "iim._checks", "iim.exceptions", "iim.matrix", "iim.core"},
}
"""All that a lower part may import, besides the standard library."""

ONLY_IN = {
    "narwhals": {"table", "samples"},
    "pandas": {"keeping", "adapters"},
    "polars": set(),
    "dask": {"adapters"},
    "distributed": {"adapters"},
    "fsspec": {"adapters"},
    "pyspark": {"adapters"},
    # The experiments download, cluster and classify with it; adapters clone imputers, and ask if they are
    # fitted.
    "sklearn": {"imputers", "experiments", "adapters"},
    "joblib": {"imputers"},
    "threadpoolctl": {"imputers", "experiments"},
    "xgboost": {"imputers"},
    "safetensors": {"keeping"},
    "matplotlib": {"comparing", "experiments"},
    "pyarrow": {"files", "adapters"},
    "typer": {"cli"},
    "rich": {"cli"},
    "jinja2": {"reporting", "experiments"},
    "markupsafe": {"reporting", "experiments"},
    "iim.imputers": {
        "imputers",
        "adapters",
        "comparing",
        "diagnosing",
        "reporting",
        "experiments",
        "cli",
        "__init__",
        "compile",
        "demo",
    },
    # Imputers on other machines: whoever wants them imports them, and nobody else has to have the engines.
    "iim.adapters": {"adapters", "cli"},
    # Above all that computes: only the front page and what stands on it know of reports.
    "iim.reporting": {"reporting", "__init__", "cli"},
    # Above reports, too: they are made with all the rest, and nothing else needs them.
    "iim.experiments": {"experiments", "cli", "__init__"},
    # The names of the front page, which stand above everything: `from iim import IIMImputer`.
    "iim.__init__": {"demo", "versions"},
}
"""The only parts that may import something."""


ONLY_IN_LAYOUT = {"matplotlib", "jinja2", "markupsafe"}
"""What, of the experiments, only their layout may import: what runs and scores needs nothing to draw."""

LAYOUT_MAY_IMPORT = {
    *ONLY_IN_LAYOUT,
    "iim._showing",
    "iim.exceptions",
    "iim.experiments.layout",
    "iim.experiments.results",
    "iim.keeping.atomic",
}
"""All that the layout may import, besides the standard library: results are plain data."""


def imported_names(source: str, place: str) -> list[tuple[int, str]]:
    """Line and full name of every import, those inside functions and `if TYPE_CHECKING` included."""
    package = ".".join(("iim", *Path(place).parent.parts))
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, module_of(alias.name)) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = resolve_name("." * node.level + (node.module or ""), package)
            found += [(node.lineno, module_of(f"{home}.{alias.name}")) for alias in node.names]
    return found


def module_of(name: str) -> str:
    """The name, except that what the front page offers counts as the front page."""
    top, _, rest = name.partition(".")
    return "iim.__init__" if top == "iim" and rest.split(".")[0] not in MODULES else name


def is_within(name: str, homes: set[str]) -> bool:
    return any(name == home or name.startswith(f"{home}.") for home in homes)


def offences(source: str, place: str) -> list[str]:
    """What the source of `place`, a path below the package, imports against the rules."""
    part = Path(place).parts[0].removesuffix(".py")
    allowed = MAY_IMPORT.get(part)
    found = []
    for line, name in imported_names(source, place):
        if name.split(".")[0] in sys.stdlib_module_names:
            continue
        if allowed is not None and not is_within(name, allowed):
            found.append(f"{place}:{line} imports {name}; {part} may import {sorted(allowed)}")
        found += layout_offences(name, line, place)
        for what, parts in ONLY_IN.items():
            if is_within(name, {what}) and part not in parts:
                found.append(f"{place}:{line} imports {name}; only {sorted(parts)} may")
    return found


def layout_offences(name: str, line: int, place: str) -> list[str]:
    """What is said of the layout of experiments, a part within a part."""
    if place.startswith("experiments/layout/"):
        if not is_within(name, LAYOUT_MAY_IMPORT):
            return [f"{place}:{line} imports {name}; the layout may import {sorted(LAYOUT_MAY_IMPORT)}"]
    elif place.startswith("experiments/") and is_within(name, ONLY_IN_LAYOUT):
        return [f"{place}:{line} imports {name}; of the experiments, only their layout may"]
    return []


def test_no_module_imports_against_the_direction():
    sources = sorted(PACKAGE.rglob("*.py"))
    found = []
    for path in sources:
        found += offences(path.read_text("utf-8"), path.relative_to(PACKAGE).as_posix())
    assert found == []
    assert set(MAY_IMPORT) <= {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in sources}


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("kernels/made_up.py", "import scipy.spatial"),
        ("kernels/made_up.py", "from iim.core.settings import PAPER"),
        ("kernels/made_up.py", "from iim import matrix"),
        ("core/made_up.py", "import numpy as np, sklearn.base"),
        ("core/made_up.py", "from iim.table import _frames"),
        ("core/made_up.py", "def late():\n    from iim.imputers import METHODS"),
        ("table/made_up.py", "from ..core import settings"),
        ("table/made_up.py", "from iim import IIMImputer"),
        (
            "imputers/made_up.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd",
        ),
        ("imputers/made_up.py", "import narwhals.stable.v2 as nw"),
        ("samples/made_up.py", "import polars"),
        ("demo.py", "from joblib import Parallel"),
        ("versions.py", "import iim.imputers.iim"),
        ("matrix.py", "import iim"),
        ("scoring.py", "from iim.imputers import METHODS"),
        ("removing.py", "import scipy"),
        ("core/made_up.py", "def late():\n    import xgboost"),
        ("core/made_up.py", "from threadpoolctl import threadpool_limits"),
        ("comparing/made_up.py", "from xgboost import train"),
        ("comparing/made_up.py", "from sklearn.base import clone"),
        ("imputers/made_up.py", "import matplotlib.pyplot as plt"),
        ("imputers/made_up.py", "from safetensors.numpy import save"),
        ("keeping/made_up.py", "from iim.core.linear import Line"),
        ("files/made_up.py", "from iim.imputers import METHODS"),
        ("files/made_up.py", "from rich.progress import Progress"),
        ("cli/made_up.py", "def late():\n    import pyarrow"),
        ("cli/made_up.py", "from jinja2 import Template"),
        ("reporting/made_up.py", "import typer"),
        ("reporting/made_up.py", "from pyarrow import csv"),
        ("comparing/made_up.py", "from iim.reporting import Report"),
        ("imputers/made_up.py", "def late():\n    import jinja2"),
        ("reporting/made_up.py", "import matplotlib.pyplot as plt"),
        ("experiments/made_up.py", "from matplotlib.figure import Figure"),
        ("experiments/paper/made_up.py", "def late():\n    import jinja2"),
        ("experiments/layout/made_up.py", "import numpy as np"),
        ("experiments/layout/made_up.py", "from iim.experiments import running"),
        ("reporting/made_up.py", "from sklearn.base import clone"),
        ("reporting/made_up.py", "from iim.experiments.datasets import load"),
        ("cli/made_up.py", "from sklearn.datasets import fetch_openml"),
        ("imputers/made_up.py", "def late():\n    import dask.dataframe as dd"),
        ("core/made_up.py", "from distributed import Client"),
        ("reporting/made_up.py", "from pyspark.sql import DataFrame"),
        ("imputers/made_up.py", "from iim.adapters.dask import impute"),
        ("adapters/dask/made_up.py", "import narwhals.stable.v2 as nw"),
    ],
)
def test_an_offender_is_named(place, source):
    (found,) = {offence.split(";")[0] for offence in offences(source, place)}
    assert found.startswith(f"{place}:{len(source.splitlines())} imports ")


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("kernels/made_up.py", "import math\nimport numba\nfrom iim.kernels._jit import kernel"),
        ("core/made_up.py", "from scipy.spatial import cKDTree\nfrom . import settings"),
        ("table/made_up.py", "import narwhals.stable.v2 as nw\nfrom iim.matrix import MaskedMatrix"),
        ("imputers/made_up.py", "import joblib\nfrom sklearn.base import clone\nfrom iim.core import iim"),
        ("imputers/made_up.py", "def late():\n    import xgboost"),
        ("keeping/made_up.py", "from safetensors.numpy import save\nfrom iim.keeping.fields import Field"),
        ("files/made_up.py", "def late():\n    import pyarrow.csv\nfrom iim.table import _frames"),
        ("cli/made_up.py", "import rich.console\nimport typer\nfrom iim.files import read_file"),
        ("reporting/made_up.py", "from jinja2 import Environment, PackageLoader"),
        ("experiments/layout/made_up.py", "import jinja2\nfrom iim.experiments.results import Page"),
        ("experiments/made_up.py", "def late():\n    from sklearn.datasets import fetch_openml"),
        ("adapters/dask/made_up.py", "import dask.dataframe as dd\nfrom iim.adapters._plans import Plan"),
        (
            "adapters/spark/made_up.py",
            "import pandas as pd\nimport pyarrow as pa\nfrom pyspark.ml import Model",
        ),
        ("adapters/made_up.py", "from iim.imputers import Imputer"),
        ("cli/made_up.py", "def late():\n    from iim.adapters.dask import impute"),
        ("demo.py", "from iim import IIMImputer, samples"),
        (
            "comparing/made_up.py",
            "def draw():\n    import matplotlib.pyplot as plt\nfrom iim.imputers import METHODS",
        ),
    ],
)
def test_what_is_allowed_is_not_named(place, source):
    assert offences(source, place) == []
