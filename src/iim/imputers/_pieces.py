"""Kept classes whose fields are not simply their attributes: taken apart, checked, put together again.

``take_...`` gives what is written, ``make_...`` an object from what was read; ``check_...`` refuses fields
that fit one by one and do not go together. :mod:`~iim.imputers._forms` says which class uses which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from iim.core.donors import Problem
from iim.core.execution.model_cache import ModelCache
from iim.core.learning import PatternModels
from iim.core.learning_size import rename_judges
from iim.core.neighbors import KnownValues, index_donors
from iim.core.patterns import Pattern
from iim.imputers import _boosters, xgb
from iim.imputers._boosters import Forest
from iim.imputers.eracer import Relations
from iim.imputers.xgb import Trees, XgbImputer
from iim.keeping.fields import Refused, Sizes, floats
from iim.keeping.forms import refuse_collisions
from iim.kernels.validation import Validation

_MOST = float(np.finfo(np.float64).max)

LARGEST_TRANSFORM = 1e6
"""Transforms have mean square 1: no entry is near this, however many columns there are."""


class Entry(NamedTuple):
    """What a cache keeps for one pattern."""

    pattern: Pattern
    models: Any


def take_cache(cache: ModelCache[Any]) -> dict[str, Any]:
    return {"kept": tuple(Entry(*item) for item in cache.kept.items())}


def make_cache(kept: tuple[Entry, ...]) -> ModelCache[Any]:
    refuse_collisions(entry.pattern for entry in kept)
    return ModelCache({entry.pattern: entry.models for entry in kept}, is_open=False)


def check_pattern(parts: Mapping[str, Any], sizes: Sizes) -> None:
    target, n_columns = parts["target"], sizes.find("columns") or 0
    if not 0 <= target < n_columns or target in parts["observed"]:
        raise Refused(f"Pattern.target: a column that is not observed is needed; received {target}")


def check_problem(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    # Receivers know the pattern's columns and no others: what they lack would be no number.
    if not set(parts["observed"]) <= set(parts["pattern"].observed):
        raise Refused("Problem.observed: columns of its pattern are needed")


def check_entry(parts: Mapping[str, Any], sizes: Sizes) -> None:
    pattern, models = parts["pattern"], parts["models"]
    if isinstance(models, Trees):
        fits = sizes.find("inputs") == len(pattern.observed)
    elif isinstance(models, PatternModels):
        fits = models.problem.pattern == pattern
    else:
        # Receivers know the pattern's columns and no others: what they lack would be no number.
        fits = set(models.observed) <= set(pattern.observed)
    if not fits:
        raise Refused("the columns of a model are not those of its pattern")


def check_solution(parts: Mapping[str, Any], sizes: Sizes) -> None:
    # A regression on the known columns; that of ERACER has the neighbours' mean besides.
    more = 1 if isinstance(parts["model"], Relations) else 0
    if sizes.find("slopes") != len(parts["observed"]) + more:
        raise Refused("a regression does not have the columns that it is for")


def check_matching(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    predicted = parts["predicted"]
    if np.any(predicted[:-1] > predicted[1:]):
        raise Refused("Matching.predicted: increasing numbers are needed")


def check_scale(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    scores = parts["scores"]
    if np.any(scores[:-1] > scores[1:]):
        raise Refused("ErrorScale.scores: increasing numbers are needed")


def take_values(known: KnownValues) -> dict[str, Any]:
    # In the order of the rows: the order in the tree is the business of the version that builds it.
    return {"points": known.tree.points[known.tree.place], "targets": known.targets[known.tree.place]}


def check_values(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    if parts["points"].shape[1] == 0:
        raise Refused("KnownValues.points: a column to measure distances on is needed")


def take_models(models: PatternModels) -> dict[str, Any]:
    tree = models.tree
    judges = rename_judges(models.validation, tree.place, tree.donor)
    return {
        "problem": models.problem,
        "points": tree.points[tree.place],
        "grid": models.grid,
        "first": judges.first,
        "judged": judges.judges,
        "exponent": models.exponent,
        "targets": models.targets[tree.place],
        "coef": models.coef[tree.place],
        "n_learning": models.n_learning[tree.place],
        "transform": models.transform,
        "level": models.level,
        "weights": models.weights,
    }


def make_models(
    *,
    problem: Problem,
    points: Any,
    grid: Any,
    first: Any,
    judged: Any,
    exponent: int,
    transform: Any,
    level: str,
    weights: str,
    **by_donor: Any,
) -> PatternModels:
    tree = index_donors(points)
    return PatternModels(
        problem=problem,
        tree=tree,
        grid=grid,
        validation=rename_judges(Validation(first, judged), tree.donor, tree.place),
        exponent=exponent,
        transform=transform,
        level=level,
        weights=weights,
        **{name: array[tree.donor] for name, array in by_donor.items()},
    )


def check_models(parts: Mapping[str, Any], sizes: Sizes) -> None:
    grid, first = parts["grid"], parts["first"]
    if grid.size == 0 or np.any(grid[:-1] >= grid[1:]):
        raise Refused("PatternModels.grid: increasing numbers are needed")
    lengths = np.diff(first)
    # Nobody is judged twice on the same donor.
    if first[0] != 0 or first[-1] != parts["judged"].size or np.any(lengths < 0):
        raise Refused("PatternModels.first: the beginnings of lists are needed")
    if np.any(lengths > (sizes.find("donors") or 0)):
        raise Refused("PatternModels.judged: no more than all donors are needed")


def is_transform(value: Any, sizes: Sizes) -> bool:
    return _is_symmetric(value, sizes, "observed", LARGEST_TRANSFORM)


def is_metric(value: Any, sizes: Sizes) -> bool:
    return _is_symmetric(value, sizes, "studied", _MOST)


def _is_symmetric(value: Any, sizes: Sizes, size: str, most: float) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.ndim != 2:
        return False
    if value.size == 0:
        return bool(value.shape == (0, 0))
    square = floats(size, size, least=-most, most=most)
    return square.fits(value, sizes) and bool(np.array_equal(value, value.T))


def check_completed(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    rows, turns = parts["rows"], parts["turns"]
    if np.any(rows[:-1] >= rows[1:]):
        raise Refused("CompletedTable.rows: increasing numbers are needed")
    if np.unique(turns).size != turns.size:
        raise Refused("CompletedTable.turns: every column once is needed")
    known, donors = parts["known"], parts["donors"]
    if not donors.any(axis=0).all() or np.any(donors & ~known) or parts["source"].matrix.missing.any():
        raise Refused("CompletedTable: rows without holes, and donors for every column, are needed")


def check_round_loop(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    for pattern, models in parts["models"].kept.items():
        problem = parts["completed"].pose(pattern.target)
        if pattern != problem.pattern or not np.array_equal(models.problem.rows, problem.rows):
            raise Refused("the donors of a column are not those that its models are for")


def check_fill_range(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    low, high = parts["low"], parts["high"]
    # There has to be a finite number between them.
    if np.any(low > high) or np.any(low == np.inf) or np.any(high == -np.inf):
        raise Refused("FillRange: limits with a number between them are needed")


def check_mixture(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    covariances = parts["covariances"]
    if not np.array_equal(covariances, covariances.transpose(0, 2, 1)):
        raise Refused("Mixture.covariances: symmetric matrices are needed")
    if covariances.size:
        np.linalg.cholesky(covariances)


def take_trees(trees: Trees) -> dict[str, Any]:
    return {**_boosters.take_apart(trees.booster)._asdict(), "nbytes": trees.nbytes}


def make_trees(*, nbytes: int, **parts: Any) -> Trees:
    return Trees(xgb.read_trees(_boosters.put_together(Forest(**parts))).booster, nbytes)


def check_trees(parts: Mapping[str, Any], sizes: Sizes) -> None:
    n_columns = sizes.find("columns") or 0
    forest = Forest(**{name: parts[name] for name in Forest._fields})
    if forest.n_columns != n_columns - 1 or not _boosters.is_sound(forest):
        raise Refused("Trees: trees on the other columns are needed")
    if np.any(forest.column >= forest.n_columns):
        raise Refused("Trees.column: columns that are there are needed")


def is_boosting(value: Any, sizes: Sizes) -> bool:
    checks = XgbImputer._all_checks()
    return (
        isinstance(value, dict)
        and value.keys() - {"base_score"} == {"objective", "learning_rate", "max_depth"}
        and value["objective"] == "reg:squarederror"
        and checks["learning_rate"].accepts(value["learning_rate"])
        and checks["max_depth"].accepts(value["max_depth"])
        and value["max_depth"] <= min(sizes.find("rows") or 0, _boosters.MOST_DEPTH)
        and checks["base_score"].accepts(value.get("base_score"))
    )
