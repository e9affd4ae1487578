"""A table in which almost every row has holes of its own: 50,000 x 20, a fifth of all cells missing.

Two tables: "curved" has 19 columns that are bent mixtures of four hidden values, with noise, and one of
noise only; "linear" has 20 columns mixed from as many hidden values, so that its rows fill all dimensions.
Printed: the strategy that "auto" chooses, times, peak memory, and each column's error beside that of the
column mean. Run: ``python benchmarks/many_patterns.py``; it needs no data.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import iim
from iim.evaluation.scoring import normalised_error, rms_error
from iim.versions import versions


def make(kind: str, n_rows: int, n_columns: int) -> np.ndarray:
    """A complete table."""
    random = np.random.default_rng(0)
    if kind == "linear":
        return random.normal(size=(n_rows, n_columns)) @ random.normal(size=(n_columns, n_columns))
    hidden, mix = random.normal(size=(n_rows, 4)), random.normal(size=(4, n_columns))
    mix[:, -1] = 0.0
    return np.tanh(hidden @ mix) + 0.3 * random.normal(size=(n_rows, n_columns))


def main() -> None:
    """Fill and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--kind", choices=["curved", "linear"], default="curved")
    options = parser.parse_args()
    truth = make(options.kind, options.rows, options.columns)
    holes = np.random.default_rng(1).random(truth.shape) < options.rate
    table = np.where(holes, np.nan, truth)
    n_patterns = len(np.unique(holes, axis=0))
    print(
        f"{options.kind}: {truth.shape}, {holes.mean():.1%} missing in {n_patterns:,} patterns, "
        f"{np.count_nonzero(~holes.any(axis=1)):,} rows complete"
    )
    begun = time.perf_counter()
    imputer = iim.IIMImputer().fit(table)
    fitted = time.perf_counter()
    filled = imputer.transform(table)
    done = time.perf_counter()
    print(f"strategy_: {imputer.strategy_!r}; {imputer.n_iter_} rounds, alpha {imputer.alpha_:.3g}")
    print(f"fit {fitted - begun:.1f} s, transform {done - fitted:.1f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    print(f"fallbacks_: {imputer.fallbacks_}\n\ncolumn   IIM  column mean")
    means = np.where(holes, np.nanmean(table, axis=0), truth)
    for column, hole in enumerate(holes.T):
        ours, theirs = (
            normalised_error(rms_error(truth[hole, column], values[hole, column]), truth[:, column])
            for values in (filled, means)
        )
        print(f"{column:>6}{ours:>7.3f}{theirs:>12.3f}")
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


if __name__ == "__main__":
    main()
