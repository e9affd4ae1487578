"""What a comparison found: records, and everything that follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from iim._showing import as_html, as_text
from iim.comparing.page import comparison_page
from iim.comparing.picture import draw_comparison
from iim.comparing.records import ColumnScore, MethodScore, Note, Recommendation, Record
from iim.scoring import ranks
from iim.table._tables import build_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """The result of :func:`iim.compare`; printed, it is a leaderboard.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods, as given.
    columns : tuple
        Names of the columns that were scored.
    records : tuple of Record
        One for each method, column and repeat.
    not_scored : dict
        Columns that could not be scored, and why.
    notes : tuple of Note
        What methods warned of.
    settings : dict
        What to call ``compare`` with to get the same again, the size of the table, and versions.
    backend : str or None
        The kind of frame that the table was; None if it was none.
    """

    methods: tuple[str, ...]
    columns: tuple[Any, ...]
    records: tuple[Record, ...]
    not_scored: Mapping[Any, str]
    notes: tuple[Note, ...]
    settings: Mapping[str, Any]
    backend: str | None

    @cached_property
    def by_column(self) -> tuple[ColumnScore, ...]:
        """Mean and spread for each method and column."""
        return tuple(
            _score_column(self._of[method, column]) for method in self.methods for column in self.columns
        )

    @cached_property
    def overall(self) -> tuple[MethodScore, ...]:
        """Every method, best first: by mean normalised error, those with failures after the others."""
        scores = [self._score_method(method) for method in self.methods]
        return tuple(sorted(scores, key=_place))

    @cached_property
    def recommended(self) -> tuple[Recommendation, ...]:
        """The best method for each column, and those that cannot be told apart from it."""
        return tuple(self._recommend(column) for column in self.columns)

    @cached_property
    def failures(self) -> tuple[Record, ...]:
        """Records of methods that failed."""
        return tuple(record for record in self.records if record.failure is not None)

    def to_frame(self, backend: str | None = None) -> Any:
        """The records as a frame, one row for each method, column and repeat.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            None is the kind of the compared table; for arrays, pandas, or else polars.

        Returns
        -------
        frame
        """
        return self._frame(self.records, Record, backend)

    def leaderboard(self, backend: str | None = None) -> Any:
        """``overall`` as a frame, best method first; see :meth:`to_frame`."""
        return self._frame(self.overall, MethodScore, backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw normalised errors: a point for each method and column, a bar for the mean.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure, unknown to pyplot, if left out.

        Returns
        -------
        matplotlib Axes
            Its ``figure`` can be saved. Methods that failed are named as such.
        """
        return draw_comparison(self, ax)

    def __repr__(self) -> str:
        return as_text(comparison_page(self))

    def _repr_html_(self) -> str:
        return as_html(comparison_page(self))

    def _frame(self, rows: Sequence[Any], kind: type[Any], backend: str | None) -> Any:
        names = list(kind.__dataclass_fields__)
        columns = {name: [getattr(row, name) for row in rows] for name in names}
        if "column" in columns:
            columns["column"] = list(map(str, columns["column"]))
        return build_frame(columns, backend or self.backend)

    @cached_property
    def _of(self) -> dict[tuple[str, Any], list[Record]]:
        """Records by method and column, in order of repeats."""
        found: dict[tuple[str, Any], list[Record]] = {}
        for record in self.records:
            found.setdefault((record.method, record.column), []).append(record)
        return found

    @cached_property
    def _mean_ranks(self) -> dict[str, float]:
        errors = np.array(
            [
                [record.rms_error for column in self.columns for record in self._of[method, column]]
                for method in self.methods
            ]
        )
        places = np.array([ranks(each) for each in errors.T])
        return dict(zip(self.methods, places.mean(axis=0).tolist(), strict=True))

    def _score_method(self, method: str) -> MethodScore:
        by_column = [self._of[method, column] for column in self.columns]
        every = [record for records in by_column for record in records]
        by_repeat = [
            _mean([record.normalised_error for record in repeat]) for repeat in zip(*by_column, strict=True)
        ]
        return MethodScore(
            method=method,
            normalised_error=_mean([record.normalised_error for record in every]),
            spread=_deviation(by_repeat),
            mean_rank=self._mean_ranks[method],
            fit_seconds=_mean([record.fit_seconds for record in every]),
            transform_seconds=_mean([record.transform_seconds for record in every]),
            n_failed=sum(any(record.failure for record in records) for records in by_column),
        )

    def _recommend(self, column: Any) -> Recommendation:
        errors = {
            method: np.array([record.rms_error for record in self._of[method, column]])
            for method in self.methods
            if not any(record.failure for record in self._of[method, column])
        }
        if not errors:
            return Recommendation(column, None, math.nan, math.nan, ())
        best = min(errors, key=lambda method: errors[method].mean())
        alike = [
            method for method in errors if method != best and _cannot_be_told(errors[method], errors[best])
        ]
        score = _score_column(self._of[best, column])
        return Recommendation(column, best, score.rms_error, score.normalised_error, tuple(alike))


def _score_column(records: list[Record]) -> ColumnScore:
    rms = [record.rms_error for record in records]
    normalised = [record.normalised_error for record in records]
    return ColumnScore(
        method=records[0].method,
        column=records[0].column,
        rms_error=_mean(rms),
        rms_spread=_deviation(rms),
        normalised_error=_mean(normalised),
        normalised_spread=_deviation(normalised),
        n_failed=sum(record.failure is not None for record in records),
    )


def _place(score: MethodScore) -> tuple[bool, bool, float]:
    nothing = math.isnan(score.normalised_error)
    return score.n_failed > 0, nothing, 0.0 if nothing else score.normalised_error


def _cannot_be_told(errors: np.ndarray[Any, Any], best: np.ndarray[Any, Any]) -> bool:
    with np.errstate(invalid="ignore"):
        # Two infinities are equal, though their difference is no number.
        worse = np.where(errors == best, 0.0, errors - best)
        standard_error = worse.std(ddof=1) / math.sqrt(worse.size) if worse.size > 1 else 0.0
    return bool(worse.mean() <= standard_error)


def _mean(values: Sequence[float]) -> float:
    """Mean of the numbers there are; NaN if there are none."""
    there = [value for value in values if not math.isnan(value)]
    return float(np.mean(there)) if there else math.nan


def _deviation(values: Sequence[float]) -> float:
    there = [value for value in values if math.isfinite(value)]
    return float(np.std(there, ddof=1)) if len(there) > 1 else math.nan
