"""All that a report shows: the table as numbers, its fills, their candidates, a comparison, a diagnosis.

::

    table ─► reading ─► fills ─► candidates (IIM) ─► diagnosis ─► comparison

The table is read once, here. A fitted imputer, a filled table, a comparison and a diagnosis are used if
given.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._names import refuse_name
from iim.comparing import Comparison, compare
from iim.comparing.methods import name_contenders
from iim.comparing.wording import count_alike
from iim.diagnosing import Diagnosis, diagnose_reading
from iim.diagnosing.measuring import DiagnosisPlan
from iim.diagnosing.patterns import MissingPattern, find_patterns
from iim.exceptions import ImputationWarning, InvalidParameter
from iim.imputers import METHODS, Imputer
from iim.imputers._numbers import fill_numbers, is_fitted, read_filled, used_columns
from iim.imputers._seeds import seed_from
from iim.imputers.candidates import Candidates
from iim.imputers.iim import IIMImputer
from iim.present.names import listed
from iim.reporting.distributions import Distribution, describe
from iim.table.columns import is_null
from iim.table.kinds import ID
from iim.table.tables import Reading, numbers_only, read_table

TITLE = "Missing values"
"""Title of a page that has neither a title nor a file."""

MOST_ASKED = 5_000
"""Missing cells whose candidates are computed, at most."""

MOST_CANDIDATES = 2_000_000
"""Candidates that are computed, at most: the limit for many neighbours."""

Progress = bool | Callable[[float], None]


@dataclass(frozen=True)
class Origin:
    """The file of a table, and what its reader has done already.

    Attributes
    ----------
    name : str or None
        The name of the file.
    columns : tuple of str or None
        Names of all its columns, in order; None if these are the columns of the table.
    set_aside : dict
        Columns that are not in the table, and why: "text", "ignored" and so on.
    notes : sequence of str
        Warnings so far.
    seconds : dict
        Time taken so far, by step.
    """

    name: str | None = None
    columns: tuple[str, ...] | None = None
    set_aside: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes
    ----------
    position : int
        Its position among all columns of the table, from 0.
    name : str
        Its name, as text.
    kind : str
        "numbers"; or kind and reason of a column that is set aside, such as "date: durations".
    n_missing, n_known : int
        Numbers of its missing and known cells. 0 for a column that is set aside.
    observed : Distribution or None
        Of the known values; None if there are none.
    """

    position: int
    name: str
    kind: str
    n_missing: int = 0
    n_known: int = 0
    observed: Distribution | None = None


@dataclass(frozen=True)
class Evidence:
    """Candidates of filled cells.

    Attributes
    ----------
    every : int
        Candidates were computed for one in ``every`` rows with missing cells.
    rows, columns : ndarray of shape (n_asked,)
        Positions of the cells in the matrix.
    candidates : Candidates
        Their candidates.
    """

    every: int
    rows: Integers
    columns: Integers
    candidates: Candidates


@dataclass(frozen=True)
class Findings:
    """The results that sections show.

    Attributes
    ----------
    reading : Reading
        The table as numbers.
    columns : tuple of Column
        All columns of the table.
    positions : list of int
        For each column of the matrix, its position among all columns of the table.
    patterns : tuple of MissingPattern
        Which columns are missing together.
    imputer : Imputer or None
        What filled it; None if nothing was filled.
    method : str
        Its key in the registry; the name of its class if it has no key; "" without an imputer.
    fitted_here : bool
        Whether it was fitted on this table, so that its counts at fit are of this table.
    places : ndarray of shape (n_columns_in,)
        For each column of the imputer, its position in the matrix; -1 if the matrix lacks it.
    values : ndarray of shape (n_rows, n_columns)
        The filled matrix; NaN in cells that were not filled.
    new : ndarray of shape (n_rows, n_columns)
        True where a missing cell got a value.
    evidence : Evidence or None
        Candidates of these cells, for methods that have them.
    diagnosis : Diagnosis or None
        R2_S and R2_H.
    comparison : Comparison or None
        Errors of methods on hidden cells.
    title : str
        Title of the page.
    own_title, source : str or None
        Title given by the user, and file of the table.
    missing_values, random_state : object, int
        What else the report was made with.
    notes : tuple of str
        Warnings in words.
    seconds : dict
        Time taken, by step.
    """

    reading: Reading
    columns: tuple[Column, ...]
    positions: list[int]
    patterns: tuple[MissingPattern, ...]
    imputer: Imputer | None
    method: str
    fitted_here: bool
    places: Integers
    values: Floats
    new: Booleans
    evidence: Evidence | None
    diagnosis: Diagnosis | None
    comparison: Comparison | None
    title: str
    own_title: str | None
    source: str | None
    missing_values: Any
    random_state: int
    notes: tuple[str, ...]
    seconds: dict[str, float]


