"""What is slow: many combinations of known columns, for methods that learn for each; and very wide tables.

Times of ``fit_transform``, on normal numbers. Run: ``python benchmarks/limits.py``.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

import iim
from iim.versions import versions

SCATTERED = (("glr", 5000, 12, 0.2), ("eracer", 5000, 12, 0.2), ("glr", 1000, 100, 0.05))
"""Method, rows, columns, share of missing cells, all over the table."""

WIDE = (100, 200, 400)
"""Columns of tables of 500 rows in which one column has 25 holes."""


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore", iim.FallbackWarning)
    # Compiled code is loaded, or made, outside of the clock.
    for method in ("glr", "eracer", "iim"):
        iim.METHODS[method]().fit_transform(iim.samples.example("numpy"))
    for method, n_rows, n_columns, share in SCATTERED:
        table = np.random.default_rng(0).normal(size=(n_rows, n_columns))
        table[np.random.default_rng(1).random(table.shape) < share] = np.nan
        taken = seconds(iim.METHODS[method](), table)
        print(
            f"{method:8}{n_rows:>6} x {n_columns:<5}{share:>4.0%} of all cells missing{taken:>8.1f} s",
            flush=True,
        )
    for n_columns in WIDE:
        table = np.random.default_rng(0).normal(size=(500, n_columns))
        table[:25, 0] = np.nan
        taken = seconds(iim.IIMImputer(), table)
        print(
            f"{'iim':8}{500:>6} x {n_columns:<5}25 cells of one column missing{taken:>6.1f} s", flush=True
        )
    print(", ".join(f"{name} {text}" for name, text in versions().items()))


def seconds(imputer: Any, table: np.ndarray) -> float:
    """Time of ``fit_transform``, once: the longest takes a minute."""
    begun = time.perf_counter()
    imputer.fit_transform(table)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
