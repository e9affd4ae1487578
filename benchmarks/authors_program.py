"""RMS errors of the paper's settings beside those of the authors' published program, on the same holes.

Rows emptied: ``default_rng(0).permutation(n)[:q]``, or the authors' own holes in ``asf_a2_missing.csv``.
Run: ``python benchmarks/authors_program.py`` with IIM_DATA set.
"""

from __future__ import annotations

import numpy as np

import iim
from datasets import emptied, read
from iim.versions import versions

FINE, COARSE = range(1, 101, 5), range(1, 1001, 50)
RUNS = (
    ("asf_a2_missing", "A2", 150, FINE, 8.568),
    ("asf", "A2", 100, FINE, 7.067),
    ("asf", "A4", 100, FINE, 9.304),
    ("asf", "A6", 100, FINE, 1.849),
    ("ccpp", "PE", 478, FINE, 3.847),
    ("ca", "longitude", 1000, COARSE, 0.5421),
)
"""File, attribute, holes, grid, and the RMS error of the authors' program."""


def main() -> None:
    """Compute and print."""
    print(f"{'data':16}{'attribute':>11}{'holes':>7}{'largest l':>11}{'theirs':>9}{'ours':>9}{'ratio':>8}")
    for file, attribute, n_holes, grid, theirs in RUNS:
        ours = error(file, attribute, n_holes, grid)
        print(f"{file:16}{attribute:>11}{n_holes:>7}{grid[-1]:>11}", end="")
        print(f"{theirs:>9.4g}{ours:>9.4g}{ours / theirs:>8.3f}")
    print("\nsettings: {**iim.PAPER, 'learning_grid': ...}")
    print(", ".join(f"{name} {text}" for name, text in versions().items()))


def error(file: str, attribute: str, n_holes: int, grid: range) -> float:
    """RMS error over the emptied cells."""
    table, columns = read(file)
    column = columns.index(attribute)
    if np.isnan(table).any():
        truth, rows = read("asf")[0], np.flatnonzero(np.isnan(table[:, column]))
    else:
        truth = table
        table, rows = emptied(table, column, n_holes, seed=0)
    filled = iim.IIMImputer(**{**iim.PAPER, "learning_grid": grid}).fit_transform(table)
    return float(np.sqrt(np.mean((filled[rows, column] - truth[rows, column]) ** 2)))


if __name__ == "__main__":
    main()
