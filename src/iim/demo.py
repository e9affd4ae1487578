"""A demonstration on the sample tables: ``iim demo``, or ``python -m iim.demo``."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim import IIMImputer, MeanImputer, compare, samples
from iim._arrays import Floats
from iim.comparing import Comparison
from iim.compile import tell_of_compiling
from iim.core.settings import PAPER
from iim.evaluation.scoring import rms_error


def show(text: str = "") -> None:
    """Write a line to standard output."""
    sys.stdout.write(text + "\n")


@dataclass(frozen=True)
class Sensors:
    """The sensor table, filled.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    table, filled : ndarray of shape (n_rows, n_columns)
        The table before and after filling.
    seconds : float
        Time to fill it.
    errors : dict
        For each column with missing values: their number, and the RMS errors of IIM and of the column mean.
    """

    names: tuple[str, ...]
    table: Floats
    filled: Floats
    seconds: float
    errors: dict[str, tuple[int, float, float]]


def fill_example() -> tuple[Floats, IIMImputer]:
    """The paper's example, and an imputer with the paper's settings, fitted to it."""
    table = samples.example("numpy")
    return table, IIMImputer(**{**PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)}).fit(table)


def fill_sensors() -> Sensors:
    """Fill the sensor table with default settings, and measure the errors."""
    table, truth = samples.sensors("numpy"), samples.sensors("numpy", complete=True)
    names = ("hour", "temperature", "humidity", "pressure", "sunlight", "voltage")
    begun = time.perf_counter()
    filled = IIMImputer().fit_transform(table)
    seconds = time.perf_counter() - begun
    means = MeanImputer().fit_transform(table)
    errors = {}
    for column, name in enumerate(names):
        holes = np.isnan(table[:, column])
        if holes.any():
            errors[name] = (
                int(holes.sum()),
                rms_error(truth[holes, column], filled[holes, column]),
                rms_error(truth[holes, column], means[holes, column]),
            )
    return Sensors(names, table, filled, seconds, errors)


def compare_sensors() -> Comparison:
    """Compare some methods on hidden cells of the sensor table."""
    methods = ["mean", "knn", "glr", "loess", "iim"]
    return compare(samples.sensors("numpy"), methods, progress=False)


def results() -> dict[str, Any]:
    """All results as plain values."""
    table, imputer = fill_example()
    sensors = fill_sensors()
    return {
        "example": {"filled": float(imputer.transform(table)[8, 1]), "truth": 1.8, "mean": 4.35},
        "sensors": {
            "n_rows": sensors.table.shape[0],
            "n_columns": sensors.table.shape[1],
            "n_filled": int(np.isnan(sensors.table).sum()),
            "seconds": sensors.seconds,
            "errors": {
                name: {"n_filled": n_holes, "iim": ours, "mean": mean}
                for name, (n_holes, ours, mean) in sensors.errors.items()
            },
        },
        "comparison": list(compare_sensors().overall),
    }


def show_example() -> None:
    """The paper's example, with the paper's settings."""
    table, imputer = fill_example()
    show("1. The paper's example: eight rows, and one with x0 = 5 and x1 missing.\n")
    show(str(imputer.explain(table, row=8, column=1)))
    show(f"\n   Filled: {imputer.transform(table)[8, 1]:.3f}; true value 1.8; column mean 4.350.\n")


def show_sensors() -> None:
    """The sensor table, with default settings, beside the column mean."""
    sensors = fill_sensors()
    table, filled, missing = sensors.table, sensors.filled, np.isnan(sensors.table)
    show(
        f"2. Sensors: {table.shape[0]} rows, {table.shape[1]} columns, {missing.sum()} missing values, "
        f"filled in {sensors.seconds:.2f} s.\n"
    )
    rows = np.flatnonzero(missing.any(axis=1))[:4]
    show("   The first incomplete rows, before and after (filled values in brackets):\n")
    show("   " + "".join(f"{name:>14}" for name in sensors.names))
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
    show(f"   {'':14}{'missing':>8}{'IIM':>10}{'mean':>10}")
    for name, (n_holes, ours, mean) in sensors.errors.items():
        show(f"   {name:14}{n_holes:>8}{ours:>10.3f}{mean:>10.3f}")


def show_comparison() -> None:
    """Compare some methods on hidden cells of the sensor table."""
    show("\n3. Comparison of methods on hidden cells, the same cells for each method:\n")
    result = compare_sensors()
    show(f"   {'':14}{'error':>8}{'+-':>8}{'mean rank':>12}   (in standard deviations of the column)")
    for score in result.overall:
        show(
            f"   {score.method:14}{score.normalised_error:>8.3f}{score.spread:>8.3f}"
            f"{score.mean_rank:>12.2f}"
        )


def show_all() -> None:
    """All of it."""
    show_example()
    show_sensors()
    show_comparison()


def main() -> None:
    """Show all."""
    with tell_of_compiling(lambda line: print(line, file=sys.stderr)):  # noqa: T201 (a command line)
        show_all()


if __name__ == "__main__":
    main()
