"""Patterns or rounds: chooses the strategy, and starts it.

Patterns: models on the known columns of a row, one set for each combination of known columns and missing
column (:mod:`iim.core.pattern_loop`). Rounds: models on all other columns, one set for each column, over a
table that is completed meanwhile (:mod:`iim.core.rounds`). "auto" takes the one with the lower estimated
cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from iim._arrays import Booleans
from iim._checks import one_of
from iim.core.donors import choose_donors
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import RowGroup, group_patterns
from iim.core.rounds.completion import choose_donors_of_columns, complete
from iim.core.rounds.round_loop import RoundLoop
from iim.core.settings import RoundSettings, Settings
from iim.core.source import learn_source
from iim.core.tuning import default_tuning
from iim.kernels.tree import LEAF_SIZE
from iim.matrix import MaskedMatrix
from iim.persistence.fields import scalar

Loop: TypeAlias = PatternLoop[PatternModels, IndividualModels] | RoundLoop
"""Either strategy; both have the same methods."""

LOOKED_AT = 64
"""Patterns whose donors are counted; the cost of all is extrapolated from them."""

CHEAP = 5e9
"""Steps of a second or two. Below this cost, patterns (the paper's algorithm) are always used."""

PER_PATTERN = 6e6
"""Fixed cost of a pattern in steps, besides reading every cell to find its donors."""

PER_CELL = 20.0
"""Steps to read one cell when finding the donors of a pattern."""

PER_CANDIDATE = 8000.0
"""Overhead of one candidate number of learning neighbours, for one donor, in steps."""

SCATTERED = 5.0
"""How much longer a step of learning takes than one of searching, whose memory access is contiguous."""

FEW_ROUNDS = 3
"""Rounds that usually suffice to complete a table."""

PER_DONOR_SEEN = 15.0
"""Overhead of each donor that a search visits, besides its distance, in steps."""

FEW_DIMENSIONS = 5
"""Assumed intrinsic dimension of a table: it limits the donors that a search visits."""


class KeptChoice(NamedTuple):
    """The saved part of a choice."""

    name: Annotated[str, scalar(one_of("patterns", "iterative"))]
    reason: str


class StrategyChoice(str):
    """The name of the strategy chosen, with the reason.

    Attributes
    ----------
    reason : str
        Why it was chosen.
    """

    reason: str
    kept_as: ClassVar[type] = KeptChoice

    def __new__(cls, name: str, reason: str) -> Self:
        """A string with a reason."""
        choice = super().__new__(cls, name)
        choice.reason = reason
        return choice

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.reason)

    def to_kept(self) -> KeptChoice:
        """The saved part."""
        return KeptChoice(str(self), self.reason)

    @classmethod
    def from_kept(cls, kept: KeptChoice) -> Self:
        """The choice from its saved part."""
        return cls(*kept)

    def __repr__(self) -> str:
        return f"{str(self)!r} ({self.reason})"


@dataclass(frozen=True)
class Plan:
    """The strategy and its parameters, chosen before learning.

    Attributes
    ----------
    strategy : StrategyChoice
        The strategy chosen, with the reason.
    settings : Settings
        All parameters, adjusted to the strategy.
    rounds : RoundSettings or None
        Those of rounds; None for patterns.
    groups : sequence of RowGroup
        The incomplete rows by pattern; empty for rounds.
    """

    strategy: StrategyChoice
    settings: Settings
    rounds: RoundSettings | None
    groups: Sequence[RowGroup]


def make_plan(missing: Booleans, settings: Settings, rounds: RoundSettings, *, strategy: str) -> Plan:
    """Choose the strategy for a table.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Its missing cells.
    settings : Settings
        All parameters, as requested.
    rounds : RoundSettings
        Those of rounds.
    strategy : {"auto", "patterns", "iterative"}
        The strategy requested.

    Returns
    -------
    Plan
    """
    groups = [] if strategy == "iterative" else group_patterns(missing)
    choice = StrategyChoice(strategy, "requested")
    if strategy == "auto":
        # Estimated from the table's shape and missing cells alone, so that every machine chooses the same.
        n_patterns = sum(len(group.patterns) for group in groups)
        in_patterns = _cost_of_patterns(missing, groups, settings) if groups else 0.0
        in_rounds = _cost_of_rounds(missing, settings, rounds) if in_patterns > CHEAP else 0.0
        choice = choose_by_cost(n_patterns, in_patterns, in_rounds)
    if choice == "patterns":
        return Plan(choice, settings, None, groups)
    share = np.count_nonzero(missing) / max(missing.size, 1)
    # Rounds are not tuned: each trial would need all rounds.
    tuning = default_tuning(settings)
    settings = replace(
        settings,
        alpha=settings.alpha + rounds.alpha_of_holes * share**2,
        distance="scaled",
        level=tuning.level,
        weights=tuning.weights,
    )
    return Plan(choice, settings, rounds, [])


