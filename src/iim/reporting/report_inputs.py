"""What a report needs and nobody has yet: an imputer, its fills, a comparison, a diagnosis."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from iim._arrays import Floats
from iim._names import refuse_name
from iim.comparing import Comparison, compare
from iim.comparing.methods import name_contenders
from iim.comparing.wording import count_alike
from iim.diagnosing import Diagnosis, diagnose_reading
from iim.diagnosing.measuring import DiagnosisPlan
from iim.exceptions import ImputationWarning, InvalidParameter
from iim.imputers import METHODS, Imputer
from iim.imputers._numbers import columns_of, fill_numbers, is_fitted, read_filled
from iim.imputers.iim import IIMImputer
from iim.present.names import listed
from iim.reporting.columns import places_in_matrix
from iim.table._missing import is_null
from iim.table._tables import Reading, numbers_only
from iim.table.kinds import ID

Progress = bool | Callable[[float], None]


@dataclass(frozen=True)
class Origin:
    """Where a table came from, for whoever read it from a file and has done part of the work.

    Attributes
    ----------
    name : str or None
        The name of the file.
    columns : tuple of str or None
        Names of all its columns, in order; None if these are the columns of the table.
    set_aside : dict
        Those that are not in the table, and why: "text", "ignored" and so on.
    notes : sequence of str
        What is to be noticed so far.
    seconds : dict
        Time taken so far, by what it was for.
    """

    name: str | None = None
    columns: tuple[str, ...] | None = None
    set_aside: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def widen(self, reading: Reading) -> Reading:
        """The reading of the table as one of the file: with the columns that were left in it."""
        if self.columns is None:
            return reading
        return replace(reading, columns=self.columns, set_aside={**self.set_aside, **reading.set_aside})


class Journal:
    """What happens on the way to a report.

    Parameters
    ----------
    origin : Origin
        What happened before.
    progress : bool or callable
        Who hears how far it is.
    n_phases : int
        How many parts the work has; a callable hears of each as an equal part of all.

    Attributes
    ----------
    notes : list of str
        Warnings in words.
    seconds : dict
        Time taken, by what it was for.
    """

    def __init__(self, origin: Origin, progress: Progress, n_phases: int) -> None:
        self.notes = list(origin.notes)
        self.seconds = dict(origin.seconds)
        self._n_before = len(self.seconds)
        self._progress = progress
        self._n_phases = n_phases

    @contextmanager
    def phase(self, name: str) -> Iterator[Progress]:
        """Take the time, and keep warnings of imputers for the page; others stay warnings.

        Gives what is to be told of progress within the phase.
        """
        begun = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ImputationWarning)
            yield self._within(len(self.seconds) - self._n_before)
        self.seconds[name] = time.perf_counter() - begun
        told = [one for one in caught if issubclass(one.category, ImputationWarning)]
        for one in caught:
            if one not in told:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        self.notes += count_alike((str(one.message), 1) for one in told)

    def _within(self, n_done: int) -> Progress:
        tell = self._progress
        if isinstance(tell, bool):
            return tell
        return lambda fraction: tell(min(1.0, (n_done + fraction) / self._n_phases))


@dataclass(frozen=True)
class Work:
    """How to do what is to be done; see :func:`iim.summarize`."""

    missing_values: Any
    random_state: int
    n_jobs: int | None
    journal: Journal


def count_phases(imputer: Any, filled: Any, compare: Any, measure: Any) -> int:
    """How many of fill, ask, measure and compare are to be done; see :func:`iim.summarize`."""
    n_filling = int(imputer is not None and filled is None)
    # Of all methods, IIM has candidates to ask for.
    n_filling += isinstance(imputer, IIMImputer) or imputer == "iim"
    n_comparing = 0 if compare is False or compare is None or isinstance(compare, Comparison) else 1
    return n_filling + n_comparing + (measure is True)


def choose_imputer(imputer: Any, filled: Any, work: Work) -> Imputer | None:
    """The imputer that the parameter asks for: a new one, or a copy of one that is not fitted.

    Parameters
    ----------
    imputer : None, str or Imputer
        As given to :func:`iim.summarize`.
    filled : array, frame or None
        The same.
    work : Work
        What methods given by key are made with.

    Returns
    -------
    Imputer or None
        A fitted one is itself, and is not to be fitted again.
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
    """What means "missing": what the imputer says, if it was given as an object."""
    if not isinstance(imputer, Imputer):
        return missing_values
    if not is_null(missing_values) and repr(missing_values) != repr(imputer.missing_values):
        raise InvalidParameter(
            f"`missing_values`: none is needed beside an imputer that is given as an object, which has its "
            f"own ({imputer.missing_values!r}); received {missing_values!r}. Leave it out."
        )
    return imputer.missing_values


