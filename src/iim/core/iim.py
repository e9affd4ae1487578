"""Imputation via individual models, on one page: learn what a table's holes need, then fill them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from iim._arrays import Floats
from iim.core.donors import DonorChoice, Fallback, SeenPattern, choose_donors
from iim.core.fills import Ballot, Fills
from iim.core.learning import PatternModels, learn_models, prepare_models
from iim.core.library import ModelLibrary
from iim.core.manners import Manner, is_plain, learn_manner, plain_manner
from iim.core.neighbors import Neighbors, nearest_donors
from iim.core.patterns import Pattern, group_patterns
from iim.core.training import Training
from iim.core.voting import cast_votes
from iim.core.workers import Progress, Workers, part_of
from iim.matrix import MaskedMatrix

KEPT_BYTES = 2**30
"""Memory for the models that ``fit`` learns ahead; a table with very many patterns needs more."""


def learn_seen(
    training: Training, *, workers: Workers, progress: Progress | None = None
) -> tuple[dict[Pattern, PatternModels], list[SeenPattern]]:
    """Learn what the holes of the training table itself will ask (the paper's offline phase).

    Parameters
    ----------
    training : Training
        The table.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the work done.

    Returns
    -------
    kept : dict
        Models by pattern; of each pattern's donors, those that are asked. Past KEPT_BYTES of memory,
        further patterns are left to be learned when they are needed.
    seen : list of SeenPattern
        All patterns of the table.
    """
    kept: dict[Pattern, PatternModels] = {}
    seen: list[SeenPattern] = []
    n_bytes = 0
    groups = group_patterns(training.matrix.missing)
    n_patterns = sum(len(group.targets) for group in groups)
    for group in groups:
        models = None
        for pattern in group.patterns():
            choice = _choose(training, pattern)
            report = part_of(progress, len(seen), n_patterns)
            seen.append(SeenPattern(pattern, group.rows.size, choice.fallback))
            if choice.fallback is Fallback.MEAN or n_bytes > KEPT_BYTES:
                continue
            keep_manner(training, pattern.target, workers=workers)
            judging, learning = part_of(report, 0, 2), part_of(report, 1, 2)
            models = _prepare(training, choice, pattern.target, workers, judging, like=models)
            queries = _coordinates(training, models, training.matrix.values[group.rows])
            models, _ = _ask(training, models, queries, workers, learning)
            kept[pattern] = models
            n_bytes += models.nbytes
    return kept, seen


def learn_single_holes(
    training: Training,
    kept: dict[Pattern, PatternModels],
    *,
    workers: Workers,
    progress: Progress | None = None,
) -> dict[Pattern, PatternModels]:
    """Learn every donor's model for every pattern with one hole; ``kept`` has what is known of them."""
    learned: dict[Pattern, PatternModels] = {}
    columns = range(training.matrix.n_columns)
    for target in columns:
        pattern = Pattern(tuple(column for column in columns if column != target), target)
        models = kept.get(pattern)
        report = part_of(progress, target, len(columns))
        if models is None:
            choice = _choose(training, pattern)
            if choice.fallback is Fallback.MEAN:
                continue
            keep_manner(training, target, workers=workers)
            models = _prepare(training, choice, target, workers, part_of(report, 0, 2))
        learned[pattern] = learn_models(
            models, settings=training.settings, workers=workers, progress=part_of(report, 1, 2)
        )
    return learned


def impute(
    training: Training,
    library: ModelLibrary[PatternModels],
    matrix: MaskedMatrix,
    *,
    only: int | None = None,
    workers: Workers,
    progress: Progress | None = None,
) -> Iterator[Fills]:
    """Fill the holes of a table, pattern by pattern.

    Each hole is filled from the row's own known values, "one by one": a filled value is never used for
    another hole, and other rows of the table play no part.

    Parameters
    ----------
    training : Training
        The table learned from.
    library : ModelLibrary
        What has been learned; what is missing is learned now and remembered.
    matrix : MaskedMatrix
        The table to fill, with the columns of the training table.
    only : int, optional
        The only column to fill.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the work done.

    Yields
    ------
    Fills
        The filled cells of each pattern.
    """
    groups = group_patterns(matrix.missing)
    n_patterns = sum(len(group.targets) for group in groups)
    done = 0
    for group in groups:
        receivers = matrix.values[group.rows]
        models = None
        for pattern in group.patterns():
            report = part_of(progress, done, n_patterns)
            done += 1
            if only is not None and pattern.target != only:
                continue
            known = library.find(pattern)
            if known is None:
                choice = _choose(training, pattern)
                if choice.fallback is Fallback.MEAN:
                    values = np.full(group.rows.size, training.means[pattern.target])
                    yield Fills(pattern, group.rows, values, Fallback.MEAN, None)
                    continue
                judging, report = part_of(report, 0, 2), part_of(report, 1, 2)
                models = _prepare(training, choice, pattern.target, workers, judging, like=models)
            else:
                models = known
            queries = _coordinates(training, models, receivers)
            models, neighbors = _ask(training, models, queries, workers, report)
            if models is not known:
                library.remember(pattern, models)
            votes = cast_votes(models, queries, neighbors, reach=training.settings.reach, workers=workers)
            ballot = Ballot(models, neighbors, votes)
            yield Fills(pattern, group.rows, votes.values, models.choice.fallback, ballot)


def find_manner(training: Training, target: int, *, workers: Workers) -> Manner:
    """How a column is filled best; found out now, from all other columns, if it is not known yet."""
    pattern = _all_others(training, target)
    manner = training.manners.find(pattern)
    if manner is None:
        manner = _learn_manner(training, pattern, workers)
        training.manners.remember(pattern, manner)
    return manner


def keep_manner(training: Training, target: int, *, workers: Workers) -> None:
    """Find out how a column is filled best, and keep it as what was learned by ``fit``."""
    training.manners.kept[_all_others(training, target)] = find_manner(training, target, workers=workers)


def _all_others(training: Training, target: int) -> Pattern:
    columns = range(training.matrix.n_columns)
    return Pattern(tuple(column for column in columns if column != target), target)


def _learn_manner(training: Training, pattern: Pattern, workers: Workers) -> Manner:
    settings, matrix = training.settings, training.matrix
    choice = _choose(training, pattern)
    if is_plain(settings) or choice.fallback is Fallback.MEAN:
        return plain_manner(settings)
    targets = matrix.values[choice.rows, pattern.target]
    exponent = int(np.frexp(np.abs(targets).max())[1])
    return learn_manner(
        training.scaling.coordinates(matrix.values[choice.rows], choice.observed),
        np.ldexp(targets, -exponent),
        choice.observed,
        settings=settings,
        workers=workers,
    )


def _choose(training: Training, pattern: Pattern) -> DonorChoice:
    settings = training.settings
    return choose_donors(
        training.matrix.missing, pattern, which=settings.donors, min_donors=settings.min_donors
    )


def _prepare(
    training: Training,
    choice: DonorChoice,
    target: int,
    workers: Workers,
    progress: Progress | None,
    like: PatternModels | None = None,
) -> PatternModels:
    return prepare_models(
        training.matrix,
        training.scaling,
        choice,
        target,
        find_manner(training, target, workers=workers),
        settings=training.settings,
        workers=workers,
        progress=progress,
        like=like,
    )


def _coordinates(training: Training, models: PatternModels, values: Floats) -> Floats:
    return models.coordinates(training.scaling, values)


def _ask(
    training: Training,
    models: PatternModels,
    queries: Floats,
    workers: Workers,
    progress: Progress | None,
) -> tuple[PatternModels, Neighbors]:
    """Find the nearest donors of the receivers, and learn their models if need be."""
    settings = training.settings
    neighbors = nearest_donors(models.tree, queries, n_neighbors=settings.n_neighbors, workers=workers)
    asked = np.unique(neighbors.place)
    models = learn_models(models, asked, settings=settings, workers=workers, progress=progress)
    return models, neighbors
