"""What must hold on the final tasks, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from accuracy.contenders import AUTO, DEFAULT, PAPER, PLAIN_KEY, TREES, contenders
from accuracy.scoring import Scores, compare_pair

BELOW_PAPER, BELOW_TREES, AUTO_BELOW_TREES = 0.15, 0.03, 0.06
"""By which part mean errors must be lower."""

MOST_OVERSHOOT = 1.0
"""Widths of the observed range that a fill may be away from it."""

MOST_FIT_TIME = 8.0
"""Times of the plain adaptive IIM."""

PEERS_OF_DEFAULT = (
    "sk-knn",
    "sk-knn-scaled",
    "sk-bayes",
    "sk-extra-trees",
    "sk-hist-gb",
    "sk-random-forest",
)
"""What the default must be below; and the package MissForest, where it was run."""


@dataclass(frozen=True)
class Verdict:
    """A target and what was measured.

    Attributes
    ----------
    target, measured : str
        In words.
    met : bool
        Whether it holds; not, if something was not measured.
    """

    target: str
    measured: str
    met: bool


def check(scores: Scores) -> list[Verdict]:
    """All targets, in the order in which they were set."""
    return [*_of_default(scores), *_of_auto(scores)]


def _of_default(scores: Scores) -> Iterator[Verdict]:
    yield _below(scores, DEFAULT, PAPER, BELOW_PAPER)
    yield _below(scores, DEFAULT, TREES, BELOW_TREES)
    for peer in (*PEERS_OF_DEFAULT, *({"missforest"} & set(scores.methods))):
        yield _below(scores, DEFAULT, peer, 0.0)
    pair = compare_pair(scores, DEFAULT, TREES)
    share = math.nan if pair is None else pair.wins / pair.n_tasks
    said = "not measured" if pair is None else f"{pair.wins} of {pair.n_tasks} tasks"
    target = f"{_label(DEFAULT)} ahead of {_label(TREES)} on more than half of the tasks"
    yield Verdict(target, said, share > 0.5)
    overshoot = scores.overshoot(DEFAULT)
    target = f"{_label(DEFAULT)}: no fill more than {MOST_OVERSHOOT:g} x its column's range away from it"
    yield Verdict(target, f"{_number(overshoot)} x", overshoot <= MOST_OVERSHOOT)
    ratio = scores.time_ratio(DEFAULT, PLAIN_KEY, "fit")
    target = f"{_label(DEFAULT)}: fit time at most {MOST_FIT_TIME:g} x that of {_label(PLAIN_KEY)}"
    yield Verdict(target, f"{_number(ratio)} x", ratio <= MOST_FIT_TIME)


def _of_auto(scores: Scores) -> Iterator[Verdict]:
    others = [method for method in scores.methods if method != AUTO]
    ahead = {method: pair for method in others if (pair := compare_pair(scores, AUTO, method)) is not None}
    best = min(ahead, key=lambda method: ahead[method].below, default=None)
    target = f"{_label(AUTO)}: the lowest mean error of all"
    if best is None:
        yield Verdict(target, "not measured", met=False)
    else:
        pair = ahead[best]
        said = f"{pair.ours:.4f}; the nearest is {_label(best)} with {pair.theirs:.4f}"
        yield Verdict(target, said, pair.ours < pair.theirs)
    yield _below(scores, AUTO, TREES, AUTO_BELOW_TREES)
    ranking = scores.ranking()
    places = {} if ranking is None else dict(ranking.ranks)
    rest = [rank for method, rank in places.items() if method != AUTO]
    mine = places.get(AUTO, math.nan)
    said = f"{_number(mine)}; the best other one has {_number(min(rest, default=math.nan))}"
    target = f"{_label(AUTO)}: the best mean rank of all"
    yield Verdict(target, said, bool(rest) and mine < min(rest))


def _below(scores: Scores, ours: str, theirs: str, least: float) -> Verdict:
    pair = compare_pair(scores, ours, theirs)
    how = f"at least {least:.0%} below" if least else "below"
    target = f"{_label(ours)}: mean error {how} that of {_label(theirs)}"
    if pair is None:
        return Verdict(target, "not measured", met=False)
    said = f"{pair.below:+.1%} below ({pair.ours:.4f} against {pair.theirs:.4f}, {pair.n_tasks} tasks)"
    return Verdict(target, said, pair.below >= least if least else pair.ours < pair.theirs)


def _label(method: str) -> str:
    known = contenders()
    return known[method].label if method in known else method


def _number(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.3g}"
