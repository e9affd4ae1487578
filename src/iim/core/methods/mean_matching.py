"""Predictive mean matching: a donor drawn from those whose prediction is closest."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Floats, Integers

Number = TypeVar("Number", bound=np.generic)


def draw_matches(predicted: Floats, wanted: Floats, *, n_matches: int, chances: Floats) -> Integers:
    """Draw a donor for each wanted value.

    One of the ``n_matches`` donors with the closest predictions is drawn, all with the same chance. Where
    more are equally close than there is room for, none of these is preferred: each of them gets the same
    part of the chances that are left.

    Parameters
    ----------
    predicted : ndarray of shape (n_donors,)
        Predictions of the donors, increasing.
    wanted : ndarray of shape (n_receivers,)
        Predictions of the receivers.
    n_matches : int
        Among how many one is drawn.
    chances : ndarray of shape (n_receivers, 2)
        Random numbers between 0 and 1: which match; which of those equally close.

    Returns
    -------
    ndarray of shape (n_receivers,)
        Positions in ``predicted``. O(log n + n_matches) per receiver.
    """
    n_matches = min(n_matches, predicted.size)
    # The closest lie within as many steps to the left and to the right.
    near = np.searchsorted(predicted, wanted)[:, None] + np.arange(-n_matches, n_matches)
    inside = (near >= 0) & (near < predicted.size)
    near = np.clip(near, 0, predicted.size - 1)
    apart = np.where(inside, np.abs(predicted[near] - wanted[:, None]), np.inf)
    order = np.argsort(apart, axis=1, kind="stable")[:, :n_matches]
    rank = np.minimum((chances[:, 0] * n_matches).astype(np.intp), n_matches - 1)
    farthest = _pick(apart, order[:, -1])
    drawn = _pick(order, rank)
    match = _pick(near, drawn)
    # Equal predictions beyond those in reach: whoever drew one of these draws again, from all of them.
    tied = apart == farthest[:, None]
    below = predicted[near] <= wanted[:, None]
    low, n_low = _equal_run(predicted, near, tied & below)
    high, n_high = _equal_run(predicted, near, tied & ~below)
    n_chosen = np.take_along_axis(tied, order, axis=1).sum(axis=1)
    again = (_pick(apart, drawn) == farthest) & (n_low + n_high > n_chosen)
    at = np.minimum((chances[:, 1] * (n_low + n_high)).astype(np.intp), n_low + n_high - 1)
    return np.where(again, np.where(at < n_low, low + at, high + at - n_low), match)


def _pick(values: npt.NDArray[Number], at: Integers) -> npt.NDArray[Number]:
    """The entry at position ``at`` of each row."""
    return np.take_along_axis(values, at[:, None], axis=1)[:, 0]


def _equal_run(predicted: Floats, near: Integers, tied: Booleans) -> tuple[Integers, Integers]:
    """First position and length of the run of predictions equal to a tied one; length 0 if none is."""
    value = predicted[_pick(near, tied.argmax(axis=1))]
    first = np.searchsorted(predicted, value, side="left")
    length = np.searchsorted(predicted, value, side="right") - first
    return first, np.where(tied.any(axis=1), length, 0)