class Work:
    """The steps of a report: their progress, times and warnings.

    Parameters
    ----------
    origin : Origin
        What the reader of the file has done already.
    missing_values, random_state, n_jobs, progress
        See :func:`iim.summarize`.
    n_phases : int
        Number of phases. A progress function counts each as an equal share.

    Attributes
    ----------
    notes : list of str
        Warnings.
    seconds : dict
        Time taken, by step.
    """

    def __init__(
        self,
        origin: Origin,
        missing_values: Any,
        random_state: Any,
        n_jobs: int | None,
        progress: Progress,
        n_phases: int,
    ) -> None:
        self.missing_values = missing_values
        self.random_state = seed_from(random_state)
        self.n_jobs = n_jobs
        self.notes = list(origin.notes)
        self.seconds = dict(origin.seconds)
        self._progress = progress
        self._n_phases = n_phases
        self._n_done = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[Progress]:
        """Measure the time, and keep warnings of imputers for the page; other warnings are issued.

        Yields the progress function of the phase.
        """
        begun, tell, n_done = time.perf_counter(), self._progress, self._n_done
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ImputationWarning)
            if isinstance(tell, bool):
                yield tell
            else:
                yield lambda fraction: tell(min(1.0, (n_done + fraction) / self._n_phases))
        self._n_done += 1
        self.seconds[name] = time.perf_counter() - begun
        told = [one for one in caught if issubclass(one.category, ImputationWarning)]
        for one in caught:
            if one not in told:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        self.notes += count_alike((str(one.message), 1) for one in told)


def find_out(
    table: Any,
    imputer: Any,
    *,
    filled: Any,
    compare: Any,
    measure: Any,
    title: str | None,
    source: str | Origin | None,
    missing_values: Any,
    random_state: Any,
    n_jobs: int | None,
    progress: Progress,
) -> Findings:
    """Read, fill, compute candidates, measure and compare; parameters as in :func:`iim.summarize`."""
    compare = check_compared(compare)
    if not isinstance(measure, (bool, Diagnosis)):
        raise InvalidParameter(f"`measure`: True, False, or a Diagnosis, is needed; received {measure!r}.")
    missing_values = missing_values_of(imputer, missing_values)
    origin = source if isinstance(source, Origin) else Origin(source)
    # Only IIM has candidates.
    asks = isinstance(imputer, IIMImputer) or imputer == "iim"
    fills = imputer is not None and filled is None
    compares = compare is not None and not isinstance(compare, Comparison)
    n_phases = asks + fills + compares + (measure is True)
    work = Work(origin, missing_values, random_state, n_jobs, progress, n_phases)
    chosen = choose_imputer(imputer, filled, work)
    fitted_here = filled is not None or not (chosen is None or is_fitted(chosen))
    # For a file, its reader has decided which columns are ids.
    keep = used_columns(imputer) if origin.columns is None else origin.columns
    reading = read_table(table, missing_values, keep=keep)
    matrix = reading.matrix
    values, new, places, evidence = matrix.values, np.zeros_like(matrix.missing), np.empty(0, np.intp), None
    if chosen is not None:
        values, places = fill(chosen, table, reading, work, filled)
        new = matrix.missing & ~np.isnan(values)
    if isinstance(chosen, IIMImputer):
        with work.phase("candidates") as tell:
            evidence = ask_for_candidates(chosen, reading, new, places)
            if callable(tell):
                tell(1.0)
    if origin.columns is not None:
        aside = {**origin.set_aside, **reading.set_aside}
        reading = replace(reading, columns=origin.columns, set_aside=aside)
    diagnosis = None
    if isinstance(measure, Diagnosis):
        _check_same("measure", reading, vars(measure), [one.column for one in measure.columns])
        diagnosis = measure
    elif measure:
        with work.phase("measure") as tell:
            plan = DiagnosisPlan(seed=work.random_state, n_jobs=n_jobs)
            diagnosis = diagnose_reading(reading, plan, progress=tell)
    comparison = None if compare is None else find_comparison(compare, table, reading, work)
    columns, positions = describe_columns(reading)
    return Findings(
        reading=reading,
        columns=columns,
        positions=positions,
        patterns=find_patterns(matrix) if diagnosis is None else diagnosis.patterns,
        imputer=chosen,
        method=next((key for key, kind in METHODS.items() if kind is type(chosen)), type(chosen).__name__),
        fitted_here=fitted_here,
        places=places,
        values=values,
        new=new,
        evidence=evidence,
        diagnosis=diagnosis,
        comparison=comparison,
        title=title or (f"{TITLE} of {origin.name}" if origin.name else TITLE),
        own_title=title,
        source=origin.name,
        missing_values=missing_values,
        random_state=work.random_state,
        notes=tuple(work.notes),
        seconds=work.seconds,
    )


