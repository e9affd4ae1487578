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
    "_checks": {"numpy", "iim._names", "iim.exceptions"},
    "matrix": {"numpy", "iim._arrays", "iim.persistence"},
    "kernels": {"numpy", "numba", "iim.kernels", "iim._arrays"},
    "core": {
        "numpy",
        "scipy",
        "iim.core",
        "iim.kernels",
        "iim.persistence",
        "iim._arrays",
        "iim._checks",
        "iim.matrix",
        "iim.exceptions",
    },
    "table": {
        "numpy",
        "narwhals",
        "iim.table",
        "iim.persistence",
        "iim._arrays",
        "iim._checks",
        "iim._names",
        "iim.matrix",
        "iim.exceptions",
    },
    "persistence": {
        "numpy",
        "safetensors",
        # Its null, which can be among a user's missing values, is put back if it is there.
        "pandas",
        "iim.persistence",
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
        "iim._names",
        "iim.present",
        "iim.exceptions",
        "iim.matrix",
        "iim.table",
        "iim.persistence",
    },
    "_names": {"iim.exceptions"},
    "present": {"rich", "iim.present", "iim.exceptions"},
    "evaluation": {
        "numpy",
        "iim.evaluation",
        "iim._arrays",
        "iim._checks",
        "iim.exceptions",
        "iim.persistence",
        "iim.matrix",
        "iim.core",
    },
}
"""All that a lower part may import, besides the standard library."""

ONLY_IN = {
    "narwhals": {"table", "samples"},
    "pandas": {"persistence", "cluster"},
    "polars": set(),
    "dask": {"cluster"},
    "distributed": {"cluster"},
    "fsspec": {"cluster"},
    "pyspark": {"cluster"},
    # The experiments download, cluster and classify with it; adapters clone imputers, and ask if they are
    # fitted.
    "sklearn": {"imputers", "paper", "cluster"},
    "joblib": {"imputers"},
    "threadpoolctl": {"imputers", "paper"},
    "xgboost": {"imputers"},
    "safetensors": {"persistence"},
    "matplotlib": {"comparing", "paper"},
    "pyarrow": {"files", "cluster"},
    "rich": {"present", "cli"},
    "iim.imputers": {
        "imputers",
        "cluster",
        "comparing",
        "diagnosing",
        "reporting",
        "paper",
        "cli",
        "__init__",
        "compile",
        "demo",
    },
    # Imputers on other machines: whoever wants them imports them, and nobody else has to have the engines.
    "iim.cluster": {"cluster"},
    # Above all that computes: only the front page and what stands on it know of reports.
    "iim.reporting": {"reporting", "__init__", "cli"},
    # Above reports, too: they are made with all the rest, and nothing else needs them.
    "iim.paper": {"paper"},
    # The names of the front page, which stand above everything: `from iim import IIMImputer`.
    "iim.__init__": {"demo", "versions"},
}
"""The only parts that may import something."""


ONLY_IN_LAYOUT = {"matplotlib"}
"""What, of the experiments, only their layout may import: what runs and scores needs nothing to draw."""

LAYOUT_MAY_IMPORT = {
    *ONLY_IN_LAYOUT,
    "iim.present",
    "iim.exceptions",
    "iim.paper.layout",
    "iim.paper.numerals",
    "iim.paper.results",
    "iim.persistence.atomic",
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
    if place.startswith("paper/layout/"):
        if not is_within(name, LAYOUT_MAY_IMPORT):
            return [f"{place}:{line} imports {name}; the layout may import {sorted(LAYOUT_MAY_IMPORT)}"]
    elif place.startswith("paper/") and is_within(name, ONLY_IN_LAYOUT):
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
        ("kernels/made_up.py", "from iim.core.settings import PAPER"),
        ("core/made_up.py", "def late():\n    from iim.imputers import METHODS"),
        ("table/made_up.py", "from ..core import settings"),
        ("matrix.py", "import iim"),
        ("paper/made_up.py", "import matplotlib.pyplot as plt"),
        ("reporting/made_up.py", "from iim import paper"),
        ("cli/made_up.py", "def late():\n    from iim.paper.running import run"),
        ("cluster/made_up.py", "import iim.paper"),
        ("imputers/made_up.py", "from ..cluster import parquet"),
        ("paper/made_up.py", "from iim.cluster.dask import fit"),
    ],
)
def test_an_offender_is_named(place, source):
    (found,) = {offence.split(";")[0] for offence in offences(source, place)}
    assert found.startswith(f"{place}:{len(source.splitlines())} imports ")


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("core/made_up.py", "from scipy.spatial import cKDTree\nfrom . import settings"),
        ("demo.py", "from iim import IIMImputer, samples"),
    ],
)
def test_what_is_allowed_is_not_named(place, source):
    assert offences(source, place) == []
