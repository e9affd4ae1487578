"""Scores computed from records: of methods, of methods by column, and the best method of each column.

A column of the leaderboard is one field of :class:`MethodScore`; its metadata say how to compute and show
it. The printed page, HTML, the frame, the JSON of the command and the report follow from that.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from scipy.special import stdtrit

from iim._arrays import Floats
from iim.comparing.records import Record
from iim.present.records import (
    count_cell,
    digits_cell,
    hundredths_cell,
    name_cell,
    shown_as,
    thousandths_cell,
)
from iim.present.tables import Cell, name, names, number, words

CONFIDENCE = 0.95
"""Confidence of the paired test that separates two methods."""

ROUNDING = 1e-9
"""Normalised errors that differ by less than this differ by rounding only."""


@dataclass(frozen=True)
class MethodRecords:
    """All records of one method.

    Attributes
    ----------
    by_column : list of list of Record
        For each scored column, its records in order of repeats.
    ranks : ndarray of shape (n_columns * n_repeats,)
        Rank of the method among all methods, by column and repeat.
    """

    by_column: list[list[Record]]
    ranks: Floats

    def __iter__(self) -> Iterator[Record]:
        return (record for records in self.by_column for record in records)


def mean(values: Sequence[float]) -> float:
    """Mean of the values that are not NaN; NaN if there are none."""
    there = [value for value in values if not math.isnan(value)]
    if not there or not np.isfinite(there).all():
        return float(np.mean(there)) if there else math.nan
    scaled, exponent = _scaled(np.array(there))
    return math.ldexp(float(scaled.mean()), exponent)


def median(values: Sequence[float]) -> float:
    """Median of the values that are not NaN; NaN if there are none."""
    there = [value for value in values if not math.isnan(value)]
    return float(np.median(there)) if there else math.nan


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of the finite values; NaN with fewer than two."""
    there = [value for value in values if math.isfinite(value)]
    if len(there) < 2:
        return math.nan
    scaled, exponent = _scaled(np.array(there))
    return math.ldexp(float(scaled.std(ddof=1)), exponent)


