"""Compiled once per machine, for one set of types, and said so in command lines only."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import iim
from cases import KERNELS, PLAIN, long
from iim.compile import EACH_TIME, ONCE

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

SOURCE = Path(iim.__file__).parent
TESTS = Path(__file__).parents[1]
PATIENCE = 300
"""Seconds; far above what any child needs, so that only a hang meets it."""


@pytest.fixture
def run(tmp_path):
    """Run Python with arguments in a process of its own; returns what it wrote to both streams."""

    def run(*arguments: str, **environment: str | None) -> tuple[str, str]:
        changed = {**os.environ, **environment}
        result = subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            env={name: value for name, value in changed.items() if value is not None},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert result.returncode == 0, f"exit code {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout, result.stderr

    return run


# A method with one kernel: what is tried with it holds for all of them.
FILL = """
import iim

table = iim.samples.example("numpy")
print(iim.MeanImputer().fit_transform(table)[8, 1].hex())
"""

EVERYTHING = """
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl

import iim
from cases import CASES, VARIANTS
from iim.kernels.compiling import watch_compiling

random = np.random.default_rng(0)
table = random.normal(size=(40, 4))
table[random.random(table.shape) < 0.1] = np.nan
new = table[:20].copy()
new[:, 2] = np.nan
read_only = table.copy()
read_only.flags.writeable = False
names = ["a", "b", "c", "d"]
tables = [
    np.asfortranarray(table),
    read_only[::2, ::-1],
    table.astype(np.float32)[:30],
    pd.DataFrame(table, columns=names),
    pl.DataFrame(table, schema=names),
    table[:1],
]
compiled = []
warnings.simplefilter("ignore", iim.ImputationWarning)
with watch_compiling(compiled.append):
    for case in CASES + VARIANTS:
        for given in tables:
            case.make().fit(given).transform(given)
        fitted = case.make(progress=lambda fraction: None).fit(table)
        fitted.set_params(progress=False)
        if case.has("n_jobs"):
            fitted.set_params(n_jobs=1)
        fitted.transform(new)
        pickle.loads(pickle.dumps(fitted)).transform(new[:1])
    filler = iim.IIMImputer().fit(table)
    filler.candidates(table)
    filler.explain(table, row=int(np.isnan(table[:, 0]).argmax()), column=0)
    iim.compare(table, ["knn"], pattern="clusters", repeats=1, progress=False)
    iim.diagnose(table, progress=False)
"""

SIGNATURES = """
import numba
from numba.core import types

for kernel in kernels:
    # Inside of kernels, a number that is written out is a type of its own.
    known = {tuple(map(types.unliteral, signature)) for signature in kernel.signatures}
    if len(known) > 1:
        print(kernel.py_func.__name__, *known, sep="\\n    ")
    assert not kernel.targetoptions.get("parallel"), kernel
try:
    print("numba has started threads:", numba.threading_layer())
except ValueError as error:
    assert "not initialized" in str(error), error
print("used", sum(bool(kernel.signatures) for kernel in kernels), "of", len(kernels))
"""


def test_every_kernel_is_compiled_for_one_set_of_types_and_starts_no_threads(run):
    shown, _ = run(
        "-c",
        EVERYTHING + KERNELS + SIGNATURES,
        PYTHONPATH=os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
    )
    word, used, of, there = shown.split()
    assert (word, of) == ("used", "of")
    # Of kernels that are found on disk, only those are seen that are called from outside; no others can be
    # given new types.
    assert 5 < int(used) <= int(there)


@pytest.mark.long
@pytest.mark.slow
def test_compiled_ahead_it_never_is_again(run, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "IIM_NUMBA_CACHE": None}
    shown, told = run("-m", "iim.compile", **cache)
    # One line, on the stream that is not data.
    assert told == f"{ONCE}\n"
    assert str(tmp_path / "cache") in shown
    assert not shown.startswith("Kernels compiled: 0,")
    shown, told = run("-m", "iim.compile", **cache)
    assert told == ""
    assert shown.startswith("Kernels compiled: 0,")
    shown, told = run("-m", "iim.demo", **cache)
    assert told == ""
    assert "1.184" in shown
    shown, told = run(
        "-c",
        EVERYTHING + "print(sorted(kernel.py_func.__name__ for kernel in compiled))",
        **cache,
        PYTHONPATH=os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
    )
    assert (shown, told) == ("[]\n", "")


@pytest.mark.slow
def test_only_command_lines_tell_and_what_cannot_be_kept_is_said(run):
    shown, told = run(
        "-c",
        FILL
        + """
from iim.compile import tell_of_compiling

for _ in range(2):
    with tell_of_compiling(print):
        iim.GlrImputer().fit_transform(table)
""",
        IIM_NUMBA_CACHE="0",
    )
    assert shown.splitlines()[1:] == [EACH_TIME]
    assert told == ""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mean", *long("Glr")])
def test_two_first_calls_at_once_share_the_users_folder_if_the_package_cannot_be_written(
    method, run, tmp_path
):
    site, home = tmp_path / "site", tmp_path / "home"
    shutil.copytree(SOURCE, site / "iim", ignore=shutil.ignore_patterns("__pycache__"))
    for package in [path.parent for path in site.rglob("*.py")]:
        # A file where a folder is needed: nobody can write there, by root neither.
        package.joinpath("__pycache__").touch()
    environment = {
        "PYTHONPATH": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LOCALAPPDATA": str(home / "cache"),
        "NUMBA_CACHE_DIR": None,
        "IIM_NUMBA_CACHE": None,
    }
    count = "print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels))"

    def fill(_):
        return run("-c", FILL.replace("Mean", method) + KERNELS + count, **environment)[0].split()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(fill, range(2))
    value, n_compiled = fill(None)
    assert first[0] == second[0] == value
    # The later one of the two may find all that it needs.
    assert (int(first[1]) + int(second[1]) > 0, n_compiled) == (True, "0")
    assert list(home.rglob("*.nbi"))
