"""Patterns or rounds: chooses the strategy, and starts it.

Patterns: models on the known columns of a row, one set for each combination of known columns and missing
column (:mod:`iim.core.pattern_loop`). Rounds: models from all rows that know a column, whose missing cells
are filled first (:mod:`iim.core.rounds`). "auto" fills known cells that are hidden for it in both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from iim._arrays import Booleans, Floats
from iim._checks import one_of
from iim.core.donors import choose_donors
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.held_out.shrinkage import loss_of
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import RowGroup, group_patterns
from iim.core.rounds.choices import RoundPlan
from iim.core.rounds.completion import complete
from iim.core.rounds.rehearsal import Copy, Rehearsal, make_copies, plain_plan, rehearse
from iim.core.rounds.round_loop import RoundLoop
from iim.core.scaling import learn_scaling
from iim.core.settings import RoundSettings, Settings
from iim.core.source import learn_source
from iim.kernels.tree import LEAF_SIZE
from iim.matrix import MaskedMatrix
from iim.persistence.fields import scalar

Loop: TypeAlias = PatternLoop[PatternModels, IndividualModels] | RoundLoop
"""Either strategy; both have the same methods."""

LOOKED_AT = 64
"""Patterns whose donors are counted; the cost of all is extrapolated from them."""

CHEAP = 5e9
"""Steps of a second or two: patterns are then the cheaper strategy."""

TRIED = 1e10
"""Steps of some seconds: patterns that cost more are not tried."""

FEW = 1 / 4
"""Share of incomplete rows, with one hole each, up to which patterns have nearly all donors."""

MARGIN = 0.02
"""Errors that differ by a smaller share are equal."""

PER_PATTERN = 6e6
"""Fixed cost of a pattern in steps, besides reading every cell to find its donors."""

PER_CELL = 20.0
"""Steps to read one cell when finding the donors of a pattern."""

PER_CANDIDATE = 8000.0
"""Overhead of one candidate number of learning neighbours, for one donor, in steps."""

SCATTERED = 5.0
"""How much longer a step of learning takes than one of searching, whose memory access is contiguous."""

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


TOO_SMALL = StrategyChoice("patterns", "no known cell can be hidden to try rounds")
"""The choice for a table of a row or two."""


@dataclass(frozen=True)
class Plan:
    """The strategy and its parameters, chosen before learning.

    Attributes
    ----------
    strategy : StrategyChoice
        The strategy chosen, with the reason.
    settings : Settings
        All parameters, adjusted to the strategy.
    rounds : RoundPlan or None
        All rounds; None for patterns.
    groups : sequence of RowGroup
        The incomplete rows by pattern; empty for rounds.
    """

    strategy: StrategyChoice
    settings: Settings
    rounds: RoundPlan | None
    groups: Sequence[RowGroup]


def make_plan(
    matrix: MaskedMatrix, settings: Settings, rounds: RoundSettings, *, strategy: str, context: Context
) -> Plan:
    """Choose the strategy for a table, and how rounds fill each column.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table; every column has a known value.
    settings : Settings
        All parameters, as requested.
    rounds : RoundSettings
        Those of rounds.
    strategy : {"auto", "patterns", "iterative"}
        The strategy requested.
    context : Context
        How to run.

    Returns
    -------
    Plan
    """
    missing = matrix.missing
    groups = [] if strategy == "iterative" else group_patterns(missing)
    n_holes = missing.sum(axis=1)
    if strategy == "patterns":
        return Plan(StrategyChoice("patterns", "requested"), settings, None, groups)
    if strategy == "auto" and n_holes.max(initial=0) == 0:
        return Plan(StrategyChoice("patterns", "nothing is missing"), settings, None, groups)
    if strategy == "auto" and n_holes.max() == 1 and np.mean(n_holes) <= FEW:
        reason = "few rows lack a value, and none of them two"
        return Plan(StrategyChoice("patterns", reason), settings, None, groups)
    share = np.count_nonzero(missing) / max(missing.size, 1)
    alphas = [settings.alpha + growth * share**2 for growth in rounds.alphas_of_holes]
    in_rounds = replace(settings, learning_grid=rounds.learning_grid)
    copies = make_copies(matrix) if matrix.n_columns > 1 else []
    if not copies:
        choice = StrategyChoice(strategy, "requested") if strategy == "iterative" else TOO_SMALL
        if choice == "patterns":
            return Plan(choice, settings, None, groups)
        return Plan(choice, in_rounds, plain_plan(matrix.n_columns, in_rounds, rounds), [])
    with context.one_blas_thread():
        found = rehearse(copies, in_rounds, rounds, alphas=alphas, context=context.part(0, 2))
    choice = StrategyChoice("iterative", "requested")
    if strategy == "auto":
        choice = _choose(missing, groups, copies, found, settings, context.part(1, 2))
    if choice == "patterns":
        return Plan(choice, settings, None, groups)
    return Plan(choice, in_rounds, found.plan, [])


def _choose(
    missing: Booleans,
    groups: Sequence[RowGroup],
    copies: Sequence[Copy],
    found: Rehearsal,
    settings: Settings,
    context: Context,
) -> StrategyChoice:
    """Try patterns on the hidden cells, too, if they can be tried; the strategy with the smaller error."""
    n_patterns = sum(len(group.patterns) for group in groups)
    cost = _cost_of_patterns(missing, groups, settings)
    if cost > TRIED:
        reason = f"{n_patterns:,} combinations of known and missing columns: too many to learn one by one"
        return StrategyChoice("iterative", reason)
    errors = np.concatenate([_errors_of_patterns(copy, settings, context) for copy in copies])
    loss, error = loss_of(errors), float(np.abs(errors).mean())
    # A small difference is chance: then the cheaper one, if it is known which that is.
    bonus = 2.0 * MARGIN if cost <= CHEAP else 0.0
    name = "patterns" if loss < found.loss + bonus else "iterative"
    return StrategyChoice(
        name,
        f"{errors.size:,} known cells hidden: typically off by {error:.3g} standard deviations by "
        f"patterns, by {found.error:.3g} in rounds",
    )


def _errors_of_patterns(copy: Copy, settings: Settings, context: Context) -> Floats:
    """Errors of patterns on the hidden cells of a copy, in standard deviations."""
    source = learn_source(
        copy.matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors
    )
    models: ModelCache[PatternModels] = ModelCache(is_open=False)
    loop = PatternLoop(source, IndividualModels(settings), models)
    rows = np.flatnonzero(copy.hidden.any(axis=1))
    filled = copy.truth.copy()
    for fills in loop.fill_cells(copy.matrix.take(rows), copy.hidden[rows], context.silent):
        filled[rows[fills.rows], fills.pattern.target] = fills.values
    standard, every = learn_scaling(copy.matrix, "standard"), tuple(range(copy.matrix.n_columns))
    apart = standard.coordinates(filled, every) - standard.coordinates(copy.truth, every)
    return np.asarray(apart[copy.hidden])


def begin(matrix: MaskedMatrix, settings: Settings, rounds: RoundPlan | None, context: Context) -> Loop:
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
    with context.one_blas_thread():
        completed = complete(source, settings, rounds, context)
    return RoundLoop(completed, rounds, method, ModelCache())


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
