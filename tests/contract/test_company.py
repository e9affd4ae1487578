"""Safe in company: threads, forks, worker processes, folders that cannot be written, no compiler."""

import os
import pickle
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

import iim
from cases import KERNELS, long
from iim.core.execution import model_cache

SOURCE = Path(iim.__file__).parent
PATIENCE = 300
"""Seconds to wait for a thread or a child; only a hang takes that long."""


def tables(n_rows: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """A table to learn from with holes in one column, and one to fill with holes in all the others."""
    random = np.random.default_rng(7)
    known = random.normal(size=(n_rows, 5)) @ random.normal(size=(5, 5))
    new = known + random.normal(scale=0.1, size=known.shape)
    known[::7, 0] = np.nan
    new[np.arange(n_rows), 1 + random.integers(4, size=n_rows)] = np.nan
    new[::3, 1] = np.nan
    return known, new


def fill_bit_by_bit(imputer, table: np.ndarray) -> np.ndarray:
    """Fill in many calls, so that what has been learned for a pattern is found and grown many times."""
    return np.vstack([imputer.transform(part) for part in np.array_split(table, 25)])


# Room for everything, and for a single pattern: then threads also throw away what others look for.
@pytest.mark.parametrize("room", [model_cache.RECENT_BYTES, 1], ids=["room", "no room"])
@pytest.mark.parametrize("n_tries", [1, *long(4)])
def test_two_threads_fill_as_one_does(n_tries, room, monkeypatch, eager_switching):
    monkeypatch.setattr(model_cache, "RECENT_BYTES", room)
    known, new = tables(200)
    # Fresh from the pickle, an imputer knows no pattern that it met after fit.
    fitted = pickle.dumps(iim.IIMImputer(n_jobs=1).fit(known))
    alone = pickle.loads(fitted).transform(new)
    for _ in range(n_tries):
        imputer, start = pickle.loads(fitted), threading.Barrier(2)

        def fill(order, imputer=imputer, start=start):
            start.wait(PATIENCE)
            return fill_bit_by_bit(imputer, new[::order])[::order]

        # From both ends: the threads learn the same patterns, from different rows.
        with ThreadPoolExecutor(2) as pool:
            for filled in [pool.submit(fill, order) for order in (1, -1)]:
                np.testing.assert_array_equal(filled.result(PATIENCE), alone, strict=True)


AT_WORK = "imputer.transform(new[::2])"

FORK = """
import multiprocessing
import warnings

import numpy as np
import iim

random = np.random.default_rng(7)
known = random.normal(size=(600, 4))
known[::7, 0] = np.nan
new = random.normal(size=(600, 4))
new[::2, 1] = new[1::2, 2] = np.nan
imputer = iim.METHODS[{key!r}](n_jobs=2).fit(known)
{before}

def fill(channel):
    channel.send(imputer.transform(new))

receiver, sender = multiprocessing.Pipe(duplex=False)
child = multiprocessing.get_context("fork").Process(target=fill, args=(sender,))
with warnings.catch_warnings():
    # Python 3.12 and newer warn of any thread that is there at a fork; numpy's own ones are.
    warnings.simplefilter("ignore", DeprecationWarning)
    child.start()
# Only the child holds this end now: should it die, the wait below ends at once.
sender.close()
if not receiver.poll({patience}):
    child.kill()
    raise SystemExit("the child hangs")
filled = receiver.recv()
child.join({patience})
assert child.exitcode == 0, child.exitcode
np.testing.assert_array_equal(filled, imputer.transform(new), strict=True)
assert not np.isnan(filled).any()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("key", "before"),  # our threads, and xgboost on them
    [("iim", AT_WORK), ("xgb", ""), *long(("iim", ""), ("xgb", AT_WORK))],
)
def test_a_fork_can_fill(key, before, run_python):
    run_python(FORK.format(key=key, before=before, patience=PATIENCE))


@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_joblib_can_take_an_imputer_along(backend):
    known, new = tables(200)
    imputer = iim.IIMImputer().fit(known)
    parts = [new[:100], new[100:]]
    try:
        parallel = joblib.Parallel(n_jobs=2, backend=backend, timeout=PATIENCE)
        filled = parallel(joblib.delayed(imputer.transform)(part) for part in parts)
        (fresh,) = parallel([joblib.delayed(iim.IIMImputer().fit_transform)(known)])
    finally:
        get_reusable_executor().shutdown(wait=True)
    np.testing.assert_array_equal(np.vstack(filled), imputer.transform(new), strict=True)
    np.testing.assert_array_equal(fresh, imputer.transform(known), strict=True)


EXAMPLE = """
import iim

imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)})
print(float(imputer.fit_transform(iim.samples.example("numpy"))[8, 1]))
"""


# A method with one kernel: what is tried with it holds for all of them, and compiles in a fraction.
ONE_KERNEL = """
import iim

print(float(iim.MeanImputer().fit_transform(iim.samples.example("numpy"))[8, 1]))
"""


def one_kernel_fill() -> float:
    return float(iim.MeanImputer().fit_transform(iim.samples.example("numpy"))[8, 1])


def example_fill() -> float:
    imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)})
    return float(imputer.fit_transform(iim.samples.example("numpy"))[8, 1])


def without_writable_folders(folder: Path) -> dict[str, str | None]:
    """An installed copy into which nothing can be written, by root neither; and no home to turn to."""
    shutil.copytree(SOURCE, folder / "iim", ignore=shutil.ignore_patterns("__pycache__"))
    for package in [path.parent for path in folder.rglob("*.py")]:
        package.joinpath("__pycache__").touch()
    nowhere = folder / "file"
    nowhere.touch()
    return {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(nowhere / "home"),
        "XDG_CACHE_HOME": str(nowhere / "cache"),
        "LOCALAPPDATA": str(nowhere / "cache"),
        "NUMBA_CACHE_DIR": None,
        "IIM_NUMBA_CACHE": None,
    }


@pytest.mark.slow
def test_an_install_that_cannot_be_written_works(tmp_path, run_python):
    folder = tmp_path / "site"
    shown = run_python(
        ONE_KERNEL + KERNELS + "print(iim.__file__, *{kernel._cache.cache_path for kernel in kernels})",
        environment=without_writable_folders(folder),
    )
    # The copy was used, and its kernels had no folder for compiled code.
    assert shown.split() == [str(one_kernel_fill()), str(folder / "iim" / "__init__.py"), "None"]


@pytest.mark.slow
def test_the_compile_cache_can_be_turned_off(tmp_path, run_python):
    shown = run_python(ONE_KERNEL, environment={"IIM_NUMBA_CACHE": "0", "NUMBA_CACHE_DIR": str(tmp_path)})
    assert shown.split() == [str(one_kernel_fill())]
    assert list(tmp_path.iterdir()) == []


def test_the_compiler_can_be_turned_off(run_python):
    shown = run_python(
        EXAMPLE + KERNELS + "print(len(kernels))", environment={"NUMBA_DISABLE_JIT": "1"}
    ).split()
    assert shown[1] == "0"
    # Nothing is fused or reordered by the compiler: the same bits.
    assert float(shown[0]) == example_fill()