def begin(matrix: MaskedMatrix, settings: Settings, rounds: RoundSettings | None, context: Context) -> Loop:
    """Prepare a table: scales, means, and for rounds the completed rows. No model is learned yet.

    Parameters
    ----------
    matrix : MaskedMatrix
        The training table; every column has a known value.
    settings, rounds
        See :class:`Plan`.
    context : Context
        How to run.

    Returns
    -------
    PatternLoop or RoundLoop
    """
    source = learn_source(
        matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors
    )
    method = IndividualModels(settings)
    if rounds is None:
        return PatternLoop(source, method, ModelCache())
    return RoundLoop(complete(source, method, rounds, context), method, ModelCache())


def choose_by_cost(n_patterns: int, patterns: float, rounds: float) -> StrategyChoice:
    """The strategy with the lower cost; patterns, if their cost is below CHEAP."""
    if n_patterns == 0:
        return StrategyChoice("patterns", "nothing is missing")
    sets = f"{n_patterns:,} combination{'s' * (n_patterns > 1)} of known and missing columns"
    if patterns <= CHEAP:
        return StrategyChoice("patterns", f"{sets}: learned within seconds")
    return StrategyChoice(
        "iterative" if patterns > rounds else "patterns",
        f"{sets}: estimated at {patterns / rounds:.2g} times the cost of rounds over all columns",
    )


def _cost_of_patterns(missing: Booleans, groups: Sequence[RowGroup], settings: Settings) -> float:
    cases = [(pattern, group.rows.size) for group in groups for pattern in group.patterns]
    looked_at = [cases[at] for at in np.unique(np.linspace(0, len(cases) - 1, LOOKED_AT).astype(int))]
    total = 0.0
    for pattern, n_rows in looked_at:
        problem = choose_donors(missing, pattern, which=settings.donors, min_donors=settings.min_donors)
        n_donors, n_observed = problem.rows.size, len(problem.observed)
        total += PER_PATTERN + PER_CELL * missing.size
        total += _learning(n_donors, n_observed, settings.n_neighbors * n_rows, settings)
        total += n_rows * _search(n_donors, n_observed, settings.n_neighbors)
    return total * len(cases) / len(looked_at)


def _cost_of_rounds(missing: Booleans, settings: Settings, rounds: RoundSettings) -> float:
    """With all donors, as for patterns: ``max_donors`` would make rounds cheaper, but less accurate."""
    n_rows, n_columns = missing.shape
    chosen, _ = choose_donors_of_columns(
        missing, which=settings.donors, min_donors=settings.min_donors, max_donors=n_rows
    )
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
    """One search in the tree of donors."""
    seen = min(n_donors, (limit + LEAF_SIZE) * 2 ** min(n_observed, FEW_DIMENSIONS))
    return float(seen * (n_observed + PER_DONOR_SEEN))


def _learning(n_donors: int, n_observed: int, asked: int, settings: Settings) -> float:
    """Find the validation rows of all donors, and learn ``asked`` models."""
    n_learning = min(max(settings.learning_grid), n_donors)
    n_candidates = len(settings.learning_grid)
    sums = n_learning * (n_observed + 2) ** 2 / 2
    solutions = n_candidates * (n_observed**3 / 3 + settings.n_neighbors * n_observed)
    one_model = SCATTERED * (sums + solutions) + PER_CANDIDATE * n_candidates
    one_model += _search(n_donors, n_observed, n_learning)
    judges = n_donors * _search(n_donors, n_observed, settings.n_neighbors)
    return float(judges + min(asked, n_donors) * one_model)
