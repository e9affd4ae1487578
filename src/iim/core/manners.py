"""How a column is filled best: by which distances, models and weights, found by trying on known values.

Every known value of a sample is predicted as if it were missing, and as its nearest donors would predict it
had they never seen it (:mod:`iim.kernels.trials`). Distances are learned in passes: plain ones give models,
the models' slopes give better distances, these give better models. After each pass all ways to place a
model and to weigh candidates are compared, and the best of all passes is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.choosing import grid_steps, usable_grid
from iim.core.distances import NO_MAP, moved, outer_product, part_of_metric, root
from iim.core.neighbors import Neighbors, boxes_help, index_donors, nearest_other_donors
from iim.core.settings import Settings
from iim.core.weighing import WEIGHTS, reach_of
from iim.core.workers import Workers
from iim.kernels.trials import FITTED, THROUGH, try_block
from iim.kernels.validation import judged_lists
from iim.kernels.votes import combine_block

PASSES = 4
"""Times that distances are learned anew, at most: they are better each time, by less and less."""

MOST_ROWS = 1000
"""Rows that are tried, at most."""

MOST_STEPS = 16
"""Candidate numbers of learning neighbours that are tried, at most."""

MOST_WORK = 1e9
"""Multiplications of one pass, at most: the more columns, the fewer rows are tried."""

FEWEST_ROWS = 50
"""With fewer rows to try, nothing can be told: distances stay plain."""

LEVELS = {"fitted": FITTED, "own": THROUGH}
"""Where a model passes its donor, by name."""

TRIED_WEIGHTS = ("votes", "distance", "closest")
"""Ways to weigh candidates that ``weights="auto"`` chooses from."""


@dataclass(frozen=True)
class Manner:
    """How a column is filled.

    Attributes
    ----------
    observed : tuple of int
        The columns that distances were learned for.
    metric : ndarray of shape (n_observed, n_observed) or (0, 0)
        Mean outer product of the models' slopes; empty for plain distances.
    level : {"fitted", "own"}
        Where models pass their donors.
    weights : {"votes", "uniform", "distance", "closest"}
        How candidates are weighed.
    error : float
        Root mean square error of the values that were tried, in standard deviations of them; NaN if none
        were.
    """

    observed: tuple[int, ...]
    metric: Floats
    level: str
    weights: str
    error: float

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.metric.nbytes

    def move(self, observed: tuple[int, ...]) -> Floats:
        """The map that rows are moved by, for a pattern with these columns known."""
        if self.metric.size == 0:
            return NO_MAP
        return root(part_of_metric(self.metric, self.observed, observed))


def plain_manner(settings: Settings) -> Manner:
    """What holds if nothing is tried."""
    return Manner(
        (),
        NO_MAP,
        "fitted" if settings.level == "auto" else settings.level,
        "votes" if settings.weights == "auto" else settings.weights,
        np.nan,
    )


def is_plain(settings: Settings) -> bool:
    """Whether there is nothing to find out."""
    return settings.distance == "scaled" and "auto" not in (settings.level, settings.weights)


def learn_manner(
    points: Floats, targets: Floats, observed: tuple[int, ...], *, settings: Settings, workers: Workers
) -> Manner:
    """Find out how a column is filled best.

    Parameters
    ----------
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates of rows that know all columns.
    targets : ndarray of shape (n_donors,)
        Their values, between -1 and 1.
    observed : tuple of int
        The columns of ``points``.
    settings : Settings
        What is decided already.
    workers : Workers
        Who does the work.

    Returns
    -------
    Manner
        The plain one if there are too few rows, or nothing to learn.
    """
    plain = plain_manner(settings)
    at = rows_to_try(points.shape[0], points.shape[1], settings.learning_grid)
    if is_plain(settings) or at.size < max(FEWEST_ROWS, 2 * settings.n_neighbors + 1):
        return plain
    points, targets = np.ascontiguousarray(points[at]), np.ascontiguousarray(targets[at])
    spread = float(targets.std())
    if spread == 0.0:
        return plain
    best, metric = plain, NO_MAP
    least = np.inf
    for _ in range(1 + (PASSES if settings.distance == "learned" else 0)):
        trial = _try_all(points, targets, root(metric), settings, workers)
        level, weights, error = min(trial.errors, key=lambda found: found[2])
        if not error < least:
            break
        least = error
        best = Manner(observed if metric.size else (), metric, level, weights, float(error / spread))
        metric = outer_product(trial.slopes)
    return best


def rows_to_try(n_donors: int, n_observed: int, learning_grid: Sequence[int]) -> Integers:
    """Which rows are tried: all, or some from all over the table."""
    grid = _thinned(usable_grid(learning_grid, min(n_donors, MOST_ROWS)))
    work = grid.size * n_observed**3 / 3 + int(grid[-1]) * n_observed**2 / 2
    n_rows = min(n_donors, MOST_ROWS, int(MOST_WORK / max(work, 1.0)))
    return (np.arange(n_rows) * n_donors) // max(n_rows, 1)


@dataclass(frozen=True)
class _Trial:
    slopes: Floats
    errors: list[tuple[str, str, float]]


def _try_all(points: Floats, targets: Floats, move: Floats, settings: Settings, workers: Workers) -> _Trial:
    """One pass: the models' slopes, and how wrong each way is."""
    tree = index_donors(moved(points, move))
    known = targets[tree.donor]
    nearest = nearest_other_donors(tree, n_neighbors=settings.n_neighbors, workers=workers)
    validation = judged_lists(np.ascontiguousarray(nearest.place), tree.place)
    grid = _thinned(usable_grid(settings.learning_grid, known.size))
    steps = grid_steps(grid)
    slopes, errors = np.empty_like(points), np.empty((2, validation.judged.size))
    places = np.arange(known.size)
    pruned = boxes_help(tree, steps.size, known.size)

    def work(first: int, stop: int) -> None:
        block = places[first:stop]
        try_block(tree, known, block, grid, steps, validation, settings.alpha, pruned, slopes, errors)

    workers.run(work, known.size)
    pairs = _pairs(nearest.place, validation.first, tree.donor)
    levels = LEVELS if settings.level == "auto" else {settings.level: LEVELS[settings.level]}
    ways = TRIED_WEIGHTS if settings.weights == "auto" else (settings.weights,)
    low, high = reach_of(known, settings.reach)
    found = []
    for level, kind in levels.items():
        said = np.clip(known[:, None] - errors[kind][pairs], low, high)
        found += [(level, way, _error_of(said, known, nearest, way)) for way in ways]
    # Slopes per unit of the rows before they were moved; the map is symmetric.
    return _Trial(moved(slopes, move), found)


