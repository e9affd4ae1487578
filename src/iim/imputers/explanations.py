"""All details of one fill: its donors, their models, and what each column does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.distances import transformed
from iim.core.fills import Fills
from iim.core.scaling import in_table_units
from iim.core.source import Source
from iim.present.names import listed
from iim.present.numbers import count
from iim.present.pages import Printable
from iim.present.records import count_cell, digits_cell, thousandths_cell
from iim.present.tables import Head, Page, Table, build_table, number, words
from iim.present.terminal import as_text

MOST_TERMS = 5
"""Most columns shown of a model; the others are summed up."""


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Printable):
    """How a cell is filled; printed or shown in a notebook, a small table.

    Attributes
    ----------
    row : int
        The cell's row, by position.
    column : str or int
        The cell's column.
    value : float
        The value filled in.
    voted : float
        The vote, before ``min_value``, ``max_value`` and ``round_integers``.
    fallback : str
        The fallback that filled the cell; "none" without fallback.
    observed : tuple
        The columns used.
    known : ndarray of shape (n_observed,)
        The row's values in these columns.
    donors : ndarray of shape (k,)
        Rows of the table given to ``fit``, nearest first.
    distances : ndarray of shape (k,)
        Euclidean distances in scaled or in learned coordinates.
    n_learning : ndarray of shape (k,)
        The number l of learning neighbours of each donor's model.
    intercepts, slopes : ndarray of shape (k,) and (k, n_observed)
        The donors' models, in the units of the table.
    effects : ndarray of shape (k, n_observed)
        Effect of each column on a model's prediction: the slope times the difference between the row's
        value and the donor's.
    candidates, weights : ndarray of shape (k,)
        Predictions of the models, clipped by ``reach``, and their weights.
    limited : ndarray of shape (k,)
        True where the prediction was clipped.
    metric : {"scaled", "learned"}
        The kind of ``distances``.
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
    effects: Floats = field(default_factory=lambda: np.empty((0, 0)))
    candidates: Floats = field(default_factory=lambda: np.empty(0))
    weights: Floats = field(default_factory=lambda: np.empty(0))
    limited: Booleans = field(default_factory=lambda: np.empty(0, bool))
    metric: str = "scaled"

    def __repr__(self) -> str:
        # Compact: no empty lines between the parts.
        return as_text(self._page(), between="\n")

    def _page(self) -> Page:
        before = "" if self.value == self.voted else f" ({self.voted:.6g} before bounds and rounding)"
        cell = f"row {self.row}, {listed([self.column], 1)} = {self.value:.6g}{before}"
        if not self.donors.size:
            return [f"{cell}: the column's mean"]
        low, high = self.candidates.min(), self.candidates.max()
        order = self._by_effect()
        n_donors = self.donors.size
        predicted = (
            f"1 donor predicts {low:.6g}"
            if n_donors == 1
            else f"{n_donors} donors predict {low:.6g} to {high:.6g}"
        )
        page: list[str | Table] = [
            f"{cell}: {predicted} from {self._known(order)}",
            self._donor_table(order),
        ]
        if self.limited.any():
            n_limited = int(np.count_nonzero(self.limited))
            page.append(
                f"{count(n_limited, 'candidate')} limited by `reach`: the models extrapolate further"
            )
        if self.fallback != "none":
            page.append(f"fallback: {self.fallback}")
        return page

    def _donor_table(self, order: Sequence[int]) -> Table:
        rows = [
            [
                count_cell(donor),
                digits_cell(self.distances[at]),
                count_cell(self.n_learning[at]),
                number(self.candidates[at], digits=6),
                thousandths_cell(self.weights[at]),
                words(self._model(at, order)),
            ]
            for at, donor in enumerate(self.donors)
        ]
        return build_table(
            f"Nearest first; distances are {self.metric}, all else is in the values of the table",
            [*map(Head, ("donor", "distance", "l", "candidate", "weight")), Head("model", "words")],
            rows,
        )

    def _by_effect(self) -> list[int]:
        """Columns in the order of the table; if they are many, by decreasing effect on the value."""
        if len(self.observed) <= MOST_TERMS:
            return list(range(len(self.observed)))
        moved = (self.weights[:, np.newaxis] * np.abs(self.effects)).sum(axis=0)
        return [int(column) for column in np.argsort(-moved, kind="stable")]

    def _known(self, order: Sequence[int]) -> str:
        shown = [f"{listed([self.observed[at]], 1)} = {self.known[at]:.6g}" for at in order[:MOST_TERMS]]
        more = len(order) - len(shown)
        return ", ".join(shown) + (f" and {count(more, 'more column')}" if more else "")

    def _model(self, at: int, order: Sequence[int]) -> str:
        slopes = self.slopes[at]
        terms = [f"{self.intercepts[at]:.4g}"]
        terms += [
            f"{_signed(slopes[column])} {listed([self.observed[column]], 1)}"
            for column in order[:MOST_TERMS]
            if slopes[column] != 0.0
        ]
        rest = [column for column in order[MOST_TERMS:] if slopes[column] != 0.0]
        if rest:
            # Summed up for this row, so that the line still adds up to the candidate.
            moved = float((slopes[rest] * self.known[rest]).sum())
            terms.append(f"{_signed(moved)} ({count(len(rest), 'more column')})")
        return " ".join(terms)


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):.4g}"


