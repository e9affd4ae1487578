"""Hide cells, fill them with every method, and keep a record of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats
from iim.comparing.methods import Contender
from iim.comparing.records import Note, Record
from iim.comparing.wording import count_alike
from iim.evaluation.attempts import Attempt, attempt
from iim.evaluation.hiding import hide_cells, hide_clusters
from iim.evaluation.scoring import normalised_error, rms_error
from iim.imputers._progress import Reporter
from iim.matrix import MaskedMatrix
from iim.present.names import listed


@dataclass(frozen=True)
class ComparisonPlan:
    """Parameters of the hidden cells; see :func:`iim.compare`."""

    hide: float
    repeats: int
    seed: int
    pattern: str
    cluster_size: int


@dataclass(frozen=True)
class Draw:
    """Cells hidden at the same time.

    Attributes
    ----------
    repeat : int
        Number of the repeat, from 0.
    columns : tuple of int
        Positions of the columns that are scored.
    hidden : ndarray of shape (n_rows, n_columns)
        True where a known cell is hidden.
    """

    repeat: int
    columns: tuple[int, ...]
    hidden: Booleans

    def method_seed(self, seed: int) -> int:
        """The seed of random methods: depends on the repeat, and on the column if it is alone."""
        alone = self.columns if len(self.columns) == 1 else ()
        return int(np.random.SeedSequence([seed, self.repeat, *alone]).generate_state(1)[0])


def run(
    contenders: list[Contender],
    matrix: MaskedMatrix,
    columns: tuple[int, ...],
    plan: ComparisonPlan,
    *,
    n_jobs: int | None,
    progress: bool | Callable[[float], None],
) -> tuple[tuple[Record, ...], tuple[Note, ...]]:
    """Fill every draw with every method.

    Parameters
    ----------
    contenders : list of Contender
        The methods.
    matrix : MaskedMatrix
        The table; each column has a known value.
    columns : tuple of int
        Positions of the columns to hide cells in.
    plan : ComparisonPlan
        How to hide cells.
    n_jobs, progress
        See :func:`iim.compare`.

    Returns
    -------
    records : tuple of Record
        In the order of methods, columns and repeats.
    notes : tuple of Note
        Warnings of the methods.
    """
    reporter = Reporter.of(progress, "comparing")
    n_fits = len(contenders) * plan.repeats * (len(columns) if plan.pattern == "attribute" else 1)
    done = 0
    found: dict[tuple[int, int, int], Record] = {}
    warned: dict[str, list[tuple[str, int]]] = {contender.name: [] for contender in contenders}
    for draw in draws(matrix, columns, plan):
        settings: dict[str, Any] = {"random_state": draw.method_seed(plan.seed), "n_jobs": n_jobs}
        holed = np.where(draw.hidden, np.nan, matrix.values)
        for at, contender in enumerate(contenders):
            if reporter is not None and progress is True:
                # Within a fit, only our progress line is updated. An exception of the user's function there
                # would look like a failure of the method.
                settings["progress"] = _within(reporter, done, n_fits)
            if reporter is not None:
                reporter.doing(listed([contender.name], 1))
            result = try_contender(contender, holed.copy(), settings)
            words = ((_in_words(one.category, one.message), 1) for one in result.warned)
            warned[contender.name] += count_alike(words).items()
            for column in draw.columns:
                found[at, column, draw.repeat] = score_column(matrix, draw, column, contender.name, result)
            done += 1
            if reporter is not None:
                reporter(done, n_fits)
    notes = tuple(
        Note(method, message, times)
        for method, messages in warned.items()
        for message, times in count_alike(messages).items()
    )
    return tuple(found[at] for at in sorted(found)), notes


def draws(matrix: MaskedMatrix, columns: tuple[int, ...], plan: ComparisonPlan) -> Iterator[Draw]:
    """All draws, one at a time, so that only one of them is in memory."""
    for repeat in range(plan.repeats):
        coordinates: dict[str, Any] = {"hide": plan.hide, "seed": plan.seed, "repeat": repeat}
        if plan.pattern == "clusters":
            size = plan.cluster_size
            yield Draw(repeat, columns, hide_clusters(matrix, columns, cluster_size=size, **coordinates))
        elif plan.pattern == "cells":
            yield Draw(repeat, columns, hide_cells(matrix.missing, columns, **coordinates))
        else:
            for column in columns:
                yield Draw(repeat, (column,), hide_cells(matrix.missing, (column,), **coordinates))


def _within(reporter: Reporter, done: int, n_fits: int) -> Callable[[float], None]:
    # Whole percents of the total: more frequent updates make the line flicker.
    return lambda fraction: reporter(int(100 * (done + fraction) / n_fits), 100)


def try_contender(contender: Contender, table: Floats, settings: Mapping[str, Any]) -> Attempt:
    """Fill a copy of the table with a method.

    Parameters
    ----------
    contender : Contender
        The method.
    table : ndarray of shape (n_rows, n_columns)
        NaN in missing cells. ``fit`` and ``transform`` get a copy each, which the method may change.
    settings : mapping
        Settings of the run; a method gets those that it has parameters for.

    Returns
    -------
    Attempt
        Result of the four steps: make, fit, fill, check.
    """
    copied = table.copy()

    def fit(imputer: Any) -> Any:
        fitted = imputer.fit(copied)
        return imputer if fitted is None else fitted

    return attempt(
        lambda: contender.make(settings),
        fit,
        lambda fitted: fitted.transform(table),
        lambda output: _as_filled(output, table.shape),
        foreign=True,
    )


def _in_words(kind: type[Any], message: object) -> str:
    try:
        text = str(message)
    except Exception as error:  # noqa: BLE001 (a message that cannot be read is no reason to stop)
        text = f"(its text cannot be shown: {type(error).__name__})"
    return f"{kind.__name__}: {text}" if text else kind.__name__


def _as_filled(output: Any, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(output)
    if array.shape != shape:
        raise ValueError(f"the filled table has shape {array.shape}; {shape} is needed.")
    return array.astype(np.float64)


def score_column(matrix: MaskedMatrix, draw: Draw, column: int, method: str, result: Attempt) -> Record:
    """The record of one column.

    Parameters
    ----------
    matrix : MaskedMatrix
        The table with its true values.
    draw : Draw
        The hidden cells.
    column : int
        Position of the column.
    method : str
        The method's name.
    result : Attempt
        What the method returned.

    Returns
    -------
    Record
    """
    rows = np.flatnonzero(draw.hidden[:, column])
    failure, error, normalised = None, math.nan, math.nan
    if result.error is not None:
        failure = _in_words(type(result.error), result.error)
    else:
        fills = result.value[rows, column]
        failure = _unfilled(fills)
        if failure is None:
            error = rms_error(matrix.values[rows, column], fills)
            normalised = normalised_error(error, matrix.values[~matrix.missing[:, column], column])
    # Failed steps have no time.
    n_done = len(result.seconds) - (result.error is not None)
    _, fit_seconds, transform_seconds = (*result.seconds[:n_done], *[math.nan] * 3)[:3]
    return Record(
        method=method,
        column=matrix.columns[column],
        repeat=draw.repeat,
        n_cells=rows.size,
        rms_error=error,
        normalised_error=normalised,
        fit_seconds=fit_seconds,
        transform_seconds=transform_seconds,
        failure=failure,
    )


def _unfilled(fills: Floats) -> str | None:
    n_bad = int(np.count_nonzero(~np.isfinite(fills)))
    return f"{n_bad} of {fills.size} hidden cells came back without a finite value." if n_bad else None
