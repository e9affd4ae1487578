"""The tables that are measured on: ``ca.csv``, and generated ones of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from datasets import emptied, read
from speed.plan import Plan

N_LAWS = 4
"""Linear laws of a generated table, one for each quarter of its sheet."""


@dataclass(frozen=True)
class Holed:
    """A table with holes in one column.

    Attributes
    ----------
    about : str
        Name, shape, holes and seed.
    values : ndarray of shape (n_rows, n_columns)
        NaN in some rows of ``target``.
    target : int
        The column with holes.
    rows : ndarray of shape (n_holes,)
        Where.
    """

    about: str
    values: np.ndarray
    target: int
    rows: np.ndarray

    def donors(self) -> np.ndarray:
        """Standardised coordinates of the rows without a hole, for the routines that we compare with."""
        return np.delete(self._scaled(), self.rows, axis=0)

    def receivers(self) -> np.ndarray:
        """The same of the rows with a hole."""
        return self._scaled()[self.rows]

    def targets(self) -> np.ndarray:
        """Known values of the column with holes."""
        return np.delete(self.values[:, self.target], self.rows)

    def _scaled(self) -> np.ndarray:
        return StandardScaler().fit_transform(np.delete(self.values, self.target, axis=1))


def made(n_rows: int, n_columns: int, *, seed: int = 0, batch: int = 0) -> np.ndarray:
    """A heterogeneous table: rows near a curved sheet, and a last column that follows four linear laws.

    The sheet has two dimensions, bent by squares and a product, in the ``n_columns - 1`` first columns;
    each quarter of it has its own law for the last column. All columns carry noise with a standard
    deviation of 0.1.

    Parameters
    ----------
    n_rows, n_columns : int
        The shape; two columns at least.
    seed : int
        Of all that is random. Sheet and laws depend on it and on the number of columns only: tables of
        different sizes are alike.
    batch : int
        Another one gives new rows of the same sheet and laws.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
    """
    random = np.random.default_rng(seed)
    n_known = n_columns - 1
    sides, bends = random.normal(size=(2, n_known)), 0.5 * random.normal(size=(3, n_known))
    levels, slopes = random.normal(size=N_LAWS), random.normal(size=(N_LAWS, n_known))
    random = np.random.default_rng((seed, batch))
    u, v = random.uniform(-1.0, 1.0, (2, n_rows))
    table = np.empty((n_rows, n_columns))
    for column in range(n_known):
        table[:, column] = u * sides[0, column] + v * sides[1, column]
        table[:, column] += u * u * bends[0, column] + u * v * bends[1, column] + v * v * bends[2, column]
        table[:, column] += 0.1 * random.normal(size=n_rows)
    law = (u > 0.0) + 2 * (v > 0.0)
    table[:, -1] = levels[law] + 0.1 * random.normal(size=n_rows)
    for column in range(n_known):
        table[:, -1] += slopes[law, column] * table[:, column]
    return table


def made_with_holes(n_rows: int, n_columns: int = 5, *, share: float = 0.05, seed: int = 0) -> Holed:
    """A generated table whose last column is emptied in some rows."""
    n_holes = max(1, round(share * n_rows))
    values, rows = emptied(made(n_rows, n_columns, seed=seed), n_columns - 1, n_holes, seed=seed)
    about = f"generated, {n_rows:,} x {n_columns}, last column emptied in {n_holes:,} rows (seed {seed})"
    return Holed(about, values, n_columns - 1, rows)


def california(plan: Plan) -> Holed:
    """``ca.csv`` with longitude emptied in 5 % of the rows; if the plan is quick, a generated table."""
    if plan.quick:
        return made_with_holes(400, 9)
    table, names = read("ca")
    target = names.index("longitude")
    n_holes = round(0.05 * len(table))
    values, rows = emptied(table, target, n_holes, seed=0)
    rows_text = f"longitude emptied in {n_holes:,} rows (seed 0)"
    return Holed(f"ca.csv, {len(table):,} x {len(names)}, {rows_text}", values, target, rows)
