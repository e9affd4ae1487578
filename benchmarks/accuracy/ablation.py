"""What each improvement of the default is worth: the default with one of them switched off, in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from accuracy.contenders import DEFAULT, PAPER, PLAIN_KEY, SWITCHED_OFF
from accuracy.scoring import Comparison, Scores, compare_pair, read_scores
from accuracy.tables import PATTERNS

BESIDE = (PLAIN_KEY, PAPER)
"""Methods without any of the improvements, shown below, where they were run on the same tasks."""


@dataclass(frozen=True)
class Effect:
    """A method beside the default, on the tasks that the whole table is about.

    Attributes
    ----------
    method : str
        Key of a contender.
    mean : float
        Mean error.
    by_pattern : dict of str to float
        Mean error by pattern.
    pair : Comparison
        The default (ours) against it (theirs).
    fit_time : float
        Median over runs of its time to fit, in times of the default's.
    overshoot : float
        The largest distance of a fill from the observed range of its column, in widths of that range.
    """

    method: str
    mean: float
    by_pattern: dict[str, float]
    pair: Comparison
    fit_time: float
    overshoot: float

    @property
    def more(self) -> float:
        """By which part of the default's its mean error is higher."""
        return self.pair.theirs / self.pair.ours - 1.0


@dataclass(frozen=True)
class Ablation:
    """The whole table.

    Attributes
    ----------
    stage : {"development", "final"}
        Which runs.
    n_tasks : int
        Tasks on which the default and all that is switched off have an error.
    seeds : list of int
        Of these runs.
    default : Effect
        The default beside itself.
    effects : list of Effect
        What is switched off, in the order of ``SWITCHED_OFF``; then ``BESIDE``.
    """

    stage: str
    n_tasks: int
    seeds: list[int]
    default: Effect
    effects: list[Effect]


def read_ablation(folder: Path, *, stage: str, n_seeds: int | None = None) -> Ablation | None:
    """The ablation of a folder of records.

    Parameters
    ----------
    folder : path
        Where ``run`` has kept them.
    stage : {"development", "final"}
        Which runs.
    n_seeds : int or None, default=None
        How many seeds; None for all that the ablation has.

    Returns
    -------
    Ablation or None
        None if there is no record of it, or none of the default on the same tables.
    """
    switched = read_scores(folder, stage=stage, methods=list(SWITCHED_OFF), n_seeds=n_seeds)
    if switched is None:
        return None
    # The default may have been run with more seeds; medians over other seeds are not compared.
    n_common = max(switched.seeds) + 1
    scores = read_scores(
        folder, stage=stage, methods=[DEFAULT, *BESIDE, *switched.methods], n_seeds=n_common
    )
    return None if scores is None else make_ablation(scores)


def make_ablation(scores: Scores) -> Ablation | None:
    """The table of some scores; None if the default and what is switched off have no task in common."""
    switched = [method for method in SWITCHED_OFF if method in scores.methods]
    common = _known(scores, [DEFAULT, *switched])
    if not switched or not common.any():
        return None
    beside = [method for method in BESIDE if not (common & ~_known(scores, [method])).any()]
    shared = scores.limited(common)
    return Ablation(
        scores.stage,
        int(common.sum()),
        scores.seeds,
        _effect(shared, DEFAULT),
        [_effect(shared, method) for method in (*switched, *beside)],
    )


def ablation_rows(ablation: Ablation, labels: dict[str, str]) -> Iterator[list[str]]:
    """One row for each method, the first being the head."""
    patterns = [name for name in PATTERNS if not np.isnan(ablation.default.by_pattern[name])]
    yield [
        "settings",
        "all",
        *patterns,
        "error",
        "better / equal / worse",
        "Wilcoxon p",
        "beyond range",
        "fit time",
    ]
    for one in (ablation.default, *ablation.effects):
        pair = one.pair
        numbers = [f"{one.mean:.4f}", *(f"{one.by_pattern[name]:.4f}" for name in patterns)]
        is_default = one is ablation.default
        # From the side of the method in the row: the default's losses are where it is better.
        counts = f"{pair.losses} / {pair.ties} / {pair.wins}"
        against = ["", "", ""] if is_default else [f"{one.more:+.1%}", counts, f"{pair.p_value:.2g}"]
        yield [labels[one.method], *numbers, *against, f"{one.overshoot:.2g}", f"{one.fit_time:.2f} x"]


def _effect(scores: Scores, method: str) -> Effect:
    pair = compare_pair(scores, DEFAULT, method)
    assert pair is not None
    by_pattern = {name: scores.mean(method, scores.where(pattern=name)) for name in PATTERNS}
    fit_time = scores.time_ratio(method, DEFAULT, "fit")
    return Effect(method, scores.mean(method), by_pattern, pair, fit_time, scores.overshoot(method))


def _known(scores: Scores, methods: Sequence[str]) -> np.ndarray:
    """Tasks on which all of these methods have an error."""
    return ~np.any([np.isnan(scores.of(method)) for method in methods], axis=0)
