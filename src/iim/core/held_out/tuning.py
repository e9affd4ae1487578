"""Tuning of a column: distances, level of models, weights and shrinkage with the smallest held-out error.

Every known value of a sample is predicted as if it were missing, by models that it is held out of
(:mod:`iim.kernels.trials`). Distances are learned in passes: scaled distances give models, the models'
slopes give learned distances, these give better models. After each pass all combinations of level and
weights are compared. The best of all passes is kept, and its models may be shrunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import one_of
from iim.core.distances import IDENTITY, METRICS, square_root, submetric, transformed
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.held_out.shrinkage import NO_SHRINKAGE, Shares, choose_shares, regress
from iim.core.learning import PatternModels, learn_models
from iim.core.learning_size import find_judges, grid_steps, usable_grid
from iim.core.neighbors import Neighbors, boxes_help, index_donors, nearest_donors, nearest_other_donors
from iim.core.patterns import Pattern
from iim.core.settings import TRIED_WEIGHTS, WEIGHTS, Settings
from iim.core.voting import CODES, candidate_limits, cast_votes
from iim.kernels.trials import FITTED, OWN, try_block
from iim.kernels.validation import judge_lists
from iim.kernels.votes import combine_block
from iim.persistence.fields import positions, scalar, symmetric

PASSES = 4
"""Most passes of learning distances; each pass improves them less than the one before."""

MOST_ROWS = 1000
"""Most rows in the sample."""

FEWER_ROWS = 500
"""Most rows in the sample of a column that is tuned again."""

MOST_STEPS = 16
"""Most candidate numbers of learning neighbours."""

MOST_WORK = 1e9
"""Most multiplications in a pass: the sample is smaller in tables with more columns."""

FEWEST_ROWS = 50
"""With a smaller sample, errors are too uncertain: defaults and scaled distances are used."""

SHIFT = 1.5
"""Rows to fill lie beyond the donors if they are farther from them, by this factor, than donors are."""

EDGE = 1 / 5
"""Share of the donors that are held out together then: those next to the rows to fill."""

FEWEST_TO_SHRINK = 20
"""With fewer donors, models are not shrunk."""

MANY_ROWS = 500
"""With fewer donors, distances learned from a donor's own value make its held-out error too small."""

PARTS, FEWEST_HELD_OUT = 5, 200
"""Then each of up to five parts of the donors is held out together, for about this many values in all."""

MOST_RECEIVERS = 250
"""Most rows to fill that are looked at to find this out."""

FEWEST_RECEIVERS = 5
"""Fewer do not show where rows to fill lie."""

LEVELS = {"fitted": FITTED, "own": OWN}
"""Codes of the levels in kernels."""


@dataclass(frozen=True)
class ColumnTuning:
    """The tuned choices for a column.

    Attributes
    ----------
    observed : tuple of int
        The columns that distances were learned for.
    metric : ndarray of shape (n_observed, n_observed) or (0, 0)
        Learned from the models' slopes; empty for scaled distances.
    level : {"fitted", "own"}
        A model's value at its donor: the fitted one, or the donor's own.
    weights : str
        Weighting of candidates, one of ``WEIGHTS``.
    error : float
        Held-out root mean square error, in standard deviations of the sample, before shrinkage; NaN without
        tuning.
    shares : Shares
        How far models are drawn towards one regression and the mean.
    """

    observed: Annotated[tuple[int, ...], positions("studied", below="columns")]
    metric: Annotated[Floats, symmetric("studied")]
    level: Annotated[str, scalar(one_of("fitted", "own"))]
    weights: Annotated[str, scalar(one_of(*WEIGHTS))]
    error: float
    shares: Shares = NO_SHRINKAGE

    def are_for(self, pattern: Pattern) -> bool:
        """Whether it uses known columns of a pattern only: others are NaN."""
        return set(self.observed) <= set(pattern.observed)

    def transform(self, observed: tuple[int, ...]) -> Floats:
        """The transform of scaled coordinates for a pattern with these known columns."""
        if self.metric.size == 0:
            return IDENTITY
        same = observed == self.observed
        return square_root(self.metric if same else submetric(self.metric, self.observed, observed))


