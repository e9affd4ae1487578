"""Filled cells: values, and the votes that they come from."""

from __future__ import annotations

from dataclasses import dataclass

from iim._arrays import Floats, Integers
from iim.core.donors import Fallback
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors
from iim.core.patterns import Pattern
from iim.core.voting import Votes


@dataclass(frozen=True)
class Ballot:
    """Where filled values come from: who was asked, and what they said last.

    Attributes
    ----------
    models : PatternModels
        The donors and their models.
    neighbors : Neighbors
        Those that were asked.
    votes : Votes
        What they said: the distribution that a value is the mean of.
    rows : ndarray of shape (n_completed,) or None
        The row of the table given to ``fit`` behind each row that was learned from, if some were left out.
    receivers : ndarray of shape (n_receivers, n_columns) or None
        The rows to fill as they were when the votes were cast, if fills had a part in that.
    """

    models: PatternModels
    neighbors: Neighbors
    votes: Votes
    rows: Integers | None = None
    receivers: Floats | None = None

    @property
    def donors(self) -> Integers:
        """(n_receivers, k): rows of the table given to ``fit``."""
        donors = self.models.problem.rows[self.models.tree.donor[self.neighbors.place]]
        return donors if self.rows is None else self.rows[donors]


@dataclass(frozen=True)
class Fills:
    """The cells of one pattern, filled.

    Attributes
    ----------
    pattern : Pattern
        The columns known and filled.
    rows : ndarray of shape (n_receivers,)
        The rows filled.
    values : ndarray of shape (n_receivers,)
        Their new values.
    fallback : Fallback
        What was given up.
    ballot : Ballot or None
        The vote; None for methods without candidates, and where the column mean was all that was left.
    """

    pattern: Pattern
    rows: Integers
    values: Floats
    fallback: Fallback
    ballot: Ballot | None = None
