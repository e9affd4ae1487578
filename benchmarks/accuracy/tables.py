"""Tables with holes whose truth is known: data sets, halves of their rows, patterns of holes."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn import datasets as bundled

from datasets import read

SEEN = ("asf", "ccs", "ccpp", "da", "ca", "sn_road_first5000")
"""Tables of development and final runs, files in the folder that IIM_DATA names."""

UNSEEN = ("iris", "wine", "diabetes", "breast_cancer")
"""Tables of final runs only; scikit-learn brings them along."""

STAGES = {"development": SEEN, "final": (*SEEN, *UNSEEN)}
"""What is run for, and its tables."""

MOST_ROWS = 2000
"""Larger tables are represented by a fixed sample of their rows."""

BREAST_CANCER_COLUMNS = 10
"""Its other twenty are standard errors and extremes of these."""


@dataclass(frozen=True)
class Case:
    """A table with holes, and what was there.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        What an imputer gets: NaN in hidden cells.
    truth : ndarray of shape (n_rows, n_columns)
        Without a hole.
    hidden : ndarray of bool of shape (n_rows, n_columns)
        True for the cells that are scored.
    columns : tuple of str
        Names.
    """

    values: np.ndarray
    truth: np.ndarray
    hidden: np.ndarray
    columns: tuple[str, ...]


def make_case(data: str, pattern: str, seed: int, *, stage: str = "development") -> Case:
    """The table of a run.

    Parameters
    ----------
    data : str
        One of ``STAGES[stage]``.
    pattern : str
        A key of ``PATTERNS``.
    seed : int
        Decides with data set, pattern and stage which cells are hidden.
    stage : {"development", "final"}, default="development"
        Which half of the rows may have holes; the other half is complete.

    Returns
    -------
    Case
    """
    if data not in STAGES[stage]:
        message = f"data set of {stage} runs: one of {', '.join(STAGES[stage])} is needed; received {data}."
        raise ValueError(message)
    truth, columns = load(data)
    eligible, random = _eligible(data, len(truth), stage), seeded(stage, data, pattern, seed)
    return hide(truth, columns, eligible, pattern, random=random)


def hide(
    truth: np.ndarray,
    columns: tuple[str, ...],
    eligible: np.ndarray,
    pattern: str,
    *,
    random: np.random.Generator,
) -> Case:
    """Hide cells of the eligible rows.

    Parameters
    ----------
    truth : ndarray of shape (n_rows, n_columns)
        Without a hole.
    columns : tuple of str
        Names.
    eligible : ndarray of int of shape (n_eligible,)
        Rows that may lose cells. The others keep theirs, so no column loses all.
    pattern : str
        A key of ``PATTERNS``.
    random : Generator
        Of all that is random.

    Returns
    -------
    Case
    """
    hidden = np.zeros(truth.shape, dtype=bool)
    hidden[eligible] = PATTERNS[pattern](len(eligible), truth.shape[1], random)
    return Case(np.where(hidden, np.nan, truth), truth, hidden, columns)


@cache
def load(data: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """A data set without holes, at most ``MOST_ROWS`` rows, and its column names; not to be written to."""
    table, columns = _BUNDLED[data]() if data in _BUNDLED else read(data)
    if len(table) > MOST_ROWS:
        table = table[np.sort(seeded("rows", data).permutation(len(table))[:MOST_ROWS])]
    table = np.ascontiguousarray(table, dtype=float)
    table.flags.writeable = False
    return table, tuple(map(str, columns))


def _eligible(data: str, n_rows: int, stage: str) -> np.ndarray:
    """Rows that may have holes: one half in development runs, the other one in final runs."""
    order = seeded("halves", data).permutation(n_rows)
    middle = n_rows // 2
    return np.sort(order[:middle] if stage == "development" else order[middle:])


def seeded(*words: str | int) -> np.random.Generator:
    """A generator that depends on what it is for, not on what was drawn before."""
    return np.random.default_rng([zlib.crc32(str(word).encode()) for word in words])


def _one_each(n_rows: int, n_columns: int, random: np.random.Generator) -> np.ndarray:
    """A quarter of the rows lose exactly one cell; every column about as many as any other."""
    hidden = np.zeros((n_rows, n_columns), dtype=bool)
    rows = random.permutation(n_rows)[: max(1, n_rows // 4)]
    # Shuffled rounds of all columns: counts differ by one at most.
    rounds = [random.permutation(n_columns) for _ in range(-(-len(rows) // n_columns))]
    hidden[rows, np.concatenate(rounds)[: len(rows)]] = True
    return hidden


def cells(rate: float) -> Callable[[int, int, np.random.Generator], np.ndarray]:
    """Every cell is lost with the same chance, except that a row keeps one cell."""

    def pattern(n_rows: int, n_columns: int, random: np.random.Generator) -> np.ndarray:
        hidden = random.random((n_rows, n_columns)) < rate
        empty = np.flatnonzero(hidden.all(axis=1))
        hidden[empty, random.integers(n_columns, size=len(empty))] = False
        return hidden

    return pattern


PATTERNS: dict[str, Callable[[int, int, np.random.Generator], np.ndarray]] = {
    "single": _one_each,
    "cells-5": cells(0.05),
    "cells-20": cells(0.20),
}
"""Which cells of the eligible rows are hidden, by name."""


def _iris() -> tuple[np.ndarray, list[str]]:
    found = bundled.load_iris()
    return found.data, found.feature_names


def _wine() -> tuple[np.ndarray, list[str]]:
    found = bundled.load_wine()
    return found.data, found.feature_names


def _diabetes() -> tuple[np.ndarray, list[str]]:
    # In its units, and with the target, which is a number like the others.
    found = bundled.load_diabetes(scaled=False)
    return np.column_stack([found.data, found.target]), [*found.feature_names, "progression"]


def _breast_cancer() -> tuple[np.ndarray, list[str]]:
    found = bundled.load_breast_cancer()
    return found.data[:, :BREAST_CANCER_COLUMNS], found.feature_names[:BREAST_CANCER_COLUMNS]


_BUNDLED: dict[str, Callable[[], tuple[np.ndarray, list[str]]]] = {
    "iris": _iris,
    "wine": _wine,
    "diabetes": _diabetes,
    "breast_cancer": _breast_cancer,
}
