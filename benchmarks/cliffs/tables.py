"""The list of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn import datasets as bundled

from accuracy.tables import Case, load, seeded
from cliffs import generated as make
from cliffs.generated import Truth
from cliffs.holes import (
    Holes,
    at_random,
    blocks,
    by_first_column,
    by_own_value,
    gap,
    outages,
    with_known,
)
from iim.evaluation.scoring import spread
from trials.commands import CHOOSING, LAST

NOISE = "noise"
"""The kind on which no method can be better than the mean."""

DIGITS_ROWS = 500
"""Of scikit-learn's digits; columns that are constant in them are left out."""


@dataclass(frozen=True)
class Table:
    """A table that is drawn from a seed.

    Attributes
    ----------
    name, kind : str
        What it is called, and what kind of difficulty it has.
    half : {"choosing", "last"}
        Whether settings may be chosen on it.
    truth : callable
        Draws the complete table.
    holes : callable
        Draws the cells to hide.
    """

    name: str
    kind: str
    half: str
    truth: Truth
    holes: Holes

    def make_case(self, seed: int) -> Case:
        """The table with holes, and what was there."""
        random = seeded("cliffs", self.name, seed)
        truth = np.ascontiguousarray(self.truth(random), dtype=float)
        hidden = with_known(self.holes(truth, random), random)
        columns = tuple(f"x{at}" for at in range(truth.shape[1]))
        return Case(np.where(hidden, np.nan, truth), truth, hidden, columns)


def pooled_error(case: Case, filled: np.ndarray) -> float:
    """Root mean square over all hidden cells, in standard deviations of each complete column.

    A constant column has the unit 1.
    """
    units = np.array([spread(column) or 1.0 for column in case.truth.T])
    return float(np.sqrt(np.mean(((filled - case.truth) / units)[case.hidden] ** 2)))


def _bundled(name: str) -> Truth:
    """A table of scikit-learn, the same for each seed."""
    return lambda random: _LOADERS[name]()  # noqa: ARG005 (nothing random)


@cache
def _all_of_breast_cancer() -> np.ndarray:
    return bundled.load_breast_cancer().data


@cache
def _digits() -> np.ndarray:
    values = bundled.load_digits().data[:DIGITS_ROWS]
    return values[:, values.std(axis=0) > 0.0]


_LOADERS: dict[str, Callable[[], np.ndarray]] = {
    "breast_cancer": _all_of_breast_cancer,
    "digits": _digits,
    "iris": lambda: load("iris")[0],
    "wine": lambda: load("wine")[0],
    "diabetes": lambda: load("diabetes")[0],
}

