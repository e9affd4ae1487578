"""What the asked donors' models say, and how it is weighed: by hand, and what always holds."""

from dataclasses import replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.learning import PatternModels
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.patterns import Pattern
from iim.core.voting import WEIGHTS, candidate_limits, cast_votes
from iim.kernels.validation import Validation
from reference import better


def models_of(points, values, slopes=0.0, *, weights="votes", exponent=0):
    """Donors whose models have their own value, and the given slopes."""
    points = np.array(points, float).reshape(len(values), -1)
    n_donors, n_columns = points.shape
    pattern = Pattern(tuple(range(n_columns)), n_columns)
    tree = index_donors(points)
    models = PatternModels.unlearned(
        Problem(pattern, pattern.observed, np.arange(n_donors), Fallback.NONE),
        tree,
        np.array([1]),
        Validation(np.zeros(n_donors + 1, np.intp), np.empty(0, np.intp)),
        (np.array(values, float), exponent),
        IDENTITY,
        level="fitted",
        weights=weights,
    )
    steep = np.broadcast_to(np.asarray(slopes, float), points.shape)
    coef = np.column_stack([models.targets, steep[tree.donor]])
    return replace(models, coef=coef, n_learning=np.ones(n_donors, np.intp))


def vote(models, queries, *, k=3, reach=np.inf, context=None):
    context = context or Context()
    queries = np.array(queries, float).reshape(-1, models.tree.points.shape[1])
    neighbors = nearest_donors(models.tree, queries, n_neighbors=k, context=context)
    return cast_votes(models, queries, neighbors, reach=reach, context=context)


# Donors at 0, 2 and 4 say 1, 2 and 5 of a receiver at 1: squared distances are 1, 1 and 9, and the
# candidates lie 5, 4 and 7 apart from the others.
BY_HAND = {
    "votes": ([28 / 83, 35 / 83, 20 / 83], 198 / 83),
    "uniform": ([1 / 3, 1 / 3, 1 / 3], 8 / 3),
    "distance": ([3 / 7, 3 / 7, 1 / 7], 2.0),
    "closest": ([9 / 19, 9 / 19, 1 / 19], 32 / 19),
}


@pytest.mark.parametrize("way", BY_HAND)
def test_each_way_to_weigh_by_hand(way):
    votes = vote(models_of([0, 2, 4], [1, 2, 5], weights=way), [1])
    assert votes.candidates.tolist() == [[1, 2, 5]]
    weights, value = BY_HAND[way]
    np.testing.assert_allclose(votes.weights, [weights], rtol=1e-15)
    np.testing.assert_allclose(votes.values, [value], rtol=1e-15)


def test_models_speak_of_the_receiver_not_of_their_donor():
    # From 1 at 0 with slope 2, and from 8 at 4 with slope -0.5: at 3 these say 7 and 8.5.
    votes = vote(models_of([0, 4], [1, 8], [[2], [-0.5]]), [3], k=2)
    assert votes.candidates.tolist() == [[8.5, 7.0]]  # the nearest first
    assert votes.values.tolist() == [7.75]


def test_the_unit_of_the_models_is_that_of_the_table_in_the_end():
    small, large = (vote(models_of([0, 2, 4], [1, 2, 5], 0.5, exponent=by), [1]) for by in (0, 3))
    assert large.candidates.tolist() == (8 * small.candidates).tolist()
    assert large.values.tolist() == (8 * small.values).tolist()
    assert large.weights.tolist() == small.weights.tolist()


@pytest.mark.parametrize(("reach", "said"), [(0.0, 5.0), (0.25, 6.0), (1.0, 9.0), (np.inf, 401.0)])
def test_candidates_go_no_further_than_they_may(reach, said):
    # Values from 1 to 5: their range is 4 wide. With a slope of 4 each, they say 389, 395 and 401 of 100.
    models = models_of([0, 2, 4], [1, 3, 5], 4.0)
    free = np.array([389.0, 395.0, 401.0])
    assert vote(models, [100], reach=reach).candidates.tolist() == [np.minimum(free, said).tolist()]
    assert vote(models, [-100], reach=1.0).values.tolist() == [-3.0]


def test_limits_lie_as_far_below_as_above_and_move_with_the_values():
    known = np.array([-2.0, 6.0, 1.0])
    assert candidate_limits(known, 0.25) == (-4.0, 8.0)
    assert candidate_limits(known + 16, 0.25) == (12.0, 24.0)
    assert candidate_limits(-4 * known, 0.25) == (-32.0, 16.0)
    assert candidate_limits(known[:1], 7.0) == (-2.0, -2.0)  # one donor: there is no range
    assert candidate_limits(known[:1], np.inf) == (-np.inf, np.inf)


@pytest.mark.parametrize("way", WEIGHTS)
def test_who_is_asked_alone_decides_alone(way):
    votes = vote(models_of([0, 2, 4], [1, 2, 5], weights=way), [3.5], k=1)
    assert votes.weights.tolist() == [[1.0]]
    assert votes.values.tolist() == [5.0]


@pytest.mark.parametrize(("way", "value"), [("distance", 1.5), ("closest", 1.5), ("uniform", 3.0)])
def test_donors_in_the_receivers_place_leave_nothing_to_others(way, value):
    assert vote(models_of([1, 1, 4], [1, 2, 6], weights=way), [1]).values.tolist() == [value]


@pytest.mark.parametrize("way", WEIGHTS)
def test_a_constant_column_is_filled_with_its_value(way):
    votes = vote(models_of([0, 2, 4], [0.3] * 3, [[9], [-7], [0]], weights=way), [[1], [50]], reach=1.0)
    assert votes.values.tolist() == [0.3, 0.3]


@pytest.mark.parametrize("way", WEIGHTS)
def test_any_vote_is_that_of_the_witness_and_keeps_the_rules(way):
    rng = np.random.default_rng(3)
    points, values, slopes = rng.normal(size=(40, 2)), rng.normal(size=40), rng.normal(size=(40, 2))
    queries = np.vstack([rng.normal(size=(20, 2)), points[:3]])
    models = models_of(points, values, slopes, weights=way)
    votes = vote(models, queries, k=6, reach=0.2)
    np.testing.assert_allclose(votes.weights.sum(axis=1), 1.0, rtol=1e-14)
    assert (votes.weights >= 0).all()
    assert (votes.values >= votes.candidates.min(axis=1)).all()
    assert (votes.values <= votes.candidates.max(axis=1)).all()
    for query, said, value in zip(queries, votes.candidates, votes.values, strict=True):
        d = ((points - query) ** 2).sum(axis=1)
        asked = np.argsort(d, kind="stable")[:6]
        candidates = values[asked] + ((query - points[asked]) * slopes[asked]).sum(axis=1)
        candidates = np.clip(candidates, *better.limits(values, 0.2))
        np.testing.assert_allclose(said, candidates, rtol=1e-12, atol=1e-13)
        assert value == pytest.approx(better.combined(candidates, d[asked], way), rel=1e-9)
    parts = vote(models, queries, k=6, reach=0.2, context=Context(2, 4))
    assert parts.values.tobytes() == votes.values.tobytes()
    assert parts.weights.tobytes() == votes.weights.tobytes()