def _scaled(values: Floats) -> tuple[Floats, int]:
    """Finite values divided by a power of two, none above 1: no sum or square of them overflows."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    return np.ldexp(values, -exponent), exponent


def _over(statistic: Callable[[Sequence[float]], float], measure: str, own: MethodRecords) -> float:
    """A statistic of one measure, over all columns and repeats."""
    return statistic(list(map(attrgetter(measure), own)))


def _spread(own: MethodRecords) -> float:
    repeats = zip(*own.by_column, strict=True)
    return deviation([mean([record.normalised_error for record in repeat]) for repeat in repeats])


def _mean_rank(own: MethodRecords) -> float:
    return float(own.ranks.mean())


def _n_failed(own: MethodRecords) -> int:
    return sum(any(record.failure for record in records) for records in own.by_column)


def _failed_cell(value: int, _: MethodScore, result: Any) -> Cell:
    return number(value, f"{value} of {len(result.columns)}" if value else "")


def _figure(
    head: str, compute: Callable[[MethodRecords], float], show: Callable[..., Cell]
) -> dict[str, Any]:
    """Metadata of a column of the leaderboard: its heading, computation and cell."""
    return {"compute": compute, **shown_as(head, show)}


@dataclass(frozen=True)
class MethodScore:
    """One method over all columns.

    Attributes
    ----------
    method : str
        The method's name.
    normalised_error : float
        Mean over columns and repeats, without failures.
    spread : float
        Standard deviation over repeats of the mean over columns: how much the choice of hidden cells
        matters. NaN with fewer than two repeats.
    mean_rank : float
        Rank among all methods, averaged over columns and repeats; failures share the last ranks.
    fit_seconds, transform_seconds : float
        Median time of a fit, and of a fill. With three repeats or more, compiling and loading in the first
        one do not count. The records have every time.
    n_failed : int
        Columns in which it failed at least once.
    """

    method: str = field(metadata=shown_as("method", name_cell, "name"))
    normalised_error: float = field(
        metadata=_figure("error", partial(_over, mean, "normalised_error"), digits_cell)
    )
    spread: float = field(metadata=_figure("+-", _spread, digits_cell))
    mean_rank: float = field(metadata=_figure("mean rank", _mean_rank, hundredths_cell))
    fit_seconds: float = field(
        metadata=_figure("fit s", partial(_over, median, "fit_seconds"), thousandths_cell)
    )
    transform_seconds: float = field(
        metadata=_figure("fill s", partial(_over, median, "transform_seconds"), thousandths_cell)
    )
    n_failed: int = field(metadata=_figure("failed", _n_failed, _failed_cell))


def score_method(method: str, own: MethodRecords) -> MethodScore:
    """Compute all columns of the leaderboard."""
    figures = [one for one in dataclasses.fields(MethodScore) if "compute" in one.metadata]
    return MethodScore(method, **{one.name: one.metadata["compute"](own) for one in figures})


def by_error(score: MethodScore) -> tuple[bool, bool, float]:
    """Sort key, best first; methods with failures come last."""
    nothing = math.isnan(score.normalised_error)
    return score.n_failed > 0, nothing, 0.0 if nothing else score.normalised_error


@dataclass(frozen=True)
class ColumnScore:
    """One method on one column, over the repeats without failure.

    Attributes
    ----------
    method : str
        The method's name.
    column : object
        The column's name.
    rms_error, rms_spread : float
        Mean, and standard deviation over repeats (NaN with fewer than two repeats).
    normalised_error, normalised_spread : float
        The same in standard deviations of the column.
    n_cells : int
        Hidden cells of each repeat.
    n_failed : int
        Repeats with a failure.
    """

    method: str
    column: Any
    rms_error: float
    rms_spread: float
    normalised_error: float
    normalised_spread: float
    n_cells: int
    n_failed: int


def score_column(records: Sequence[Record]) -> ColumnScore:
    """Mean and spread of the records of one method and column."""
    rms = [record.rms_error for record in records]
    normalised = [record.normalised_error for record in records]
    return ColumnScore(
        method=records[0].method,
        column=records[0].column,
        rms_error=mean(rms),
        rms_spread=deviation(rms),
        normalised_error=mean(normalised),
        normalised_spread=deviation(normalised),
        n_cells=records[0].n_cells,
        n_failed=sum(record.failure is not None for record in records),
    )


def _best_cell(value: str | None, *_: Any) -> Cell:
    return words("all failed") if value is None else name(value)


def _ties_cell(value: tuple[str, ...] | None, *_: Any) -> Cell:
    return words("unknown: one repeat") if value is None else names(value)


@dataclass(frozen=True)
class Recommendation:
    """The best method of a column.

    Attributes
    ----------
    column : object
        The column's name.
    n_cells : int
        Hidden cells of each repeat.
    method : str or None
        The method with the least mean error among those that never failed; None if all failed.
    normalised_error, rms_error : float
        Its mean errors.
    alike : tuple of str, or None
        Methods in a statistical tie with it, best first: Student's paired t test over repeats, at 5 % and
        for each method separately, does not reject that their mean errors are equal. None with one repeat,
        which has no spread. Few repeats separate large differences only: with three, the mean difference
        has to be 4.3 of its standard errors, with ten 2.3.
    """

    column: Any = field(metadata=shown_as("column", name_cell, "name"))
    n_cells: int = field(metadata=shown_as("hidden", count_cell))
    method: str | None = field(metadata=shown_as("best method", _best_cell, "name"))
    normalised_error: float = field(metadata=shown_as("error", digits_cell))
    rms_error: float = field(metadata=shown_as("RMS error", digits_cell))
    alike: tuple[str, ...] | None = field(metadata=shown_as("statistical tie", _ties_cell, "name"))


def recommend(of_column: Sequence[Sequence[Record]]) -> Recommendation:
    """The best method of a column.

    Parameters
    ----------
    of_column : sequence of sequence of Record
        For each method, its records of this column in order of repeats.

    Returns
    -------
    Recommendation
    """
    first = of_column[0][0]
    succeeded = [records for records in of_column if not any(record.failure for record in records)]
    if not succeeded:
        return Recommendation(first.column, first.n_cells, None, math.nan, math.nan, ())
    errors = {
        records[0].method: np.array([record.normalised_error for record in records])
        for records in succeeded
    }
    best, *others = sorted(errors, key=lambda method: errors[method].mean())
    alike = tuple(method for method in others if _tied(errors[method], errors[best]))
    score = score_column(next(records for records in succeeded if records[0].method == best))
    return Recommendation(
        column=first.column,
        n_cells=first.n_cells,
        method=best,
        normalised_error=score.normalised_error,
        rms_error=score.rms_error,
        alike=alike if not others or errors[best].size > 1 else None,
    )


def _tied(errors: Floats, best: Floats) -> bool:
    """Whether Student's paired t test over repeats does not reject that both mean errors are equal."""
    if np.allclose(errors, best, rtol=ROUNDING, atol=ROUNDING):
        return True
    if errors.size < 2 or not np.isfinite(errors).all():
        return False
    worse, _ = _scaled(errors - best)
    # A difference that never varies has a standard error of zero, and is significant.
    limit = float(stdtrit(worse.size - 1, 0.5 + CONFIDENCE / 2))
    return bool(worse.mean() <= limit * worse.std(ddof=1) / math.sqrt(worse.size))
