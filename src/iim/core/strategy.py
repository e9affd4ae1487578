"""Patterns or rounds: which of the two ways costs less, by estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from iim._arrays import Booleans
from iim.core.completing import choose_rows
from iim.core.donors import choose_donors
from iim.core.patterns import Pattern, group_patterns
from iim.core.settings import Rounds, Settings
from iim.kernels.tree import LEAF_SIZE

LOOKED_AT = 64
"""Patterns whose donors are counted; the others are taken to be like them."""

CHEAP = 1e9
"""Steps that take about a second: to save those, the paper's way is not left."""

PER_CALL = 1e6
"""Steps that one more pattern costs however small it is."""


class StrategyChoice(str):
    """The name of the way taken, and why.

    Attributes
    ----------
    reason : str
        Why, in words.
    """

    reason: str

    def __new__(cls, name: str, reason: str) -> Self:
        """A string that knows its reason."""
        choice = super().__new__(cls, name)
        choice.reason = reason
        return choice

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.reason)

    def __repr__(self) -> str:
        return f"{str(self)!r} ({self.reason})"


@dataclass(frozen=True)
class Costs:
    """What the two ways cost, in multiplications and additions.

    Attributes
    ----------
    patterns, rounds : float
        Each way's steps.
    n_patterns : int
        How many sets of models the first learns.
    """

    patterns: float
    rounds: float
    n_patterns: int

    @property
    def cheaper(self) -> str:
        """The way with fewer steps; patterns if those take no time to speak of."""
        return "iterative" if self.patterns > max(self.rounds, CHEAP) else "patterns"

    @property
    def reason(self) -> str:
        """Why, in words."""
        sets = f"{self.n_patterns:,} combinations of known and missing columns"
        if self.patterns <= CHEAP:
            return f"{sets} are learned in no time"
        share = self.patterns / self.rounds
        return f"{sets} cost about {share:.2g} times as much, one by one, as rounds over all columns"


def estimate_costs(missing: Booleans, settings: Settings, rounds: Rounds) -> Costs:
    """Estimate what it costs to fit a table and fill it.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Its holes.
    settings : Settings
        All decisions.
    rounds : Rounds
        Those of the second way.

    Returns
    -------
    Costs
        From the table's shape and holes alone: the same on every machine.
    """
    groups = group_patterns(missing)
    cases = [(pattern, group.rows.size) for group in groups for pattern in group.patterns()]
    return Costs(
        patterns=_cost_of_patterns(missing, cases, settings),
        rounds=_cost_of_rounds(missing, settings, rounds),
        n_patterns=len(cases),
    )


def _cost_of_patterns(missing: Booleans, cases: list[tuple[Pattern, int]], settings: Settings) -> float:
    if not cases:
        return 0.0
    looked_at = [cases[at] for at in np.unique(np.linspace(0, len(cases) - 1, LOOKED_AT).astype(int))]
    total = 0.0
    for pattern, n_rows in looked_at:
        choice = choose_donors(missing, pattern, which=settings.donors, min_donors=settings.min_donors)
        n_donors, n_observed = choice.rows.size, len(choice.observed)
        # To choose the donors takes a look at the whole table, at fit and at transform.
        total += PER_CALL + 2.0 * missing.size
        total += _learning(n_donors, n_observed, settings.n_neighbors * n_rows, settings)
        total += n_rows * _search(n_donors, n_observed, settings.n_neighbors)
    return total * len(cases) / len(looked_at)


def _cost_of_rounds(missing: Booleans, settings: Settings, rounds: Rounds) -> float:
    n_rows, n_columns = missing.shape
    rows, _ = choose_rows(missing, settings=settings, max_donors=rounds.max_donors)
    n_completed = rows.size
    n_holes = np.count_nonzero(missing[rows], axis=0)
    total: float = float(n_completed) * n_rows * n_columns
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        n_donors = n_completed - int(n_holes[column])
        total += PER_CALL + _learning(n_donors, n_columns - 1, n_donors, settings)
        if n_holes[column]:
            asked = settings.n_neighbors * int(n_holes[column])
            total += rounds.max_iter * _learning(n_donors, n_columns - 1, asked, settings)
    if n_holes.any():
        total += rounds.max_iter * float(n_completed) * n_completed * n_columns
    return total


def _search(n_donors: int, n_observed: int, limit: int) -> float:
    """One search: in many dimensions a tree spares nothing."""
    return n_observed * min(float(n_donors), float((limit + LEAF_SIZE) * 2 ** min(n_observed, 30)))


def _learning(n_donors: int, n_observed: int, asked: int, settings: Settings) -> float:
    """Find out who judges whom among all donors, and learn the models of those asked."""
    largest = min(max(settings.learning_grid), n_donors)
    one_model = (
        _search(n_donors, n_observed, largest)
        + largest * n_observed**2
        + len(settings.learning_grid) * n_observed * (n_observed**2 / 3 + settings.n_neighbors)
    )
    judges = n_donors * _search(n_donors, n_observed, settings.n_neighbors)
    return float(judges + min(asked, n_donors) * one_model)
