"""Complete the training rows: all their missing cells at once, a few rounds after each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.donors import Fallback, enough_donors
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.held_out.tuning import ColumnTuning
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels, learn_models
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.gaussian import RIDGE, learn_gaussian
from iim.core.rounds.known_votes import Answers, Receivers, ask_known, combine
from iim.core.scaling import learn_scaling
from iim.core.settings import Settings
from iim.core.source import Source
from iim.core.voting import Votes
from iim.matrix import MaskedMatrix

MANY = 5000
"""From this many donors on, the numbers of learning neighbours chosen in the first round are kept in the
rounds that complete the training rows: choosing takes longest there. With 1,000 donors that would err by
several percent more, with 7,000 and 14,000 it does not. The round that fills chooses anew."""


def complete(source: Source, settings: Settings, plan: RoundPlan, context: Context) -> CompletedTable:
    """Choose the training rows, and fill their missing cells.

    Parameters
    ----------
    source : Source
        The table.
    settings : Settings
        All parameters.
    plan : RoundPlan
        How: all its rounds but the last.
    context : Context
        Threads and progress (rounds).

    Returns
    -------
    CompletedTable
    """
    completed = choose_rows(source, plan.max_donors, plan.ridge)
    rounds, numbers = plan.rounds[:-1], dict[int, Integers]()
    for turn, chosen in enumerate(rounds):
        part = context.part(turn, len(rounds))
        completed = go_round(completed, chosen, settings, part, numbers=numbers)
    return completed


def go_round(
    completed: CompletedTable,
    chosen: Round,
    settings: Settings,
    context: Context,
    learned: Sequence[PatternModels] | None = None,
    *,
    numbers: dict[int, Integers] | None = None,
) -> CompletedTable:
    """Fill every missing cell once more, from the current fills of the donors.

    Parameters
    ----------
    completed : CompletedTable
        The training rows; not changed.
    chosen : Round
        How.
    settings : Settings
        All parameters.
    context : Context
        Threads and progress (columns).
    learned : sequence of PatternModels, optional
        Each column's models as far as they were learned before, from the same rows.
    numbers : dict, optional
        By column with MANY donors: how many neighbours each donor learns from, in row order. The first
        round chooses and writes them.

    Returns
    -------
    CompletedTable
    """
    numbers = {} if numbers is None else numbers
    missing, values = ~completed.known, completed.source.matrix.values
    filled = values.copy()
    expected = expected_of(completed, chosen, values, missing)
    columns = np.flatnonzero(missing.any(axis=0))
    for done, column in enumerate(columns.tolist()):
        rows, part = np.flatnonzero(missing[:, column]), context.part(done, columns.size)
        choice = chosen.columns[column]
        if learned is not None:
            models = learned[column]
        elif column in numbers:
            models = pose_again(completed, column, choice.tuning, settings, numbers[column], part.silent)
        else:
            models = pose_models(completed, column, choice.tuning, settings, part.silent)
        if models.n_learning.size >= MANY:
            models = learn_models(models, settings=settings, context=part)
            numbers[column] = models.n_learning[models.tree.place]
        models, answers = ask_known(
            models,
            completed.for_column(column).points(models.problem),
            receive(completed, values, missing, rows, column),
            n_neighbors=choice.n_neighbors,
            alphas=[choice.alpha],
            settings=settings,
            context=part,
        )
        part.report(1, 1)
        rest = expected[rows, column]
        votes = vote(completed, models, answers, column, choice, rest, reach=settings.reach)
        filled[rows, column] = votes.values
    return completed.with_values(filled)


def expected_of(completed: CompletedTable, chosen: Round, values: Floats, missing: Booleans) -> Floats:
    """The Gaussian's conditional means in missing cells, if a column has a share of them."""
    shared = any(choice.gaussian > 0.0 for choice in chosen.columns)
    return completed.expected(values, missing) if shared else values


def pose_models(
    completed: CompletedTable, column: int, tuning: ColumnTuning, settings: Settings, context: Context
) -> PatternModels:
    """The donors of a column, without models yet."""
    problem = completed.pose(column)
    tuned = IndividualModels(settings, ModelCache({problem.pattern: tuning}))
    return tuned.solve(completed.for_column(column), problem, None, context)


def pose_again(
    completed: CompletedTable,
    column: int,
    tuning: ColumnTuning,
    settings: Settings,
    n_learning: Integers,
    context: Context,
) -> PatternModels:
    """The donors of a column, each with a number of neighbours to learn from, in row order."""
    # A grid of one candidate needs no validation rows.
    models = pose_models(completed, column, tuning, replace(settings, learning_grid=(1,)), context)
    return replace(models, n_learning=n_learning[models.tree.donor])


