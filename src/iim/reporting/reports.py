"""The report of the public interface: one summary, rendered as HTML, Markdown or JSON."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from iim._checks import CALLABLE, FLAG, Check, check_parameters, exactly
from iim.exceptions import InvalidParameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._seeds import RANDOM_STATE
from iim.persistence.atomic import replace_file
from iim.reporting.findings import Origin, find_out
from iim.reporting.page import render_page
from iim.reporting.summary import SECTIONS, Summary, headline
from iim.reporting.text import render_text
from iim.table.columns import MARKERS

TEXT = Check("text", lambda value: isinstance(value, str))

_CHECKS = {
    "title": exactly(None) | TEXT,
    "source": exactly(None) | TEXT | Check("an Origin", lambda value: isinstance(value, Origin)),
    "missing_values": MARKERS,
    "random_state": RANDOM_STATE,
    "n_jobs": NUMBER_OF_JOBS,
    "progress": FLAG | CALLABLE,
}

FRAME_HEIGHT = 720
"""Height of the page in a notebook, in pixels."""


@dataclass(frozen=True, repr=False)
class Report:
    """The result of :func:`iim.report`: a summary with its HTML, Markdown and JSON.

    Attributes
    ----------
    summary : Summary
        Its data.
    """

    summary: Summary

    def to_html(self) -> str:
        """The page, as one HTML file that loads nothing."""
        return render_page(self.summary)

    def to_markdown(self) -> str:
        """The report as Markdown: text and tables, without pictures."""
        return render_text(self.summary)

    def to_json(self) -> str:
        """All numbers, for programs: ``summary.to_dict()`` as JSON."""
        return render_json(self.summary)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file. A failed write leaves the old file.

        Parameters
        ----------
        path : str or path
            The ending chooses the format: ``.html`` or ``.htm``, ``.md``, ``.json``.
        """
        render = _RENDERERS[check_ending(path)]
        replace_file(path, [render(self.summary).encode("utf-8")])

    def __repr__(self) -> str:
        return f"Report: {headline(self.summary)}"

    def _repr_html_(self) -> str:
        # In a frame: its styles stay inside, and its script cannot reach the notebook.
        page = render_page(self.summary, framed=True)
        return (
            f'<iframe title="{escape(self.summary.title)}" srcdoc="{escape(page)}" '
            f'sandbox="allow-scripts" width="100%" height="{FRAME_HEIGHT}" '
            'style="border: 1px solid rgba(128, 128, 128, .4)"></iframe>'
        )


def render_json(summary: Summary) -> str:
    """All numbers as JSON."""
    return json.dumps(summary.to_dict(), indent=1, allow_nan=False) + "\n"


_RENDERERS: dict[str, Callable[[Summary], str]] = {
    ".html": render_page,
    ".htm": render_page,
    ".md": render_text,
    ".json": render_json,
}


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, as far as can be checked before the work."""
    check_ending(path)
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file name; refused if there is no format for it."""
    ending = Path(path).suffix.lower()
    if ending not in _RENDERERS:
        raise InvalidParameter(
            f"`path`: a file that ends in {', '.join(_RENDERERS)} is needed; received {os.fspath(path)!r}. "
            "The ending chooses the format."
        )
    return ending


