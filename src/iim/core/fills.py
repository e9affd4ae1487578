"""Filled cells: values, and the candidates that they come from."""

from __future__ import annotations

from dataclasses import dataclass

from iim._arrays import Floats, Integers
from iim.core.donors import Fallback
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern
from iim.core.voting import Votes


@dataclass(frozen=True)
class Lines:
    """The donors' models as they were learned for each receiver, in the models' unit.

    Attributes
    ----------
    levels : ndarray of shape (n_receivers, k)
        Values at the donors.
    slopes : ndarray of shape (n_receivers, k, n_observed)
        Per unit of the scaled coordinates; 0 for a column that the receiver lacks.
    """

    levels: Floats
    slopes: Floats


@dataclass(frozen=True)
class Ballot:
    """Where filled values come from: the nearest donors, and the predictions of their models.

    Attributes
    ----------
    models : PatternModels
        The donors and their models.
    neighbors : Neighbors
        The nearest donors of each receiver.
    votes : Votes
        The predictions of their models; a fill is their weighted mean.
    rows : ndarray of shape (n_completed,) or None
        For each training row, its row in the table given to ``fit``; None if all rows were used.
    lines : Lines or None
        The models, where they are the receivers' own and were asked for; else those of ``models``.
    """

    models: PatternModels
    neighbors: Neighbors
    votes: Votes
    rows: Integers | None = None
    lines: Lines | None = None

    @property
    def donors(self) -> Integers:
        """(n_receivers, k): rows of the table given to ``fit``."""
        donors = self.models.problem.rows[self.models.tree.donor[self.neighbors.place]]
        return donors if self.rows is None else self.rows[donors]


@dataclass(frozen=True)
class Fills:
    """The filled cells of one pattern.

    Attributes
    ----------
    pattern : Pattern
        The known columns, and the column filled.
    rows : ndarray of shape (n_receivers,)
        The rows filled.
    values : ndarray of shape (n_receivers,)
        Their new values.
    fallback : Fallback
        The fallback, if one was needed.
    ballot : Ballot or None
        The candidates; None for methods without candidates, and where the fill is the column mean.
    """

    pattern: Pattern
    rows: Integers
    values: Floats
    fallback: Fallback
    ballot: Ballot | None = None
