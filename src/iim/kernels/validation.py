"""Validation rows of each donor: the inverse of the lists of nearest donors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from iim._arrays import Booleans, Integers
from iim.kernels._jit import kernel


class Validation(NamedTuple):
    """The validation rows (*judges*) of each donor, by place."""

    first: Integers
    """(n_donors + 1,): start of each place's list in ``judges``."""
    judges: Integers
    """(n_pairs,): places of the validation rows. In row order within a list; nearest first for a donor that
    is among no one's nearest."""


def judge_lists(nearest: Integers, place: Integers) -> Validation:
    """Invert lists of nearest donors.

    Parameters
    ----------
    nearest : ndarray of shape (n_donors, k)
        Places of the nearest other donors of the donor at each place, nearest first.
    place : ndarray of shape (n_donors,)
        The place of each donor in row order.

    Returns
    -------
    Validation
        The list of i holds each j that has i among its nearest; where there is none, the nearest of i.
        Time and memory O(n k).
    """
    n_donors, n_nearest = nearest.shape
    n_judges = np.bincount(nearest.ravel(), minlength=n_donors)
    alone = n_judges == 0
    first = np.zeros(n_donors + 1, np.intp)
    np.cumsum(np.where(alone, n_nearest, n_judges), out=first[1:])
    validation = Validation(first, np.empty(first[-1], np.intp))
    _turn_around(nearest, place, alone, validation)
    return validation


@kernel
def _turn_around(nearest: Integers, place: Integers, alone: Booleans, validation: Validation) -> None:
    """Fill the lists, whose starts are known."""
    n_donors, n_nearest = nearest.shape
    first, judges = validation.first, validation.judges
    free = first[:-1].copy()
    for donor in range(n_donors):
        other = place[donor]
        for at in range(n_nearest):
            i = nearest[other, at]
            judges[free[i]] = other
            free[i] += 1
        if alone[other]:
            for at in range(n_nearest):
                judges[first[other] + at] = nearest[other, at]
