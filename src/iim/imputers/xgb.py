"""XGB: gradient-boosted trees, one model per column, missing inputs included."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._checks import NUMBER, Check, exactly, one_of, whole_number
from iim.core.arithmetic.column_means import column_means
from iim.core.execution.model_cache import ModelCache
from iim.core.methods.decision_trees import DecisionTrees, Singles
from iim.core.patterns import Pattern, all_others
from iim.core.scaling import Scaling, learn_scaling, refuse_overflow
from iim.exceptions import MissingDependency
from iim.imputers._base import Imputer
from iim.imputers._declaring import fitted, parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.matrix import MaskedMatrix
from iim.persistence.fields import MOST_ROUNDS, floats, numbers_or_nan, scalar, whole

LARGEST = 1e15
"""Numbers are clipped to this: xgboost stores gains, which are sums of squares, in 32 bits."""

MOST_DEPTH = 1000
"""Largest depth of a tree: xgboost is recursive, and would overflow the stack."""

_LEARNING_RATE = Check(
    # xgboost computes with 32 bits, where smaller numbers are 0.
    "a number above 0 (1e-30 or more), up to 1",
    lambda value: NUMBER.accepts(value) and 1e-30 <= value <= 1,
)
_START = exactly(None) | Check(
    f"a number from {-LARGEST:g} to {LARGEST:g}",
    lambda value: NUMBER.accepts(value) and abs(value) <= LARGEST,
)


@dataclass(frozen=True)
class Boosting:
    """Parameters of boosting, fixed at ``fit`` for columns that are learned later."""

    n_rounds: Annotated[int, whole(1, MOST_ROUNDS)]
    learning_rate: Annotated[float, scalar(_LEARNING_RATE)]
    max_depth: Annotated[int, whole(1, MOST_DEPTH)]
    base_score: Annotated[float | None, scalar(_START)]


def grow_trees(inputs: Singles, targets: Singles, boosting: Boosting) -> DecisionTrees:
    """Learn to predict ``targets`` from ``inputs``, in which NaN is missing."""
    xgboost = load_xgboost()
    # One thread each: columns are learned in parallel, and no sum is split among threads.
    table = xgboost.DMatrix(inputs, label=targets, missing=np.nan, nthread=1)
    settings = {
        "objective": "reg:squarederror",
        "learning_rate": boosting.learning_rate,
        "max_depth": boosting.max_depth,
        "nthread": 1,
    }
    if boosting.base_score is not None:
        settings["base_score"] = boosting.base_score
    return take_apart(xgboost.train(settings, table, num_boost_round=boosting.n_rounds))


def take_apart(booster: Any) -> DecisionTrees:
    """The trees of a booster as arrays, read from its documented JSON format.

    The nodes of a tree are in order of their level, the two children of a node side by side.
    """
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    parameters, model = learner["learner_model_param"], learner["gradient_booster"]["model"]
    first, parts, n_nodes = [], [], 0
    for tree in model["trees"]:
        assert not any(tree["split_type"])  # noqa: S101 (numbers only, no categories)
        order, left = [0], tree["left_children"]
        children = []
        for node in order:  # which grows meanwhile
            children.append(0 if left[node] < 0 else n_nodes + len(order))
            order += [left[node], tree["right_children"][node]] if left[node] >= 0 else []
        first.append(n_nodes)
        n_nodes += len(order)
        named = (tree["split_indices"], tree["split_conditions"], tree["default_left"])
        parts.append([np.array(children), *(np.array(each)[order] for each in named)])
    child, column, value, unknown_left = (np.concatenate(part) for part in zip(*parts, strict=True))
    return DecisionTrees(
        n_inputs=int(parameters["num_feature"]),
        # From version 3.1 on it is a list of one.
        start=float(np.float32(parameters["base_score"].strip("[]"))),
        first=np.array(first, np.intp),
        left=child.astype(np.intp),
        column=np.where(child > 0, column, 0).astype(np.intp),
        value=value.astype(np.float32),
        unknown_left=unknown_left.astype(np.bool_),
    )


def load_xgboost() -> ModuleType:
    """Import the package, or raise an error with the command to install it."""
    try:
        import xgboost  # noqa: PLC0415 (an extra: the other methods do without)
    except ImportError as error:
        raise MissingDependency(
            "XgbImputer needs the package xgboost, which is not installed. Install it with "
            '`pip install "iim[xgb]"`, or install `xgboost-cpu` or `xgboost` itself, but not both.'
        ) from error
    return xgboost


class XgbImputer(Imputer):
    """Fill with the prediction of gradient-boosted trees from the other columns.

    One model per column, learned from all rows with a known value. Each split has a default direction for
    missing inputs, so that one model fills every missing pattern. Prefer it where a value depends on others
    by thresholds, steps and interactions, where many columns are irrelevant, or where rows have many holes.
    When not: where the relation is smooth and rows are few, local and linear models are more accurate, and
    trees hardly extrapolate. Cost: learning grows with ``n_rounds * n * m`` per column, memory with the
    size of the trees; needs the package xgboost (``pip install "iim[xgb]"``).

    Parameters
    ----------
    n_rounds : int, default=100
        Number of trees. More fit better, and finally overfit.
    learning_rate : float, default=0.3
        Factor of each tree. Smaller values overfit less and need more rounds.
    max_depth : int, default=6
        Most splits from the root to a leaf. Deeper trees find interactions of more columns, and need more
        rows.
    base_score : float or None, default=None
        Prediction before the first tree, in units of the scaled column. None is the mean of the known
        values. With few rounds, a bad start is not corrected.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale: by mean and standard deviation, by median and interquartile range, or
        not at all (the paper). Trees do not depend on scales, but xgboost computes with 32 bits: without
        scaling, digits of numbers far from zero are lost.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. Each learns another column.
        Never changes a fill.

    Notes
    -----
    ``fit`` learns the columns with missing values. A column with its first missing value at ``transform``
    is learned then, from the table given to ``fit``. A single or constant column, and a row without any
    known value, get the mean. With these settings xgboost is deterministic: there is no ``random_state``.
    ``PAPER`` is not published: it was inferred from the errors that the IIM paper prints for XGB.

    References
    ----------
    .. [1] T. Chen, C. Guestrin: "XGBoost: A Scalable Tree Boosting System", KDD 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import XgbImputer
    >>> table = np.array([[0, 5.0], [1, 5], [2, 5], [7, 8], [8, 8], [9, np.nan]])
    >>> XgbImputer().fit_transform(table)[-1].round(2)
    array([9., 8.])
    """

    paper_name = "XGB"
    family = "attribute"

    PAPER: ClassVar[Mapping[str, Any]] = {"n_rounds": 6, "base_score": 0.5, "scale": "none"}

    n_rounds: int = parameter(default=100, check=whole_number(least=1), kw_only=False)
    learning_rate: float = parameter(default=0.3, check=_LEARNING_RATE)
    max_depth: int = parameter(default=6, check=whole_number(least=1))
    base_score: float | None = parameter(default=None, check=_START)
    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    _means: Annotated[Floats, floats("columns")] = fitted()
    _scaling: Scaling = fitted()
    _known: Annotated[Singles, numbers_or_nan("rows", "columns", single=True, most=LARGEST)] = fitted()
    _boosting: Boosting = fitted()
    _models: ModelCache[DecisionTrees] = fitted()

    def _fit(self, matrix: MaskedMatrix) -> None:
        load_xgboost()
        if self.scale == "none":
            refuse_overflow(matrix, limit=LARGEST)
        self._means = column_means(matrix)
        self._scaling = learn_scaling(matrix, self.scale)
        self._known = self._coordinates(matrix)
        self._boosting = self._describe_boosting()
        targets = self._learnable(np.flatnonzero(matrix.missing.any(axis=0)))
        grown: dict[Pattern, DecisionTrees] = {}

        def learn(at: int, _: int) -> None:
            pattern = self._pattern(targets[at])
            grown[pattern] = self._grow(pattern)

        self._side_by_side("learning", learn, targets.size)
        # In the order of the columns, not of completion.
        kept = {pattern: grown[pattern] for pattern in map(self._pattern, targets)}
        self._models = ModelCache(kept, is_open=False)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        values = np.where(matrix.missing, self._means, matrix.values)
        knows = ~matrix.missing.all(axis=1)
        inputs = self._coordinates(matrix)
        targets = self._learnable(np.flatnonzero(matrix.missing.any(axis=0)))

        def fill(at: int, _: int) -> None:
            pattern = self._pattern(targets[at])
            rows = np.flatnonzero(matrix.missing[:, pattern.target] & knows)
            if rows.size == 0:
                return
            trees = self._models.find(pattern)
            if trees is None:
                trees = self._grow(pattern)
                self._models.store(pattern, trees)
            predicted = trees.predict(inputs[rows][:, list(pattern.observed)])
            values[rows, pattern.target] = self._scaling.values(predicted[:, None], (pattern.target,))[:, 0]

        self._side_by_side("filling", fill, targets.size)
        return values

    def _side_by_side(self, task: str, work: Callable[[int, int], None], n_columns: int) -> None:
        with self._running(task) as context:
            replace(context, block_size=1).run(work, n_columns)

    def _learnable(self, columns: Integers) -> Integers:
        """The columns that vary, unless there is a single column."""
        if self._means.size == 1:
            return columns[:0]
        known = self._known[:, columns]
        varies: Booleans = np.nanmin(known, axis=0) < np.nanmax(known, axis=0)
        return columns[varies]

    def _pattern(self, target: int) -> Pattern:
        return all_others(int(target), self._means.size)

    def _grow(self, pattern: Pattern) -> DecisionTrees:
        known = self._known[~np.isnan(self._known[:, pattern.target])]
        inputs = np.ascontiguousarray(known[:, list(pattern.observed)])
        return grow_trees(inputs, known[:, pattern.target], self._boosting)

    def _describe_boosting(self) -> Boosting:
        start = None if self.base_score is None else float(self.base_score)
        # A tree cannot be deeper than the number of rows, and xgboost's parameter has 32 bits.
        depth = min(int(self.max_depth), len(self._known))
        return Boosting(int(self.n_rounds), float(self.learning_rate), depth, start)

    def _coordinates(self, matrix: MaskedMatrix) -> Singles:
        scaled = self._scaling.coordinates(matrix.values, tuple(range(matrix.n_columns)))
        return np.clip(scaled, -LARGEST, LARGEST).astype(np.float32)
