"""The published comparisons: tables, protocols, printed errors."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from accuracy.tables import Case, seeded
from datasets import path_of, read
from trials.commands import BOTH, CHOOSING, LAST

RANGE_MARGIN = 1e-6
"""Added to the ranges of columns in the density suite, as its authors do."""

Cell = tuple[str, float]
"""A table and the share of cells that are hidden."""


@dataclass(frozen=True)
class Suite:
    """A published comparison.

    Attributes
    ----------
    key : str
        Its name, which is also the folder of its data.
    source, measure : str
        Who printed it, and what an error is.
    choosing, last : tuple of str
        Tables on which settings may be chosen; tables for reporting only.
    rates : tuple of float
        Shares of hidden cells.
    shown : tuple of str
        The printed methods that pages show; the terminal shows all.
    bar : str or None
        The printed method that ratios are to; None for the best printed one of each table and rate.
    hide : callable
        From a complete table, its name, a rate and a seed to the case, scaled as methods see it.
    error : callable
        From the case and the filled table to the error, in the printed unit.
    read_printed : callable
        Reads the printed errors: by cell, then by method.
    """

    key: str
    source: str
    measure: str
    choosing: tuple[str, ...]
    last: tuple[str, ...]
    rates: tuple[float, ...]
    shown: tuple[str, ...]
    bar: str | None
    hide: Callable[[np.ndarray, str, float, int], Case]
    error: Callable[[Case, np.ndarray], float]
    read_printed: Callable[[], Mapping[Cell, Mapping[str, float]]]

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, those for choosing first."""
        return (*self.choosing, *self.last)

    def half(self, name: str) -> tuple[str, ...]:
        """The tables of a half, or all."""
        return {CHOOSING: self.choosing, LAST: self.last, BOTH: self.tables}[name]

    def make_case(self, table: str, rate: float, seed: int) -> Case:
        """The holed table of a trial."""
        return self.hide(read(f"{self.key}/{table}")[0], table, rate, seed)


def hide_scattered(truth: np.ndarray, table: str, rate: float, seed: int) -> Case:  # noqa: ARG001
    """Scale columns by the ranges of the complete table, and hide each cell with the same chance.

    Parameters
    ----------
    truth : ndarray of shape (n_rows, n_columns)
        The complete table.
    table : str
        Its name. Not used: tables of the same shape have the same holes.
    rate : float
        The chance.
    seed : int
        Of the draw, in the way of their library.

    Returns
    -------
    Case
        With scaled columns.
    """
    low, high = truth.min(axis=0), truth.max(axis=0)
    scaled = (truth - low) / np.where(high > low, high - low, 1.0)
    random = np.random.RandomState(seed)
    drawn = random.randint(0, 2**32, truth.size, dtype=np.uint32)
    known = ((drawn & 0xFFFFFF) * 2.0**-24 < 1.0 - rate).reshape(truth.shape)
    return _case(scaled, ~known)


def hide_density(truth: np.ndarray, table: str, rate: float, seed: int) -> Case:
    """Shuffle the rows, hide each cell with the same chance, and scale columns by their known ranges.

    Parameters
    ----------
    truth : ndarray of shape (n_rows, n_columns)
        The complete table.
    table : str
        Its name, which the draw depends on.
    rate : float
        The chance; a row that would lose all its cells is drawn again.
    seed : int
        Of the draw.

    Returns
    -------
    Case
        With shuffled rows and scaled columns.
    """
    random = seeded("density", table, f"{rate:g}", seed)
    truth = truth[random.permutation(len(truth))]
    hidden = random.random(truth.shape) < rate
    while (empty := hidden.all(axis=1)).any():
        hidden[empty] = random.random((int(empty.sum()), truth.shape[1])) < rate
    holed = np.where(hidden, np.nan, truth)
    low = np.nanmin(holed, axis=0)
    return _case((truth - low) / (np.nanmax(holed, axis=0) - low + RANGE_MARGIN), hidden)


def mae_x10(case: Case, filled: np.ndarray) -> float:
    """Mean absolute error over all hidden cells, times 10."""
    return 10.0 * float(np.abs(filled - case.truth)[case.hidden].mean())


def nrmse_x100(case: Case, filled: np.ndarray) -> float:
    """Root mean square error over all hidden cells, times 100."""
    return 100.0 * float(np.sqrt(np.mean((filled - case.truth)[case.hidden] ** 2)))


def _case(scaled: np.ndarray, hidden: np.ndarray) -> Case:
    columns = tuple(f"x{at}" for at in range(scaled.shape[1]))
    return Case(np.where(hidden, np.nan, scaled), scaled, hidden, columns)


@cache
def _printed_scattered() -> Mapping[Cell, Mapping[str, float]]:
    with path_of("scattered/published_mae_x10").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (rate,) = SUITES["scattered"].rates
    return {(row.pop("dataset"), rate): {name: float(text) for name, text in row.items()} for row in rows}


@cache
def _printed_density() -> Mapping[Cell, Mapping[str, float]]:
    found: dict[Cell, dict[str, float]] = {}
    with path_of("density/published_nrmse_x100").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            errors = found.setdefault((row["dataset"], float(row["rate"])), {})
            # Empty where their run failed.
            if row["nrmse_x100"]:
                errors[row["method"]] = float(row["nrmse_x100"])
    return found


SUITES = {
    suite.key: suite
    for suite in (
        Suite(
            key="scattered",
            source="GRAPE (2020) and M3-Impute (2024)",
            measure="mean absolute error x 10, of columns scaled to [0, 1]",
            choosing=("steel", "german", "concrete", "power", "airfoil", "iris", "letter", "ai4i"),
            last=("housing", "ionosphere", "blood", "breast", "diabetes", "spam", "cmc", "libras"),
            rates=(0.3,),
            shown=("mean", "knn", "mice", "grape", "hyperimpute", "m3_impute"),
            bar="m3_impute",
            hide=hide_scattered,
            error=mae_x10,
            read_printed=_printed_scattered,
        ),
        Suite(
            key="density",
            source="kNNxKDE (2023)",
            measure="RMS error x 100, of columns scaled to [0, 1] by their known values",
            choosing=("pollen", "geyser", "2d_linear", "2d_ring", "2d_sine", "gaussians"),
            last=("japanese_vowels", "penguin", "planets", "sulfur", "sylvine"),
            rates=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
            shown=("mean", "knnimputer", "mice", "missforest", "knnxkde"),
            bar=None,
            hide=hide_density,
            error=nrmse_x100,
            read_printed=_printed_density,
        ),
    )
}
"""The comparisons by name."""

N_SEEDS = 5
"""Draws of the holes, 0 to 4: as many as in the scattered suite; the density suite was printed with 20."""
