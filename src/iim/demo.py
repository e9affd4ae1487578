"""The main job on the tables that ship with the package: ``python -m iim.demo``."""

from __future__ import annotations

import sys
import time

import numpy as np

from iim import IIMImputer, MeanImputer, compare, samples
from iim.compile import tell_of_compiling
from iim.core.settings import PAPER
from iim.scoring import rms_error


def show(text: str = "") -> None:
    """Write a line to standard output."""
    sys.stdout.write(text + "\n")


def show_example() -> None:
    """The paper's example, with the paper's settings."""
    table = samples.example("numpy")
    imputer = IIMImputer(**{**PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)}).fit(table)
    show("1. The paper's example: eight rows, and one with x0 = 5 whose x1 is missing.\n")
    show(str(imputer.explain(table, row=8, column=1)))
    show(f"\n   Filled: {imputer.transform(table)[8, 1]:.3f}; in truth 1.8; column mean 4.350.\n")


def show_sensors() -> None:
    """The sensor table, with default settings, beside the column mean."""
    table, truth = samples.sensors("numpy"), samples.sensors("numpy", complete=True)
    missing = np.isnan(table)
    begun = time.perf_counter()
    filled = IIMImputer().fit_transform(table)
    seconds = time.perf_counter() - begun
    show(
        f"2. Sensors: {table.shape[0]} rows, {table.shape[1]} columns, {missing.sum()} holes, "
        f"filled in {seconds:.2f} s.\n"
    )
    names = ("hour", "temperature", "humidity", "pressure", "sunlight", "voltage")
    rows = np.flatnonzero(missing.any(axis=1))[:4]
    show("   The first rows with holes, before and after (filled values in brackets):\n")
    show("   " + "".join(f"{name:>14}" for name in names))
    for row in rows:
        known = [
            "-" if hole else f"{value:.2f}" for value, hole in zip(table[row], missing[row], strict=True)
        ]
        new = [
            f"[{value:.2f}]" if hole else f"{value:.2f}"
            for value, hole in zip(filled[row], missing[row], strict=True)
        ]
        show("   " + "".join(f"{cell:>14}" for cell in known))
        show("   " + "".join(f"{cell:>14}" for cell in new) + "\n")
    show("   RMS error against the true values:\n")
    show(f"   {'':14}{'holes':>8}{'IIM':>10}{'mean':>10}")
    means = MeanImputer().fit_transform(table)
    for column, name in enumerate(names):
        holes = missing[:, column]
        if holes.any():
            ours = rms_error(truth[holes, column], filled[holes, column])
            mean = rms_error(truth[holes, column], means[holes, column])
            show(f"   {name:14}{holes.sum():>8}{ours:>10.3f}{mean:>10.3f}")


def show_comparison() -> None:
    """Some methods on the sensor table, cells hidden."""
    show("\n3. Which method is best on it? Known cells hidden, the same for each method:\n")
    result = compare(samples.sensors("numpy"), ["mean", "knn", "glr", "loess", "iim"], progress=False)
    show(f"   {'':14}{'error':>8}{'+-':>8}{'mean rank':>12}   (in standard deviations of the column)")
    for score in result.overall:
        show(
            f"   {score.method:14}{score.normalised_error:>8.3f}{score.spread:>8.3f}"
            f"{score.mean_rank:>12.2f}"
        )


def main() -> None:
    """Show all."""
    with tell_of_compiling(lambda line: print(line, file=sys.stderr)):  # noqa: T201 (a command line)
        show_example()
        show_sensors()
        show_comparison()


if __name__ == "__main__":
    main()
