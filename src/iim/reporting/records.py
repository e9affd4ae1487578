"""The plain values that a summary is made of: text, numbers, tuples and dicts, nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

FORMAT = 1
"""Version of what ``to_dict`` gives: it grows when a field changes its meaning or goes."""


@dataclass(frozen=True)
class TableFacts:
    """The size of the table, and what it misses.

    Attributes
    ----------
    n_rows, n_columns : int
        Its rows, and its columns of numbers.
    n_set_aside : int
        Its columns that are no numbers.
    n_missing : int
        Missing cells, of the columns of numbers.
    share : float
        Their share of all cells; 0 for a table without cells.
    n_complete : int
        Rows without a missing cell.
    n_patterns : int
        Combinations of columns that are missing together.
    """

    n_rows: int
    n_columns: int
    n_set_aside: int
    n_missing: int
    share: float
    n_complete: int
    n_patterns: int


@dataclass(frozen=True)
class Distribution:
    """Where values lie; all NaN if there are none.

    Attributes
    ----------
    n : int
        How many there are.
    low, lower_quartile, median, upper_quartile, high : float
        The smallest, the quartiles, the largest.
    mean, deviation : float
        The mean, and the standard deviation around it.
    """

    n: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    mean: float
    deviation: float


@dataclass(frozen=True)
class Histogram:
    """Counts of observed and of filled values in the same bins.

    Attributes
    ----------
    edges : tuple of float
        Where bins end, one more than there are bins; for single values, these values.
    observed, filled : tuple of int
        Counts by bin.
    single : bool
        Whether each bin is one value, for columns with few of them.
    open_low, open_high : bool
        Whether values beyond the first or last edge are counted in the outer bins.
    """

    edges: tuple[float, ...]
    observed: tuple[int, ...]
    filled: tuple[int, ...]
    single: bool
    open_low: bool
    open_high: bool


@dataclass(frozen=True)
class LearningSizes:
    """How many neighbours the asked donors' models were learned from: the chosen l.

    Attributes
    ----------
    low, high : tuple of int
        The smallest and the largest l of each bin; the same where a bin is one l.
    counts : tuple of int
        How often a donor with such a model was asked.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the table.

    Attributes
    ----------
    position : int
        Its place among all columns of the table, from 0.
    name : str
        Its name, as text.
    kind : str
        "numbers", or kind and reason of a column that is set aside: "date: durations" and so on.
    n_missing, n_known, n_filled : int
        Its cells, and how many of the missing ones were filled. 0 for a column that is set aside.
    observed, filled : Distribution or None
        Of known and of filled values; None if there are none.
    histogram : Histogram or None
        Of both.
    outside : float or None
        Share of the filled values that lie below the smallest or above the largest known value.
    r2_neighbors, r2_regression : float or None
        R2_S and R2_H; None if they were not, or could not be, measured.
    advice : str or None
        What these suggest, or why there are none.
    fallbacks : dict
        Cells that were filled with less than asked for, by what was given up.
    spread : float or None
        Median spread of the candidates of its asked cells, in standard deviations of the column.
    learning : LearningSizes or None
        The chosen l, where the method is IIM.
    """

    position: int
    name: str
    kind: str
    n_missing: int = 0
    n_known: int = 0
    n_filled: int = 0
    observed: Distribution | None = None
    filled: Distribution | None = None
    histogram: Histogram | None = None
    outside: float | None = None
    r2_neighbors: float | None = None
    r2_regression: float | None = None
    advice: str | None = None
    fallbacks: Mapping[str, int] | None = None
    spread: float | None = None
    learning: LearningSizes | None = None


@dataclass(frozen=True)
class PatternSummary:
    """Rows that miss the same columns.

    Attributes
    ----------
    columns : tuple of int
        Positions of the missing columns.
    n_rows : int
        How many rows miss just these.
    least_donors, most_donors : int or None
        Rows that know what these rows know, and the missing value: for the column with the fewest of them,
        and for that with the most. None where they were not counted.
    """

    columns: tuple[int, ...]
    n_rows: int
    least_donors: int | None
    most_donors: int | None


@dataclass(frozen=True)
class Holes:
    """Where the table has holes.

    Attributes
    ----------
    columns : tuple of int
        Positions of the columns that are shown: those with the most missing cells, in table order.
    starts : tuple of int
        The first row of each strip of neighbouring rows, and then the number of rows.
    missing : tuple of tuple of int
        For each of the columns, its missing cells by strip.
    patterns : tuple of PatternSummary
        The most frequent patterns first.
    """

    columns: tuple[int, ...]
    starts: tuple[int, ...]
    missing: tuple[tuple[int, ...], ...]
    patterns: tuple[PatternSummary, ...]


@dataclass(frozen=True)
class Filling:
    """How the holes were filled.

    Attributes
    ----------
    method : str
        The method's key, or the name of its class if it has none.
    imputer : str
        The name of its class.
    paper_name : str
        Its name in the paper.
    n_filled : int
        Cells that got a value.
    n_left : int
        Missing cells that did not: of columns in which nothing is known, or that were left out.
    n_fallbacks : int or None
        Cells that were filled with less than asked for; None if they were not counted.
    fallbacks_counted : str
        Where that was counted: "cells" (those of this table, one by one), "fit" (when it was fitted on this
        table), "elsewhere" (when it was fitted before, maybe on another table: not told) or "never".
    strategy : str or None
        How IIM worked, and why so.
    """

    method: str
    imputer: str
    paper_name: str
    n_filled: int
    n_left: int
    n_fallbacks: int | None
    fallbacks_counted: str
    strategy: str | None


@dataclass(frozen=True)
class UncertainCell:
    """A filled cell whose candidates disagree.

    Attributes
    ----------
    row, column : int
        Its row, and the position of its column, from 0.
    value : float
        What was filled in.
    low, high : float
        The smallest and the largest candidate.
    spread : float or None
        The weighted standard deviation of the candidates, in standard deviations of the column; None where
        a single model was asked, or the column does not vary.
    n_models : int
        Models that were asked; 0 for a column mean.
    fallback : str
        What was given up to fill it; "none" in the ordinary case.
    """

    row: int
    column: int
    value: float
    low: float
    high: float
    spread: float | None
    n_models: int
    fallback: str


@dataclass(frozen=True)
class Certainty:
    """How far the candidates of IIM agree.

    Attributes
    ----------
    n_asked, n_cells : int
        Cells that were looked at, and all that were filled.
    n_judged : int
        Those of the looked at that have a spread.
    every : int
        Of the rows with filled cells, each so-many-th was looked at; 1 is all.
    median, upper : float
        Median and nine-tenths quantile of the spreads; NaN if no cell has one.
    cells : tuple of UncertainCell
        The least certain ones: first those without a spread, then the worst first.
    learning : LearningSizes or None
        The chosen l, over all columns.
    """

    n_asked: int
    n_cells: int
    n_judged: int
    every: int
    median: float
    upper: float
    cells: tuple[UncertainCell, ...]
    learning: LearningSizes | None


@dataclass(frozen=True)
class Leader:
    """One method of a comparison; as :class:`iim.comparing.MethodScore`."""

    method: str
    error: float
    spread: float
    mean_rank: float
    fit_seconds: float
    transform_seconds: float
    n_failed: int


@dataclass(frozen=True)
class BestMethod:
    """The best method of a column; as :class:`iim.comparing.Recommendation`."""

    column: str
    method: str | None
    error: float
    rms_error: float
    n_cells: int
    alike: tuple[str, ...] | None


@dataclass(frozen=True)
class Contest:
    """How methods did on hidden cells of the table.

    Attributes
    ----------
    leaders : tuple of Leader
        The methods, best first.
    best : tuple of BestMethod
        The best one for each scored column.
    n_columns : int
        Columns that were scored.
    how : str
        What was hidden, in a sentence.
    failures : tuple of str
        What failed, and why.
    own : str or None
        The one that is the method that filled the table; None if that was not compared by its key.
    same_settings : bool
        Whether the table was filled with the settings that the own one was compared with.
    """

    leaders: tuple[Leader, ...]
    best: tuple[BestMethod, ...]
    n_columns: int
    how: str
    failures: tuple[str, ...]
    own: str | None = None
    same_settings: bool = False

    @property
    def filler(self) -> Leader | None:
        """The method that filled the table, if it was compared with the same settings."""
        own = [one for one in self.leaders if one.method == self.own]
        return own[0] if own and self.same_settings else None


@dataclass(frozen=True)
class Summary:
    """What was missing, what was filled, how sure, how good: the result of :func:`iim.summarize`.

    Attributes
    ----------
    title : str
        What the page is called.
    source : str or None
        The file that the table came from, if there is one.
    table : TableFacts
        Its size, and what it misses.
    columns : tuple of ColumnSummary
        All columns, in the order of the table.
    holes : Holes
        Where the holes are.
    filling : Filling or None
        How they were filled; None if nothing was.
    certainty : Certainty or None
        How far the candidates agree; None for methods without candidates.
    contest : Contest or None
        How methods did on hidden cells, if they were compared.
    measured : bool
        Whether R2_S and R2_H were measured.
    notes : tuple of str
        Warnings, in words.
    settings : dict
        All parameters of the imputer, as plain values; empty if nothing was filled.
    versions : dict
        Versions of what was used.
    snippet : str
        Python code that does the same again.
    seconds : dict
        Time taken, by what it was for.
    """

    title: str
    source: str | None
    table: TableFacts
    columns: tuple[ColumnSummary, ...]
    holes: Holes
    filling: Filling | None
    certainty: Certainty | None
    contest: Contest | None
    measured: bool
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    snippet: str
    seconds: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, text, numbers and None, ready for JSON.

        Returns
        -------
        dict
            First ``"format"``, the version of this layout, then the attributes by name. NaN and infinity,
            which JSON has no word for, are None.
        """
        return {"format": FORMAT, **_as_json(self)}


def _as_json(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _as_json(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
