"""One run: a table with holes is filled by one method, timed, and compared with the truth."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import time
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from accuracy.contenders import Contender, contenders
from accuracy.peers import PEERS, peer_version
from accuracy.tables import Case, hide, make_case
from iim.evaluation.scoring import normalised_error, rms_error
from iim.paper.tasks import Task
from iim.versions import versions

NOT_FINISHED = "not finished"
"""How the error of a run begins that took too long."""


def make_run(stage: str, data: str, pattern: str, seed: int, *, contender: Contender) -> Task:
    """The coordinates of a run; its record is named by them."""
    inputs = {"data": data, "method": contender.key, "seed": seed, "settings": dict(contender.settings)}
    return Task(f"{stage}/{pattern}", {**inputs, "stage": stage, "pattern": pattern})


def measure(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Do one run.

    Parameters
    ----------
    inputs : mapping
        Of :func:`make_run`.

    Returns
    -------
    dict
        The record: see :func:`score`; ``seconds``, and ``failure`` with the text of an exception, if any.
    """
    contender = contenders()[inputs["method"]]
    case = make_case(inputs["data"], inputs["pattern"], inputs["seed"], stage=inputs["stage"])
    with warnings.catch_warnings():
        # Rounds that did not converge and the like: here only the fills count.
        warnings.simplefilter("ignore")
        try:
            filled, seconds = _fill(contender, inputs["seed"], case.values)
        except Exception as error:  # noqa: BLE001 (whatever a method raises is its result)
            return {**about(), "failure": f"{type(error).__name__}: {error}"[:500]}
    return {**about(), "failure": None, "seconds": seconds, **score(case, filled)}


def score(case: Case, filled: np.ndarray) -> dict[str, Any]:
    """How far fills are from the truth.

    Parameters
    ----------
    case : Case
        The table.
    filled : ndarray of shape (n_rows, n_columns)
        What came back.

    Returns
    -------
    dict
        ``errors``: normalised RMS error by attribute, None if cells were left empty; attributes without
        a hidden cell are left out. ``n_cells``: hidden cells by attribute. ``overshoot``: the largest
        distance of a fill from the observed range of its column, in widths of that range.
    """
    errors: dict[str, float | None] = {}
    n_cells: dict[str, int] = {}
    overshoot = 0.0
    for at, name in enumerate(case.columns):
        rows = case.hidden[:, at]
        if not rows.any():
            continue
        error = normalised_error(rms_error(case.truth[rows, at], filled[rows, at]), case.truth[:, at])
        errors[name] = error if math.isfinite(error) else None
        n_cells[name] = int(rows.sum())
        overshoot = max(overshoot, _overshoot(case.values[~rows, at], filled[rows, at]))
    return {
        "shape": list(case.truth.shape),
        "errors": errors,
        "n_cells": n_cells,
        "overshoot": overshoot if math.isfinite(overshoot) else None,
    }


def about() -> dict[str, Any]:
    """When and with what a run was done."""
    known = versions()
    known |= {
        package: peer_version(package) or "not installed" for package in (*PEERS.values(), "lightgbm")
    }
    return {"date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d"), "versions": known}


def _overshoot(known: np.ndarray, fills: np.ndarray) -> float:
    low, high = known.min(), known.max()
    outside = float(np.maximum(np.maximum(low - fills, fills - high), 0.0).max())
    if high > low:
        return outside / float(high - low)
    return math.inf if outside > 0 else 0.0


def _fill(contender: Contender, seed: int, values: np.ndarray) -> tuple[np.ndarray, dict[str, float]]:
    imputer = contender.make(seed)
    start = time.perf_counter()
    if not contender.two_steps:
        filled = imputer.fit_transform(values)
        return np.asarray(filled, dtype=float), {"total": time.perf_counter() - start}
    imputer.fit(values)
    middle = time.perf_counter()
    filled = imputer.transform(values)
    end = time.perf_counter()
    return np.asarray(filled, dtype=float), {
        "fit": middle - start,
        "fill": end - middle,
        "total": end - start,
    }


@cache
def warm(method: str) -> None:
    """Fill a tiny table, once for each method."""
    warm_up(contenders()[method])


def warm_up(contender: Contender) -> None:
    """Fill a tiny table, so that no clock sees code being compiled or loaded."""
    random = np.random.default_rng(0)
    truth = random.normal(size=(40, 3))
    truth[:, 2] += truth[:, 0]
    case = hide(truth, ("a", "b", "c"), np.arange(20), "cells-20", random=random)
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        # What goes wrong is told when it counts.
        warnings.simplefilter("ignore")
        contender.make(0).fit_transform(case.values)
