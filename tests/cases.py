"""The methods and settings that are tested alike: every registered one, and more settings of some.

Whatever is added to ``METHODS`` is a case by itself; other settings of a method are added to ``VARIANTS``.
"""

import os
import pickle
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import iim


@dataclass(frozen=True)
class Case:
    """A method and how it is set."""

    key: str
    name: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return f"{self.key}-{self.name}"

    def make(self, **changed):
        return iim.METHODS[self.key](**{**self.settings, **changed})

    def fit(self, table, **changed):
        return fit_quietly(self.make(**changed), table)

    def has(self, parameter: str) -> bool:
        return parameter in self.make().get_params()


QUICK = {"auto": {"methods": ["iim", "glr"], "repeats": 1}}
"""What stands for the default settings of a method that takes seconds with them."""

CASES = [
    Case(key, name, values)
    for key, method in iim.METHODS.items()
    for name, values in {"default": QUICK.get(key, {}), "paper": method.PAPER}.items()
    if name == "default" or values
]
"""Every method, with its default settings and with those of the paper."""

VARIANTS = [
    Case("iim", "complete", {"donors": "complete"}),
    Case("iim", "single", {"prepare": "single", "learning_grid": [2, 7, 500]}),
    Case("iim", "fixed", {"learning_neighbors": 3, "weights": "uniform"}),
    Case("iim", "near", {"n_neighbors": 2, "weights": "distance", "scale": "robust", "min_donors": 1}),
    Case("iim", "no ridge", {"penalty": "all", "alpha": 0.0, "donors": "complete"}),
    Case("iim", "rounds", {"strategy": "iterative"}),
    Case(
        "iim",
        "short rounds",
        {"strategy": "iterative", "max_iter": 1, "n_neighbors": 3}
        | {"scale": "robust", "donors": "complete", "weights": "uniform", "prepare": "single"},
    ),
    Case("knn", "near", {"n_neighbors": 2, "weights": "distance", "scale": "robust", "min_donors": 1}),
    Case("glr", "complete", {"donors": "complete", "alpha": 0.0, "scale": "robust"}),
    Case("ifc", "robust", {"n_clusters": 3, "scale": "robust"}),
    Case("gmm", "robust", {"n_components": 2, "fill": "mean", "scale": "robust"}),
]
"""Settings that take other ways through a method; a new strategy has its line here."""


PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Whether the compiler is off, so that loops take a hundred times as long."""

COMPILED = pytest.mark.skipif(PLAIN, reason="a table too large to be worked on without the compiler")
"""For tables whose size is the point; small ones take the same ways with the compiler off."""

KERNELS = """
import sys

kernels = {
    id(kernel): kernel
    for name, module in sorted(sys.modules.items())
    if name.startswith("iim.kernels.")
    for kernel in vars(module).values()
    if hasattr(kernel, "py_func")
}.values()
"""
"""Code for a process of its own: finds the kernels that it has loaded."""


ALWAYS = {"iim-paper", "iim-rounds"}
"""Cases that are run at each change, besides the default settings of every method."""

ALL_VERSIONS = {"iim", "gmm", "xgb"}
"""Methods that are run with the oldest versions, too: of the kernels, of scipy, and of another package."""


def every(cases):
    """Run a test for each of some cases: at each change for the common ones, in the long mode for all.

    With the oldest versions few methods stand for all.
    """
    return pytest.mark.parametrize(
        "case",
        [pytest.param(case, id=str(case), marks=_marks(case)) for case in cases],
    )


def _marks(case):
    if case.name != "default" and str(case) not in ALWAYS:
        return pytest.mark.long
    return () if case.key in ALL_VERSIONS else pytest.mark.current


def long(*values):
    """Values of a parameter, or tuples of several, that are run in the long mode only."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.long)
        for value in values
    ]


def fit_quietly(imputer, table):
    """Fit; empty columns and cells that fall back are part of the game."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)
        return imputer.fit(table)


def as_new(imputer):
    """The fitted imputer, as if it had met no pattern since."""
    return pickle.loads(pickle.dumps(imputer))


def row_by_row(imputer, table):
    return np.vstack([imputer.transform(row[None]) for row in table])


def assert_same(filled, expected) -> None:
    """Equal to the last bit: signs of zeros, too."""
    assert filled.dtype == expected.dtype
    assert filled.shape == expected.shape
    filled, expected = np.ascontiguousarray(filled), np.ascontiguousarray(expected)
    apart = np.argwhere(filled.view(np.uint64) != expected.view(np.uint64)).tolist()
    assert apart == [], [(filled[tuple(at)], expected[tuple(at)]) for at in apart[:5]]


def fit_or_refuse(case: Case, table, **changed):
    """The fitted imputer; None if the method may refuse the table, and says what to do."""
    refusal = ""
    try:
        return case.fit(table, **changed)
    except iim.UnusableTable as error:
        refusal = str(error)
    # Only raw values may be too large: those whose squares overflow.
    assert case.make().get_params().get("scale") == "none"
    assert np.nanmax(np.abs(table)) > 1e15
    assert "Use scale='standard', or rescale it." in refusal
    return None


def examples(share: float):
    """How many tables hypothesis draws for each case: a share of the profile's, since there are many cases.

    Without the compiler a tenth of that.
    """
    share = share / 10 if PLAIN else share
    return settings(max_examples=max(1, round(settings.default.max_examples * share)))
