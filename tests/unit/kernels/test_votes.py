"""Votes: by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.kernels.votes import (
    CLOSEST,
    DISTANCE,
    UNIFORM,
    VOTES,
    combine_block,
    near_weights,
    predict_block,
    vote_weights,
)
from reference import better, paper


def weigh(candidates):
    weights = np.empty(len(candidates))
    vote_weights(np.asarray(candidates, float), weights)
    return weights


def vote(candidates, how, distance=None, low=-np.inf, high=np.inf):
    """The value of candidates given as constant models."""
    k = len(candidates)
    coef = np.column_stack([candidates, np.zeros(k)])
    places = np.arange(k)[None]
    distance = np.ones((1, k)) if distance is None else np.asarray(distance, float)[None]
    said, weights, values = np.empty((1, k)), np.empty((1, k)), np.empty(1)
    predict_block(np.zeros((k, 1)), coef, np.zeros((1, 1)), places, low, high, said)
    combine_block(said, distance, how, weights, values)
    return values[0]


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
    for how in (VOTES, UNIFORM, DISTANCE, CLOSEST):
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
    near_weights(np.array([1.0, 4.0, 16.0]), rooted=True, weights=weights)  # squared
    np.testing.assert_allclose(weights, np.array([4, 2, 1]) / 7)


def test_donors_in_the_same_place_take_all_the_weight():
    assert vote([1.0, 3.0, 100.0], DISTANCE, distance=[0.0, 0.0, 1.0]) == 2.0


def closest(distance):
    weights = np.empty(len(distance))
    near_weights(np.asarray(distance, float), rooted=False, weights=weights)
    return weights


def test_weights_by_squared_distance_by_hand():
    # Distances are given squared.
    np.testing.assert_allclose(closest([1.0, 2.0, 4.0]), np.array([4, 2, 1]) / 7)
    assert closest([0.0, 3.0, 0.0]).tolist() == [0.5, 0.0, 0.5]
    assert closest([0.0, 0.0]).tolist() == [0.5, 0.5]
    assert closest([5.0]).tolist() == [1.0]


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300])
def test_squared_distances_of_any_size(size):
    assert closest([size, size]).tolist() == [0.5, 0.5]
    weights = closest([size, 1.0])
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0 if size < 1 else 1] == pytest.approx(1.0)


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6).map(lambda v: round(v, 6))), min_size=1),
    st.sampled_from(["votes", "uniform", "distance", "closest"]),
)
def test_every_way_to_combine_is_that_of_the_witness(said, way):
    candidates, distance = np.array(said).T.copy()
    candidates = candidates.round(6)
    how = {"votes": VOTES, "uniform": UNIFORM, "distance": DISTANCE, "closest": CLOSEST}[way]
    expected = better.combined(candidates, distance, way)
    assert vote(candidates, how, distance) == pytest.approx(expected, rel=1e-9, abs=1e-6)
    weights, values = np.empty((1, len(said))), np.empty(1)
    combine_block(candidates[None].copy(), distance[None].copy(), how, weights, values)
    assert values[0] == vote(candidates, how, distance)


@pytest.mark.parametrize("how", [VOTES, UNIFORM, DISTANCE, CLOSEST])
def test_candidates_are_cut_off_before_they_are_weighed(how):
    distance = [1.0, 2.0, 5.0]
    cut = vote([-9.0, 0.5, 40.0], how, distance, low=-1.0, high=2.0)
    assert cut == vote([-1.0, 0.5, 2.0], how, distance)
    assert vote([7.0, 8.0, 9.0], how, distance, low=-1.0, high=2.0) == 2.0