_LISTED = (
    Table("low_rank", "low rank", CHOOSING, make.low_rank(1000, 60, 5), at_random(0.3)),
    Table("low_rank_half", "low rank", LAST, make.low_rank(500, 40, 3), at_random(0.5)),
    Table("ar1_wide", "chain of columns", LAST, make.autoregressive(200, 100, 0.9), at_random(0.05)),
    Table("ar1", "chain of columns", CHOOSING, make.autoregressive(300, 40, 0.9), at_random(0.2)),
    Table("factors_wide", "factors", CHOOSING, make.low_rank(400, 120, 3, noise=0.5), at_random(0.2)),
    Table("factors", "factors", LAST, make.low_rank(200, 30, 2, noise=0.5), at_random(0.4)),
    Table("drift_end", "drift", CHOOSING, make.drifting(400, 6), gap(0, 0.85, 1.0)),
    Table("drift_outage", "drift", LAST, make.drifting(400, 6), gap(0, 0.4, 0.6)),
    Table("outages", "gaps", CHOOSING, make.drifting(500, 8), outages(4, 3, 25)),
    Table("blocks", "gaps", LAST, make.low_rank(300, 12, 3, noise=0.3), blocks(3, 0.3, 4)),
    Table("noise", NOISE, CHOOSING, make.noise(300, 10), at_random(0.2)),
    Table("noise_wide", NOISE, LAST, make.noise(100, 60), at_random(0.2)),
    Table("noise_10", NOISE, CHOOSING, make.noise(10, 4), at_random(0.2)),
    Table("noise_20", NOISE, LAST, make.noise(20, 5), at_random(0.2)),
    Table("noise_30", NOISE, CHOOSING, make.noise(30, 6), at_random(0.2)),
    Table("linear_10", "few rows", LAST, make.linear(10, 4), at_random(0.2)),
    Table("linear_20", "few rows", CHOOSING, make.linear(20, 4), at_random(0.2)),
    Table("linear_30", "few rows", LAST, make.linear(30, 5), at_random(0.2)),
    Table("beside_noise", "beside noise", LAST, make.linear_beside_noise(300, 3, 30), at_random(0.1)),
    Table("beside_noise_9", "beside noise", CHOOSING, make.linear_beside_noise(200, 3, 9), at_random(0.1)),
    Table("weak", "weak relation", CHOOSING, make.weak(100, 11, 0.2), at_random(0.1)),
    Table("weak_long", "weak relation", LAST, make.weak(800, 6, 0.1), at_random(0.2)),
    Table("cauchy", "heavy tails", LAST, make.cauchy(400, 6), at_random(0.2)),
    Table("lognormal", "heavy tails", CHOOSING, make.lognormal(400, 6), at_random(0.2)),
    Table("half_zeros", "zeros", CHOOSING, make.half_zeros(400, 8), at_random(0.2)),
    Table("zero_counts", "zeros", LAST, make.counts_with_zeros(400, 8), at_random(0.2)),
    Table("likert", "codes", LAST, make.likert(300, 10), at_random(0.15)),
    Table("likert_wide", "codes", CHOOSING, make.likert(150, 30), at_random(0.3)),
    Table("repeated_rows", "copies", CHOOSING, make.repeated_rows(60, 5, 6), at_random(0.2)),
    Table("repeated_columns", "copies", LAST, make.repeated_columns(200, 4), at_random(0.3)),
    Table("constants", "constant columns", CHOOSING, make.with_constants(200, 5, 2), at_random(0.2)),
    Table("mar", "missing at random", CHOOSING, make.linear(400, 6, error=0.5), by_first_column(0.3)),
    Table("mar_ring", "missing at random", LAST, make.ring(400), by_first_column(0.3)),
    Table("large_hidden", "large ones missing", LAST, make.linear(400, 6, error=0.5), by_own_value(0.2)),
    Table("large_hidden_tail", "large ones missing", CHOOSING, make.lognormal(400, 5), by_own_value(0.15)),
    Table("sine", "nonlinear", CHOOSING, make.sine(500), at_random(0.2)),
    Table("ring", "nonlinear", LAST, make.ring(500), at_random(0.3)),
    Table("product", "nonlinear", LAST, make.product(500), at_random(0.2)),
    Table("xor", "nonlinear", CHOOSING, make.exclusive_or(400), at_random(0.1)),
    Table("steps", "pieces", CHOOSING, make.steps(500, 5), at_random(0.1)),
    Table("regimes", "pieces", LAST, make.regimes(500, 5), at_random(0.1)),
    Table("breast_cancer_10", "real", CHOOSING, _bundled("breast_cancer"), at_random(0.1)),
    Table("breast_cancer_20", "real", LAST, _bundled("breast_cancer"), at_random(0.2)),
    Table("breast_cancer_30", "real", CHOOSING, _bundled("breast_cancer"), at_random(0.3)),
    Table("breast_cancer_50", "real", LAST, _bundled("breast_cancer"), at_random(0.5)),
    Table("wine_20", "real", LAST, _bundled("wine"), at_random(0.2)),
    Table("digits_10", "real", CHOOSING, _bundled("digits"), at_random(0.1)),
    Table("digits_30", "real", LAST, _bundled("digits"), at_random(0.3)),
    Table("iris_60", "real", CHOOSING, _bundled("iris"), at_random(0.6)),
    Table("diabetes_3", "real", CHOOSING, _bundled("diabetes"), at_random(0.03)),
)

TABLES = {table.name: table for table in _LISTED}
"""All tables by name."""

N_SEEDS = 3
"""Draws of each table, 0 to 2."""