def gather_explanation(source: Source, fills: Fills, receiver: Floats, row: int) -> Explanation:
    """Explain one filled cell.

    Parameters
    ----------
    source : Source
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
    names = source.matrix.columns
    column, value = names[fills.pattern.target], float(fills.values[0])
    if fills.ballot is None:
        mean = float(source.means[fills.pattern.target])
        return Explanation(row, column, value, mean, str(fills.fallback), (), np.empty(0))
    models, lines = fills.ballot.models, fills.ballot.lines
    place = fills.ballot.neighbors.place[0]
    learned_from = models.problem.rows[models.tree.donor[place]]
    if lines is None:
        observed = models.problem.observed
        levels = models.coef[place, 0]
        # Back from transformed to scaled coordinates; the transform is symmetric.
        scaled = transformed(models.coef[place, 1:], models.transform)
    else:
        knows = ~np.isnan(receiver[list(models.problem.observed)])
        observed = tuple(np.array(models.problem.observed)[knows].tolist())
        levels, scaled = lines.levels[0], np.ascontiguousarray(lines.slopes[0][:, knows])
    levels = in_table_units(levels, models.exponent)
    slopes = source.scaling.raw_slopes(in_table_units(scaled, models.exponent), observed)
    at_donor = source.matrix.values[learned_from][:, list(observed)]
    gap = source.scaling.coordinates(receiver[None], observed) - source.scaling.coordinates(
        source.matrix.values[learned_from], observed
    )
    effects = in_table_units(scaled * gap, models.exponent)
    candidates = fills.ballot.votes.candidates[0]
    with np.errstate(over="ignore", invalid="ignore"):
        # What the models say without a limit, to rounding.
        said = levels + effects.sum(axis=1)
        near = 1e-6 * (np.abs(levels) + np.abs(effects).sum(axis=1))
        # Of use where it can be read; at the edge of what numbers can be, it may be beyond.
        intercepts = np.nan_to_num(levels - (slopes * at_donor).sum(axis=1))
    return Explanation(
        row=row,
        column=column,
        value=value,
        voted=value,
        fallback=str(fills.fallback),
        observed=tuple(names[column] for column in observed),
        known=receiver[list(observed)],
        donors=fills.ballot.donors[0],
        distances=np.sqrt(fills.ballot.neighbors.distance[0]),
        n_learning=models.n_learning[place],
        intercepts=intercepts,
        slopes=slopes,
        effects=effects,
        candidates=candidates,
        weights=fills.ballot.votes.weights[0],
        limited=(candidates < said - near) | (candidates > said + near),
        metric="learned" if models.transform.size else "scaled",
    )