def default_tuning(settings: Settings) -> ColumnTuning:
    """The tuning without a search."""
    return ColumnTuning(
        (),
        IDENTITY,
        "fitted" if settings.level == "auto" else settings.level,
        "votes" if settings.weights == "auto" else settings.weights,
        np.nan,
    )


def has_choices(settings: Settings) -> bool:
    """Whether the settings leave anything to tune."""
    choices = (settings.level, settings.weights, settings.shrinkage)
    return METRICS[settings.distance] is not None or "auto" in choices


def tune_column(
    points: Floats,
    targets: Floats,
    observed: tuple[int, ...],
    receivers: Floats,
    *,
    settings: Settings,
    context: Context,
) -> ColumnTuning:
    """Tune a column by held-out error.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates of the donors.
    targets : ndarray of shape (n_donors,)
        Their values, between -1 and 1.
    observed : tuple of int
        The columns of ``points``.
    receivers : ndarray of shape (n_receivers, n_observed)
        Scaled coordinates of rows that lack the column only: at most MOST_RECEIVERS, perhaps none.
    settings : Settings
        All parameters; those that are "auto" are tuned.
    context : Context
        How to run.

    Returns
    -------
    ColumnTuning
        The default one if there are too few rows, or the target is constant.
    """
    at = rows_to_try(points.shape[0], points.shape[1], settings.learning_grid)
    points, targets = np.ascontiguousarray(points[at]), np.ascontiguousarray(targets[at])
    best, held_out = _search(points, targets, observed, settings, context)
    few = targets.size < FEWEST_TO_SHRINK or points.shape[1] == 0
    if settings.shrinkage == "none" or few or targets.min() == targets.max():
        return best
    edge = _edge(points, receivers, settings.n_neighbors, context.silent)
    if edge.size:
        parts = [edge]
    elif held_out is None or targets.size < MANY_ROWS:
        n_parts = min(PARTS, -(-PARTS * FEWEST_HELD_OUT // targets.size))
        # In the order of the values: that of the rows does not matter.
        order = np.lexsort((*points.T, targets))
        parts = [order[part::PARTS] for part in range(n_parts)]
    else:
        means = (targets.sum() - targets) / (targets.size - 1)
        shares = choose_shares(held_out, regress(points, targets).left_out, means, targets)
        return replace(best, shares=shares)
    trials = np.hstack([_hold_out(points, targets, observed, part, settings, context) for part in parts])
    shares = choose_shares(trials[0], trials[1], trials[2], targets[np.concatenate(parts)])
    return replace(best, shares=shares)


def _search(
    points: Floats, targets: Floats, observed: tuple[int, ...], settings: Settings, context: Context
) -> tuple[ColumnTuning, Floats | None]:
    """The best tuning of a sample, and its held-out fills; the default one, and None, without a search."""
    best, held_out = default_tuning(settings), None
    if not _is_enough(points, targets, settings):
        return best, held_out
    spread = float(targets.std())
    metric, least, learn_metric = IDENTITY, np.inf, METRICS[settings.distance]
    for _ in range(1 + (PASSES if learn_metric is not None else 0)):
        trial = _try_all(points, targets, square_root(metric), settings, context.silent)
        level, weights, error, filled = min(trial.found, key=lambda found: found[2])
        if not error < least:
            break
        least, held_out = error, filled
        best = ColumnTuning(observed if metric.size else (), metric, level, weights, float(error / spread))
        if learn_metric is not None:
            metric = learn_metric(trial.slopes)
    return best, held_out


def retune_column(
    points: Floats,
    targets: Floats,
    observed: tuple[int, ...],
    before: ColumnTuning | None,
    *,
    settings: Settings,
    context: Context,
) -> ColumnTuning:
    """Tune a column whose table has changed a little since it was tuned before.

    Parameters
    ----------
    points, targets, observed, settings, context
        See :func:`tune_column`.
    before : ColumnTuning or None
        Its tuning before; None for the first time, which takes a pass more.

    Returns
    -------
    ColumnTuning
        With the distances learned from the slopes under those before, without another trial of them.
    """
    at = rows_to_try(points.shape[0], points.shape[1], settings.learning_grid, most=FEWER_ROWS)
    points, targets = np.ascontiguousarray(points[at]), np.ascontiguousarray(targets[at])
    if not _is_enough(points, targets, settings):
        return default_tuning(settings)
    metric, learn_metric = IDENTITY if before is None else before.metric, METRICS[settings.distance]
    for _ in range(1 + (before is None)):
        trial = _try_all(points, targets, square_root(metric), settings, context.silent)
        metric = metric if learn_metric is None else learn_metric(trial.slopes)
    level, weights, error, _ = min(trial.found, key=lambda found: found[2])
    known = observed if metric.size else ()
    return ColumnTuning(known, metric, level, weights, float(error / targets.std()))


def _is_enough(points: Floats, targets: Floats, settings: Settings) -> bool:
    """Whether a sample has enough donors to try, and there is anything to try."""
    few = targets.size < max(FEWEST_ROWS, 2 * settings.n_neighbors + 1)
    if few or points.shape[1] == 0 or not has_choices(settings):
        return False
    return float(targets.std()) > 0.0


def rows_to_try(
    n_donors: int, n_observed: int, learning_grid: Sequence[int], *, most: int = MOST_ROWS
) -> Integers:
    """The sample: all donors, or evenly spaced ones."""
    grid = usable_grid(learning_grid, min(n_donors, most), most=MOST_STEPS)
    work = grid.size * n_observed**3 / 3 + int(grid[-1]) * n_observed**2 / 2
    n_rows = min(n_donors, most, int(MOST_WORK / max(work, 1.0)))
    return spread_evenly(n_donors, n_rows)


def spread_evenly(n: int, most: int) -> Integers:
    """At most this many of n positions, evenly spaced."""
    n_taken = min(n, most)
    return (np.arange(n_taken) * n) // max(n_taken, 1)


def _edge(points: Floats, receivers: Floats, n_neighbors: int, context: Context) -> Integers:
    """The donors next to the rows to fill, if these lie beyond the donors; else none."""
    nobody = np.empty(0, np.intp)
    if receivers.shape[0] < FEWEST_RECEIVERS:
        return nobody
    tree = index_donors(points)
    to_donors = nearest_donors(tree, receivers, n_neighbors=n_neighbors, context=context).distance[:, -1]
    among_donors = nearest_other_donors(tree, n_neighbors=n_neighbors, context=context).distance[:, -1]
    if np.median(to_donors) <= SHIFT**2 * np.median(among_donors):
        return nobody
    to_receivers = nearest_donors(index_donors(receivers), points, n_neighbors=1, context=context)
    order = np.argsort(to_receivers.distance[:, 0], kind="stable")
    return order[: int(EDGE * order.size)]


def _hold_out(
    points: Floats,
    targets: Floats,
    observed: tuple[int, ...],
    part: Integers,
    settings: Settings,
    context: Context,
) -> Floats:
    """(3, n_part): predictions of some donors from the others, by models, regression and mean."""
    rest = np.delete(np.arange(targets.size), part)
    known, numbers, nobody = points[rest], targets[rest], points[:0]
    alone = replace(settings, shrinkage="none")
    tuning = tune_column(known, numbers, observed, nobody, settings=alone, context=context)
    filled = _fill(known, numbers, points[part], tuning, settings, context)
    means = np.full(part.size, numbers.mean())
    return np.stack([filled, regress(known, numbers).predict(points[part]), means])


def _fill(
    points: Floats,
    targets: Floats,
    queries: Floats,
    tuning: ColumnTuning,
    settings: Settings,
    context: Context,
) -> Floats:
    """Fill rows from donors, with a tuning."""
    transform, n_observed = square_root(tuning.metric), points.shape[1]
    pattern = Pattern(tuple(range(n_observed)), n_observed)
    tree = index_donors(transformed(points, transform))
    grid = usable_grid(settings.learning_grid, targets.size)
    models = PatternModels.unlearned(
        Problem(pattern, pattern.observed, np.arange(targets.size), Fallback.NONE),
        tree,
        grid,
        find_judges(tree, grid, n_neighbors=settings.n_neighbors, context=context),
        (targets, 0),
        transform,
        level=tuning.level,
        weights=tuning.weights,
    )
    queries = transformed(queries, transform)
    neighbors = nearest_donors(tree, queries, n_neighbors=settings.n_neighbors, context=context)
    models = learn_models(models, neighbors.place, settings=settings, context=context)
    return cast_votes(models, queries, neighbors, reach=settings.reach, context=context).values


@dataclass(frozen=True)
class _Trial:
    slopes: Floats
    found: list[tuple[str, str, float, Floats]]
    """Level, weights, error, and held-out fills in row order."""


def _try_all(
    points: Floats, targets: Floats, transform: Floats, settings: Settings, context: Context
) -> _Trial:
    """One pass: the models' slopes, and the held-out error of each combination."""
    tree = index_donors(transformed(points, transform))
    known = targets[tree.donor]
    nearest = nearest_other_donors(tree, n_neighbors=settings.n_neighbors, context=context)
    validation = judge_lists(np.ascontiguousarray(nearest.place), tree.place)
    grid = usable_grid(settings.learning_grid, known.size, most=MOST_STEPS)
    steps, places = grid_steps(grid), np.arange(known.size)
    slopes, errors = np.empty_like(points), np.empty((2, validation.judges.size))
    pruned = boxes_help(tree, steps.size, known.size)
    alpha = settings.alpha
    context.run(
        lambda first, stop: try_block(
            tree, known, places[first:stop], grid, steps, validation, alpha, pruned, slopes, errors
        ),
        known.size,
    )
    pairs = _pairs(nearest.place, validation.first, tree.donor)
    levels = LEVELS if settings.level == "auto" else {settings.level: LEVELS[settings.level]}
    ways = TRIED_WEIGHTS if settings.weights == "auto" else (settings.weights,)
    low, high = candidate_limits(known, settings.reach)
    found = []
    for level, kind in levels.items():
        said = np.clip(known[:, None] - errors[kind][pairs], low, high)
        for way in ways:
            values = _combine(said, nearest, way)
            error = float(np.sqrt(np.mean((values - known) ** 2)))
            found.append((level, way, error, values[tree.place]))
    # Slopes per unit of the scaled coordinates; the transform is symmetric.
    return _Trial(transformed(slopes, transform), found)


def _pairs(nearest: Integers, first: Integers, donor: Integers) -> Integers:
    """Positions, in the list of errors, of those of each donor's nearest donors."""
    n_donors, n_nearest = nearest.shape
    owner, judge = nearest.ravel(), np.repeat(np.arange(n_donors), n_nearest)
    # A donor is a validation row (judge) of its nearest donors. Each list of judges is in row order.
    order = np.lexsort((donor[judge], owner))
    ranked = owner[order]
    begin = np.searchsorted(ranked, ranked, side="left")
    place = np.empty(owner.size, np.intp)
    place[order] = first[ranked] + np.arange(owner.size) - begin
    return place.reshape(nearest.shape)


def _combine(said: Floats, nearest: Neighbors, weights: str) -> Floats:
    values, shares = np.empty(said.shape[0]), np.empty_like(said)
    combine_block(
        np.ascontiguousarray(said),
        np.ascontiguousarray(nearest.distance),
        CODES[weights],
        shares,
        values,
    )
    return values
