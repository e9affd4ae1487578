"""Tuning of a column: distances, level of models and weights with the smallest held-out error.

Every known value of a sample is predicted as if it were missing, by models that it is held out of
(:mod:`iim.kernels.trials`). Distances are learned in passes: scaled distances give models, the models'
slopes give learned distances, these give better models. After each pass all combinations of level and
weights are compared. The best of all passes is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import one_of
from iim.core.distances import IDENTITY, METRICS, square_root, submetric, transformed
from iim.core.execution.context import Context
from iim.core.learning_size import grid_steps, usable_grid
from iim.core.neighbors import Neighbors, boxes_help, index_donors, nearest_other_donors
from iim.core.patterns import Pattern
from iim.core.settings import TRIED_WEIGHTS, WEIGHTS, Settings
from iim.core.voting import CODES, candidate_limits
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
        Held-out root mean square error, in standard deviations of the sample; NaN without tuning.
    """

    observed: Annotated[tuple[int, ...], positions("studied", below="columns")]
    metric: Annotated[Floats, symmetric("studied")]
    level: Annotated[str, scalar(one_of("fitted", "own"))]
    weights: Annotated[str, scalar(one_of(*WEIGHTS))]
    error: float

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
    return METRICS[settings.distance] is not None or "auto" in (settings.level, settings.weights)


def tune_column(
    points: Floats, targets: Floats, observed: tuple[int, ...], *, settings: Settings, context: Context
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
    settings : Settings
        All parameters; those that are "auto" are tuned.
    context : Context
        How to run.

    Returns
    -------
    ColumnTuning
        The default one if there are too few rows, or the target is constant.
    """
    best = default_tuning(settings)
    sample = _take_sample(points, targets, settings, most=MOST_ROWS)
    if sample is None:
        return best
    points, targets, spread = sample
    metric, least, learn_metric = IDENTITY, np.inf, METRICS[settings.distance]
    for _ in range(1 + (PASSES if learn_metric is not None else 0)):
        trial = _try_all(points, targets, square_root(metric), settings, context.silent)
        level, weights, error = min(trial.errors, key=lambda found: found[2])
        if not error < least:
            break
        least = error
        best = ColumnTuning(observed if metric.size else (), metric, level, weights, float(error / spread))
        if learn_metric is not None:
            metric = learn_metric(trial.slopes)
    return best


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
    sample = _take_sample(points, targets, settings, most=FEWER_ROWS)
    if sample is None:
        return default_tuning(settings)
    points, targets, spread = sample
    metric, learn_metric = IDENTITY if before is None else before.metric, METRICS[settings.distance]
    for _ in range(1 + (before is None)):
        trial = _try_all(points, targets, square_root(metric), settings, context.silent)
        metric = metric if learn_metric is None else learn_metric(trial.slopes)
    level, weights, error = min(trial.errors, key=lambda found: found[2])
    return ColumnTuning(observed if metric.size else (), metric, level, weights, float(error / spread))


def _take_sample(
    points: Floats, targets: Floats, settings: Settings, *, most: int
) -> tuple[Floats, Floats, float] | None:
    """The donors to try, and their standard deviation; None if there is nothing to tune, or too few."""
    at = rows_to_try(points.shape[0], points.shape[1], settings.learning_grid, most=most)
    few = at.size < max(FEWEST_ROWS, 2 * settings.n_neighbors + 1)
    if few or points.shape[1] == 0 or not has_choices(settings):
        return None
    points, targets = np.ascontiguousarray(points[at]), np.ascontiguousarray(targets[at])
    spread = float(targets.std())
    return None if spread == 0.0 else (points, targets, spread)


def rows_to_try(
    n_donors: int, n_observed: int, learning_grid: Sequence[int], *, most: int = MOST_ROWS
) -> Integers:
    """The sample: all donors, or evenly spaced ones."""
    grid = usable_grid(learning_grid, min(n_donors, most), most=MOST_STEPS)
    work = grid.size * n_observed**3 / 3 + int(grid[-1]) * n_observed**2 / 2
    n_rows = min(n_donors, most, int(MOST_WORK / max(work, 1.0)))
    return (np.arange(n_rows) * n_donors) // max(n_rows, 1)


@dataclass(frozen=True)
class _Trial:
    slopes: Floats
    errors: list[tuple[str, str, float]]


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
        found += [(level, way, _error_of(said, known, nearest, way)) for way in ways]
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


def _error_of(said: Floats, known: Floats, nearest: Neighbors, weights: str) -> float:
    values, shares = np.empty(known.size), np.empty_like(said)
    combine_block(
        np.ascontiguousarray(said),
        np.ascontiguousarray(nearest.distance),
        CODES[weights],
        shares,
        values,
    )
    return float(np.sqrt(np.mean((values - known) ** 2)))
