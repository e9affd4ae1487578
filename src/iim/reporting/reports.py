"""A report as users make and hold it: one summary, rendered as HTML, Markdown or JSON."""

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
"""Pixels that a notebook gives to the page."""


@dataclass(frozen=True, repr=False)
class Report:
    """What :func:`iim.report` returns: a summary that can be read.

    Attributes
    ----------
    summary : Summary
        What it shows.
    """

    summary: Summary

    def to_html(self) -> str:
        """The page, as one file that fetches nothing."""
        return render_page(self.summary)

    def to_markdown(self) -> str:
        """The same as text with tables, without pictures."""
        return render_text(self.summary)

    def to_json(self) -> str:
        """All numbers, for programs: ``summary.to_dict()`` as JSON."""
        return render_json(self.summary)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            The ending says what is written: ``.html`` or ``.htm``, ``.md``, ``.json``.
        """
        render = _RENDERERS[check_ending(path)]
        replace_file(path, [render(self.summary).encode("utf-8")])

    def __repr__(self) -> str:
        return f"Report: {headline(self.summary)}"

    def _repr_html_(self) -> str:
        # In a frame of its own: styles stay inside, and the page can reach nothing of the notebook.
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
    """Refuse a path that no report can be written to, as far as can be seen before it is written."""
    check_ending(path)
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file that a report can be written to."""
    ending = Path(path).suffix.lower()
    if ending not in _RENDERERS:
        raise InvalidParameter(
            f"`path`: a file that ends in {', '.join(_RENDERERS)} is needed; received {os.fspath(path)!r}. "
            "The ending says what is written."
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
    """Say what is missing from a table, what it is filled with, how sure and how good that is.

    The result is plain data, for programs; :func:`iim.report` makes a page of it. To fill a table alone,
    use the imputer itself: this also measures, which takes about as long again, and keeps no filled table.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers with holes: an array, a list of rows, a pandas or polars frame; not changed. Ids, unless
        a fitted imputer uses them, and columns that are no numbers (text, categories, dates) are set aside,
        and named with the reason.
    imputer : str, imputer or None, default="iim"
        A key of ``iim.METHODS``; or an imputer, which is copied and fitted on the columns of numbers, or
        used as it is if it is fitted; or None, to fill nothing.
    filled : array or frame, default=None
        What ``fit_transform(table)`` of the fitted imputer returned: then nothing is filled again. None
        fills.
    compare : bool, list or Comparison, default=False
        Whether to hide known cells and let methods fill them: True for all methods, or a list of them, or
        what :func:`iim.compare` returned. With all methods this is most of the time.
    measure : bool or Diagnosis, default=True
        Whether to measure R2_S and R2_H of each column, or what :func:`iim.diagnose` returned.
    title : str or None, default=None
        What to call the page.
    source : str, Origin or None, default=None
        The name of the file that the table was read from, for the title and for the code that repeats the
        report; or an :class:`iim.reporting.Origin`, which says more of it.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        What means "missing". NaN, None and nulls always do. An imputer given as an object has its own.
    random_state : int, RandomState or None, default=0
        Seed of methods given by key that draw, and of the cells hidden to measure and to compare.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. Never changes a result.
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
    """Make a page that says what is missing, what it is filled with, how sure and how good that is.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        As for :func:`iim.summarize`.
    path : str, path or None, default=None
        A file to write, whole or not at all: ``.html`` or ``.htm`` (one file that fetches nothing), ``.md``
        or ``.json`` by its ending. None writes none; notebooks show the page.
    imputer : str, imputer or None, default="iim"
        As for :func:`iim.summarize`.
    filled : array or frame, default=None
        As for :func:`iim.summarize`.
    compare : bool, list or Comparison, default=False
        As for :func:`iim.summarize`.
    measure : bool or Diagnosis, default=True
        As for :func:`iim.summarize`.
    title : str or None, default=None
        What to call the page.
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
        # Before the work, not after it.
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
