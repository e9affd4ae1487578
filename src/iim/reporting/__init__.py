"""A page that answers at a glance: what was missing, what was filled, how sure, how good.

::

    table ─► gathering: imputer, fills, comparison, diagnosis ─► summary: plain data
          ─► page (HTML with pictures), text (Markdown), JSON

``summary`` puts plain values together (``records`` says which), with ``columns``, ``holes`` and
``certainty`` for its parts. Renderers see nothing else: ``page`` fills a template and draws its
``pictures``, ``text`` writes Markdown; ``words`` and ``tables`` are what both say.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from iim._checks import CALLABLE, FLAG, Check, check_parameters, exactly
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._numbers import is_fitted, used_columns
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.imputers.iim import IIMImputer
from iim.reporting.records import Summary
from iim.reporting.repeating import Recipe
from iim.reporting.report_inputs import (
    Journal,
    Origin,
    Work,
    check_compared,
    choose_imputer,
    count_phases,
    fill,
    find_comparison,
    find_diagnosis,
    missing_values_of,
)
from iim.reporting.result import Report, check_path
from iim.reporting.summary import ask, summarize_filling
from iim.table._missing import MARKERS
from iim.table._tables import read_table

__all__ = ["Origin", "Report", "Summary", "report", "summarize"]

TEXT = Check("text", lambda value: isinstance(value, str))

_CHECKS = {
    "title": exactly(None) | TEXT,
    "source": exactly(None) | TEXT | Check("an Origin", lambda value: isinstance(value, Origin)),
    "missing_values": MARKERS,
    "random_state": RANDOM_STATE,
    "n_jobs": NUMBER_OF_JOBS,
    "progress": FLAG | CALLABLE,
}


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
    >>> found.table.n_missing, found.filling.n_filled, found.columns[2].filled.n
    (387, 387, 87)
    """
    check_parameters("summarize", locals(), _CHECKS)
    compare = check_compared(compare)
    missing_values = missing_values_of(imputer, missing_values)
    origin = source if isinstance(source, Origin) else Origin(source)
    journal = Journal(origin, progress, count_phases(imputer, filled, compare, measure))
    work = Work(missing_values, seed_from(random_state), n_jobs, journal)
    chosen = choose_imputer(imputer, filled, work)
    fitted_here = filled is not None or not (chosen is None or is_fitted(chosen))
    # Of a file, it was decided when it was read which columns are ids.
    keep = used_columns(imputer) if origin.columns is None else origin.columns
    reading = read_table(table, missing_values, keep=keep)
    values = None if chosen is None else fill(chosen, table, reading, work, filled)
    reading = origin.widen(reading)
    evidence = None
    if isinstance(chosen, IIMImputer):
        with journal.phase("candidates") as tell:
            evidence = ask(chosen, values, reading)
            if callable(tell):
                tell(1.0)
    diagnosis = find_diagnosis(measure, reading, work)
    comparison = find_comparison(compare, table, reading, work)
    return summarize_filling(
        reading,
        chosen,
        values,
        evidence=evidence,
        fitted_here=fitted_here,
        recipe=Recipe(work.random_state, missing_values, title),
        comparison=comparison,
        diagnosis=diagnosis,
        title=title,
        source=origin.name,
        notes=journal.notes,
        seconds=journal.seconds,
    )


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
