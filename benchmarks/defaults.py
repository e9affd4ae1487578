"""From the paper to the plain IIM: settings compared on all data sets.

Every column of every data set loses 5 % of its cells (at least 30), one column at a time; the error is the
RMS over these cells divided by the column's standard deviation. Printed, per choice: the mean over columns
of each data set, and over data sets. First from the paper's settings to the plain IIM, which has none of
the later improvements, one change at a time; then its grids of learning neighbours and ridge weights. What
the defaults do beyond that is measured by ``python -m benchmarks.accuracy``. Run: ``python
benchmarks/defaults.py`` with IIM_DATA set.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from typing import Any

import numpy as np

import iim
from datasets import emptied, read
from iim.evaluation.scoring import normalised_error, rms_error
from iim.versions import versions

DATA = ("asf", "ccs", "ccpp", "da", "sn_road_first5000", "ca")
MOST_ROWS = 5000
"""Larger tables are cut to a random sample of this many rows."""

GEOMETRIC = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
GRIDS = {
    "paper 1..96/5": tuple(range(1, 101, 5)),
    "geometric ..48": GEOMETRIC[:-2],
    "geometric ..96": GEOMETRIC,
    "geometric ..192": (*GEOMETRIC, 128, 192),
    "doubling ..128": (1, 2, 4, 8, 16, 32, 64, 128),
    "4-fold ..64": (1, 4, 16, 64),
}
ALPHAS = (0.0001, 0.001, 0.003, 0.01, 0.1, 1.0)


STEPS: dict[str, dict[str, Any]] = {
    "the paper": dict(iim.PAPER),
    "columns scaled": {"scale": "standard"},
    "intercept free": {"penalty": "slopes"},
    "available donors": {"donors": "available", "min_donors": "auto"},
    "geometric grid": {"learning_grid": GEOMETRIC, "strategy": "auto", "alpha": "auto"},
}
"""Each step keeps the changes of those before it; the last is the plain IIM."""


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    tables = {name: sample(read(name)[0]) for name in DATA}
    print(f"mean normalised RMS error over columns; {options.seeds} seeds\n")
    head = "".join(f"{name[:8]:>10}" for name in DATA) + f"{'all':>10}{'seconds':>10}"
    print(f"{'from the paper to the plain IIM':34}" + head)
    settings: dict[str, Any] = {}
    for name, change in STEPS.items():
        settings |= change
        show(f"{'' if name == 'the paper' else '+ '}{name}", tables, settings, options.seeds)
    print(f"\n{'plain IIM, but':26}{'alpha':>8}" + head)
    for (grid_name, grid), alpha in product(GRIDS.items(), ALPHAS):
        name = f"{grid_name:26}{alpha:>8g}"
        show(name, tables, {**settings, "learning_grid": grid, "alpha": alpha}, options.seeds)
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def show(name: str, tables: dict[str, np.ndarray], settings: dict[str, Any], n_seeds: int) -> None:
    """Print one line of a table."""
    begun = time.perf_counter()
    errors = [
        np.mean([error(table, settings, seed) for seed in range(n_seeds)]) for table in tables.values()
    ]
    cells = "".join(f"{value:10.4f}" for value in [*errors, np.mean(errors)])
    print(f"{name:34}{cells}{time.perf_counter() - begun:10.1f}", flush=True)


def sample(table: np.ndarray) -> np.ndarray:
    """At most MOST_ROWS rows, at random."""
    rows = np.random.default_rng(0).permutation(len(table))[:MOST_ROWS]
    return table[np.sort(rows)]


def error(table: np.ndarray, settings: dict[str, Any], seed: int) -> float:
    """Mean over columns of the normalised RMS error."""
    errors = []
    for column in range(table.shape[1]):
        holed, rows = emptied(table, column, max(30, len(table) // 20), seed)
        filled = iim.IIMImputer(**settings).fit_transform(holed)
        missed = rms_error(table[rows, column], filled[rows, column])
        errors.append(normalised_error(missed, table[:, column]))
    return float(np.mean(errors))


if __name__ == "__main__":
    main()
