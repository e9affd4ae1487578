"""kNNE: an ensemble of kNN, each member with its own choice of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, whole_number
from iim.core.arithmetic.row_products import averaged
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.neighbor_mean import neighbors_mean
from iim.core.neighbors import KnownValues, index_values
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer

MOST_COLUMNS = 8
"""Known columns up to which ``subsets="all"`` means all: beyond, their number doubles with each column."""


class Member(NamedTuple):
    """One kNN of the ensemble: the columns it measures distances on, and its donors."""

    columns: tuple[int, ...]
    donors: KnownValues


class KnneImputer(PatternImputer):
    """Fill the mean of several kNN estimates, each with neighbours found on other columns.

    A column that misleads the search spoils only those members that use it. Prefer it to kNN where some
    columns are noise; where all matter, each member sees less than it should. Cost: as many
    nearest-neighbour searches per hole as there are members.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many donors each member averages.
    subsets : {"leave-one-out", "all"}, default="leave-one-out"
        The members: one for each known column, which leaves that column out; or one for each choice of
        known columns (with more than 8 known columns, where there would be too many, "leave-one-out"). A
        single known column makes a single member: plain kNN.
    weights : {"uniform", "distance"}, default="uniform"
        Whether the donors of a member count the same, or each by the inverse of its distance.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).
    donors : {"available", "complete"}, default="available"
        Which rows may be donors: those that know the columns at hand, or only those without any hole.
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows that know the value, if that is less), known
        columns are given up one by one, the one that frees most donors first; with none left, the column
        mean is used. "auto" is ``2 * n_neighbors``.
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
        Threads: -1 for all cores that this process may use, None for one. Never changes a fill.
    progress : bool or callable, default=False
        True shows a line on the terminal for calls longer than a second; a callable gets a number from
        0 to 1.

    Attributes
    ----------
    fallbacks_ : dict
        For each column, how many missing cells of the table given to ``fit`` had to be filled with less
        than asked for, by what was given up.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    References
    ----------
    .. [1] C. Domeniconi, B. Yan: "Nearest Neighbor Ensemble", International Conference on Pattern
       Recognition (ICPR), 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import KnneImputer
    >>> table = np.array([[0, 5, 10.0], [1, 5, 20], [8, 1, 90], [9, 0, 100], [1, 1, np.nan]])
    >>> KnneImputer(n_neighbors=1).fit_transform(table)[-1]  # near row 1 by x0, near row 2 by x1
    array([ 1.,  1., 55.])
    """

    paper_name = "kNNE"
    family = "tuple"

    _learns_ahead = False
    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "n_neighbors": whole_number(least=1),
        "subsets": one_of("leave-one-out", "all"),
        "weights": one_of("uniform", "distance"),
        "n_jobs": NUMBER_OF_JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        subsets: str = "leave-one-out",
        weights: str = "uniform",
        scale: str = "standard",
        donors: str = "available",
        min_donors: str | int = "auto",
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
        self.n_neighbors = n_neighbors
        self.subsets = subsets
        self.weights = weights
        self.scale = scale
        self.donors = donors
        self.min_donors = min_donors
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.n_jobs = n_jobs
        self.progress = progress

    def _wanted_donors(self, n_columns: int) -> int:
        del n_columns
        return 2 * int(self.n_neighbors)  # numpy's small integers would overflow

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> tuple[Member, ...]:
        del context
        return tuple(
            Member(columns, index_values(donors.points[:, columns], donors.targets))
            for columns in column_subsets(len(problem.observed), self._fixed.subsets)
        )

    def _predict(
        self, model: tuple[Member, ...], points: Floats, receivers: Receivers, context: Context
    ) -> Floats:
        del receivers
        means = [
            neighbors_mean(
                member.donors,
                np.ascontiguousarray(points[:, member.columns]),
                n_neighbors=self._fixed.n_neighbors,
                weights=self._fixed.weights,
                context=context,
            )
            for member in model
        ]
        # Within their range: where all say the same, rounding must not make it something else.
        return averaged(np.column_stack(means))


def column_subsets(n_columns: int, which: str) -> list[tuple[int, ...]]:
    """The choices of columns that the members use."""
    if n_columns == 1:
        return [(0,)]
    if which == "all" and n_columns <= MOST_COLUMNS:
        sizes = range(1, n_columns + 1)
    else:
        sizes = range(n_columns - 1, n_columns)
    return [columns for size in sizes for columns in combinations(range(n_columns), size)]