def summarize(
    table: Any,
    imputer: Any = "iim",
    *,
    filled: Any = None,
    compare: Any = False,
    measure: Any = True,
    title: str | None = None,
    source: str | Origin | None = None,
    missing_values: Any = np.nan,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    progress: bool | Callable[[float], None] = False,
) -> Summary:
    """Summarize a table and its fills: missing cells, filled values, their certainty, errors of methods.

    The result is plain data, for programs; :func:`iim.report` makes a page of it. To fill a table only, use
    the imputer: the summary also measures, which takes about as long again, and keeps no filled table.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers with missing values: an array, a list of rows, a pandas or polars frame; not changed.
        Columns without numbers (text, categories, dates) are set aside, and listed with the reason. So are
        ids, unless a fitted imputer uses them.
    imputer : str, imputer or None, default="iim"
        A key of ``iim.METHODS``, or an imputer. An unfitted imputer is copied and fitted on the columns of
        numbers; a fitted one is used as it is. None fills nothing.
    filled : array or frame, default=None
        What ``fit_transform(table)`` of the fitted imputer returned, so that nothing is filled again. None
        fills.
    compare : bool, list or Comparison, default=False
        Whether to hide known cells and compare methods on them: True for all methods, a list of methods, or
        the result of :func:`iim.compare`. With all methods this takes most of the time.
    measure : bool or Diagnosis, default=True
        Whether to measure R2_S and R2_H of each column; or the result of :func:`iim.diagnose`.
    title : str or None, default=None
        Title of the page.
    source : str, Origin or None, default=None
        The name of the file that the table was read from, for the title and for the code that repeats the
        report; or an :class:`iim.reporting.Origin` with more details.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        Marks of missing values. NaN, None and nulls always are. An imputer given as an object has its own.
    random_state : int, RandomState or None, default=0
        Seed of methods given by key, and of the choice of hidden cells.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. The result does not depend on it.
    progress : bool or callable, default=False
        True shows lines on the terminal (standard error) for calls longer than a second; a callable gets
        a number from 0 to 1.

    Returns
    -------
    Summary
        With ``to_dict()`` for JSON. Warnings of the imputer are in its ``notes`` instead of being issued.

    Examples
    --------
    >>> import iim
    >>> found = iim.summarize(iim.samples.sensors("numpy"), "knn", measure=False)
    >>> found.missing.n_missing, found.filled.n_filled, found.filled.columns[2].n_filled
    (387, 387, 87)
    """
    given = locals()
    check_parameters("summarize", given, _CHECKS)
    found = find_out(**given)
    data = {section.key: section.gather(found) for section in SECTIONS}
    return Summary(found.title, found.source, found.columns, data)


def report(
    table: Any,
    path: str | os.PathLike[str] | None = None,
    imputer: Any = "iim",
    *,
    filled: Any = None,
    compare: Any = False,
    measure: Any = True,
    title: str | None = None,
    source: str | Origin | None = None,
    missing_values: Any = np.nan,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    progress: bool | Callable[[float], None] = False,
) -> Report:
    """Make a page of missing cells, filled values, their certainty, and errors of methods.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        As for :func:`iim.summarize`.
    path : str, path or None, default=None
        A file to write: ``.html`` or ``.htm`` (one file that loads nothing), ``.md`` or ``.json`` by its
        ending. A failed write leaves the old file. None writes no file; notebooks show the page.
    imputer : str, imputer or None, default="iim"
        As for :func:`iim.summarize`.
    filled : array or frame, default=None
        As for :func:`iim.summarize`.
    compare : bool, list or Comparison, default=False
        As for :func:`iim.summarize`.
    measure : bool or Diagnosis, default=True
        As for :func:`iim.summarize`.
    title : str or None, default=None
        Title of the page.
    source : str, Origin or None, default=None
        As for :func:`iim.summarize`.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        As for :func:`iim.summarize`.
    random_state : int, RandomState or None, default=0
        As for :func:`iim.summarize`.
    n_jobs : int or None, default=-1
        As for :func:`iim.summarize`.
    progress : bool or callable, default=False
        As for :func:`iim.summarize`.

    Returns
    -------
    Report
        With ``save(path)``, ``to_html()``, ``to_markdown()``, ``to_json()`` and the ``summary``.

    Examples
    --------
    >>> import iim
    >>> iim.report(iim.samples.sensors("numpy"), imputer="knn", measure=False)
    Report: 387 of 7,776 cells (5.0 %) are missing; knn fills all of them.
    """
    if path is not None:
        # Before the work starts, not after it.
        check_path(path)
    summary = summarize(
        table,
        imputer,
        filled=filled,
        compare=compare,
        measure=measure,
        title=title,
        source=source,
        missing_values=missing_values,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    made = Report(summary)
    if path is not None:
        made.save(path)
    return made
