"""What was chosen for rounds, by rehearsal: for each round and each column, how it is filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from iim._checks import one_of, whole_number
from iim.core.held_out.tuning import ColumnTuning
from iim.core.rounds.gaussian import RIDGE
from iim.core.settings import WEIGHTS
from iim.persistence.fields import LARGEST, many, real, scalar


@dataclass(frozen=True)
class ColumnChoice:
    """How a column is filled in a round.

    Attributes
    ----------
    tuning : ColumnTuning
        Its distances, and the level with which its models choose their number of learning neighbours.
    level, weights : str
        Those of the vote.
    n_neighbors : int
        Donors that vote.
    alpha : float
        Ridge weight of their models.
    vote, gaussian : float
        Shares of the vote and of the conditional mean of one Gaussian for the whole table in a fill; the
        rest is the column mean.
    """

    tuning: ColumnTuning
    level: Annotated[str, scalar(one_of("fitted", "own"))]
    weights: Annotated[str, scalar(one_of(*WEIGHTS))]
    n_neighbors: Annotated[int, scalar(whole_number(least=1))]
    alpha: Annotated[float, real(0, LARGEST)]
    vote: Annotated[float, real(0, 1)]
    gaussian: Annotated[float, real(0, 1)]


@dataclass(frozen=True)
class Round:
    """One round: how each column is filled.

    Attributes
    ----------
    columns : tuple of ColumnChoice
        One for each column.
    """

    columns: Annotated[tuple[ColumnChoice, ...], many(size="columns")]


@dataclass(frozen=True)
class RoundPlan:
    """All rounds.

    Attributes
    ----------
    max_donors : int
        Most donors of a column.
    rounds : tuple of Round
        The last one fills a table; those before it complete the training rows.
    ridge : float
        Ridge weight of the Gaussian.
    """

    max_donors: Annotated[int, scalar(whole_number(least=1))]
    rounds: Annotated[tuple[Round, ...], many(least=1)]
    ridge: Annotated[float, real(RIDGE, LARGEST)] = RIDGE

    @property
    def most_neighbors(self) -> int:
        """The most donors that vote for a cell."""
        return max((choice.n_neighbors for choice in self.rounds[-1].columns), default=0)
