"""XGB: gradient-boosted trees, one model per column, missing inputs included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Floats, Integers
from iim._checks import NUMBER, Check, exactly, one_of, whole_number
from iim.core.arithmetic.column_means import column_means
from iim.core.execution.model_cache import ModelCache
from iim.core.patterns import Pattern, all_others
from iim.core.scaling import learn_scaling, refuse_overflow
from iim.exceptions import MissingDependency
from iim.imputers._base import Imputer
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.matrix import MaskedMatrix

Singles = npt.NDArray[np.float32]

LARGEST = 1e15
"""Numbers beyond this are cut off: xgboost keeps gains, which are sums of squares, in 32 bits."""

_LEARNING_RATE = Check("a number above 0, up to 1", lambda value: NUMBER.accepts(value) and 0 < value <= 1)
_START = exactly(None) | Check(
    f"a number from {-LARGEST:g} to {LARGEST:g}",
    lambda value: NUMBER.accepts(value) and abs(value) <= LARGEST,
)


@dataclass(frozen=True)
class Trees:
    """A learned model; pickled in the format that xgboost keeps readable across its versions."""

    booster: Any
    nbytes: int

    def predict(self, inputs: Singles) -> Floats:
        """One value for each row; safe to call from several threads."""
        table = load_xgboost().DMatrix(inputs, missing=np.nan, nthread=1)
        return np.asarray(self.booster.predict(table), np.float64)

    def __reduce__(self) -> tuple[Callable[[bytes], Trees], tuple[bytes]]:
        return read_trees, (bytes(self.booster.save_raw("ubj")),)


@dataclass(frozen=True)
class Boosting:
    """How trees are grown; kept from ``fit``, so that later columns are learned as the first ones were."""

    n_rounds: int
    parameters: Mapping[str, Any]


def grow_trees(inputs: Singles, targets: Singles, boosting: Boosting) -> Trees:
    """Learn to predict ``targets`` from ``inputs``, in which NaN is missing."""
    xgboost = load_xgboost()
    # One thread each: columns are learned side by side, and no sum is divided among threads.
    table = xgboost.DMatrix(inputs, label=targets, missing=np.nan, nthread=1)
    booster = xgboost.train({**boosting.parameters, "nthread": 1}, table, num_boost_round=boosting.n_rounds)
    return Trees(booster, len(booster.save_raw("ubj")))


def read_trees(content: bytes) -> Trees:
    """Trees from their pickled form."""
    booster = load_xgboost().Booster(params={"nthread": 1}, model_file=bytearray(content))
    return Trees(booster, len(content))


def load_xgboost() -> ModuleType:
    """The package, or an error that says how to get it."""
    try:
        import xgboost  # noqa: PLC0415 (an extra: the other methods do without)
    except ImportError as error:
        raise MissingDependency(
            "XgbImputer needs the package xgboost, which is not installed. Install it with "
            '`pip install "iim[xgb]"`, or take `xgboost-cpu` or `xgboost` itself, but not both.'
        ) from error
    return xgboost


class XgbImputer(Imputer):
    """Fill what gradient-boosted trees predict from the other columns.

    One model per column, learned from all rows that know it. Trees take missing inputs as they are: each
    split sends them to the side that served better, so that one model fills every missing pattern. Prefer
    it where a value depends on others by thresholds, steps and interactions, where many columns are of no
    use, or where rows have many holes. Where the relation is smooth and rows are few, local and linear
    models are nearer; and trees never predict much beyond the values that they saw. Cost: learning grows
    with ``n_rounds * n * m`` per column, memory with the size of the trees; needs the package xgboost
    (``pip install "iim[xgb]"``).

    Parameters
    ----------
    n_rounds : int, default=100
        How many trees are added up. More fit finer, and in the end the noise.
    learning_rate : float, default=0.3
        Which share of each tree counts. Smaller is steadier and needs more rounds.
    max_depth : int, default=6
        How many questions a tree asks one after another. Deeper trees find interactions of more columns,
        and need more rows to be right about them.
    base_score : float or None, default=None
        Where the first tree starts from, in units of the scaled column. None is the mean of the known
        values. Few rounds do not get far from a bad start.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale: by mean and standard deviation, by median and interquartile range, or
        not at all (the paper). Trees do not mind scales, but xgboost computes with 32 bits: without
        scaling, digits of numbers far from zero are lost.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        What means "missing". NaN, None and nulls always do.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had holes at fit.
    keep_empty_features : bool, default=False
        Keep columns without any known value at fit, filled with 0 (or the nearest value within bounds),
        instead of dropping them.
    columns : sequence of str or int, or None, default=None
        Columns to fill and to learn from, by name or position; None means all. The others may hold
        anything (text, dates), pass through untouched, and play no part in a fill.
    min_value, max_value : number, "observed", sequence, dict or None, default=None
        Bounds of what is filled in: one for all columns, one for each column of the table, or a dict from
        names or positions of columns to bounds. "observed" is the smallest or largest known value at fit,
        None no bound. Known cells may lie outside.
    round_integers : bool, default=False
        Fill columns whose known values at fit are whole numbers with whole numbers; columns of integers
        and booleans then keep their type.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. Each learns another column.
        Never changes a fill.
    progress : bool or callable, default=False
        True shows a line on the terminal for calls longer than a second; a callable gets a number from
        0 to 1.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Notes
    -----
    ``fit`` learns the columns that have holes; a column first met with holes at ``transform`` is learned
    then, from the table given to ``fit``. A column that is alone or constant, and a row that knows nothing,
    get the mean. With these settings xgboost draws nothing at random: there is no ``random_state``.
    ``PAPER`` is worked out from the figures that the IIM paper prints for XGB, not published there.

    References
    ----------
    .. [1] T. Chen, C. Guestrin: "XGBoost: A Scalable Tree Boosting System", KDD 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import XgbImputer
    >>> table = np.array([[0, 5.0], [1, 5], [2, 5], [7, 8], [8, 8], [9, np.nan]])
    >>> XgbImputer().fit_transform(table)[-1].round(2)
    array([9., 8.])
    """

    paper_name = "XGB"
    family = "attribute"

    PAPER: ClassVar[Mapping[str, Any]] = {"n_rounds": 6, "base_score": 0.5, "scale": "none"}

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "n_rounds": whole_number(least=1),
        "learning_rate": _LEARNING_RATE,
        "max_depth": whole_number(least=1),
        "base_score": _START,
        "scale": one_of("standard", "robust", "none"),
        "n_jobs": NUMBER_OF_JOBS,
    }

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        learning_rate: float = 0.3,
        max_depth: int = 6,
        base_score: float | None = None,
        scale: str = "standard",
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        columns: Sequence[Any] | None = None,
        min_value: Any = None,
        max_value: Any = None,
        round_integers: bool = False,
        n_jobs: int | None = -1,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.base_score = base_score
        self.scale = scale
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.n_jobs = n_jobs
        self.progress = progress

    def _fit(self, matrix: MaskedMatrix) -> None:
        load_xgboost()
        if self.scale == "none":
            refuse_overflow(matrix, limit=LARGEST)
        self._means = column_means(matrix)
        self._scaling = learn_scaling(matrix, self.scale)
        self._known = self._coordinates(matrix)
        self._boosting = self._describe_boosting()
        targets = self._learnable(np.flatnonzero(matrix.missing.any(axis=0)))
        grown: dict[Pattern, Trees] = {}

        def learn(at: int, _: int) -> None:
            pattern = self._pattern(targets[at])
            grown[pattern] = self._grow(pattern)

        self._side_by_side("learning", learn, targets.size)
        # In the order of the columns, whichever came first.
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
        """Those of some columns that are not alone, and not constant."""
        if self._means.size == 1:
            return columns[:0]
        known = self._known[:, columns]
        varies: Booleans = np.nanmin(known, axis=0) < np.nanmax(known, axis=0)
        return columns[varies]

    def _pattern(self, target: int) -> Pattern:
        return all_others(int(target), self._means.size)

    def _grow(self, pattern: Pattern) -> Trees:
        known = self._known[~np.isnan(self._known[:, pattern.target])]
        inputs = np.ascontiguousarray(known[:, list(pattern.observed)])
        return grow_trees(inputs, known[:, pattern.target], self._boosting)

    def _describe_boosting(self) -> Boosting:
        parameters = {
            "objective": "reg:squarederror",
            "learning_rate": float(self.learning_rate),
            # No tree can be deeper than there are rows, nor xgboost's number larger than 32 bits.
            "max_depth": min(int(self.max_depth), len(self._known)),
        }
        if self.base_score is not None:
            parameters["base_score"] = float(self.base_score)
        return Boosting(int(self.n_rounds), parameters)

    def _coordinates(self, matrix: MaskedMatrix) -> Singles:
        scaled = self._scaling.coordinates(matrix.values, tuple(range(matrix.n_columns)))
        return np.clip(scaled, -LARGEST, LARGEST).astype(np.float32)
