"""Where fills come from: candidates of many cells, or the whole story of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.fills import Fills
from iim.core.training import Training


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of every missing cell, in table order.

    Attributes
    ----------
    rows, columns : ndarray of shape (n_cells,)
        Positions of the cells.
    imputed : ndarray of shape (n_cells,)
        The values filled in.
    values : ndarray of shape (n_cells, n_neighbors)
        What the asked donors' models say, nearest donor first; NaN where fewer were asked.
    weights : ndarray of shape (n_cells, n_neighbors)
        Their weights, which sum to one (or are all 0 where a column mean was used).
    donors : ndarray of shape (n_cells, n_neighbors)
        Rows of the table given to ``fit``; -1 where fewer were asked.
    fallbacks : ndarray of shape (n_cells,)
        What had to be given up to fill each cell, in words; "none" in the ordinary case.
    """

    rows: Integers
    columns: Integers
    imputed: Floats
    values: Floats
    weights: Floats
    donors: Integers
    fallbacks: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return int(self.rows.size)


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a cell gets its value; printed, a small table.

    Attributes
    ----------
    row : int
        The cell's row, by position.
    column : str or int
        The cell's column.
    value : float
        The value filled in.
    voted : float
        The value that was voted for, before ``min_value`` and ``max_value``.
    fallback : str
        What had to be given up to fill the cell; "none" in the ordinary case.
    observed : tuple
        The columns that the value was estimated from.
    known : ndarray of shape (n_observed,)
        The row's own values there.
    donors : ndarray of shape (k,)
        Rows of the table given to ``fit``, nearest first.
    distances : ndarray of shape (k,)
        Euclidean distances in scaled coordinates.
    n_learning : ndarray of shape (k,)
        How many neighbours each donor's model was learned from.
    intercepts, slopes : ndarray of shape (k,) and (k, n_observed)
        The donors' models, in the units of the table.
    candidates, weights : ndarray of shape (k,)
        What each model says, and how much it counts.
    """

    row: int
    column: Any
    value: float
    voted: float
    fallback: str
    observed: tuple[Any, ...]
    known: Floats
    donors: Integers = field(default_factory=lambda: np.empty(0, np.intp))
    distances: Floats = field(default_factory=lambda: np.empty(0))
    n_learning: Integers = field(default_factory=lambda: np.empty(0, np.intp))
    intercepts: Floats = field(default_factory=lambda: np.empty(0))
    slopes: Floats = field(default_factory=lambda: np.empty((0, 0)))
    candidates: Floats = field(default_factory=lambda: np.empty(0))
    weights: Floats = field(default_factory=lambda: np.empty(0))

    def __str__(self) -> str:
        limited = "" if self.value == self.voted else f" (limited, from {self.voted:.6g})"
        cell = f"row {self.row}, {self.column} = {self.value:.6g}{limited}"
        if not self.donors.size:
            return f"{cell}: the column's mean"
        given = ", ".join(
            f"{name} = {value:.6g}" for name, value in zip(self.observed, self.known, strict=True)
        )
        lines = [
            f"{cell}, from {given}",
            f"{'donor':>7} {'distance':>9} {'learned':>8} {'says':>12} {'weight':>7}  model",
        ]
        for at, donor in enumerate(self.donors):
            lines.append(
                f"{donor:>7} {self.distances[at]:>9.4g} {self.n_learning[at]:>8} "
                f"{self.candidates[at]:>12.6g} {self.weights[at]:>7.3f}  {self._model(at)}"
            )
        if self.fallback != "none":
            lines.append(f"given up: {self.fallback}")
        return "\n".join(lines)

    __repr__ = __str__

    def _model(self, at: int) -> str:
        terms = [f"{self.intercepts[at]:.4g}"]
        for name, slope in zip(self.observed, self.slopes[at], strict=True):
            if slope != 0.0:
                terms.append(f"{'-' if slope < 0 else '+'} {abs(slope):.4g} {name}")
        return " ".join(terms)


def gather_candidates(
    parts: Iterable[Fills], n_cells: int, columns: Integers, n_neighbors: int
) -> Candidates:
    """Lay out the votes of all patterns as one table of cells.

    Parameters
    ----------
    parts : iterable of Fills
        Filled cells, by pattern.
    n_cells : int
        How many there are in all.
    columns : ndarray
        The position in the user's table of each column of the patterns.
    n_neighbors : int
        Width of the result.

    Returns
    -------
    Candidates
    """
    rows, targets = np.empty(n_cells, np.intp), np.empty(n_cells, np.intp)
    imputed = np.empty(n_cells)
    values = np.full((n_cells, n_neighbors), np.nan)
    weights = np.zeros((n_cells, n_neighbors))
    donors = np.full((n_cells, n_neighbors), -1, np.intp)
    fallbacks = np.empty(n_cells, dtype=object)
    first = 0
    for part in parts:
        here = slice(first, first + part.rows.size)
        first = here.stop
        rows[here], targets[here], imputed[here] = (
            part.rows,
            columns[part.pattern.target],
            part.values,
        )
        fallbacks[here] = str(part.fallback)
        if part.ballot is not None:
            votes, place = part.ballot.votes, part.ballot.neighbors.place
            n_asked = place.shape[1]
            values[here, :n_asked], weights[here, :n_asked] = votes.candidates, votes.weights
            donors[here, :n_asked] = part.ballot.donors
    order = np.lexsort((targets, rows))
    return Candidates(
        rows=rows[order],
        columns=targets[order],
        imputed=imputed[order],
        values=values[order],
        weights=weights[order],
        donors=donors[order],
        fallbacks=fallbacks[order],
    )


def gather_explanation(training: Training, fills: Fills, receiver: Floats, row: int) -> Explanation:
    """Tell the story of one filled cell.

    Parameters
    ----------
    training : Training
        The table learned from.
    fills : Fills
        Of a single receiver.
    receiver : ndarray of shape (n_columns,)
        Its values.
    row : int
        Its position in the user's table.

    Returns
    -------
    Explanation
    """
    names = training.matrix.columns
    column, value = names[fills.pattern.target], float(fills.values[0])
    if fills.ballot is None:
        mean = float(training.means[fills.pattern.target])
        return Explanation(row, column, value, mean, str(fills.fallback), (), np.empty(0))
    models = fills.ballot.models
    observed = models.choice.observed
    place = fills.ballot.neighbors.place[0]
    learned_from = models.choice.rows[models.tree.donor[place]]
    coef = np.ldexp(models.coef[place], models.exponent)
    slopes = training.scaling.raw_slopes(coef[:, 1:], observed)
    at_donor = training.matrix.values[learned_from][:, list(observed)]
    return Explanation(
        row=row,
        column=column,
        value=value,
        voted=float(fills.ballot.votes.values[0]),
        fallback=str(fills.fallback),
        observed=tuple(names[column] for column in observed),
        known=receiver[list(observed)],
        donors=fills.ballot.donors[0],
        distances=np.sqrt(fills.ballot.neighbors.distance[0]),
        n_learning=models.n_learning[place],
        intercepts=coef[:, 0] - (slopes * at_donor).sum(axis=1),
        slopes=slopes,
        candidates=fills.ballot.votes.candidates[0],
        weights=fills.ballot.votes.weights[0],
    )
