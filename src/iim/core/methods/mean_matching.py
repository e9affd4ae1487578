"""Predictive mean matching: a donor drawn from those whose prediction is closest."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Floats, Integers

Number = TypeVar("Number", bound=np.generic)


def draw_matches(predicted: Floats, wanted: Floats, *, n_matches: int, chances: Floats) -> Integers:
    """Draw a donor for each receiver.

    One of the ``n_matches`` donors with the closest predictions is drawn, with equal probability. Where a
    tie makes them more than ``n_matches``, the tied donors share the remaining probability equally.

    Parameters
    ----------
    predicted : ndarray of shape (n_donors,)
        Predictions of the donors, increasing.
    wanted : ndarray of shape (n_receivers,)
        Predictions of the receivers.
    n_matches : int
        Number of closest donors to draw from.
    chances : ndarray of shape (n_receivers, 2)
        Uniform random numbers between 0 and 1: the first picks the match, the second one of those tied.

    Returns
    -------
    ndarray of shape (n_receivers,)
        Positions in ``predicted``. O(log n + n_matches) per receiver.
    """
    n_matches = min(n_matches, predicted.size)
    # Predictions are sorted: the closest are at most n_matches steps to the left or to the right.
    near = np.searchsorted(predicted, wanted)[:, None] + np.arange(-n_matches, n_matches)
    inside = (near >= 0) & (near < predicted.size)
    near = np.clip(near, 0, predicted.size - 1)
    apart = np.where(inside, np.abs(predicted[near] - wanted[:, None]), np.inf)
    order = np.argsort(apart, axis=1, kind="stable")[:, :n_matches]
    rank = np.minimum((chances[:, 0] * n_matches).astype(np.intp), n_matches - 1)
    farthest = _pick(apart, order[:, -1])
    drawn = _pick(order, rank)
    match = _pick(near, drawn)
    # Ties beyond these steps: a receiver that drew a tied donor draws again, from all tied donors.
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
