"""Held-out errors of several methods on hidden cells of a table, to choose among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.execution.context import Context
from iim.core.held_out.hiding import hide_like_holes
from iim.core.methods.blending import HiddenCells
from iim.core.scaling import learn_scaling
from iim.evaluation import attempts
from iim.evaluation.attempts import Attempt, attempt
from iim.imputers._base import Imputer
from iim.imputers._telling import silence
from iim.matrix import MaskedMatrix
from iim.persistence.fields import Refused, Sizes, floats

SAMPLE_ROWS = (150, 450)
"""Rows on which the time of a method is measured; the growth between them is extrapolated to the table."""

ALWAYS = ("iim", "mean")
"""Methods that a time budget never leaves out."""

STEEPEST = 2.0
"""Largest power of the number of rows by which time is extrapolated: that of a search among all pairs."""


@dataclass(frozen=True)
class Candidate:
    """A method and its factory; each call makes an equal imputer."""

    key: str
    make: Callable[[], Imputer]


@dataclass(frozen=True)
class FillRange:
    """Bounds of fills: the range of a column's known values, extended by its width on both sides.

    So one method that extrapolates far cannot spoil a blend.
    """

    low: Annotated[Floats, floats("columns", finite=False)]
    high: Annotated[Floats, floats("columns", finite=False)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse bounds without a finite number between them."""
        del sizes
        if np.any(self.low > self.high) or np.any(self.low == np.inf) or np.any(self.high == -np.inf):
            raise Refused("`FillRange`: bounds with a number between them are needed")

    @classmethod
    def of(cls, values: Floats) -> FillRange:
        """The range of a table; each column has a known value."""
        low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        with np.errstate(over="ignore"):
            return cls(low - (high - low), high + (high - low))

    def cut(self, values: Floats) -> Floats:
        """The values, clipped to the range."""
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True)
class Draws:
    """Tables with hidden cells.

    Attributes
    ----------
    tables : tuple of ndarray of shape (n_rows, n_columns)
        One for each repeat; NaN where a cell is missing or hidden.
    hidden : tuple of ndarray of shape (n_rows, n_columns)
        True where one is hidden.
    """

    matrix: MaskedMatrix
    tables: tuple[Floats, ...]
    hidden: tuple[Booleans, ...]
    half: Booleans

    @property
    def n_cells(self) -> int:
        """Number of hidden cells in all repeats."""
        return sum(int(hidden.sum()) for hidden in self.hidden)

    def hidden_cells(self, errors: list[Floats]) -> HiddenCells:
        """The hidden cells with the errors of each method."""
        none: Integers = np.zeros(0, np.intp)
        places = [np.nonzero(hidden) for hidden in self.hidden]
        rows = np.concatenate([none, *(rows for rows, _ in places)])
        columns: Integers = np.concatenate([none, *(columns for _, columns in places)])
        return HiddenCells(columns, self.half[rows], np.array(errors).reshape(len(errors), rows.size).T)

    def errors_of(self, fills: list[Floats]) -> Floats:
        """Errors of one method's filled tables, in standard deviations."""
        if not fills:
            return np.zeros(0)
        scaling, every = learn_scaling(self.matrix, "standard"), tuple(range(self.matrix.n_columns))
        true = scaling.coordinates(self.matrix.values, every)
        return np.concatenate(
            [
                (scaling.coordinates(filled, every) - true)[hidden]
                for filled, hidden in zip(fills, self.hidden, strict=True)
            ]
        )


def column_spreads(matrix: MaskedMatrix) -> Floats:
    """Standard deviation of each column, 0 for a constant one."""
    with np.errstate(over="ignore"):
        return learn_scaling(matrix, "standard").table_spreads()


def draw_cells(matrix: MaskedMatrix, *, hide: float, repeats: int, seed: int) -> Draws:
    """Hide known cells of a table, ``repeats`` times; in columns with missing cells, if there are any."""
    # Rows without any known value always get means.
    knowing = matrix.missing[~matrix.missing.all(axis=1)]
    holed = np.flatnonzero(knowing.any(axis=0)).tolist() or range(matrix.n_columns)
    n_rows = max(1, round(hide * len(knowing)))
    drawn = hide_like_holes(matrix.missing, holed, n_rows=n_rows, repeats=repeats, seed=seed)
    kept = tuple(each.hidden for each in drawn if each.hidden.any())
    half = np.random.default_rng([seed, 2]).permutation(matrix.n_rows) % 2 == 1
    return Draws(matrix, tuple(np.where(each, np.nan, matrix.values) for each in kept), kept, half)


@dataclass
class Trials:
    """Results of trying methods, by key.

    Attributes
    ----------
    errors : dict
        Errors on the hidden cells, of the methods that filled them all.
    seconds : dict
        Time taken.
    left_out : dict
        Why a method has no errors.
    failures : dict
        Exceptions raised.
    """

    errors: dict[str, Floats] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    failures: dict[str, BaseException] = field(default_factory=dict)

    def keep(self, key: str, tried: Attempt) -> None:
        """Add the time of a trial; leave a method out if it raised."""
        self.seconds[key] = self.seconds.get(key, 0.0) + sum(tried.seconds)
        if tried.error is not None:
            self.errors.pop(key, None)
            self.failures[key] = tried.error
            self.left_out[key] = f"{type(tried.error).__name__}: {tried.error}".split("\n", 1)[0]


