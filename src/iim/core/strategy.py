"""Patterns or rounds: which of the two ways costs less, by estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from iim._arrays import Booleans
from iim.core.completing import choose_donors_of_columns
from iim.core.donors import choose_donors
from iim.core.patterns import Pattern, group_patterns
from iim.core.settings import Rounds, Settings
from iim.kernels.tree import LEAF_SIZE

LOOKED_AT = 64
"""Patterns whose donors are counted; the others are taken to be like them."""

CHEAP = 5e9
"""Steps that take a second or two: to save those, the paper's way is not left."""

PER_PATTERN = 6e6
"""Steps that one more pattern costs however small it is, besides looking at every cell for its donors."""

PER_CELL = 20.0
"""Steps of that look."""

PER_CANDIDATE = 8000.0
"""Steps of one more number of learning neighbours, for one donor, besides its arithmetic."""

SCATTERED = 5.0
"""How much longer a step of learning takes than one of searching, which runs over neighbouring numbers."""

FEW_ROUNDS = 3
"""Rounds that completing a table mostly takes, if it may take as many."""

PER_DONOR_SEEN = 15.0
"""Steps for each donor that a search looks at, besides its distance."""

FEW_DIMENSIONS = 5
"""Real tables fill few dimensions, however many columns they have: a search sees no more than in these."""


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
        if self.n_patterns == 0:
            return "nothing is missing"
        sets = f"{self.n_patterns:,} combination{'s' * (self.n_patterns > 1)} of known and missing columns"
        if self.patterns <= CHEAP:
            return f"{sets}, learned in no time"
        share = self.patterns / self.rounds
        return f"{sets}, about {share:.2g} times the cost of rounds over all columns with the same donors"


def estimate_costs(missing: Booleans, settings: Settings, rounds: Rounds) -> Costs:
    """Estimate what it costs to fit a table and fill it.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Its holes.
    settings : Settings
        All decisions.
    rounds : Rounds
        Those of the second way. Its cost is that with all donors, as the first way has them: fewer are no
        reason to prefer it, for they make it less accurate.

    Returns
    -------
    Costs
        From the table's shape and holes alone: the same on every machine.
    """
    groups = group_patterns(missing)
    cases = [(pattern, group.rows.size) for group in groups for pattern in group.patterns()]
    return Costs(
        patterns=_cost_of_patterns(missing, cases, settings),
        rounds=_cost_of_rounds(missing, settings, replace(rounds, max_donors=missing.shape[0])),
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
        total += PER_PATTERN + PER_CELL * missing.size
        total += _learning(n_donors, n_observed, settings.n_neighbors * n_rows, settings)
        total += n_rows * _search(n_donors, n_observed, settings.n_neighbors)
    return total * len(cases) / len(looked_at)


def _cost_of_rounds(missing: Booleans, settings: Settings, rounds: Rounds) -> float:
    n_rows, n_columns = missing.shape
    chosen, _ = choose_donors_of_columns(missing, settings=settings, max_donors=rounds.max_donors)
    rows = np.flatnonzero(chosen.any(axis=1))
    n_completed = rows.size
    n_holes = np.count_nonzero(missing[rows], axis=0)
    n_rounds = min(rounds.max_iter, FEW_ROUNDS)
    total: float = float(n_completed) * n_rows * n_columns
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        n_donors = int(np.count_nonzero(chosen[:, column]))
        total += PER_PATTERN + _learning(n_donors, n_columns - 1, n_donors, settings)
        if n_holes[column]:
            asked = settings.n_neighbors * int(n_holes[column])
            total += n_rounds * _learning(n_donors, n_columns - 1, asked, settings)
    if n_holes.any():
        total += n_rounds * float(n_completed) * n_completed * n_columns
    return total


def _search(n_donors: int, n_observed: int, limit: int) -> float:
    """One search among donors that lie in a tree."""
    seen = min(n_donors, (limit + LEAF_SIZE) * 2 ** min(n_observed, FEW_DIMENSIONS))
    return float(seen * (n_observed + PER_DONOR_SEEN))


def _learning(n_donors: int, n_observed: int, asked: int, settings: Settings) -> float:
    """Find out who judges whom among all donors, and learn the models of those asked."""
    n_learning = min(max(settings.learning_grid), n_donors)
    n_candidates = len(settings.learning_grid)
    sums = n_learning * (n_observed + 2) ** 2 / 2
    solutions = n_candidates * (n_observed**3 / 3 + settings.n_neighbors * n_observed)
    one_model = SCATTERED * (sums + solutions) + PER_CANDIDATE * n_candidates
    one_model += _search(n_donors, n_observed, n_learning)
    judges = n_donors * _search(n_donors, n_observed, settings.n_neighbors)
    return float(judges + min(asked, n_donors) * one_model)
