"""ILLS: an incomplete row as a linear combination of its nearest rows, iterated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import one_of, whole_number
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.methods.row_combination import combine_rows
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.pattern_loop import Receivers
from iim.core.source import DonorValues, TargetScale
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._patterns import PatternImputer
from iim.kernels.tree import Tree


@dataclass(frozen=True)
class Rows:
    """Donors, indexed on the known columns, and on the known columns with the column to fill."""

    donors: DonorValues
    scale: TargetScale
    known: Tree
    whole: Tree


class IllsImputer(PatternImputer):
    """Fill by iterated local least squares: the row as a linear combination of its nearest rows.

    On the known columns, the incomplete row is written as a linear combination of its nearest donors,
    without intercept (minimum-norm least squares). The same combination of their values fills the hole.
    With that fill the nearest donors are found again, and so on. Prefer it for tables whose rows are
    multiples and sums of each other, such as gene expression data. When not: with about as many neighbours
    as known columns, weights and errors can be large. Cost per hole and iteration: a search of k neighbours
    and O(k m min(k, m)).

    Parameters
    ----------
    n_neighbors : "auto" or int, default="auto"
        How many donors are combined. With at least as many as known columns, the known part is reproduced
        exactly; well above that number the weights stay small, near it they can be huge. "auto" is 20, or
        twice the number of known columns if that is more.
    rounds : int, default=5
        Most iterations. A row ends earlier when its nearest donors no longer change. 1 is local least
        squares without iteration.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation (combinations are then of
        deviations from the mean), by median and interquartile range, or not at all (the paper).
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows with a known value, if that is less), known
        columns are dropped one by one, first the one whose removal makes the most donors available. With
        none left, the fill is the column mean. "auto" is twice the number of neighbours.

    Notes
    -----
    ``PAPER`` is not published: it was inferred from the errors that the IIM paper prints for ILLS. As many
    neighbours as known columns come closest to them, heavy tails included.

    References
    ----------
    .. [1] Z. Cai, M. Heydari, G. Lin: "Iterated Local Least Squares Microarray Missing Value Imputation",
       Journal of Bioinformatics and Computational Biology 4(5), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import IllsImputer
    >>> table = np.array([[1, 2, 3.0], [2, 4, 6], [3, 6, 9], [5, 10, np.nan]])
    >>> IllsImputer(n_neighbors=2, scale="none").fit_transform(table)[-1].round(6)
    array([ 5., 10., 15.])
    """

    paper_name = "ILLS"
    family = "tuple"
    PAPER: ClassVar[Mapping[str, Any]] = {**PatternImputer.PAPER, "n_neighbors": 5}

    _learns_ahead = False
    n_neighbors: str | int = parameter(
        default="auto", check=one_of("auto") | whole_number(least=1), kw_only=False
    )
    rounds: int = parameter(default=5, check=whole_number(least=1))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    def _wanted_donors(self, n_columns: int) -> int:
        return 2 * _count_neighbors(self.n_neighbors, n_columns - 1)

    def _solve(self, problem: Problem, donors: DonorValues, context: Context) -> Rows:
        del context
        scale = self._source.target_scale(problem.pattern.target, donors.exponent)
        whole = np.column_stack([donors.points, scale.coordinates(donors.targets)])
        return Rows(donors, scale, index_donors(donors.points), index_donors(whole))

    @one_blas_thread()
    def _predict(self, model: Rows, points: Floats, receivers: Receivers, context: Context) -> Floats:
        del receivers
        values = np.empty(points.shape[0])

        def work(first: int, stop: int) -> None:
            values[first:stop] = self._iterate(model, points[first:stop])

        context.run(work, values.size)
        return values

    @one_blas_thread()
    def _iterate(self, model: Rows, points: Floats) -> Floats:
        n_neighbors = _count_neighbors(self._fixed.n_neighbors, points.shape[1])
        near = _nearest(model.known, points, n_neighbors)
        values = _combine(model, points, near)
        active = np.arange(len(points))
        for _ in range(self._fixed.rounds - 1):
            whole = np.column_stack([points[active], model.scale.coordinates(values[active])])
            found = _nearest(model.whole, whole, n_neighbors)
            changed = (np.sort(found, axis=1) != np.sort(near[active], axis=1)).any(axis=1)
            active = active[changed]
            if active.size == 0:
                break
            near[active] = found[changed]
            values[active] = _combine(model, points[active], near[active])
        return values


def _count_neighbors(wanted: str | int, n_observed: int) -> int:
    return max(20, 2 * n_observed) if isinstance(wanted, str) else int(wanted)


def _nearest(tree: Tree, points: Floats, n_neighbors: int) -> Integers:
    near = nearest_donors(tree, points, n_neighbors=n_neighbors, context=Context())
    return tree.donor[near.place]


def _combine(model: Rows, points: Floats, near: Integers) -> Floats:
    donors, center = model.donors, model.scale.center
    return center + combine_rows(points, donors.points[near], donors.targets[near] - center)