def try_methods(candidates: Sequence[Candidate], draws: Draws, budget: Budget, context: Context) -> Trials:
    """Fit every method on each table with hidden cells, and fill it.

    Parameters
    ----------
    candidates : sequence of Candidate
        The methods.
    draws : Draws
        The tables.
    budget : Budget
        Time limit.
    context : Context
        Progress (fits).

    Returns
    -------
    Trials
        Errors in the order of the candidates.
    """
    trials = Trials()
    for at, candidate in enumerate(_in_turn(candidates, draws, budget, trials)):
        part = context.part(at, len(candidates))
        tried = attempt(partial(_fill_each, candidate, draws.tables, part), draws.errors_of, listen=False)
        trials.keep(candidate.key, tried)
        if tried.error is None:
            trials.errors[candidate.key] = tried.value
    trials.errors = {each.key: trials.errors[each.key] for each in candidates if each.key in trials.errors}
    return trials


def learn_from_all(
    make: Mapping[str, Callable[[], Imputer]],
    keys: Sequence[str],
    matrix: MaskedMatrix,
    trials: Trials,
    members: dict[str, Imputer],
) -> None:
    """Fit the methods that are not members yet on the whole table.

    Stops at the first failure and drops that method's errors: the choice must be repeated without it.
    """
    for key in keys:
        if key in members:
            continue
        tried = attempt(partial(_learn, make[key], matrix.values), listen=False)
        trials.keep(key, tried)
        if tried.error is not None:
            return
        members[key] = tried.value


def _learn(make: Callable[[], Imputer], table: Floats) -> Imputer:
    with silence():
        return make().fit(table)


def _fill_each(candidate: Candidate, tables: Sequence[Floats], context: Context) -> list[Floats]:
    fills = []
    for done, table in enumerate(tables):
        fills.append(_fill(candidate, table))
        context.report(done + 1, len(tables))
    return fills


def _fill(candidate: Candidate, table: Floats) -> Floats:
    with silence():
        # An array, even if scikit-learn's config asks for frames.
        filled = np.asarray(candidate.make().fit(table).transform(table))
    if not np.isfinite(filled).all():
        raise FloatingPointError("some cells came back without a finite value.")
    return FillRange.of(table).cut(filled)


def _in_turn(
    candidates: Sequence[Candidate], draws: Draws, budget: Budget, trials: Trials
) -> Iterator[Candidate]:
    """The methods that the budget allows, fastest first."""
    if budget.seconds is None:
        yield from candidates
        return
    yield from (each for each in candidates if each.key in ALWAYS)
    n_fits = len(draws.tables) + 1
    expected: dict[Candidate, float] = {}
    for candidate in candidates:
        if candidate.key in ALWAYS:
            continue
        if budget.left(trials, n_fits) <= 0:
            trials.left_out[candidate.key] = f"the time budget of {budget.seconds:g} s was used up"
            continue
        tried = attempt(partial(expect_seconds, candidate, draws.matrix), listen=False)
        if tried.error is None:
            expected[candidate] = n_fits * tried.value
        else:
            trials.keep(candidate.key, replace(tried, seconds=()))
    for candidate in sorted(expected, key=lambda each: expected[each]):
        left = max(0.0, budget.left(trials, n_fits))
        if expected[candidate] <= left:
            yield candidate
        else:
            trials.left_out[candidate.key] = (
                f"it needs about {expected[candidate]:.2g} s; {left:.2g} s of the time budget of "
                f"{budget.seconds:g} s were left"
            )


@dataclass(frozen=True)
class Budget:
    """Time limit of the trials, and their start; None is no limit."""

    seconds: float | None
    begun: float = field(default_factory=lambda: attempts.now())  # noqa: PLW0108 (tests replace the clock)

    def left(self, trials: Trials, n_fits: int) -> float:
        """Seconds left, minus the time to fit the methods tried so far once more on all rows."""
        promised = sum(trials.seconds[key] for key in trials.errors) / max(1, n_fits - 1)
        return (self.seconds or 0.0) - (attempts.now() - self.begun) - promised


def expect_seconds(candidate: Candidate, matrix: MaskedMatrix) -> float:
    """Estimate a method's time on a table, extrapolated from samples of its rows."""
    order = np.random.default_rng(0).permutation(matrix.n_rows)
    taken = []
    for most in SAMPLE_ROWS:
        sample = matrix.values[order[:most]]
        sample = sample[:, ~np.isnan(sample).all(axis=0)]
        begun = attempts.now()
        with silence():
            candidate.make().fit(sample).transform(sample)
        taken.append(max(attempts.now() - begun, 1e-6))
    few, many = taken
    power = math.log(many / few) / math.log(SAMPLE_ROWS[1] / SAMPLE_ROWS[0])
    growth: float = max(1.0, matrix.n_rows / SAMPLE_ROWS[1]) ** min(max(power, 1.0), STEEPEST)
    return many * growth
