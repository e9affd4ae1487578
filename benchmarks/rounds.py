"""Ridge weights for the rounds of IIM: where ``alpha="auto"`` of ``strategy="iterative"`` comes from.

Cells go missing at random, at three rates, from every column at once. The error of a column is the RMS over
its missing cells, divided by the column's standard deviation; printed are means over columns and seeds.
Run: ``python benchmarks/rounds.py`` with IIM_DATA set.
Beside other imputers: ``iim reproduce --only holes``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import iim
from datasets import read
from iim.evaluation.scoring import normalised_error, rms_error
from iim.versions import versions

DATA = ("ccpp", "ccs", "asf")
RATES = (0.05, 0.2, 0.4)
ALPHAS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

Fill = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore", iim.FallbackWarning)
    ways = ridge_weights()
    print(f"mean normalised RMS error over columns and {options.seeds} seeds; seconds of fit_transform\n")
    print(f"{'data':>6}{'rate':>6}" + "".join(f"{name:>18}" for name in ways), flush=True)
    errors = {(name, rate): measure(name, rate, ways, options.seeds) for name in DATA for rate in RATES}
    for rate in RATES:
        mean = np.mean([errors[name, rate] for name in DATA], axis=0)
        print(f"{'all':>6}{rate:>6.0%}" + "".join(f"{value:>18.3f}" for value in mean))
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def ridge_weights() -> dict[str, Fill]:
    """Rounds with several ridge weights, and with that of "auto"."""
    settings: list[Any] = [*ALPHAS, "auto"]
    return {
        f"alpha {alpha}": iim.IIMImputer(strategy="iterative", alpha=alpha).fit_transform
        for alpha in settings
    }


def measure(name: str, rate: float, ways: dict[str, Fill], n_seeds: int) -> np.ndarray:
    """Print one line: errors and times of all ways on one data set; return the errors."""
    truth = read(name)[0]
    errors, seconds = np.zeros((n_seeds, len(ways))), np.zeros((n_seeds, len(ways)))
    for seed in range(n_seeds):
        holes = np.random.default_rng([seed, round(100 * rate)]).random(truth.shape) < rate
        table = np.where(holes, np.nan, truth)
        for at, fill in enumerate(ways.values()):
            begun = time.perf_counter()
            filled = fill(table)
            seconds[seed, at] = time.perf_counter() - begun
            errors[seed, at] = np.mean(
                [
                    normalised_error(rms_error(truth[hole, column], filled[hole, column]), truth[:, column])
                    for column, hole in enumerate(holes.T)
                ]
            )
    error, took = errors.mean(axis=0), np.median(seconds, axis=0)
    cells = "".join(f"{e:>10.3f}{f'({s:.1f} s)':>8}" for e, s in zip(error, took, strict=True))
    print(f"{name:>6}{rate:>6.0%}{cells}", flush=True)
    return error


if __name__ == "__main__":
    main()
