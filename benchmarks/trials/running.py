"""Run trials one after the other, and keep a record of each."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from accuracy.contenders import Contender
from accuracy.measuring import warm_up
from accuracy.tables import Case
from trials.records import Records, about, key_of


@dataclass(frozen=True)
class Trial:
    """A holed table and the method that fills it.

    Attributes
    ----------
    coordinates : mapping
        What the record is found by: numbers and text, among them "method" and "seed".
    contender : Contender
        The method.
    make_case : callable
        Makes the table; only called if the trial is run.
    error : callable
        From the case and the filled table to the error.
    extra : mapping
        Further entries of the record.
    """

    coordinates: Mapping[str, Any]
    contender: Contender
    make_case: Callable[[], Case]
    error: Callable[[Case, np.ndarray], float]
    extra: Mapping[str, Any] = field(default_factory=dict)


class Counts(NamedTuple):
    """Of trials: those that were run, those that had a record, and those of them with other settings."""

    run: int
    kept: int
    stale: int


def run_trials(trials: Sequence[Trial], records: Records, *, again: bool = False) -> Counts:
    """Run the trials that have no record.

    Parameters
    ----------
    trials : sequence of Trial
        What to run, in this order.
    records : Records
        Where records are kept.
    again : bool, default=False
        Whether trials that have a record are run again, because code or settings have changed.

    Returns
    -------
    Counts
    """
    kept = {} if again else records.read()
    todo = [trial for trial in trials if key_of(trial.coordinates) not in kept]
    warmed: set[str] = set()
    for at, trial in enumerate(todo, start=1):
        if trial.contender.key not in warmed:
            warm_up(trial.contender)
            warmed.add(trial.contender.key)
        record = measure(trial)
        records.append(record)
        words = " ".join(map(str, trial.coordinates.values()))
        result = record["failure"] or f"{record['error']:.4g}, {record['seconds']:.2f} s"
        print(f"{at} of {len(todo)}: {words}: {result}", file=sys.stderr, flush=True)
    others = (trial for trial in trials if key_of(trial.coordinates) in kept)
    stale = [one for one in others if kept[key_of(one.coordinates)]["settings"] != one.contender.settings]
    return Counts(len(todo), len(trials) - len(todo), len(stale))


def measure(trial: Trial) -> dict[str, Any]:
    """Run one trial; its record.

    Returns
    -------
    dict
        ``error`` (None after a failure), ``seconds`` to fit and fill, ``strategy`` (what IIM chose,
        None for others), ``failure`` (the text of an exception, or None), ``n_cells`` hidden, shape of the
        table, settings, and with what it was measured.
    """
    case = trial.make_case()
    record: dict[str, Any] = {
        "trial": dict(trial.coordinates),
        "error": None,
        "seconds": None,
        "strategy": None,
        "failure": None,
        "shape": list(case.truth.shape),
        "n_cells": int(case.hidden.sum()),
        "settings": dict(trial.contender.settings),
        **trial.extra,
        **about(),
    }
    with warnings.catch_warnings():
        # Rounds that did not converge and the like: here only the fills count.
        warnings.simplefilter("ignore")
        try:
            imputer = trial.contender.make(trial.coordinates["seed"])
            start = time.perf_counter()
            filled = np.asarray(imputer.fit_transform(case.values), dtype=float)
            record["seconds"] = round(time.perf_counter() - start, 3)
            error = trial.error(case, filled)
        except Exception as reason:  # noqa: BLE001 (whatever a method raises is its result)
            return {**record, "failure": f"{type(reason).__name__}: {reason}"[:500]}
    if not math.isfinite(error):
        return {**record, "failure": "cells were left empty, or filled with what is no finite number"}
    strategy = getattr(imputer, "strategy_", None)
    return {**record, "error": error, "strategy": None if strategy is None else str(strategy)}
