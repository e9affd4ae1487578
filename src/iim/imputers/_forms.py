"""What is kept of fitted models, class by class: one row each, and what must be true of it.

``FORMS`` lists every class that can be in a file: a new class of a fitted state needs one row here. Limits
are those on which kernels and loops rely; what ``fit`` makes keeps well within them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from iim._checks import one_of, real_number, whole_number
from iim.core.choosing import rename_judges
from iim.core.completed import Completed
from iim.core.coordinates import Coordinates
from iim.core.donors import DonorChoice, Fallback
from iim.core.learning import PatternModels
from iim.core.library import ModelLibrary
from iim.core.linear import Line
from iim.core.mixture import Mixture
from iim.core.neighbors import KnownValues, index_donors, index_values
from iim.core.patterns import Pattern
from iim.core.posterior import PosteriorDraw
from iim.core.problems import Source, TargetScale
from iim.core.scaling import LARGEST, Scaling
from iim.core.settings import Rounds, Settings
from iim.core.strategy import StrategyChoice
from iim.core.training import Training
from iim.imputers import _boosters, xgb
from iim.imputers._boosters import Forest
from iim.imputers._patterns import Solution
from iim.imputers.eracer import Relations
from iim.imputers.pmm import Matching
from iim.imputers.xgb import Recipe, Trees, XgbImputer
from iim.keeping.fields import (
    Field,
    Refused,
    Sizes,
    booleans,
    floats,
    increasing,
    instance,
    integers,
    many,
    numbers_or_nan,
    positions,
    real,
    scalar,
    whole,
)
from iim.keeping.forms import Form, refuse_collisions
from iim.kernels.validation import Validation
from iim.matrix import MaskedMatrix
from iim.table._filled import Limits

MOST_ROUNDS = 10**5
"""Most rounds of what goes round at ``transform``: a file must not make it go on for ever."""

_EXPONENT = whole(-1100, 1100)
_TINY = 5e-324
_INF = np.inf
_SCALES = ("standard", "robust", "none")

COUNT = whole(0, 2**63 - 1)
"""Any number of things."""

NAME = Field(
    "text, a number, True, False or None",
    lambda value, _: value is None or isinstance(value, (str, int, float, np.bool_, np.number)),
)
"""What the name of a column can be."""


class Entry(NamedTuple):
    """What a library keeps for one pattern."""

    pattern: Pattern
    models: Any


def some(field: Field) -> Field:
    """The same, and not empty."""
    return Field(field.allowed, lambda value, sizes: field.fits(value, sizes) and len(value) > 0)


def size_of(name: str) -> Field:
    """A size itself, as a whole number."""
    return Field(
        f"the number of {name}", lambda value, sizes: type(value) is int and sizes.agree(name, value)
    )


def _take_library(library: ModelLibrary[Any]) -> dict[str, Any]:
    return {"kept": tuple(Entry(*item) for item in library.kept.items())}


def _make_library(kept: tuple[Entry, ...]) -> ModelLibrary[Any]:
    refuse_collisions(entry.pattern for entry in kept)
    return ModelLibrary({entry.pattern: entry.models for entry in kept})


def _check_pattern(parts: Mapping[str, Any], sizes: Sizes) -> None:
    target, n_columns = parts["target"], sizes.find("columns") or 0
    if not 0 <= target < n_columns or target in parts["observed"]:
        raise Refused(f"Pattern.target: a column that is not observed is needed; received {target}")


def _check_entry(parts: Mapping[str, Any], sizes: Sizes) -> None:
    pattern, models = parts["pattern"], parts["models"]
    if isinstance(models, Trees):
        fits = sizes.find("inputs") == len(pattern.observed)
    else:
        # Receivers know the pattern's columns and no others: what they lack would be no number.
        used = models.choice.observed if isinstance(models, PatternModels) else models.observed
        fits = set(used) <= set(pattern.observed)
    if not fits:
        raise Refused("the columns of a model are not those of its pattern")


def _check_solution(parts: Mapping[str, Any], sizes: Sizes) -> None:
    # A regression on the known columns; that of ERACER has the neighbours' mean besides.
    more = 1 if isinstance(parts["model"], Relations) else 0
    if sizes.find("slopes") != len(parts["observed"]) + more:
        raise Refused("a regression does not have the columns that it is for")


def _check_matching(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    predicted = parts["predicted"]
    if np.any(predicted[:-1] > predicted[1:]):
        raise Refused("Matching.predicted: increasing numbers are needed")


def _take_values(known: KnownValues) -> dict[str, Any]:
    # In the order of the rows: the order in the tree is the business of the version that builds it.
    return {"points": known.tree.points[known.tree.place], "targets": known.targets[known.tree.place]}


def _check_values(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    if parts["points"].shape[1] == 0:
        raise Refused("KnownValues.points: a column to measure distances on is needed")


def _take_models(models: PatternModels) -> dict[str, Any]:
    tree = models.tree
    judges = rename_judges(models.validation, tree.place, tree.donor)
    return {
        "choice": models.choice,
        "points": tree.points[tree.place],
        "grid": models.grid,
        "first": judges.first,
        "judged": judges.judged,
        "exponent": models.exponent,
        "targets": models.targets[tree.place],
        "coef": models.coef[tree.place],
        "n_learning": models.n_learning[tree.place],
    }


def _make_models(
    *, choice: DonorChoice, points: Any, grid: Any, first: Any, judged: Any, exponent: int, **by_donor: Any
) -> PatternModels:
    tree = index_donors(points)
    return PatternModels(
        choice=choice,
        tree=tree,
        grid=grid,
        validation=rename_judges(Validation(first, judged), tree.donor, tree.place),
        exponent=exponent,
        **{name: array[tree.donor] for name, array in by_donor.items()},
    )


def _check_models(parts: Mapping[str, Any], sizes: Sizes) -> None:
    grid, first = parts["grid"], parts["first"]
    if grid.size == 0 or np.any(grid[:-1] >= grid[1:]):
        raise Refused("PatternModels.grid: increasing numbers are needed")
    lengths = np.diff(first)
    # Nobody is judged twice on the same donor.
    if first[0] != 0 or first[-1] != parts["judged"].size or np.any(lengths < 0):
        raise Refused("PatternModels.first: the beginnings of lists are needed")
    if np.any(lengths > (sizes.find("donors") or 0)):
        raise Refused("PatternModels.judged: no more than all donors are needed")


def _check_completed(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    rows, turns = parts["rows"], parts["turns"]
    if np.any(rows[:-1] >= rows[1:]):
        raise Refused("Completed.rows: increasing numbers are needed")
    if np.unique(turns).size != turns.size:
        raise Refused("Completed.turns: every column once is needed")
    known, donors = parts["known"], parts["donors"]
    if not donors.any(axis=0).all() or np.any(donors & ~known) or parts["training"].matrix.missing.any():
        raise Refused("Completed: rows without holes, and donors for every column, are needed")


def _check_mixture(parts: Mapping[str, Any], sizes: Sizes) -> None:
    del sizes
    covariances = parts["covariances"]
    if not np.array_equal(covariances, covariances.transpose(0, 2, 1)):
        raise Refused("Mixture.covariances: symmetric matrices are needed")
    if covariances.size:
        np.linalg.cholesky(covariances)


def _take_trees(trees: Trees) -> dict[str, Any]:
    return {**_boosters.take_apart(trees.booster)._asdict(), "nbytes": trees.nbytes}


def _make_trees(*, nbytes: int, **parts: Any) -> Trees:
    return Trees(xgb.read_trees(_boosters.put_together(Forest(**parts))).booster, nbytes)


def _check_trees(parts: Mapping[str, Any], sizes: Sizes) -> None:
    n_columns = sizes.find("columns") or 0
    forest = Forest(**{name: parts[name] for name in Forest._fields})
    if forest.n_columns != n_columns - 1 or not _boosters.is_sound(forest):
        raise Refused("Trees: trees on the other columns are needed")
    if np.any(forest.column >= forest.n_columns):
        raise Refused("Trees.column: columns that are there are needed")


def _is_recipe(value: Any, sizes: Sizes) -> bool:
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


FORMS: dict[type, Form] = {
    # The table, and what holds for all its rows.
    MaskedMatrix: Form(
        {"values": numbers_or_nan("rows", "columns"), "columns": many(NAME, size="columns")},
        take=lambda matrix: {"values": matrix.values, "columns": matrix.columns},
        make=lambda values, columns: MaskedMatrix(values, np.isnan(values), columns),
    ),
    Scaling: Form(
        {
            "exponent": integers("columns", least=-1100, most=1100, dtype=np.intc),
            # With these limits, no coordinate of a finite value can be NaN: searches rely on it.
            "center": floats("columns", least=-1, most=1),
            "spread": floats("columns", least=_TINY, finite=False),
        }
    ),
    Coordinates: Form(
        {
            "scaling": instance(Scaling),
            "means": floats("columns"),
            "start": floats("columns", least=-LARGEST, most=LARGEST),
            "unit": floats("columns", least=_TINY),
        }
    ),
    Source: Form(
        {
            "matrix": instance(MaskedMatrix),
            "scaling": instance(Scaling),
            "means": floats("columns"),
            "which": scalar(one_of("available", "complete")),
            "min_donors": scalar(whole_number(least=1)),
        }
    ),
    Training: Form(
        {
            "matrix": instance(MaskedMatrix),
            "scaling": instance(Scaling),
            "means": floats("columns"),
            "settings": instance(Settings),
        }
    ),
    Settings: Form(
        {
            "n_neighbors": scalar(whole_number(least=1)),
            "learning_grid": many(whole(1, 2**63 - 1), least=1),
            "alpha": scalar(real_number(least=0.0), kind=float),
            "penalty": scalar(one_of("slopes", "all")),
            "scale": scalar(one_of(*_SCALES)),
            "weights": scalar(one_of("votes", "uniform", "distance")),
            "donors": scalar(one_of("available", "complete")),
            "min_donors": scalar(whole_number(least=1)),
        }
    ),
    Completed: Form(
        {
            "training": instance(Training),
            "known": booleans("rows", "columns"),
            "donors": booleans("rows", "columns"),
            "rows": integers("rows"),
            "turns": integers("columns", below="columns"),
            "low": floats("columns"),
            "high": floats("columns"),
            "fallbacks": many(instance(Fallback), size="columns"),
            "rounds": instance(Rounds),
        },
        check=_check_completed,
    ),
    Rounds: Form(
        {
            "start": scalar(one_of("knn", "mean")),
            "max_iter": whole(1, MOST_ROUNDS),
            "tol": scalar(real_number(least=0.0), kind=float),
            "max_donors": scalar(whole_number(least=1)),
        }
    ),
    StrategyChoice: Form(
        {"name": scalar(one_of("patterns", "iterative")), "reason": instance(str)},
        take=lambda choice: {"name": str(choice), "reason": choice.reason},
        make=StrategyChoice,
    ),
    Limits: Form(
        {
            "low": floats("features", finite=False),
            "high": floats("features", finite=False),
            "whole": booleans("features"),
        }
    ),
    # Models by pattern.
    ModelLibrary: Form(
        {"kept": many(instance(Entry))},
        take=_take_library,
        make=_make_library,
        # What is not there is learned when it is needed, as at first.
        while_room="kept",
    ),
    Entry: Form(
        {"pattern": instance(Pattern), "models": instance(PatternModels, Solution, Trees)},
        check=_check_entry,
        apart=True,
    ),
    Pattern: Form(
        {"observed": positions("known", below="columns"), "target": COUNT}, check=_check_pattern, apart=True
    ),
    DonorChoice: Form(
        {
            "observed": positions("observed", below="columns", least=1),
            "rows": some(increasing("donors", below="rows")),
            "fallback": instance(Fallback),
        }
    ),
    Fallback: Form({}),
    PatternModels: Form(
        {
            "choice": instance(DonorChoice),
            "points": floats("donors", "observed", least=-LARGEST, most=LARGEST),
            "grid": integers("grid", least=1, below="donors + 1"),
            "first": integers("donors + 1"),
            "judged": integers("judged", below="donors"),
            "exponent": _EXPONENT,
            "targets": floats("donors", least=-1, most=1),
            "coef": floats("donors", "observed + 1", finite=False),
            "n_learning": integers("donors", below="donors + 1"),
        },
        take=_take_models,
        make=_make_models,
        check=_check_models,
    ),
    Solution: Form(
        {
            "observed": positions("observed", below="columns"),
            "exponent": _EXPONENT,
            "fallback": instance(Fallback),
            "model": instance(Line, Matching, Relations) | many(instance(PosteriorDraw), least=1),
        },
        check=_check_solution,
    ),
    Line: Form(
        {
            # Mostly coordinates, but ERACER's last one is in the unit of a target, and can be larger.
            "center": floats("slopes"),
            "level": real(-_INF, _INF),
            "slopes": floats("slopes", finite=False),
        }
    ),
    PosteriorDraw: Form({"line": instance(Line), "sigma": real(0, _INF)}),
    Matching: Form(
        {
            "predicted": some(floats("donors", finite=False)),
            "values": floats("donors"),
            "drawn": many(instance(PosteriorDraw), least=1),
        },
        check=_check_matching,
    ),
    Relations: Form(
        {
            "scale": instance(TargetScale),
            "donors": instance(KnownValues),
            "line": instance(Line),
            "n_rounds": COUNT,
        }
    ),
    TargetScale: Form({"center": real(-_INF, _INF), "spread": real(0, _INF)}),
    KnownValues: Form(
        {
            "points": some(floats("donors", "observed", least=-LARGEST, most=LARGEST)),
            "targets": floats("donors", least=-1, most=1),
        },
        take=_take_values,
        make=index_values,
        check=_check_values,
    ),
    # Models of whole rows.
    Mixture: Form(
        {
            "weights": some(floats("components", least=_TINY)),
            "means": floats("components", "columns", any_order=True),
            "covariances": floats("components", "columns", "columns", any_order=True),
        },
        check=_check_mixture,
    ),
    # Trees.
    Recipe: Form(
        {
            "n_rounds": whole(1, MOST_ROUNDS),
            "parameters": Field(
                f"what XgbImputer asks of xgboost, with `max_depth` up to {_boosters.MOST_DEPTH},",
                _is_recipe,
            ),
        }
    ),
    Trees: Form(
        {
            "n_columns": size_of("inputs"),
            "base_score": real(-1e38, 1e38),
            "n_nodes": integers("trees", least=1),
            "splits": booleans("nodes"),
            "column": integers("nodes"),
            "value": floats("nodes", single=True),
            "unknown_left": booleans("nodes"),
            "nbytes": COUNT,
        },
        take=_take_trees,
        make=_make_trees,
        check=_check_trees,
    ),
}
"""How objects of each class are kept."""
