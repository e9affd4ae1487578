"""The candidates of many cells: what each asked model says, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import check_parameters
from iim.core.fills import Fills
from iim.imputers._certainty import COVERAGE, Certainty
from iim.present.numbers import count
from iim.present.pages import Printable
from iim.present.records import count_cell, digits_cell
from iim.present.tables import Head, Page, build_table, name, number, words
from iim.table.frames import build_frame

MOST_CELLS = 10
"""Most cells shown in a listing of candidates."""


@dataclass(frozen=True, repr=False, eq=False)
class Candidates(Printable):
    """The candidates of every missing cell, in table order; printed, a listing of the first ones.

    Attributes
    ----------
    rows, columns : ndarray of shape (n_cells,)
        Positions of the cells.
    imputed : ndarray of shape (n_cells,)
        The values filled in.
    values : ndarray of shape (n_cells, n_donors)
        Predictions of the nearest donors' models, nearest donor first; NaN where a cell has fewer donors.
    weights : ndarray of shape (n_cells, n_donors)
        Their weights, which sum to one (or are all 0 where a column mean was used).
    donors : ndarray of shape (n_cells, n_donors)
        Rows of the table given to ``fit``; -1 where a cell has fewer donors.
    n_learning : ndarray of shape (n_cells, n_donors)
        The number l of learning neighbours of each donor's model; 0 where a cell has fewer donors.
    spread : ndarray of shape (n_cells,)
        Weighted standard deviation of each cell's candidates, before shrinkage; NaN without any. It says
        how far the donors disagree, not how wrong the fill is: that is ``std``.
    fallbacks : ndarray of shape (n_cells,)
        The fallback that filled each cell, as text; "none" without fallback.
    names : tuple
        Names of all columns of the table.
    backend : str or None
        The type of frame of the table; None for an array.
    certainty : Certainty or None
        Error distributions for ``std`` and ``interval``; None if the candidates are not calibrated.
    """

    rows: Integers
    columns: Integers
    imputed: Floats
    values: Floats
    weights: Floats
    donors: Integers
    n_learning: Integers
    spread: Floats
    fallbacks: np.ndarray[Any, Any]
    names: tuple[Any, ...] = ()
    backend: str | None = None
    certainty: Certainty | None = None

    def __len__(self) -> int:
        return int(self.rows.size)

    @property
    def std(self) -> Floats:
        """(n_cells,): standard deviation of the error of each fill, calibrated on hidden cells."""
        return self._calibrated("std").std()

    def interval(self, coverage: float = 0.9) -> tuple[Floats, Floats]:
        """Intervals with a given coverage.

        Parameters
        ----------
        coverage : float, default=0.9
            The share, between 0 and 1. Larger shares make longer intervals.

        Returns
        -------
        low, high : ndarray of shape (n_cells,)
            The ends, to both sides of the fill, rounded and limited as fills are.
        """
        check_parameters("interval", {"coverage": coverage}, {"coverage": COVERAGE})
        return self._calibrated("interval").interval(float(coverage))

    def _calibrated(self, asked: str) -> Certainty:
        if self.certainty is None:
            raise AttributeError(
                f"`{asked}` of Candidates: calibrated candidates are needed; these are not. Use "
                "`candidates(X, calibrated=True)`, which takes the time of several fits when it is first "
                "called."
            )
        return self.certainty

    def to_frame(self, backend: str | None = None) -> Any:
        """The cells as a frame, one row for each.

        Its columns: ``row`` (by position), ``column`` (its name as text), ``imputed``, ``smallest`` and
        ``largest`` candidate and their ``spread`` (NaN where a column mean was used), ``n_donors`` asked,
        and ``fallback``; if the candidates are calibrated, also ``std``, and the ends ``low_90`` and
        ``high_90`` of intervals that hold the truth in 90 % of the cells.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            None is the kind of the table; for arrays, pandas, or else polars.

        Returns
        -------
        frame
        """
        smallest, largest = self.extremes()
        cells = {
            "row": self.rows.tolist(),
            "column": list(map(str, self._cell_names())),
            "imputed": self.imputed.tolist(),
            "smallest": smallest.tolist(),
            "largest": largest.tolist(),
            "spread": self.spread.tolist(),
            "n_donors": self._n_donors().tolist(),
            "fallback": self.fallbacks.tolist(),
        }
        if self.certainty is not None:
            low, high = self.interval(0.9)
            cells |= {"std": self.std.tolist(), "low_90": low.tolist(), "high_90": high.tolist()}
        return build_frame(cells, backend or self.backend)

    def extremes(self) -> tuple[Floats, Floats]:
        """The smallest and largest candidate of each cell; NaN without any."""
        asked = self.donors >= 0
        smallest = np.where(asked, self.values, np.inf).min(axis=1, initial=np.inf)
        largest = np.where(asked, self.values, -np.inf).max(axis=1, initial=-np.inf)
        none = ~asked.any(axis=1)
        return np.where(none, np.nan, smallest), np.where(none, np.nan, largest)

    def _n_donors(self) -> Integers:
        return np.asarray(np.count_nonzero(self.donors >= 0, axis=1))

    def _cell_names(self) -> list[Any]:
        return [self.names[column] if self.names else int(column) for column in self.columns]

    def _page(self) -> Page:
        heading = f"Candidates of {count(len(self), 'missing cell')}, in the values of the table."
        if not len(self):
            return [heading]
        smallest, largest = self.extremes()
        n_donors, names = self._n_donors(), self._cell_names()
        std = self.std if self.certainty is not None else None
        rows = [
            [
                count_cell(self.rows[at]),
                name(names[at]),
                number(self.imputed[at], digits=6),
                *(() if std is None else (digits_cell(std[at]),)),
                digits_cell(smallest[at]),
                digits_cell(largest[at]),
                count_cell(n_donors[at]),
                words("" if self.fallbacks[at] == "none" else str(self.fallbacks[at])),
            ]
            for at in range(min(len(self), MOST_CELLS))
        ]
        numbers = ["filled", *["std"] * (std is not None), "smallest", "largest", "donors"]
        heads = [Head("row"), Head("column", "name"), *map(Head, numbers), Head("fallback", "words")]
        return [heading, build_table("Cells", heads, rows, n_left_out=len(self) - len(rows))]


def gather_candidates(parts: Iterable[Fills], n_cells: int, columns: Integers, n_donors: int) -> Candidates:
    """Collect the candidates of all patterns in one table of cells.

    Parameters
    ----------
    parts : iterable of Fills
        Filled cells, by pattern.
    n_cells : int
        How many there are in all.
    columns : ndarray
        The position in the user's table of each column of the patterns.
    n_donors : int
        Width of the result: donors of a cell at most.

    Returns
    -------
    Candidates
    """
    rows, targets = np.empty(n_cells, np.intp), np.empty(n_cells, np.intp)
    imputed = np.empty(n_cells)
    values = np.full((n_cells, n_donors), np.nan)
    weights = np.zeros((n_cells, n_donors))
    donors = np.full((n_cells, n_donors), -1, np.intp)
    n_learning = np.zeros((n_cells, n_donors), np.intp)
    spread, fallbacks = np.full(n_cells, np.nan), np.empty(n_cells, dtype=object)
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
            spread[here] = votes.spread
            donors[here, :n_asked] = part.ballot.donors
            n_learning[here, :n_asked] = part.ballot.models.n_learning[place]
    order = np.lexsort((targets, rows))
    return Candidates(
        rows=rows[order],
        columns=targets[order],
        imputed=imputed[order],
        values=values[order],
        weights=weights[order],
        donors=donors[order],
        n_learning=n_learning[order],
        spread=spread[order],
        fallbacks=fallbacks[order],
    )