def _pairs(nearest: Integers, first: Integers, donor: Integers) -> Integers:
    """Where, among the errors, those of each donor's nearest donors stand."""
    n_donors, n_nearest = nearest.shape
    judge, judged = nearest.ravel(), np.repeat(np.arange(n_donors), n_nearest)
    # In each judge's list, those judged stand in the order of their rows.
    order = np.lexsort((donor[judged], judge))
    ranked = judge[order]
    begin = np.searchsorted(ranked, ranked, side="left")
    place = np.empty(judge.size, np.intp)
    place[order] = first[ranked] + np.arange(judge.size) - begin
    return place.reshape(nearest.shape)


def _error_of(said: Floats, known: Floats, nearest: Neighbors, weights: str) -> float:
    values, shares = np.empty(known.size), np.empty_like(said)
    combine_block(
        np.ascontiguousarray(said),
        np.ascontiguousarray(nearest.distance),
        WEIGHTS[weights],
        shares,
        values,
    )
    return float(np.sqrt(np.mean((values - known) ** 2)))


def _thinned(grid: Integers) -> Integers:
    """Some of the candidates, the first and the last among them, where they are many."""
    if grid.size <= MOST_STEPS:
        return grid
    return grid[np.unique(np.linspace(0, grid.size - 1, MOST_STEPS).astype(np.intp))]
