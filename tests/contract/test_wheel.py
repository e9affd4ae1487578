"""The built wheel, in a clean environment, away from the checkout; nothing is downloaded."""

import email
import os
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("hatchling") is None, reason="hatchling is not installed, and tests do not download"
    ),
]

SMOKE = """
import iim

imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)})
print(iim.__file__)
print(f"{imputer.fit_transform(iim.samples.example('numpy'))[8, 1]:.3f}")
try:
    iim.METHODS["xgb"]().fit(iim.samples.example("numpy"))
except iim.MissingDependency as error:
    print(error)
iim.show_versions()
"""


def run(*command: object, folder: Path, variables: dict[str, str] | None = None) -> str:
    # Variables that lead back to the checkout, or to packages beyond the environment's own, are left out.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PIP_", "NUMBA_"))
    }
    result = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**environment, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT),
        folder=folder,
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def clean_python(wheel, tmp_path_factory) -> Path:
    """The interpreter of a new environment with the wheel and what it requires, and nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True, system_site_packages=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    )
    for name in requirements(wheel):
        link_package(name, packages)
    # Without index, configuration and cache, pip has only what is linked: a requirement that is not
    # declared stays missing, and one that the constraints exclude is an error.
    run(
        *(python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check"),
        *("--constraint", ROOT / "constraints.txt", wheel),
        folder=folder,
        variables={"PIP_CONFIG_FILE": os.devnull},
    )
    return python


def requirements(wheel: Path) -> list[str]:
    """Names of all packages that the wheel requires without extras, directly or not."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = email.message_from_bytes(archive.read(metadata)).get_all("Requires-Dist")
    names: list[str] = []
    waiting = list(lines)
    while waiting:
        requirement = Requirement(waiting.pop())
        needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        # One package is written in more than one way: MarkupSafe, markupsafe.
        name = canonicalize_name(requirement.name)
        if needed and name not in names:
            names.append(name)
            waiting += distribution(name).requires or []
    return names


def link_package(name: str, packages: Path) -> None:
    """Make a package of this environment one of the clean environment, by links: copies take long."""
    installed = distribution(name)
    for top in sorted({file.parts[0] for file in installed.files} - {"..", "__pycache__"}):
        packages.joinpath(top).symlink_to(installed.locate_file(top))


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "iim/cluster/command.py",
        "iim/paper/published/various.csv",
        "iim/paper/reproduce_command.py",
        "iim/py.typed",
        "iim/reporting/templates/page.css",
        "iim/reporting/templates/page.js",
        "iim/samples/example.csv",
        "iim/samples/sensors.csv",
        "iim/samples/sensors_complete.csv",
    } <= names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"iim"}
    assert not [name for name in names if "test" in name]


def test_the_wheel_fills_the_example(clean_python, tmp_path):
    # To compile takes as long as all else; the demo does.
    shown = run(clean_python, "-c", SMOKE, folder=tmp_path, variables={"NUMBA_DISABLE_JIT": "1"})
    file, value, missing, *versions = shown.splitlines()
    assert clean_python.parents[1] in Path(file).parents
    assert value == "1.184"
    assert '`pip install "iim[xgb]"`' in missing
    shown = dict(line.strip().split(": ") for line in versions)
    assert shown["iim"]
    extras = ("pandas", "polars", "pyarrow", "xgboost", "matplotlib")
    assert {shown[extra] for extra in extras} == {"not installed"}


@pytest.mark.long
def test_the_wheel_shows_the_demo(clean_python, tmp_path):
    assert "1.184" in run(clean_python, "-m", "iim.demo", folder=tmp_path)
