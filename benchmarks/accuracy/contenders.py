"""The methods of the benchmark: what they are called, how they are made, with which settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import isfinite
from typing import Any

from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (to import it is its use)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import StandardScaler

import iim
from accuracy.peers import MICE_ROUNDS, PEERS, MiceForestPackage, MissForestPackage, peer_version

FORMER_GRID = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
"""What ``learning_grid="auto"`` was before the improvements."""

PLAIN: Mapping[str, Any] = {
    "learning_grid": FORMER_GRID,
    "validation": "reused",
    "distance": "scaled",
    "level": "fitted",
    "weights": "votes",
    "shrinkage": "none",
    "reach": None,
}
"""Settings of the plain adaptive IIM: the paper's algorithm on scaled columns, without any improvement."""

SWITCHED_OFF: Mapping[str, str] = {
    "iim-reused": "validation",
    "iim-scaled": "distance",
    "iim-fitted": "level",
    "iim-votes": "weights",
    "iim-unshrunk": "shrinkage",
    "iim-no-limit": "reach",
    "iim-old-grid": "learning_grid",
}
"""The ablation: the default with one improvement as it is in ``PLAIN``, by key."""

TREE_ROUNDS = 3
"""Rounds of IterativeImputer with trees, for time; with BayesianRidge it has its default of 10."""

DEFAULT, PAPER, PLAIN_KEY, AUTO, TREES = "iim", "iim-paper", "iim-plain", "auto", "xgb"
"""Keys of the methods that the report speaks of by name."""


NO_SETTINGS = ("random_state", "n_jobs", "progress")
"""Parameters that are no part of a method's settings."""


@dataclass(frozen=True)
class Contender:
    """A method of the benchmark.

    Attributes
    ----------
    key : str
        For command lines and records.
    label : str
        For tables.
    make : callable
        From a seed to an object with ``fit_transform``, or with ``fit`` and ``transform``.
    settings : mapping
        All that its fills depend on, as plain data: changed settings get new records.
    two_steps : bool
        Whether fit and transform are timed apart.
    is_ablation : bool
        Whether it is the default with an improvement switched off: run if asked for, in a table of its own.
    """

    key: str
    label: str
    make: Callable[[int], Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    two_steps: bool = False
    is_ablation: bool = False


@cache
def contenders() -> dict[str, Contender]:
    """All methods by key, the ablation and those of packages that are not installed included."""
    known = [
        ours(DEFAULT, "IIM, default", "iim"),
        ours(PAPER, "IIM, paper", "iim", **iim.PAPER),
        ours(PLAIN_KEY, "IIM, plain", "iim", **PLAIN),
        *(ours(key, _LABELS.get(key, key), key) for key in iim.METHODS if key != DEFAULT),
        Contender("sk-knn", "KNNImputer", lambda seed: KNNImputer()),  # noqa: ARG005 (nothing random)
        Contender("sk-knn-scaled", "KNNImputer, scaled", _scaled_knn, {"scaled": True}),
        iterative("sk-bayes", "IterativeImputer, BayesianRidge", _bayes, 10),
        iterative("sk-extra-trees", "IterativeImputer, ExtraTrees", _extra_trees, TREE_ROUNDS),
        iterative("sk-hist-gb", "IterativeImputer, HistGradientBoosting", hist_gb, TREE_ROUNDS),
        iterative("sk-random-forest", "MissForest (scikit-learn)", _random_forest, TREE_ROUNDS),
        _peer("missforest", "MissForest (package)", MissForestPackage),
        _peer("miceforest", "miceforest", MiceForestPackage, rounds=MICE_ROUNDS),
        *(_switched_off(key, name) for key, name in SWITCHED_OFF.items()),
    ]
    return {one.key: one for one in known}


def main_keys() -> list[str]:
    """Keys of the methods that are run if none are named: all but the ablation."""
    return [key for key, one in contenders().items() if not one.is_ablation]


_LABELS = {"xgb": "XGBoost per column", "auto": "AutoImputer"}
"""Of methods of the registry that are not called by their key."""


def ours(key: str, label: str, method: str, **settings: Any) -> Contender:
    """A method of the registry with these settings; other parameters have their defaults."""

    def make(seed: int) -> Any:
        imputer = iim.METHODS[method](**settings)
        return imputer.set_params(random_state=seed) if "random_state" in imputer.get_params() else imputer

    # All parameters, defaults too: a new default gets new records. The seed is a coordinate of its own.
    parameters = iim.METHODS[method](**settings).get_params()
    plain = {name: _plain(value) for name, value in parameters.items() if name not in NO_SETTINGS}
    return Contender(key, label, make, plain, two_steps=True)


def _switched_off(key: str, parameter: str) -> Contender:
    value = PLAIN[parameter]
    shown = "the former" if value is FORMER_GRID else repr(value)
    one = ours(key, f"{parameter}={shown}", DEFAULT, **{parameter: value})
    return replace(one, is_ablation=True)


def _plain(value: Any) -> Any:
    # NaN and whatever JSON does not know is written down as Python shows it.
    is_plain = (
        value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    )
    return value if is_plain else repr(value)


def _scaled_knn(seed: int) -> Any:  # noqa: ARG001 (nothing random)
    return _BackInUnits(KNNImputer())


class _BackInUnits:
    """An imputer that sees standardised columns; what it fills is given in the units of the table."""

    def __init__(self, imputer: Any) -> None:
        self.imputer = imputer

    def fit_transform(self, values: Any) -> Any:
        scaling = StandardScaler()
        return scaling.inverse_transform(self.imputer.fit_transform(scaling.fit_transform(values)))


def iterative(key: str, label: str, learner: Callable[[int], Any], rounds: int) -> Contender:
    """IterativeImputer with a learner, which is made from the seed."""

    def make(seed: int) -> Any:
        return IterativeImputer(learner(seed), max_iter=rounds, random_state=seed)

    return Contender(key, label, make, {"max_iter": rounds})


def _bayes(seed: int) -> Any:  # noqa: ARG001 (nothing random)
    return BayesianRidge()


def _extra_trees(seed: int) -> Any:
    return ExtraTreesRegressor(random_state=seed, n_jobs=-1)


def hist_gb(seed: int) -> Any:
    """Boosted trees of scikit-learn."""
    return HistGradientBoostingRegressor(random_state=seed)


def _random_forest(seed: int) -> Any:
    return RandomForestRegressor(random_state=seed, n_jobs=-1)


def _peer(key: str, label: str, package: Callable[..., Any], **settings: Any) -> Contender:
    return Contender(
        key, label, lambda seed: package(seed=seed), {**settings, "version": peer_version(PEERS[key])}
    )
