"""The paper's table by attribute: RMS errors of all methods on ASF, ours beside theirs.

One attribute at a time loses 100 of its 1503 values; medians over seeds, the worst seed in brackets, the
published value, and how far the median is from it. First with the paper's settings, then with our defaults,
then R2_S and R2_H. Run: ``python benchmarks/asf_by_attribute.py`` with IIM_DATA set.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import iim
from datasets import read
from iim.removing import remove_cells
from iim.scoring import r_squared, rms_error
from iim.versions import versions

PUBLISHED = Path(__file__).parent / "published" / "asf_by_attribute.csv"
N_HOLES = 100
CLOSE = 0.15
"""A median this close to the published value counts as reproduced."""

ORDER = ("iim", *(key for key in iim.METHODS if key != "iim"))


def main() -> None:
    """Compute and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    table, columns = read("asf")
    seeds = range(options.seeds)
    theirs = published()
    for title, of_method in (("paper settings", "PAPER"), ("default settings", None)):
        print(f"RMS error, {title}: median of {len(seeds)} seeds (worst seed), the paper's, difference\n")
        print(f"{'':8}" + "".join(f"{name:>30}" for name in columns) + "   within 15 %")
        for key in ORDER:
            settings = getattr(iim.METHODS[key], of_method) if of_method else {}
            show(key, table, columns, settings, seeds, theirs)
        print()
    show_coefficients(table, columns, seeds, theirs)
    print(f"\ndata: asf.csv, {N_HOLES} values of one attribute removed, seeds 0 to {len(seeds) - 1}")
    for key in ORDER:
        print(f"  {key}: {dict(iim.METHODS[key].PAPER)}")
    print(", ".join(f"{name} {text}" for name, text in versions().items()))


def published() -> dict[tuple[str, str], float]:
    """The paper's numbers, by attribute and column of its table."""
    with PUBLISHED.open(encoding="utf-8") as stream:
        return {(line["row"], line["column"]): float(line["value"]) for line in csv.DictReader(stream)}


def show(
    key: str,
    table: np.ndarray,
    columns: list[str],
    settings: Mapping[str, Any],
    seeds: range,
    theirs: Mapping[tuple[str, str], float],
) -> None:
    """Print the line of one method."""
    cells, n_close = [], 0
    for column, name in enumerate(columns):
        errors = [error(key, settings, table, column, seed) for seed in seeds]
        ours = statistics.median(errors)
        paper = theirs.get((name, iim.METHODS[key].paper_name))
        text = f"{ours:.4g} ({max(errors):.4g})"
        if paper is not None:
            off = ours / paper - 1
            n_close += abs(off) <= CLOSE
            text += f" {paper:g} {off:+.0%}"
        cells.append(text)
    known = any(name == iim.METHODS[key].paper_name for _, name in theirs)
    reproduced = f"{n_close:>8} of {len(columns)}" if known else ""
    print(f"{key:8}" + "".join(f"{cell:>30}" for cell in cells) + reproduced, flush=True)


def error(key: str, settings: Mapping[str, Any], table: np.ndarray, column: int, seed: int) -> float:
    """RMS error over the removed cells of one column."""
    truth, filled, _ = removed_and_filled(key, settings, table, column, seed)
    return rms_error(truth, filled)


def removed_and_filled(
    key: str, settings: Mapping[str, Any], table: np.ndarray, column: int, seed: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """True and filled values of the removed cells, and the mean of those still known."""
    removed = remove_cells(np.isnan(table), [column], hide=N_HOLES, seed=seed, repeat=0)
    imputer = iim.METHODS[key](**settings)
    if "random_state" in imputer.get_params():
        imputer.set_params(random_state=seed)
    filled = imputer.fit_transform(np.where(removed, np.nan, table))
    rows = removed[:, column]
    return table[rows, column], filled[rows, column], float(table[~rows, column].mean())


def show_coefficients(
    table: np.ndarray, columns: list[str], seeds: range, theirs: Mapping[tuple[str, str], float]
) -> None:
    """Print R2_S and R2_H with the paper's settings."""
    print(f"{'':8}" + "".join(f"{name:>30}" for name in columns))
    for name, key in (("R2_S", "knn"), ("R2_H", "glr")):
        cells = []
        for column, attribute in enumerate(columns):
            ours = statistics.median(
                r_squared(*removed_and_filled(key, iim.METHODS[key].PAPER, table, column, seed))
                for seed in seeds
            )
            paper = theirs[attribute, name]
            cells.append(f"{ours:.3f} {paper:.2f} {ours - paper:+.3f}")
        print(f"{name:8}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
