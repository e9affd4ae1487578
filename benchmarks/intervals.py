"""Do intervals hold what they claim? Coverage of 50, 80 and 90 % intervals of IIM on cells that are hidden.

Tasks: data sets (4,000 rows at most) x two ways to hide cells x seeds. Rows are halved by a fixed
permutation: while the method is being made, cells are hidden in the first half only (``--stage
development``), for the numbers that are reported in the second (``--stage final``).
Run: ``python benchmarks/intervals.py --stage final`` with IIM_DATA set.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import iim
from datasets import read
from iim.versions import versions

SHARED = ("asf", "ccs", "ccpp", "da", "ca", "sn_road_first5000")
BUNDLED: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "iris": load_iris,
    "wine": load_wine,
    "diabetes": load_diabetes,
    "breast_cancer": load_breast_cancer,
}
COVERAGES = (0.5, 0.8, 0.9)
MOST_ROWS = 4000
FEW_VALUES = 20
"""A column with fewer different values is not continuous: it is filled and not counted."""
LEAST_CELLS = 500
"""Cells that a data set needs for a number of its own."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--stage", choices=("development", "final"), default="development")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--data", nargs="+", default=[*SHARED, *BUNDLED])
    parser.add_argument("--strategy", default="auto")
    options = parser.parse_args()
    warnings.simplefilter("ignore", iim.FallbackWarning)
    heads = "".join(f"{f'{share:.0%}':>8}" for share in COVERAGES)
    print(f"{'data':>18}{'holes':>8}{'cells':>7}{heads}{'width':>8}{'ratio':>8}{'fit':>8}{'calibrate':>10}")
    tasks = []
    for name in options.data:
        own = [
            _measure(name, table, way, seed, options.strategy)
            for table, way, seed in _tables(name, options.stage, options.seeds)
        ]
        tasks += own
        covered = np.concatenate([held for held, _ in own])
        note = "" if len(covered) >= LEAST_CELLS else "  (few cells)"
        _print_line(name, "both", covered, np.mean([width for _, width in own]), note)
    _print_line("all tasks", "mean", np.array([held.mean(axis=0) for held, _ in tasks]), np.nan)
    _print_line("all cells", "mean", np.concatenate([held for held, _ in tasks]), np.nan)
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def _tables(
    name: str, stage: str, n_seeds: int
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], str, int]]:
    """Complete tables with the cells to hide, by way of hiding and by seed."""
    table = read(name)[0] if name in SHARED else BUNDLED[name](return_X_y=True)[0]
    table = table[~np.isnan(table).any(axis=1)]
    order = np.random.default_rng(8).permutation(len(table))[:MOST_ROWS]
    table = table[order]
    half = len(table) // 2
    chosen = np.arange(half) if stage == "development" else np.arange(half, len(table))
    for seed in range(n_seeds):
        for way in ("single", "20%"):
            generator = np.random.default_rng([seed, len(way)])
            hidden = np.zeros(table.shape, bool)
            if way == "single":
                rows = generator.permutation(chosen)[: len(table) // 4]
                hidden[rows, generator.integers(table.shape[1], size=rows.size)] = True
            else:
                hidden[chosen] = generator.random((chosen.size, table.shape[1])) < 0.2
            yield (table, hidden), way, seed


def _measure(
    name: str, case: tuple[np.ndarray, np.ndarray], way: str, seed: int, strategy: str
) -> tuple[np.ndarray, float]:
    """Print one line; return which cells the intervals hold, and their mean width."""
    table, hidden = case
    holed = np.where(hidden, np.nan, table)
    begun = time.perf_counter()
    imputer = iim.IIMImputer(strategy=strategy).fit(holed)
    fitted = time.perf_counter()
    imputer.calibrate()
    calibrated = time.perf_counter()
    cells = imputer.candidates(holed, calibrated=True)
    truth = table[cells.rows, cells.columns]
    continuous = np.array([np.unique(column).size >= FEW_VALUES for column in table.T])[cells.columns]
    held, width = [], np.nan
    for share in COVERAGES:
        low, high = cells.interval(share)
        held.append(((low <= truth) & (truth <= high))[continuous])
        width = float(np.mean(((high - low) / table.std(axis=0)[cells.columns])[continuous]))
    # Of the size of the error: 1 where `std` says what it is.
    ratio = np.sqrt(np.mean(((truth - cells.imputed)[continuous] / cells.std[continuous]) ** 2))
    covered = np.array(held).T
    times = f"{ratio:>8.2f}{fitted - begun:>8.1f}{calibrated - fitted:>10.1f}"
    _print_line(f"{name} {seed}", way, covered, width, times)
    return covered, width


def _print_line(name: str, way: str, covered: np.ndarray, width: float, note: str = "") -> None:
    shares = "".join(f"{share:>8.1%}" for share in covered.mean(axis=0))
    print(f"{name:>18}{way:>8}{len(covered):>7}{shares}{width:>8.2f}{note}", flush=True)


if __name__ == "__main__":
    main()