def describe_columns(reading: Reading) -> tuple[tuple[Column, ...], list[int]]:
    """All columns of a table, and the positions of the columns of numbers."""
    columns: list[Column] = []
    positions: list[int] = []
    matrix = reading.matrix
    for position, name in enumerate(reading.columns):
        if name in reading.set_aside:
            columns.append(Column(position, str(name), reading.set_aside[name]))
            continue
        place = len(positions)
        positions.append(position)
        known = matrix.values[~matrix.missing[:, place], place]
        n_missing = matrix.n_rows - known.size
        columns.append(Column(position, str(name), "numbers", n_missing, known.size, describe(known)))
    return tuple(columns), positions


def choose_imputer(imputer: Any, filled: Any, work: Work) -> Imputer | None:
    """The imputer to use: a new one, an unfitted copy, or the fitted one that was given.

    Parameters
    ----------
    imputer, filled
        As given to :func:`iim.summarize`.
    work : Work
        Its ``random_state`` and ``n_jobs`` are passed to methods given by key.

    Returns
    -------
    Imputer or None
        A fitted imputer is returned as it is, and not fitted again.
    """
    if filled is not None and not (isinstance(imputer, Imputer) and is_fitted(imputer)):
        raise InvalidParameter(
            f"`filled`: the fitted imputer that returned it is needed beside it; received {imputer!r}. "
            "Give it as `imputer`."
        )
    if imputer is None:
        return None
    if isinstance(imputer, str):
        if imputer not in METHODS:
            raise refuse_name("imputer", imputer, list(METHODS), also=", an imputer, or None,")
        method = METHODS[imputer]
        settings = {
            "missing_values": work.missing_values,
            "random_state": work.random_state,
            "n_jobs": work.n_jobs,
        }
        made: Imputer = method(**method._taken(settings))
        return made
    if not isinstance(imputer, Imputer):
        hint = f" Give an instance: `{imputer.__name__}()`." if isinstance(imputer, type) else ""
        raise InvalidParameter(
            "`imputer`: a key of iim.METHODS, an imputer of iim, or None, is needed; received "
            f"{imputer!r}.{hint}"
        )
    return imputer if is_fitted(imputer) else copy.deepcopy(imputer)


def missing_values_of(imputer: Any, missing_values: Any) -> Any:
    """The marks of missing values: those of an imputer given as an object, else the parameter."""
    if not isinstance(imputer, Imputer):
        return missing_values
    if not is_null(missing_values) and repr(missing_values) != repr(imputer.missing_values):
        raise InvalidParameter(
            f"`missing_values`: none is needed beside an imputer that is given as an object, which has its "
            f"own ({imputer.missing_values!r}); received {missing_values!r}. Leave it out."
        )
    return imputer.missing_values


def fill(
    imputer: Imputer, table: Any, reading: Reading, work: Work, filled: Any
) -> tuple[Floats, Integers]:
    """Fill the table; fit first, unless the imputer is fitted.

    Parameters
    ----------
    imputer : Imputer
        From :func:`choose_imputer`.
    table : array or frame
        The user's table.
    reading : Reading
        The same table, read.
    work : Work
        Collects warnings and times.
    filled : array, frame or None
        What the imputer returned, if the table is filled already.

    Returns
    -------
    values : ndarray of shape (n_rows, n_columns)
        The filled matrix; NaN in cells that were not filled.
    places : ndarray of shape (n_columns_in,)
        For each column of the imputer, its position in the matrix; -1 if the matrix lacks it.
    """
    matrix = reading.matrix
    if filled is not None:
        numbers = read_filled(imputer, filled, matrix.n_rows)
    else:
        fitted = is_fitted(imputer)
        # One that was fitted with text beside the numbers wants the whole table.
        whole = fitted and len(imputer._columns_in) == len(reading.columns)
        part = table if whole else numbers_only(table, reading)
        with work.phase("fill") as progress, _telling(imputer, False if fitted else progress):
            numbers = fill_numbers(imputer, part)
    # By position: an imputer fitted on an array has names of its own for the columns.
    places = np.arange(matrix.n_columns)
    if len(imputer._columns_in) != matrix.n_columns:
        numeric = np.array([name not in reading.set_aside for name in reading.columns])
        places = np.where(numeric, np.cumsum(numeric) - 1, -1)
    values, there = matrix.values.copy(), places >= 0
    at = places[there]
    values[:, at] = np.where(matrix.missing[:, at], numbers[:, there], values[:, at])
    return values, places


