"""RMS errors of the paper's settings beside those of the authors' published program, on the same holes.

Rows emptied: ``default_rng(0).permutation(n)[:q]``, or the authors' own holes in ``asf_a2_missing.csv``.
Run: ``python benchmarks/authors_program.py`` with IIM_DATA set.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import iim
from datasets import emptied, read
from iim.evaluation.scoring import rms_error
from iim.versions import versions

PUBLISHED = Path(__file__).parent / "published" / "authors_program.csv"
"""RMS errors of the authors' program, with the attribute, the number of holes and the grid."""


def main() -> None:
    """Compute and print."""
    print(f"{'data':16}{'attribute':>11}{'holes':>7}{'largest l':>11}{'theirs':>9}{'ours':>9}{'ratio':>8}")
    with PUBLISHED.open(encoding="utf-8") as stream:
        runs = list(csv.DictReader(stream))
    for run in runs:
        grid = range(int(run["first_l"]), int(run["last_l"]) + 1, int(run["step"]))
        theirs = float(run["rms_error"])
        ours = error(run["file"], run["attribute"], int(run["holes"]), grid)
        print(f"{run['file']:16}{run['attribute']:>11}{run['holes']:>7}{run['last_l']:>11}", end="")
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
    return rms_error(truth[rows, column], filled[rows, column])


if __name__ == "__main__":
    main()
