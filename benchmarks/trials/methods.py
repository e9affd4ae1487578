"""The methods of the benchmarks, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from accuracy.contenders import Contender, contenders, hist_gb, iterative, ours

OURS = "iim"
"""The method that reports compare with the others: the default."""

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    OURS: {},
    "iim-patterns": {"strategy": "patterns"},
    "iim-rounds": {"strategy": "iterative"},
}
"""Parameters of IIM that differ from the defaults, by name: a further row is a further method."""

OTHERS: Mapping[str, str] = {
    "auto": "auto",
    "mean": "mean",
    "knn": "sk-knn",
    "knn-scaled": "sk-knn-scaled",
    "iterative": "sk-bayes",
}
"""Methods taken from the accuracy benchmark: name here, key there."""

BOOSTING_ROUNDS = 5
"""Rounds of IterativeImputer with boosted trees."""


@cache
def methods() -> dict[str, Contender]:
    """All methods by name."""
    known = contenders()
    listed = [
        *(ours(name, _label(name), "iim", **settings) for name, settings in SETTINGS.items()),
        *(replace(known[key], key=name) for name, key in OTHERS.items()),
        iterative("hgb", "IterativeImputer, HistGradientBoosting", hist_gb, BOOSTING_ROUNDS),
    ]
    return {one.key: one for one in listed}


def in_order(names: set[str]) -> list[str]:
    """Names of methods in the order of ``methods()``; names that are no longer there come last."""
    known = list(methods())
    return [*filter(names.__contains__, known), *sorted(names.difference(known))]


def _label(name: str) -> str:
    return "IIM, default" if name == OURS else f"IIM, {name.removeprefix('iim-')}"