@contextmanager
def _telling(imputer: Imputer, progress: Progress) -> Iterator[None]:
    """Set the ``progress`` of an imputer of iim for a while; False stays."""
    if progress is False:
        yield
        return
    own = imputer.progress
    imputer.progress = progress
    try:
        yield
    finally:
        imputer.progress = own


def ask_for_candidates(
    imputer: IIMImputer, reading: Reading, new: Booleans, places: Integers
) -> Evidence | None:
    """Compute candidates of filled cells: of all, or of rows evenly spread over the table.

    Parameters
    ----------
    imputer : IIMImputer
        Fitted.
    reading : Reading
        The table.
    new, places : ndarray
        See :class:`Findings`.

    Returns
    -------
    Evidence or None
        None if no cell was filled.
    """
    known = imputer._known_columns
    if not new.any() or (places[known] < 0).any():
        return None
    counts = new.sum(axis=1)
    holed = np.flatnonzero(counts)
    most = max(1, min(MOST_ASKED, MOST_CANDIDATES // int(imputer.n_neighbors)))
    every = max(1, -(-int(counts.sum()) // most))
    while counts[holed[::every]].sum() > most and every < holed.size:
        every += 1
    rows = holed[::every]
    found = imputer._candidates(reading.matrix.take(rows).select(places[known]), known)
    return Evidence(every, rows[found.rows], places[found.columns], found)


def check_compared(wanted: Any) -> Any:
    """Check the parameter ``compare`` before the work starts, not after it."""
    if wanted is None or wanted is False:
        return None
    if wanted is True or isinstance(wanted, Comparison):
        return wanted
    if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
        raise InvalidParameter(
            f"`compare`: True, False, a list of methods, or a Comparison, is needed; received {wanted!r}."
        )
    methods = dict(wanted) if isinstance(wanted, Mapping) else list(wanted)
    name_contenders(methods)
    return methods


def find_comparison(wanted: Any, table: Any, reading: Reading, work: Work) -> Comparison:
    """The comparison that the parameter asks for."""
    if isinstance(wanted, Comparison):
        _check_same("compare", reading, wanted.facts, wanted.columns)
        return wanted
    with work.phase("compare") as progress:
        return compare(
            table,
            None if wanted is True else wanted,
            random_state=work.random_state,
            missing_values=work.missing_values,
            n_jobs=work.n_jobs,
            progress=progress,
        )


def _check_same(parameter: str, reading: Reading, facts: Mapping[str, Any], columns: Iterable[Any]) -> None:
    """Refuse a result of another table: compares sizes and names of columns."""
    matrix = reading.matrix
    own = {
        "n_rows": matrix.n_rows,
        "n_columns": matrix.n_columns,
        "n_missing": int(matrix.missing.sum()),
    }
    received = {name: facts[name] for name in own}
    # Ids count as columns of the table where the user or the imputer uses them.
    n_ids = sum(kind.kind == ID for kind in reading.kinds.values())
    n_kept = sum(reading.kinds[name].kind == ID for name in matrix.columns)
    least = own["n_columns"] - n_kept
    other_columns = not least <= received["n_columns"] <= least + n_ids
    if other_columns or any(received[name] != own[name] for name in ("n_rows", "n_missing")):
        needed, there = (
            "{n_rows} rows, {n_columns} columns, {n_missing} missing cells".format(**one)
            for one in (own, received)
        )
        raise InvalidParameter(
            f"`{parameter}`: a result of the same table is needed ({needed}); received one of another "
            f"({there}). Make it again from this table."
        )
    # As text, because one kind of table has names that another cannot have.
    names = set(map(str, matrix.columns))
    unknown = [name for name in columns if str(name) not in names]
    if unknown:
        raise InvalidParameter(
            f"`{parameter}`: a result of the same table is needed; received one with other columns, such "
            f"as {listed(unknown, 1)}. Make it again from this table."
        )
