"""What is kept of fitted models, class by class: one row each, and what must be true of it.

``FORMS`` lists every class that can be in a file: a new class of a fitted state needs one row here. Limits
are those on which kernels and loops rely; what ``fit`` makes keeps well within them.
"""

from __future__ import annotations

import numpy as np

from iim._checks import one_of, real_number, whole_number
from iim.core.donors import Fallback, Problem
from iim.core.execution.model_cache import ModelCache
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.methods.coordinates import Coordinates
from iim.core.methods.linear import Line
from iim.core.methods.mixture import Mixture
from iim.core.methods.posterior import PosteriorDraw
from iim.core.neighbors import KnownValues, index_values
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import Pattern
from iim.core.rounds.completed_table import CompletedTable
from iim.core.rounds.round_loop import RoundLoop
from iim.core.scaling import LARGEST, Scaling
from iim.core.settings import RoundSettings, Settings
from iim.core.source import Source, TargetScale
from iim.core.strategy import StrategyChoice
from iim.core.tuning import ColumnTuning
from iim.core.uncertainty.calibration import Calibration
from iim.core.uncertainty.error_scale import ErrorScale
from iim.core.voting import WEIGHTS
from iim.imputers import _boosters
from iim.imputers._patterns import Solution
from iim.imputers._pieces import (
    Entry,
    check_completed,
    check_entry,
    check_fill_range,
    check_matching,
    check_mixture,
    check_models,
    check_pattern,
    check_problem,
    check_round_loop,
    check_scale,
    check_solution,
    check_trees,
    check_values,
    is_boosting,
    is_metric,
    is_transform,
    make_cache,
    make_models,
    make_trees,
    take_cache,
    take_models,
    take_trees,
    take_values,
)
from iim.imputers._trials import FillRange
from iim.imputers.eracer import Relations
from iim.imputers.pmm import Matching
from iim.imputers.xgb import Boosting, Trees
from iim.keeping.fields import (
    Field,
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
from iim.keeping.forms import Form
from iim.matrix import MaskedMatrix
from iim.table._filled import Limits

MOST_ROUNDS = 10**5
"""Most rounds of what goes round at ``transform``: a file must not make it go on for ever."""

_EXPONENT = whole(-1100, 1100)
_TINY = 5e-324
_INF = np.inf
_MOST = float(np.finfo(np.float64).max)
_SCALES = ("standard", "robust", "none")

COUNT = whole(0, 2**63 - 1)
"""Any number of things."""

NAME = Field(
    "text, a number, True, False or None",
    lambda value, _: value is None or isinstance(value, (str, int, float, np.bool_, np.number)),
)
"""What the name of a column can be."""


def some(field: Field) -> Field:
    """The same, and not empty."""
    return Field(field.allowed, lambda value, sizes: field.fits(value, sizes) and len(value) > 0)


def size_of(name: str) -> Field:
    """A size itself, as a whole number."""
    return Field(
        f"the number of {name}", lambda value, sizes: type(value) is int and sizes.agree(name, value)
    )


def cache_of(models: type) -> Field:
    """Models of one class by pattern."""
    return Field(
        f"a cache of {models.__name__}",
        lambda value, _: (
            isinstance(value, ModelCache) and all(isinstance(kept, models) for kept in value.kept.values())
        ),
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
    ColumnTuning: Form(
        {
            "observed": positions("studied", below="columns"),
            "metric": Field(
                "a symmetric matrix for the columns that it is for, or an empty one",
                is_metric,
            ),
            "level": scalar(one_of("fitted", "own")),
            "weights": scalar(one_of(*WEIGHTS)),
            "error": Field("a number", lambda value, _: type(value) is float),
        },
        apart=True,
    ),
    IndividualModels: Form({"settings": instance(Settings), "tunings": cache_of(ColumnTuning)}),
    PatternLoop: Form(
        {
            "source": instance(Source),
            "method": instance(IndividualModels),
            "models": cache_of(PatternModels),
        }
    ),
    RoundLoop: Form(
        {
            "completed": instance(CompletedTable),
            "method": instance(IndividualModels),
            "models": cache_of(PatternModels),
        },
        check=check_round_loop,
    ),
    Settings: Form(
        {
            "n_neighbors": scalar(whole_number(least=1)),
            "learning_grid": many(whole(1, 2**63 - 1), least=1),
            "alpha": scalar(real_number(least=0.0), kind=float),
            "penalty": scalar(one_of("slopes", "all")),
            "scale": scalar(one_of(*_SCALES)),
            "validation": scalar(one_of("held_out", "reused")),
            "distance": scalar(one_of("learned", "scaled")),
            "level": scalar(one_of("auto", "fitted", "own")),
            "weights": scalar(one_of("auto", *WEIGHTS)),
            "reach": real(0, _INF),
            "donors": scalar(one_of("available", "complete")),
            "min_donors": scalar(whole_number(least=1)),
        },
    ),
    CompletedTable: Form(
        {
            "source": instance(Source),
            "known": booleans("rows", "columns"),
            "donors": booleans("rows", "columns"),
            "rows": integers("rows"),
            "turns": integers("columns", below="columns"),
            "low": floats("columns"),
            "high": floats("columns"),
            "fallbacks": many(instance(Fallback), size="columns"),
            "rounds": instance(RoundSettings),
            "n_rounds": COUNT,
        },
        check=check_completed,
    ),
    Calibration: Form(
        {
            "voted": many(instance(ErrorScale), size="columns"),
            "means": many(instance(ErrorScale), size="columns"),
        }
    ),
    ErrorScale: Form(
        {
            "unit": real(_TINY, _MOST),
            "floor": real(0, _MOST),
            "slope": real(0, _MOST),
            "scores": floats("scores"),
        },
        check=check_scale,
        apart=True,
    ),
    RoundSettings: Form(
        {
            "start": scalar(one_of("knn", "mean")),
            "max_iter": whole(1, MOST_ROUNDS),
            "tol": scalar(real_number(least=0.0), kind=float),
            "max_donors": scalar(whole_number(least=1)),
            "alpha_of_holes": real(0, _MOST),
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
    ModelCache: Form(
        {"kept": many(instance(Entry))},
        take=take_cache,
        make=make_cache,
        # What is not there is learned when it is needed, as at first.
        while_room="kept",
    ),
    Entry: Form(
        {"pattern": instance(Pattern), "models": instance(PatternModels, Solution, Trees, ColumnTuning)},
        check=check_entry,
        apart=True,
    ),
    Pattern: Form(
        {"observed": positions("known", below="columns"), "target": COUNT}, check=check_pattern, apart=True
    ),
    Problem: Form(
        {
            "pattern": instance(Pattern),
            "observed": positions("observed", below="columns", least=1),
            "rows": some(increasing("donors", below="rows")),
            "fallback": instance(Fallback),
        },
        check=check_problem,
    ),
    Fallback: Form({}),
    PatternModels: Form(
        {
            "problem": instance(Problem),
            "points": floats("donors", "observed", least=-LARGEST, most=LARGEST),
            "grid": integers("grid", least=1, below="donors + 1"),
            "first": integers("donors + 1"),
            "judged": integers("judged", below="donors"),
            "exponent": _EXPONENT,
            "targets": floats("donors", least=-1, most=1),
            "coef": floats("donors", "observed + 1", finite=False),
            "n_learning": integers("donors", below="donors + 1"),
            "transform": Field("a symmetric matrix, or an empty one", is_transform),
            "level": scalar(one_of("fitted", "own")),
            "weights": scalar(one_of(*WEIGHTS)),
        },
        take=take_models,
        make=make_models,
        check=check_models,
    ),
    Solution: Form(
        {
            "observed": positions("observed", below="columns"),
            "exponent": _EXPONENT,
            "fallback": instance(Fallback),
            "model": instance(Line, Matching, Relations) | many(instance(PosteriorDraw), least=1),
        },
        check=check_solution,
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
        check=check_matching,
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
        take=take_values,
        make=index_values,
        check=check_values,
    ),
    # Models of whole rows.
    Mixture: Form(
        {
            "weights": some(floats("components", least=_TINY)),
            "means": floats("components", "columns", any_order=True),
            "covariances": floats("components", "columns", "columns", any_order=True),
        },
        check=check_mixture,
    ),
    # Blends.
    FillRange: Form(
        {"low": floats("columns", finite=False), "high": floats("columns", finite=False)},
        check=check_fill_range,
    ),
    # Trees.
    Boosting: Form(
        {
            "n_rounds": whole(1, MOST_ROUNDS),
            "parameters": Field(
                f"what XgbImputer asks of xgboost, with `max_depth` up to {_boosters.MOST_DEPTH},",
                is_boosting,
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
        take=take_trees,
        make=make_trees,
        check=check_trees,
    ),
}
"""How objects of each class are kept."""
