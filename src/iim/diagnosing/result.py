"""The result of a diagnosis, and its page.

A column of the printed table is one field of :class:`ColumnDiagnosis`; its metadata say how to show it.
HTML, the frame, the JSON of the command and the report follow from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iim.diagnosing.patterns import MissingPattern
from iim.present.names import listed
from iim.present.numbers import count
from iim.present.pages import Printable
from iim.present.records import (
    count_cell,
    name_cell,
    record_columns,
    record_table,
    shown_as,
    thousandths_cell,
)
from iim.present.tables import NO_NUMBER, Cell, Head, Page, Table, build_table, name, names, number, words
from iim.table.frames import build_frame
from iim.table.kinds import ColumnKind

MOST_LISTED = 12
"""Patterns that are shown; all are in the result."""

MOST_COLUMNS = 50
"""Columns that are shown; all are in the result."""

MOST_TOGETHER = 6
"""Names of columns shown in one cell."""


def _cells_cell(n_cells: int, one: ColumnDiagnosis, _: Diagnosis) -> Cell:
    return number(n_cells, f"{n_cells}{'*' if one.bounded else ''}")


def _neighbors_cell(n_neighbors: int, _: ColumnDiagnosis, result: Diagnosis) -> Cell:
    if not n_neighbors:
        return NO_NUMBER
    return number(n_neighbors, f"{n_neighbors}{'**' if n_neighbors < result.asked_neighbors else ''}")


@dataclass(frozen=True)
class ColumnDiagnosis:
    """Diagnosis of one column.

    Attributes
    ----------
    column : object
        Its name.
    n_missing, n_known : int
        Its missing and known cells.
    r2_neighbors : float
        R2_S of the paper: how well the mean of the nearest rows predicts hidden values. 1 is perfect, 0 no
        better than the column mean. Low means sparse: near rows have different values. NaN if not measured.
    r2_regression : float
        R2_H of the paper: how well one linear regression over all rows predicts them. Low means
        heterogeneous: no single formula fits all rows.
    n_cells, n_rows : int
        Hidden cells, all repeats together, and rows used.
    n_neighbors : int
        Number of nearest rows averaged for R2_S: the parameter, or less in a small table, at most a fifth
        of the rows in which the column is known. 0 if not measured.
    bounded : bool
        Whether fewer cells or rows than requested were used: at most 1000 cells are hidden at a time, at
        most half of the rows, and large tables are sampled by rows.
    left_out : tuple
        Names of columns that too few rows have together with this one; not used to predict it.
    advice : str
        What the numbers suggest, or why there are none.
    """

    column: Any = field(metadata=shown_as("column", name_cell, "name"))
    n_missing: int = field(metadata=shown_as("missing", count_cell))
    n_known: int
    r2_neighbors: float = field(metadata=shown_as("R2_S", thousandths_cell))
    r2_regression: float = field(metadata=shown_as("R2_H", thousandths_cell))
    n_cells: int = field(metadata=shown_as("on cells", _cells_cell))
    n_rows: int
    n_neighbors: int = field(metadata=shown_as("neighbours", _neighbors_cell))
    bounded: bool
    left_out: tuple[Any, ...]
    advice: str


@dataclass(frozen=True, repr=False, eq=False)
class Diagnosis(Printable):
    """The result of :func:`iim.diagnose`; printed, it is a page of text.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the table, without columns that are set aside.
    n_missing : int
        Missing cells.
    n_complete : int
        Rows without a missing cell.
    columns : tuple of ColumnDiagnosis
        The columns measured, in table order.
    patterns : tuple of MissingPattern
        Patterns of columns missing together, the most frequent first.
    kinds : dict
        Kind of each column of the table, with the reason: see :class:`iim.table.kinds.ColumnKind`.
    not_measured : dict
        Columns that were set aside because they are ids or have no numbers, and why: "category: 3 different
        texts in 344 rows", "date: durations", and so on.
    settings : dict
        Arguments of ``diagnose`` that give the same result, and versions.
    backend : str or None
        The kind of frame of the table; None if it was not a frame.
    """

    n_rows: int
    n_columns: int
    n_missing: int
    n_complete: int
    columns: tuple[ColumnDiagnosis, ...]
    patterns: tuple[MissingPattern, ...]
    kinds: Mapping[Any, ColumnKind]
    not_measured: Mapping[Any, str]
    settings: Mapping[str, Any]
    backend: str | None

    def to_frame(self, backend: str | None = None) -> Any:
        """The columns as a frame, one row for each, with the attributes of :class:`ColumnDiagnosis`.

        Names of columns become text, since not every kind of frame can hold mixed types: the column 0 of a
        table is "0" here, and stays 0 in ``columns``. ``left_out`` is one text, with commas between the
        names.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            None is the kind of the table; for arrays, pandas, or polars without pandas.

        Returns
        -------
        frame
        """
        columns = record_columns(self.columns, ColumnDiagnosis)
        columns["left_out"] = [", ".join(map(str, left_out)) for left_out in columns["left_out"]]
        return build_frame(columns, backend or self.backend)

    @property
    def asked_neighbors(self) -> int:
        """The parameter ``n_neighbors``."""
        return int(self.settings["n_neighbors"])

    def _page(self) -> Page:
        columns = record_table("Columns", self.columns, self, most=MOST_COLUMNS)
        page: list[str | Table] = [self._heading(), columns, *self._footnotes(), self._advice_table()]
        if any(one.left_out for one in self.columns):
            page.append(self._left_out_table())
        if self.not_measured:
            rows = [[name(column), words(reason)] for column, reason in self.not_measured.items()]
            heads = [Head("column", "name"), Head("kind and reason", "words")]
            page.append(build_table("Not measured", heads, rows, most=MOST_COLUMNS))
        if self.patterns:
            page.append(self._pattern_table())
        page.append(
            "R2_S: how well the nearest rows predict hidden values. R2_H: how well one linear regression "
            "does. 1 is perfect, 0 no better than the column mean. To compare methods, use iim.compare."
        )
        return page

    def _footnotes(self) -> list[str]:
        notes = []
        if any(one.bounded for one in self.columns):
            most = max(one.n_rows for one in self.columns)
            notes.append(
                "* Fewer than requested: at most 1000 cells at a time and half of the rows; large tables "
                f"are sampled by rows. Measured on at most {count(most, 'row')}."
            )
        if any(0 < one.n_neighbors < self.asked_neighbors for one in self.columns):
            notes.append(
                f"** Fewer neighbours than the {self.asked_neighbors} requested: at most a fifth of the "
                "rows with a known value are averaged, since the mean of more would be close to the column "
                "mean."
            )
        return notes

    def _heading(self) -> str:
        size = f"{count(self.n_rows, 'row')} and {count(self.n_columns, 'column')}"
        if self.n_missing == 0:
            return f"{size}, nothing missing."
        share = self.n_missing / (self.n_rows * self.n_columns)
        return (
            f"{size}; {count(self.n_missing, 'cell')} missing ({share:.1%}) in "
            f"{count(len(self.patterns), 'pattern')}; {count(self.n_complete, 'row')} complete."
        )

    def _advice_table(self) -> Table:
        """Each advice once, with the columns it applies to."""
        columns: dict[str, list[Any]] = {}
        for one in self.columns:
            columns.setdefault(one.advice, []).append(one.column)
        rows = [[names(which, MOST_COLUMNS), words(advice)] for advice, which in columns.items()]
        return build_table("What it suggests", [Head("columns", "name"), Head("advice", "words")], rows)

    def _left_out_table(self) -> Table:
        columns: dict[tuple[Any, ...], list[Any]] = {}
        for one in self.columns:
            if one.left_out:
                columns.setdefault(one.left_out, []).append(one.column)
        rows = [
            [names(which, MOST_TOGETHER), names(left_out, MOST_TOGETHER)]
            for left_out, which in columns.items()
        ]
        heads = [Head("columns", "name"), Head("measured without", "name")]
        return build_table("Too few rows have these together", heads, rows, most=MOST_LISTED)

    def _pattern_table(self) -> Table:
        rows = [
            [
                names(one.columns, MOST_TOGETHER),
                count_cell(one.n_rows),
                words(_donors_text(one.donors)),
            ]
            for one in self.patterns[:MOST_LISTED]
        ]
        heads = [Head("missing together", "name"), Head("rows"), Head("rows that could help", "words")]
        left_out = len(self.patterns) - len(rows)
        return build_table("Patterns, most frequent first", heads, rows, n_left_out=left_out)


def _donors_text(donors: Mapping[Any, int] | None) -> str:
    if donors is None:
        return "not counted"
    if len(set(donors.values())) == 1:
        return str(next(iter(donors.values())))
    if len(donors) > MOST_TOGETHER:
        return f"{min(donors.values())} to {max(donors.values())}, depending on the column"
    return ", ".join(f"{listed([column], 1)}: {n}" for column, n in donors.items())
