"""How long IIM takes, as ratios to SciPy's and scikit-learn's own routines in the same run.

On ``ca.csv`` with longitude emptied in 5 % of the rows. Rounds are interleaved and medians printed, since
a shared machine is noisy. Run: ``python benchmarks/speed.py`` with IIM_DATA set; ``make benchmark``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree
from sklearn.impute import KNNImputer
from sklearn.preprocessing import StandardScaler

import iim
from datasets import emptied, read
from iim.core.learning import learn_models
from iim.core.workers import Workers
from iim.versions import versions

SETTINGS = {**iim.PAPER, "scale": "standard"}
FIRST_CALL = """
import time, numpy, iim
table = numpy.random.default_rng(0).normal(size=(50, 3)); table[0, 0] = numpy.nan
imputer = iim.IIMImputer()
begun = time.perf_counter()
imputer.fit_transform(table)
print(time.perf_counter() - begun)
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    table, columns = read("ca")
    table, rows = emptied(table, columns.index("longitude"), round(0.05 * len(table)), seed=0)
    scaled = StandardScaler().fit_transform(table[:, 1:])
    donors = np.delete(scaled, rows, axis=0)
    tasks = {
        "IIM fit_transform": lambda: fit_transform(table, options.workers),
        "IIM fit_transform, every donor learned": lambda: learn_everyone(table, options.workers),
        "SciPy cKDTree, build and query of 100": lambda: cKDTree(donors).query(
            donors, 100, workers=options.workers
        ),
        "scikit-learn KNNImputer(n_neighbors=10)": lambda: KNNImputer(n_neighbors=10).fit_transform(table),
    }
    compiled, cached = first_calls()
    for task in tasks.values():
        task()
    times = interleaved(tasks, options.rounds)
    print(
        f"ca.csv, longitude emptied in {rows.size} of {len(table)} rows (seed 0), {options.workers} workers"
    )
    print('settings: {**iim.PAPER, "scale": "standard"}: k = 10, l = 1, 6, ..., 96')
    print(f"median of {options.rounds} interleaved rounds, seconds (fastest, slowest)\n")
    for name, taken in times.items():
        print(f"  {name:42}{statistics.median(taken):8.3f}   ({min(taken):.3f}, {max(taken):.3f})")
    ours, everyone, scipy, sklearn = (statistics.median(taken) for taken in times.values())
    print(f"\n  IIM / SciPy's bare query                  {ours / scipy:8.2f}   (target: at most 1.6)")
    print(f"  IIM / KNNImputer                          {ours / sklearn:8.2f}   (target: at most 0.5)")
    print(f"  IIM, every donor learned / SciPy          {everyone / scipy:8.2f}")
    print(f"  IIM, every donor learned / KNNImputer     {everyone / sklearn:8.2f}")
    print(f"\n  first call, nothing compiled yet          {compiled:8.1f} s")
    print(f"  first call of the next process            {cached:8.1f} s")
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def fit_transform(table: np.ndarray, n_jobs: int) -> None:
    """The whole job; models are learned for the donors that the holes ask."""
    iim.IIMImputer(**SETTINGS, n_jobs=n_jobs).fit_transform(table)


def learn_everyone(table: np.ndarray, n_jobs: int) -> None:
    """The same, and the models of all other donors too: ready for any new row."""
    imputer = iim.IIMImputer(**SETTINGS, n_jobs=n_jobs).fit(table)
    (models,) = imputer._library.kept.values()
    learn_models(models, settings=imputer._training.settings, workers=Workers(n_threads=n_jobs))
    imputer.transform(table)


def interleaved(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each task in each round."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            begun = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - begun)
    return times


def first_calls() -> tuple[float, float]:
    """Seconds of a small first call in a new process: without compiled kernels, and with."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        taken = [
            subprocess.run(  # noqa: S603 (our own interpreter and script)
                [sys.executable, "-c", FIRST_CALL],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
                timeout=600,
            ).stdout
            for _ in range(2)
        ]
    return float(taken[0]), float(taken[1])


if __name__ == "__main__":
    main()
