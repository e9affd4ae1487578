"""New rows: how much worse a fitted imputer fills rows that it has not seen than rows that it has.

A fifth of the rows of each table is kept from ``fit``, and filled one by one by ``transform``; for
comparison, the same rows are filled by ``fit_transform`` of the whole table. 30 % of all cells are hidden,
as in ``benchmarks/published``, whose tables for choosing these are. Printed: the mean absolute errors x 10
of both on the same cells, the ratio, and whether the rows get the same bits alone and together. Run:
``python benchmarks/new_rows.py``; needs IIM_DATA.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import iim
from iim.versions import versions
from published.suites import SUITES

TABLES = ("concrete", "power", "airfoil", "iris", "german", "ai4i")
RATE, SHARE = 0.3, 0.2

MOST_ALONE = 300
"""Rows that are filled one by one."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--table", nargs="+", choices=TABLES, default=TABLES)
    options = parser.parse_args()
    warnings.simplefilter("ignore", iim.FallbackWarning)
    print(f"{'table':>10}{'seed':>6}{'new':>9}{'seen':>9}{'ratio':>8}  the same alone")
    ratios = [measure(name, seed) for name in options.table for seed in range(options.seeds)]
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.3f}, largest {max(ratios):.3f}")
    print(", ".join(f"{name} {text}" for name, text in versions().items()))


def measure(name: str, seed: int) -> float:
    """Print one line; return the ratio of the errors."""
    case = SUITES["scattered"].make_case(name, RATE, seed)
    rows = np.random.default_rng(seed).permutation(len(case.values))
    n_new = round(SHARE * rows.size)
    new, known = np.sort(rows[:n_new]), np.sort(rows[n_new:])
    imputer = iim.IIMImputer().fit(case.values[known])
    together = imputer.transform(case.values[new])
    some = slice(0, MOST_ALONE)
    alone = np.vstack([imputer.transform(row[None]) for row in case.values[new][some]])
    seen = iim.IIMImputer().fit_transform(case.values)[new]
    hidden, truth = case.hidden[new], case.truth[new]
    errors = [10.0 * float(np.abs(filled - truth)[hidden].mean()) for filled in (together, seen)]
    ratio = errors[0] / errors[1]
    same = alone.tobytes() == together[some].tobytes()
    print(f"{name:>10}{seed:>6}{errors[0]:>9.4f}{errors[1]:>9.4f}{ratio:>8.3f}  {same}", flush=True)
    return ratio


if __name__ == "__main__":
    main()