def fill(imputer: Imputer, table: Any, reading: Reading, work: Work, filled: Any = None) -> Floats:
    """Fill, and fit before if that is to be done.

    Parameters
    ----------
    imputer : Imputer
        From :func:`choose_imputer`.
    table : array or frame
        The user's table.
    reading : Reading
        The same, read.
    work : Work
        Where notes and times go.
    filled : array or frame, optional
        What the imputer returned, if it was asked before.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        In the places of the matrix; NaN where a hole is left.
    """
    if filled is not None:
        numbers = read_filled(imputer, filled, reading.matrix.n_rows)
    else:
        fitted = is_fitted(imputer)
        # One that was fitted with text beside the numbers wants the whole table.
        whole = fitted and len(columns_of(imputer)) == len(reading.columns)
        part = table if whole else numbers_only(table, reading)
        with work.journal.phase("fill") as progress, _telling(imputer, False if fitted else progress):
            numbers = fill_numbers(imputer, part)
    places = places_in_matrix(imputer, reading)
    values = reading.matrix.values.copy()
    at = places >= 0
    holes = reading.matrix.missing[:, places[at]]
    values[:, places[at]] = np.where(holes, numbers[:, at], values[:, places[at]])
    return values


@contextmanager
def _telling(imputer: Imputer, progress: Progress) -> Iterator[None]:
    """Let an imputer of our own tell how far it is, for a while; False leaves it as it is."""
    if progress is False:
        yield
        return
    own = imputer.progress
    imputer.progress = progress
    try:
        yield
    finally:
        imputer.progress = own


def check_compared(wanted: Any) -> Any:
    """The parameter ``compare``, whose methods are known to be methods: before the work, not after it."""
    if wanted is None or isinstance(wanted, (bool, Comparison)):
        return wanted
    if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
        raise InvalidParameter(
            f"`compare`: True, False, a list of methods, or a Comparison, is needed; received {wanted!r}."
        )
    methods = dict(wanted) if isinstance(wanted, Mapping) else list(wanted)
    name_contenders(methods)
    return methods


def find_comparison(wanted: Any, table: Any, reading: Reading, work: Work) -> Comparison | None:
    """The comparison that the parameter asks for."""
    if isinstance(wanted, Comparison):
        _check_same("compare", reading, wanted.facts, wanted.columns)
        return wanted
    if wanted is False or wanted is None:
        return None
    with work.journal.phase("compare") as progress:
        return compare(
            table,
            None if wanted is True else wanted,
            random_state=work.random_state,
            missing_values=work.missing_values,
            n_jobs=work.n_jobs,
            progress=progress,
        )


def find_diagnosis(wanted: Any, reading: Reading, work: Work) -> Diagnosis | None:
    """The diagnosis that the parameter asks for."""
    if isinstance(wanted, Diagnosis):
        _check_same("measure", reading, vars(wanted), [one.column for one in wanted.columns])
        return wanted
    if wanted is False:
        return None
    if wanted is not True:
        raise InvalidParameter(f"`measure`: True, False, or a Diagnosis, is needed; received {wanted!r}.")
    with work.journal.phase("measure") as progress:
        plan = DiagnosisPlan(seed=work.random_state, n_jobs=work.n_jobs)
        return diagnose_reading(reading, plan, progress=progress)


def _check_same(parameter: str, reading: Reading, facts: Mapping[str, Any], columns: Iterable[Any]) -> None:
    """Refuse what was found out of another table, as far as sizes and names of columns tell."""
    matrix = reading.matrix
    own = {
        "n_rows": matrix.n_rows,
        "n_columns": matrix.n_columns,
        "n_missing": int(matrix.missing.sum()),
    }
    received = {name: facts[name] for name in own}
    # Ids are part of a table where they are asked for, or where the imputer uses them.
    n_ids = sum(kind.kind == ID for kind in reading.kinds.values())
    n_kept = sum(reading.kinds[name].kind == ID for name in matrix.columns)
    least = own["n_columns"] - n_kept
    if received | {"n_columns": 0} != own | {"n_columns": 0} or not (
        least <= received["n_columns"] <= least + n_ids
    ):
        raise InvalidParameter(
            f"`{parameter}`: a result of the same table is needed ({_in_words(own)}); received one of "
            f"another ({_in_words(received)}). Make it anew from this table."
        )
    # As text: one kind of table has names that another one cannot have.
    there = set(map(str, matrix.columns))
    unknown = [name for name in columns if str(name) not in there]
    if unknown:
        raise InvalidParameter(
            f"`{parameter}`: a result of the same table is needed; received one with other columns, such "
            f"as {listed(unknown, 1)}. Make it anew from this table."
        )


def _in_words(facts: Mapping[str, int]) -> str:
    return f"{facts['n_rows']} rows, {facts['n_columns']} columns, {facts['n_missing']} missing cells"
