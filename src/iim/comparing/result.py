"""What a comparison found: records, and everything that follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from iim._arrays import Floats
from iim._showing import as_html, as_text
from iim.comparing.page import comparison_page
from iim.comparing.picture import draw_comparison
from iim.comparing.records import ColumnScore, MethodScore, Note, Recommendation, Record
from iim.evaluation.scoring import ranks
from iim.table._tables import build_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONFIDENCE = 0.95
"""How sure the paired test has to be to tell two methods apart."""

ROUNDING = 1e-9
"""Normalised errors that are this near to each other differ by rounding only."""


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
        What ``compare`` was called with, all that decides the result, as plain values: ``methods``,
        ``columns``, ``hide``, ``repeats``, ``random_state`` (the seed), ``pattern``, ``cluster_size`` and
        ``missing_values``. If all methods were given by key, ``compare(table, **settings)`` gives the same
        again; otherwise ``methods`` is a dict of names, with text for the objects that were given.
    facts : dict
        What it was measured on and with: ``n_rows``, ``n_columns`` and ``n_missing`` of the table (columns
        that are no numbers aside), ``n_known`` cells by scored column, and ``versions``.
    backend : str or None
        The kind of frame that the table was; None if it was none.
    """

    methods: tuple[str, ...]
    columns: tuple[Any, ...]
    records: tuple[Record, ...]
    not_scored: Mapping[Any, str]
    notes: tuple[Note, ...]
    settings: Mapping[str, Any]
    facts: Mapping[str, Any]
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
            Where to draw; a new figure of pyplot if left out, shown by notebooks and ``plt.show()``. Give
            axes of a figure with ``layout="constrained"``, which makes room for the legend beside them.

        Returns
        -------
        matplotlib Axes
            Its ``figure`` can be saved. Methods that failed are named as such, long names are shortened,
            infinite errors are marked at the right edge.
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
            fit_seconds=_median([record.fit_seconds for record in every]),
            transform_seconds=_median([record.transform_seconds for record in every]),
            n_failed=sum(any(record.failure for record in records) for records in by_column),
        )

    def _recommend(self, column: Any) -> Recommendation:
        errors = {
            method: np.array([record.normalised_error for record in self._of[method, column]])
            for method in self.methods
            if not any(record.failure for record in self._of[method, column])
        }
        n_cells = self._of[self.methods[0], column][0].n_cells
        if not errors:
            return Recommendation(column, None, math.nan, math.nan, n_cells, ())
        best, *others = sorted(errors, key=lambda method: errors[method].mean())
        alike = tuple(method for method in others if _may_be_chance(errors[method], errors[best]))
        score = _score_column(self._of[best, column])
        return Recommendation(
            column=column,
            method=best,
            rms_error=score.rms_error,
            normalised_error=score.normalised_error,
            n_cells=n_cells,
            alike=alike if not others or errors[best].size > 1 else None,
        )


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
        n_cells=records[0].n_cells,
        n_failed=sum(record.failure is not None for record in records),
    )


def _place(score: MethodScore) -> tuple[bool, bool, float]:
    nothing = math.isnan(score.normalised_error)
    return score.n_failed > 0, nothing, 0.0 if nothing else score.normalised_error


def _may_be_chance(errors: Floats, best: Floats) -> bool:
    """Whether Student's paired t test over repeats allows that both have the same mean error."""
    if np.allclose(errors, best, rtol=ROUNDING, atol=ROUNDING):
        return True
    if errors.size < 2 or not np.isfinite(errors).all():
        return False
    worse, _ = _scaled(errors - best)
    # A difference that never varies has a standard error of zero: it is no chance.
    limit = float(stdtrit(worse.size - 1, 0.5 + CONFIDENCE / 2))
    return bool(worse.mean() <= limit * worse.std(ddof=1) / math.sqrt(worse.size))


def _median(values: Sequence[float]) -> float:
    """Median of the numbers there are; NaN if there are none."""
    there = [value for value in values if not math.isnan(value)]
    return float(np.median(there)) if there else math.nan


def _mean(values: Sequence[float]) -> float:
    """Mean of the numbers there are; NaN if there are none."""
    there = [value for value in values if not math.isnan(value)]
    if not there or not np.isfinite(there).all():
        return float(np.mean(there)) if there else math.nan
    scaled, exponent = _scaled(np.array(there))
    return math.ldexp(float(scaled.mean()), exponent)


def _deviation(values: Sequence[float]) -> float:
    there = [value for value in values if math.isfinite(value)]
    if len(there) < 2:
        return math.nan
    scaled, exponent = _scaled(np.array(there))
    return math.ldexp(float(scaled.std(ddof=1)), exponent)


def _scaled(values: Floats) -> tuple[Floats, int]:
    """Finite values times a power of two, none above one: no sum or square of them overflows."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    return np.ldexp(values, -exponent), exponent
