"""What fitted imputers have, besides their parameters, attribute by attribute, and what must be true of it.

A plain value or array that is not listed here is kept, too, as it is. What a fill depends on is listed, so
that a file that says otherwise is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from iim.core.methods.coordinates import Coordinates
from iim.core.methods.linear import Line
from iim.core.methods.mixture import Mixture
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import Pattern
from iim.core.rounds.round_loop import RoundLoop
from iim.core.scaling import Scaling
from iim.core.source import Source
from iim.core.strategy import StrategyChoice
from iim.core.uncertainty.calibration import Calibration
from iim.imputers import xgb
from iim.imputers._base import Imputer
from iim.imputers._drawing import DrawingImputer
from iim.imputers._forms import COUNT, MOST_ROUNDS, NAME, cache_of, size_of, some
from iim.imputers._patterns import PatternImputer, Solution
from iim.imputers._seeds import LARGEST_SEED
from iim.imputers._trials import FillRange
from iim.imputers.auto import AutoImputer
from iim.imputers.blr import BlrImputer
from iim.imputers.eracer import EracerImputer, Relations
from iim.imputers.glr import GlrImputer
from iim.imputers.gmm import GmmImputer
from iim.imputers.ifc import IfcImputer
from iim.imputers.iim import IIMImputer
from iim.imputers.mean import MeanImputer
from iim.imputers.pmm import Matching, PmmImputer
from iim.imputers.svd import SvdImputer
from iim.imputers.xgb import Boosting, Trees, XgbImputer
from iim.keeping.fields import (
    ANYTHING,
    Field,
    Refused,
    Sizes,
    floats,
    increasing,
    instance,
    many,
    numbers_or_nan,
    scalar,
    whole,
)
from iim.table._filled import Limits
from iim.table._missing import is_marker, is_null


def _solutions_of(model: Field) -> Field:
    """A cache of solutions with models of one kind."""
    return Field(
        f"a cache of Solution, each with {model.allowed}",
        lambda value, sizes: (
            cache_of(Solution).fits(value, sizes)
            and all(model.fits(kept.model, sizes) for kept in value.kept.values())
        ),
    )


def _is_rounds(value: Any, sizes: Sizes) -> bool:
    del sizes
    checks = SvdImputer._all_checks()
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and checks["tol"].accepts(value[0])
        and checks["max_iter"].accepts(value[1])
        and value[1] <= MOST_ROUNDS
    )


def _is_orthonormal(value: Any) -> bool:
    n_vectors, n_columns = value.shape
    return n_vectors <= n_columns and bool(
        np.allclose(value @ value.T, np.eye(n_vectors), rtol=0, atol=1e-6)
    )


def _are_weights(value: Any, sizes: Sizes) -> bool:
    return floats("columns", "members", least=0, most=1).fits(value, sizes) and bool(
        np.allclose(value.sum(axis=1), 1.0, rtol=0, atol=1e-6)
    )


_PATTERNS = Field(
    "a set of patterns",
    lambda value, _: type(value) is frozenset and all(type(entry) is Pattern for entry in value),
)

MOST_MARKERS = 10**4
"""Every cell is compared with each of them."""

_MARKERS = Field(
    f"up to {MOST_MARKERS} numbers and texts that mean missing",
    lambda value, _: (
        type(value) is tuple
        and len(value) <= MOST_MARKERS
        and all(is_marker(marker) and not is_null(marker) for marker in value)
    ),
)

_VECTORS = floats("rank", "columns", least=-2, most=2, any_order=True)

STATE: dict[type, dict[str, Field]] = {
    Imputer: {
        "_columns_in": many(NAME, size="features", least=1),
        "n_features_in_": size_of("features"),
        "feature_names_in_": Field(
            "the names of all columns",
            lambda value, sizes: (
                type(value) is np.ndarray
                and value.dtype == object
                and sizes.agree("features", value.size)
                and all(isinstance(name, str) for name in value)
            ),
        ),
        "_missing_values": _MARKERS,
        "_chosen_columns": increasing("chosen", below="features"),
        "_known_columns": increasing("columns", below="features"),
        "_kept": increasing("kept", below="features"),
        "_limits": instance(Limits),
        "_indicated": increasing("indicated", below="features"),
    },
    PatternImputer: {
        "_source": instance(Source),
        "_models": _solutions_of(Field("no model", lambda *_: False)),
        "_fallen": _PATTERNS,
        "fallbacks_": instance(dict),
    },
    DrawingImputer: {"_seed": whole(0, LARGEST_SEED)},
    MeanImputer: {"means_": floats("columns")},
    IfcImputer: {
        "_coordinates": instance(Coordinates),
        "_fuzziness": scalar(IfcImputer._parameter_checks["fuzziness"]),
        "_centers": some(floats("clusters", "columns", any_order=True)),
        "centers_": floats("clusters", "columns", any_order=True),
        "n_iter_": COUNT,
    },
    GmmImputer: {
        "_coordinates": instance(Coordinates),
        "_mixture": instance(Mixture),
        "_how": scalar(GmmImputer._parameter_checks["fill"]),
        "weights_": floats("components"),
        "means_": floats("components", "columns", any_order=True),
        "covariances_": floats("components", "columns", "columns", any_order=True),
        "n_iter_": COUNT,
    },
    SvdImputer: {
        "_coordinates": instance(Coordinates),
        "_rounds": Field(f"`tol`, and `max_iter` up to {MOST_ROUNDS},", _is_rounds),
        "components_": Field(
            "orthonormal vectors",
            lambda value, sizes: _VECTORS.fits(value, sizes) and _is_orthonormal(value),
        ),
        "n_iter_": COUNT,
    },
    GlrImputer: {"_models": _solutions_of(instance(Line))},
    BlrImputer: {"_models": _solutions_of(instance(tuple))},
    PmmImputer: {"_models": _solutions_of(instance(Matching))},
    EracerImputer: {"_models": _solutions_of(instance(Relations)), "n_iter_": COUNT},
    XgbImputer: {
        "_means": floats("columns"),
        "_scaling": instance(Scaling),
        "_known": Field(
            f"numbers up to {xgb.LARGEST:g}",
            lambda value, sizes: (
                numbers_or_nan("rows", "columns", single=True).fits(value, sizes)
                and not bool(np.any(np.abs(value) > np.float32(xgb.LARGEST)))
            ),
        ),
        "_boosting": instance(Boosting),
        "_models": cache_of(Trees),
    },
    AutoImputer: {
        "_means": floats("columns"),
        "_range": instance(FillRange),
        "_spreads": floats("columns", least=0, finite=False),
        "_weights": Field("weights with sum 1 for every column", _are_weights),
        **dict.fromkeys(("weights_", "errors_", "n_hidden_", "seconds_", "left_out_"), instance(dict)),
        # Each is read as a model of its own: see files.py.
        "_members": Field("nothing", lambda *_: False),
    },
    IIMImputer: {
        "_loop": instance(PatternLoop, RoundLoop),
        "_fallen": _PATTERNS,
        "_calibration": Field(
            "None, or what is known of the errors of each column",
            lambda value, sizes: value is None or instance(Calibration).fits(value, sizes),
        ),
        "alpha_": ANYTHING,
        "learning_grid_": ANYTHING,
        "strategy_": instance(StrategyChoice),
        "n_iter_": COUNT,
        "fallbacks_": instance(dict),
    },
}
"""What fitted imputers have, besides their parameters; a class has what those have that it is made from."""

OPTIONAL = {"feature_names_in_"}
"""What not every fitted imputer has."""


def check_together(state: Mapping[str, Any]) -> None:
    """Raise Refused if attributes that fit do not fit each other."""
    known, chosen = state["_known_columns"], state["_chosen_columns"]
    if not np.isin(known, chosen).all() or not np.isin(known, state["_kept"]).all():
        raise Refused("columns are filled that are not chosen, or not given back")
    if not np.isin(state["_indicated"], chosen).all():
        raise Refused("columns are indicated that are not chosen")


_MOST_OF = {"max_iter": MOST_ROUNDS, "rounds": MOST_ROUNDS, "draws": MOST_ROUNDS}


def state_of(method: type[Imputer]) -> dict[str, Field]:
    """What a fitted imputer of a class has, in the order in which it is to be read."""
    found: dict[str, Field] = {}
    for part in reversed(method.__mro__):
        found |= STATE.get(part, {})
    if issubclass(method, PatternImputer):
        found["_fixed"] = _fixed(method)
    return found


def _fixed(method: type[PatternImputer]) -> Field:
    """The parameters that decide fills, as ``fit`` found them."""
    checks = {name: method._all_checks()[name] for name in method._deciding()}

    def fits(value: Any, sizes: Sizes) -> bool:
        del sizes
        return (
            isinstance(value, SimpleNamespace)
            and vars(value).keys() == checks.keys()
            and all(check.accepts(vars(value)[name]) for name, check in checks.items())
            and all(vars(value).get(name, 0) <= most for name, most in _MOST_OF.items())
        )

    limits = ", ".join(f"`{name}` up to {most}" for name, most in _MOST_OF.items() if name in checks)
    return Field(f"possible parameters ({limits or 'of this method'})", fits)
