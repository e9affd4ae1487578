"""What a diagnosis found, and what it suggests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iim._showing import Grid, Page, as_html, as_text, count, listed, number, shortened
from iim.diagnosing.patterns import MissingPattern
from iim.table._tables import build_frame

MOST_LISTED = 12
"""Patterns that are listed; all are in the result."""

MOST_COLUMNS = 50
"""Columns that are listed; all are in the result."""

MOST_TOGETHER = 6
"""Names of columns in one cell, where any number could stand."""


@dataclass(frozen=True)
class ColumnDiagnosis:
    """One column.

    Attributes
    ----------
    column : object
        Its name.
    n_missing, n_known : int
        Its cells.
    r2_neighbors : float
        R2_S of the paper: how well the mean of the nearest rows tells hidden values. 1 is perfect, 0 no
        better than the column mean; low means sparse: rows have no neighbours that share their value. NaN
        if it could not be measured.
    r2_regression : float
        R2_H of the paper: how well one linear law for all rows tells them. Low means heterogeneous: rows
        do not follow one law.
    n_cells, n_rows : int
        Hidden cells it was measured on, all repeats together; rows that were used.
    n_neighbors : int
        Nearest rows that were averaged for R2_S: as many as asked for, or fewer in a small table, where
        no more than a fifth of the rows that still know the value are. 0 if it could not be measured.
    bounded : bool
        Whether cells or rows are fewer than asked for: at most 1000 cells are hidden at a time, no more
        than half of the rows, and of large tables a sample of rows is used.
    left_out : tuple
        Names of columns that too few rows know together with this one: not used to measure it.
    advice : str
        What the numbers suggest, or why there are none.
    """

    column: Any
    n_missing: int
    n_known: int
    r2_neighbors: float
    r2_regression: float
    n_cells: int
    n_rows: int
    n_neighbors: int
    bounded: bool
    left_out: tuple[Any, ...]
    advice: str


@dataclass(frozen=True, repr=False, eq=False)
class Diagnosis:
    """The result of :func:`iim.diagnose`; printed, it is a page of text.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the table, columns that are no numbers aside.
    n_missing : int
        Missing cells.
    n_complete : int
        Rows without a missing cell.
    columns : tuple of ColumnDiagnosis
        Those asked for, in the order of the table.
    patterns : tuple of MissingPattern
        Which columns are missing together, the most frequent first.
    not_measured : dict
        Columns that were set aside because they are no numbers, and what they are: "text", "dates" and so
        on.
    settings : dict
        What to call ``diagnose`` with to get the same again, and versions.
    backend : str or None
        The kind of frame that the table was; None if it was none.
    """

    n_rows: int
    n_columns: int
    n_missing: int
    n_complete: int
    columns: tuple[ColumnDiagnosis, ...]
    patterns: tuple[MissingPattern, ...]
    not_measured: Mapping[Any, str]
    settings: Mapping[str, Any]
    backend: str | None

    def to_frame(self, backend: str | None = None) -> Any:
        """The columns as a frame, one row for each, with the attributes of :class:`ColumnDiagnosis`.

        Names of columns become text, whatever they were, since not every kind of frame can hold a mix: the
        column 0 of a table is "0" here, and stays 0 in ``columns``. ``left_out`` is one text, with commas
        between the names.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            None is the kind of the table; for arrays, pandas, or else polars.

        Returns
        -------
        frame
        """
        names = list(ColumnDiagnosis.__dataclass_fields__)
        cells = {name: [getattr(column, name) for column in self.columns] for name in names}
        cells["column"] = list(map(str, cells["column"]))
        cells["left_out"] = [", ".join(map(str, left_out)) for left_out in cells["left_out"]]
        return build_frame(cells, backend or self.backend)

    def __repr__(self) -> str:
        return as_text(self._page())

    def _repr_html_(self) -> str:
        return as_html(self._page())

    def _page(self) -> Page:
        page: list[str | Grid] = [self._heading(), self._column_grid(), *self._footnotes()]
        page.append(self._advice_grid())
        if any(one.left_out for one in self.columns):
            page.append(self._left_out_grid())
        if self.not_measured:
            rows = [(str(column), reason) for column, reason in self.not_measured.items()]
            page.append(
                Grid(
                    "Not measured: no numbers",
                    ("column", "what it holds"),
                    shortened(rows, MOST_COLUMNS),
                    frozenset({0, 1}),
                )
            )
        if self.patterns:
            page.append(self._pattern_grid())
        page.append(
            "R2_S: how well the nearest rows tell hidden values. R2_H: how well one linear law does. 1 is "
            "perfect, 0 no better than the column mean. To see what methods make of it: iim.compare."
        )
        return page

    def _footnotes(self) -> list[str]:
        notes = []
        if any(one.bounded for one in self.columns):
            most = max(one.n_rows for one in self.columns)
            notes.append(
                "* Fewer than asked for: no more than 1000 cells at a time, half of the rows, and a sample "
                f"of rows where there are very many. Measured on at most {count(most, 'row')}."
            )
        if any(map(self._is_capped, self.columns)):
            notes.append(
                f"** Fewer neighbours than the {self.settings['n_neighbors']} asked for: no more than a "
                "fifth of the rows that still know the value are averaged, or their mean would be little "
                "else than the column mean."
            )
        return notes

    def _is_capped(self, one: ColumnDiagnosis) -> bool:
        return 0 < one.n_neighbors < int(self.settings["n_neighbors"])

    def _heading(self) -> str:
        size = f"{count(self.n_rows, 'row')} and {count(self.n_columns, 'column')}"
        if self.n_missing == 0:
            return f"{size}, nothing missing."
        share = self.n_missing / (self.n_rows * self.n_columns)
        return (
            f"{size}; {count(self.n_missing, 'cell')} missing ({share:.1%}) in "
            f"{count(len(self.patterns), 'pattern')}; {count(self.n_complete, 'row')} complete."
        )

    def _column_grid(self) -> Grid:
        rows = [
            (
                str(one.column),
                str(one.n_missing),
                _r2(one.r2_neighbors),
                _r2(one.r2_regression),
                f"{one.n_cells}{'*' if one.bounded else ''}",
                f"{one.n_neighbors or number(None)}{'**' if self._is_capped(one) else ''}",
            )
            for one in self.columns
        ]
        header = ("column", "missing", "R2_S", "R2_H", "on cells", "neighbours")
        return Grid("Columns", header, shortened(rows, MOST_COLUMNS))

    def _advice_grid(self) -> Grid:
        """The same advice once, with the columns it holds for."""
        columns: dict[str, list[Any]] = {}
        for one in self.columns:
            columns.setdefault(one.advice, []).append(one.column)
        rows = tuple((listed(names, MOST_COLUMNS), advice) for advice, names in columns.items())
        return Grid("What it suggests", ("columns", "advice"), rows, frozenset({0, 1}), frozenset())

    def _left_out_grid(self) -> Grid:
        columns: dict[tuple[Any, ...], list[Any]] = {}
        for one in self.columns:
            if one.left_out:
                columns.setdefault(one.left_out, []).append(one.column)
        rows = [
            (listed(names, MOST_TOGETHER), listed(left_out, MOST_TOGETHER))
            for left_out, names in columns.items()
        ]
        return Grid(
            "Too few rows know these together",
            ("columns", "measured without"),
            shortened(rows, MOST_LISTED),
            frozenset({0, 1}),
            frozenset(),
        )

    def _pattern_grid(self) -> Grid:
        rows = [
            (listed(one.columns, MOST_TOGETHER), str(one.n_rows), _donors_text(one.donors))
            for one in self.patterns
        ]
        return Grid(
            "Patterns, most frequent first",
            ("missing together", "rows", "rows that could help"),
            shortened(rows, MOST_LISTED),
            frozenset({0, 2}),
            frozenset(),
        )


def _r2(value: float) -> str:
    return number(None) if math.isnan(value) else f"{value:.3f}"


def _donors_text(donors: Mapping[Any, int] | None) -> str:
    if donors is None:
        return "not counted"
    if len(set(donors.values())) == 1:
        return str(next(iter(donors.values())))
    if len(donors) > MOST_TOGETHER:
        return f"{min(donors.values())} to {max(donors.values())}, depending on the column"
    return ", ".join(f"{listed([column], 1)}: {n}" for column, n in donors.items())
