"""Votes: by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.kernels.votes import DISTANCE, UNIFORM, VOTES, distance_weights, vote_block, vote_weights
from reference import paper


def weigh(candidates):
    weights = np.empty(len(candidates))
    vote_weights(np.asarray(candidates, float), weights)
    return weights


def vote(candidates, how, distance=None):
    """The value of candidates given as constant models."""
    k = len(candidates)
    coef = np.column_stack([candidates, np.zeros(k)])
    places = np.arange(k)[None]
    distance = np.ones((1, k)) if distance is None else np.asarray(distance, float)[None]
    out = np.empty((1, k)), np.empty((1, k)), np.empty(1)
    vote_block(np.zeros((k, 1)), coef, np.zeros((1, 1)), distance, places, how, *out)
    return out[2][0]


def test_weights_by_hand():
    # Summed distances of 1, 2 and 5 to the others: 5, 4 and 7.
    inverse = np.array([1 / 5, 1 / 4, 1 / 7])
    np.testing.assert_allclose(weigh([1, 2, 5]), inverse / inverse.sum())


@pytest.mark.parametrize("candidates", [[3.0], [2.0, 2.0, 2.0], [0.0] * 10])
def test_candidates_that_agree_share_the_weight(candidates):
    assert weigh(candidates).tolist() == [1 / len(candidates)] * len(candidates)


@given(hnp.arrays(float, st.integers(1, 12), elements=st.floats(-1e300, 1e300)))
def test_weights_sum_to_one_and_the_value_is_among_the_candidates(candidates):
    candidates = candidates / len(candidates) ** 2
    weights = weigh(candidates)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1.0)
    for how in (VOTES, UNIFORM, DISTANCE):
        assert candidates.min() <= vote(candidates, how) <= candidates.max()


# Away from subnormal numbers, where 1 / c in the printed formula overflows; the kernel has no such limit.
@given(hnp.arrays(float, st.integers(1, 12), elements=st.floats(-1e6, 1e6).map(lambda v: round(v, 9))))
def test_votes_are_those_of_the_witness(candidates):
    value, weights = paper.combine(candidates)
    np.testing.assert_allclose(weigh(candidates), weights, rtol=1e-9)
    assert vote(candidates, VOTES) == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_tiny_differences_do_not_overflow():
    weights = weigh([0.0, 5e-324, 1.0])
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1.0)


def test_equal_weights_are_the_plain_mean():
    assert vote([1.0, 2.0, 6.0], UNIFORM) == 3.0


def test_inverse_distance_by_hand():
    weights = np.empty(3)
    distance_weights(np.array([1.0, 4.0, 16.0]), weights)  # squared
    np.testing.assert_allclose(weights, np.array([4, 2, 1]) / 7)


def test_donors_in_the_same_place_take_all_the_weight():
    assert vote([1.0, 3.0, 100.0], DISTANCE, distance=[0.0, 0.0, 1.0]) == 2.0
