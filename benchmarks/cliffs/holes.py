"""Which cells are hidden: each function gives what draws a mask for a complete table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from accuracy.tables import cells

Holes = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""From a complete table and a generator to True for the cells to hide."""

LEAST_KNOWN = 2
"""Known cells that each column keeps, whatever the draw."""


def at_random(rate: float) -> Holes:
    """Each cell with the same chance; a row keeps one."""
    return lambda truth, random: cells(rate)(len(truth), truth.shape[1], random)


def gap(column: int, start: float, stop: float) -> Holes:
    """One column between two shares of the rows: an outage, or with ``stop`` 1 the end of a series."""

    def holes(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:  # noqa: ARG001
        hidden = np.zeros(truth.shape, dtype=bool)
        hidden[round(start * len(truth)) : round(stop * len(truth)), column] = True
        return hidden

    return holes


def outages(n_columns: int, n_gaps: int, length: int) -> Holes:
    """Gaps of some rows at random places, in each of the first columns."""

    def holes(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
        hidden = np.zeros(truth.shape, dtype=bool)
        for column in range(n_columns):
            for start in random.integers(len(truth) - length, size=n_gaps):
                hidden[start : start + length, column] = True
        return hidden

    return holes


def blocks(n_blocks: int, share_of_rows: float, n_columns: int) -> Holes:
    """Some columns of some rows at once, several times: parts of a questionnaire left out."""

    def holes(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
        n_rows, n_all = truth.shape
        hidden = np.zeros(truth.shape, dtype=bool)
        for _ in range(n_blocks):
            rows = random.permutation(n_rows)[: round(share_of_rows * n_rows)]
            hidden[np.ix_(rows, random.permutation(n_all)[:n_columns])] = True
        full = np.flatnonzero(hidden.all(axis=1))
        hidden[full, random.integers(n_all, size=len(full))] = False
        return hidden

    return holes


def by_first_column(rate: float) -> Holes:
    """The chance grows with the first column, which stays complete: missing at random."""

    def holes(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
        chances = 2.0 * rate * rankdata(truth[:, :1], axis=0) / len(truth)
        hidden = random.random(truth.shape) < chances
        hidden[:, 0] = False
        return hidden

    return holes


def by_own_value(rate: float) -> Holes:
    """The chance grows with the value itself: not missing at random. A row keeps one cell."""

    def holes(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
        hidden = random.random(truth.shape) < 2.0 * rate * rankdata(truth, axis=0) / len(truth)
        full = np.flatnonzero(hidden.all(axis=1))
        hidden[full, random.integers(truth.shape[1], size=len(full))] = False
        return hidden

    return holes


def with_known(hidden: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The mask, with some cells shown again in columns that would keep fewer than ``LEAST_KNOWN``."""
    hidden = hidden.copy()
    for column in np.flatnonzero((~hidden).sum(axis=0) < LEAST_KNOWN):
        hidden[random.permutation(len(hidden))[:LEAST_KNOWN], column] = False
    return hidden
