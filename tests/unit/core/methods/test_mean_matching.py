"""Donors drawn by prediction: every chance counted, against sorting all of them."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from iim.core.methods.mean_matching import draw_matches


def drawn(predicted, wanted, n_matches, *chances):
    predicted, wanted = np.asarray(predicted, float), np.full(len(chances), float(wanted))
    return draw_matches(predicted, wanted, n_matches=n_matches, chances=np.asarray(chances, float)).tolist()


def counted(predicted, wanted, n_matches):
    """Chance of each donor, exactly: both random numbers run over a lattice that all of them divide."""
    sizes = min(n_matches, len(predicted)), lcm(*range(1, len(predicted) + 1))
    lattice = (np.argwhere(np.ones(sizes)) + 0.5) / sizes
    times = np.bincount(drawn(predicted, wanted, n_matches, *lattice), minlength=len(predicted))
    return [Fraction(int(count), len(lattice)) for count in times]


def expected(predicted, wanted, n_matches):
    """By sorting: what is nearer than the last match has a whole chance, what is as far shares the rest."""
    apart = [abs(value - wanted) for value in predicted]
    n_matches = min(n_matches, len(apart))
    last = sorted(apart)[n_matches - 1]
    left = n_matches - sum(one < last for one in apart)
    shared = Fraction(left, n_matches * apart.count(last))
    whole, nothing = Fraction(1, n_matches), Fraction(0)
    return [whole if one < last else shared if one == last else nothing for one in apart]


def test_by_hand():
    # From 4.2 the predictions are 3.2, 0.8, 2.8 and 5.8 away: the second, the third and the first are near.
    predicted = [1, 5, 7, 10]
    assert drawn(predicted, 4.2, 3, (0.1, 0.5), (0.4, 0.5), (0.9, 0.5)) == [1, 2, 0]
    # 6 is as far from 5 as from 7: for one match, the second number decides.
    assert drawn(predicted, 6, 1, (0.5, 0.4), (0.5, 0.6)) == [1, 2]
    assert drawn(predicted, 6, 2, (0.1, 0.9), (0.9, 0.1)) == [1, 2]
    assert drawn(predicted, 6, 3, (0.1, 0.9), (0.4, 0.9), (0.9, 0.9)) == [1, 2, 3]


def test_random_numbers_at_their_ends_draw_a_donor():
    ends = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    assert drawn([1, 5, 7, 10], 4.2, 3, *ends) == [1, 1, 0, 0]
    assert drawn([2, 2, 2], 2, 1, *ends) == [0, 2, 0, 2]


def test_a_single_donor_is_always_drawn():
    assert drawn([3.0], -1e9, 5, (0.0, 0.3), (0.7, 0.9)) == [0, 0]


@pytest.mark.parametrize("n_matches", [1, 2, 5, 99])
def test_equal_predictions_are_drawn_alike(n_matches):
    assert counted([4] * 5, 4, n_matches) == counted([4] * 5, -7, n_matches) == [Fraction(1, 5)] * 5


@pytest.mark.parametrize(
    "predicted",
    [
        [0, 1, 3, 6, 10, 15],
        [0, 0, 0, 1, 2, 2, 3],
        [-2, -1, -1, 0, 1, 1, 2, 2],
        [0, 0, 4, 4, 4, 8, 8],
        [5],
        [1, 9],
    ],
)
def test_every_chance_is_as_sorting_says(predicted):
    for n_matches in range(1, len(predicted) + 2):
        for wanted in np.arange(min(predicted) - 2, max(predicted) + 2.5, 0.5):
            chances = counted(predicted, wanted, n_matches)
            assert sum(chances) == 1
            assert chances == expected(predicted, wanted, n_matches), (wanted, n_matches)


def test_a_long_run_of_ties_far_beyond_the_matches_is_reached_to_its_ends():
    predicted = np.repeat([0.0, 1.0], 1000)
    assert drawn(predicted, 0.5, 2, (0.2, 0.0), (0.2, 0.49999), (0.7, 0.50001), (0.7, 0.99999)) == [
        0,
        999,
        1000,
        1999,
    ]
    assert drawn(predicted, 1.0, 1, (0.2, 0.0), (0.2, 0.99999)) == [1000, 1999]


def test_a_shift_and_a_unit_change_no_draw():
    random = np.random.default_rng(0)
    predicted, wanted = np.sort(random.integers(-20, 20, size=50)), random.integers(-25, 25, size=400)
    chances = random.random((400, 2))
    plain = draw_matches(predicted * 1.0, wanted * 1.0, n_matches=6, chances=chances)
    for shift, unit in ((2.0**20, 1.0), (0.0, 2.0**900), (0.0, 2.0**-1000)):
        moved = draw_matches(
            (predicted + shift) * unit, (wanted + shift) * unit, n_matches=6, chances=chances
        )
        assert moved.tolist() == plain.tolist()


def test_a_receiver_does_not_know_of_others():
    random = np.random.default_rng(1)
    predicted, wanted = np.sort(np.round(random.normal(size=80), 1)), np.round(random.normal(size=60), 1)
    chances = random.random((60, 2))
    alone = [drawn(predicted, one, 4, chance)[0] for one, chance in zip(wanted, chances, strict=True)]
    assert draw_matches(predicted, wanted, n_matches=4, chances=chances).tolist() == alone
