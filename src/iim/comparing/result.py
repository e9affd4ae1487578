"""The result of a comparison: records, and the scores computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from iim.comparing.page import comparison_page
from iim.comparing.picture import draw_comparison
from iim.comparing.records import Note, Record
from iim.comparing.scores import (
    ColumnScore,
    MethodRecords,
    MethodScore,
    Recommendation,
    by_error,
    recommend,
    score_column,
    score_method,
)
from iim.evaluation.scoring import ranks
from iim.present.pages import Printable
from iim.present.records import record_columns
from iim.present.tables import Page
from iim.table.frames import build_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Printable):
    """The result of :func:`iim.compare`; printed, it is a leaderboard.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods, in the order given.
    columns : tuple
        Names of the columns that were scored.
    records : tuple of Record
        One for each method, column and repeat.
    not_scored : dict
        Columns that could not be scored, and why.
    notes : tuple of Note
        Warnings of the methods.
    settings : dict
        Arguments of ``compare`` that decide the result, as plain values: ``methods``, ``columns``,
        ``hide``, ``repeats``, ``random_state`` (the seed), ``pattern``, ``cluster_size`` and
        ``missing_values``. If all methods were given by key, ``compare(table, **settings)`` gives the same
        result; otherwise ``methods`` is a dict from names to descriptions of the objects.
    facts : dict
        ``n_rows``, ``n_columns`` and ``n_missing`` of the table (without columns that are set aside),
        ``n_known`` cells by scored column, and ``versions``.
    backend : str or None
        The kind of frame of the table; None if it was not a frame.
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
            score_column(self._of[method, column]) for method in self.methods for column in self.columns
        )

    @cached_property
    def overall(self) -> tuple[MethodScore, ...]:
        """Every method, best first: by mean normalised error; methods with failures come last."""
        records = [[self._of[method, column] for column in self.columns] for method in self.methods]
        errors = [[record.rms_error for each in by_column for record in each] for by_column in records]
        places = np.array([ranks(each) for each in np.array(errors).T]).T
        scores = [
            score_method(method, MethodRecords(by_column, own))
            for method, by_column, own in zip(self.methods, records, places, strict=True)
        ]
        return tuple(sorted(scores, key=by_error))

    @cached_property
    def recommended(self) -> tuple[Recommendation, ...]:
        """The best method for each column, and the methods in a statistical tie with it."""
        return tuple(
            recommend([self._of[method, column] for method in self.methods]) for column in self.columns
        )

    @cached_property
    def failures(self) -> tuple[Record, ...]:
        """Records of methods that failed."""
        return tuple(record for record in self.records if record.failure is not None)

    def to_frame(self, backend: str | None = None) -> Any:
        """The records as a frame, one row for each method, column and repeat.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            None is the kind of the compared table; for arrays, pandas, or polars without pandas.

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
            Where to draw; by default a new pyplot figure, shown by notebooks and ``plt.show()``. Axes of a
            figure with ``layout="constrained"`` leave room for the legend beside them.

        Returns
        -------
        matplotlib Axes
            Its ``figure`` can be saved. Labels of methods with failures count these. Long names are
            shortened, infinite errors are marked at the right edge.
        """
        return draw_comparison(self, ax)

    def _page(self) -> Page:
        return comparison_page(self)

    def _frame(self, rows: Sequence[Any], kind: type[Any], backend: str | None) -> Any:
        return build_frame(record_columns(rows, kind), backend or self.backend)

    @cached_property
    def _of(self) -> dict[tuple[str, Any], list[Record]]:
        """Records by method and column, in order of repeats."""
        found: dict[tuple[str, Any], list[Record]] = {}
        for record in self.records:
            found.setdefault((record.method, record.column), []).append(record)
        return found