def receive(
    completed: CompletedTable, values: Floats, missing: Booleans, rows: Integers, column: int
) -> Receivers:
    """Some rows as receivers of a column, of which they keep what they know."""
    observed = completed.pose(column).observed
    absent = np.ascontiguousarray(missing[rows][:, list(observed)])
    points = completed.source.scaling.coordinates(values[rows], observed)
    return Receivers(np.where(absent, 0.0, points), absent)


def vote(
    completed: CompletedTable,
    models: PatternModels,
    answers: Answers,
    column: int,
    choice: ColumnChoice,
    expected: Floats,
    *,
    reach: float,
) -> Votes:
    """The vote, drawn towards the Gaussian's conditional mean and the column mean."""
    votes = combine(models, answers, choice, reach=reach)
    if choice.vote == 1.0:
        return votes
    # Weights sum to one: the candidates may be drawn as well as the vote.
    base = rest_of(completed, column, choice, expected)
    candidates = choice.vote * votes.candidates + base[:, None]
    return Votes(candidates, votes.weights, choice.vote * votes.values + base, choice.vote)


def rest_of(completed: CompletedTable, column: int, choice: ColumnChoice, expected: Floats) -> Floats:
    """The part of fills that does not come from votes."""
    if choice.vote == 1.0:
        return np.zeros(expected.shape)
    mean = np.full(expected.shape, (1.0 - choice.vote - choice.gaussian) * completed.source.means[column])
    return mean if choice.gaussian == 0.0 else mean + choice.gaussian * expected


def choose_rows(source: Source, max_donors: int, ridge: float = RIDGE) -> CompletedTable:
    """The training rows, with the Gaussian's conditional means in their missing cells."""
    matrix = source.matrix
    chosen, fallbacks = choose_donors_of_columns(
        matrix.missing, which=source.which, min_donors=source.min_donors, max_donors=max_donors
    )
    rows = np.flatnonzero(chosen.any(axis=1))
    known = ~matrix.missing[rows]
    standard = learn_scaling(matrix, "standard")
    every = tuple(range(matrix.n_columns))
    points = np.where(known, standard.coordinates(matrix.values[rows], every), 0.0)
    gaussian = learn_gaussian(points, ~known, ridge)
    expected = standard.values(gaussian.expected(points, ~known), every)
    values = np.where(known, matrix.values[rows], expected)
    return CompletedTable(
        source=replace(source, matrix=MaskedMatrix(values, np.zeros_like(known), matrix.columns)),
        known=known,
        donors=chosen[rows],
        rows=rows,
        fallbacks=fallbacks,
        standard=standard,
        gaussian=gaussian,
        voted=False,
    )


def choose_donors_of_columns(
    missing: Booleans, *, which: str, min_donors: int, max_donors: int
) -> tuple[Booleans, tuple[Fallback, ...]]:
    """Choose for each column, among the rows where it is known, those with the fewest missing cells.

    Parameters
    ----------
    missing : ndarray of shape (n_rows, n_columns)
        Missing cells of the table.
    which : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer complete rows than this are too few.
    max_donors : int
        Most rows for a column. Ties in the number of missing cells are thinned evenly over the table.

    Returns
    -------
    chosen : ndarray of shape (n_rows, n_columns)
        True for the donors of each column.
    fallbacks : tuple of Fallback
        For each column: AVAILABLE, if complete rows are wanted and there are too few.
    """
    n_holes = missing.sum(axis=1)
    complete_rows = np.flatnonzero(n_holes == 0)
    chosen = np.zeros_like(missing)
    fallbacks = []
    for column in range(missing.shape[1]):
        rows, fallback = np.flatnonzero(~missing[:, column]), Fallback.NONE
        if which == "complete":
            if complete_rows.size >= enough_donors(rows.size, min_donors):
                rows = complete_rows
            else:
                fallback = Fallback.AVAILABLE
        if rows.size > max_donors:
            rows = _fewest_holes(rows, n_holes, max_donors)
        chosen[rows, column] = True
        fallbacks.append(fallback)
    return chosen, tuple(fallbacks)


def _fewest_holes(rows: Integers, n_holes: Integers, limit: int) -> Integers:
    rows = rows[np.argsort(n_holes[rows], kind="stable")]
    first, stop = np.searchsorted(n_holes[rows], n_holes[rows[limit - 1]] + np.array([0, 1]))
    evenly = first + (np.arange(limit - first) * (stop - first)) // (limit - first)
    return np.concatenate([rows[:first], rows[evenly]])
