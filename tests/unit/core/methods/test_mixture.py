"""A mixture seen from what rows know, against SciPy's densities; and its rounds at their limits."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from iim.core.methods import mixture as module
from iim.core.methods.mixture import Block, Mixture, fill_block, improve, look_from, training_blocks
from strategies import untied

ONE = Mixture(np.array([1.0]), np.array([[1.0, 10.0]]), np.array([[[4.0, 2.0], [2.0, 3.0]]]))
"""The regression of the second column on the first has the slope 2 / 4, and leaves 3 - 2 * 2 / 4 = 2."""


def at(*columns):
    return np.array(columns, np.intp)


def test_a_view_by_hand():
    view, x = look_from(ONE, at(0), at(1)), np.array([[1.0], [5.0], [-3.0]])
    shares, log_density = view.posterior(x)
    assert shares.tolist() == [[1]] * 3
    # On the mean, and two standard deviations of 2 away.
    np.testing.assert_allclose(log_density + 0.5 * np.log(2 * np.pi * 4), [0, -2, -2], atol=1e-14)
    np.testing.assert_allclose(view.expected(x), [[[10]], [[12]], [[8]]], rtol=1e-14)
    np.testing.assert_allclose(view.left, [[[2]]], rtol=1e-14)
    assert fill_block(ONE, Block(at(0), at(1), at(0, 1, 2)), x, how="mean").tolist() == [[10]] * 3


@pytest.mark.parametrize("observed", [[0], [2, 3], [0, 1, 3], [0, 1, 2, 3]])
def test_densities_are_those_of_scipy_and_expectations_those_of_regression(observed):
    random, known = np.random.default_rng(0), 3 * untied(25, 4)[:, observed]
    spreads = random.normal(size=(3, 4, 4))
    covariances = spreads @ spreads.transpose(0, 2, 1) + 0.5 * np.eye(4)
    mixture = Mixture(random.dirichlet(np.ones(3)), 2 * random.normal(size=(3, 4)), covariances)
    targets = [column for column in range(4) if column not in observed]
    joint, told = [], []
    for weight, mean, covariance in zip(mixture.weights, mixture.means, mixture.covariances, strict=True):
        inner = covariance[np.ix_(observed, observed)]
        joint.append(np.log(weight) + multivariate_normal(mean[observed], inner).logpdf(known))
        slopes = np.linalg.solve(inner, covariance[np.ix_(observed, targets)])
        told.append(mean[targets] + (known - mean[observed]) @ slopes)
    expected = np.exp(np.array(joint) - logsumexp(joint, axis=0)).T
    shares, log_density = look_from(mixture, at(*observed), at(*targets)).posterior(known)
    np.testing.assert_allclose(log_density, logsumexp(joint, axis=0), rtol=1e-11)
    np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-14)
    block = Block(at(*observed), at(*targets), np.arange(25))
    for how, said in (("conditional", np.array(told)), ("mean", mixture.means[:, None, targets])):
        filled = fill_block(mixture, block, known, how=how)
        blended = (expected.T[:, :, None] * said).sum(axis=0)
        np.testing.assert_allclose(filled, blended, rtol=1e-8, atol=1e-11)
        alone = np.vstack([fill_block(mixture, block, row[None], how=how) for row in known])
        assert filled.tobytes() == alone.tobytes()


def test_rows_beyond_all_measure_have_shares_and_a_density():
    # Far out the wider one has all; beyond what can be squared, both are as far.
    mixture = Mixture(np.array([0.9, 0.1]), np.zeros((2, 2)), np.stack([np.eye(2), 4 * np.eye(2)]))
    shares, log_density = look_from(mixture, at(0), at(1)).posterior(np.array([[-1e9], [1e100], [1e308]]))
    assert shares[:2].tolist() == [[0, 1], [0, 1]]
    np.testing.assert_allclose(shares[2].sum(), 1, rtol=1e-14)
    np.testing.assert_allclose(log_density, [-1e18 / 8, -1e200 / 8, -1e300 / 2], rtol=1e-14)


def test_blocks_hold_each_row_that_knows_something_once_complete_ones_first(monkeypatch):
    missing = np.array([[0, 1], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0], [0, 1], [0, 0]], bool)
    monkeypatch.setattr(module, "BLOCK_ROWS", 2)
    told = [[*map(list, (block.rows, block.observed, block.targets))] for block in training_blocks(missing)]
    complete, holed = [[[1, 5], [0, 1], []], [[7], [0, 1], []]], [[[0, 3], [0], [1]], [[6], [0], [1]]]
    assert told == [*complete, *holed, [[4], [1], [0]]]
    assert training_blocks(np.ones((3, 2), bool)) == []


def test_one_component_rests_after_one_round_from_anywhere():
    points, start = untied(80, 3), Mixture(np.ones(1), np.array([[7.0, -8.0, 9.0]]), 30 * np.eye(3)[None])
    once, told = improve(start, points, training_blocks(np.zeros(points.shape, bool)), reg_covar=0.25)
    np.testing.assert_allclose(once.means, [points.mean(axis=0)], rtol=1e-11)
    covariance = np.cov(points.T, bias=True) + 0.25 * np.eye(3)
    np.testing.assert_allclose(once.covariances, [covariance], rtol=1e-10)
    # The likelihood is that of the mixture given, not of the one returned.
    assert told == pytest.approx(multivariate_normal([7, -8, 9], 30 * np.eye(3)).logpdf(points).mean())


def test_a_round_with_a_hole_by_hand():
    # It is expected at 10 + (5 - 1) / 2 = 12, and around it with the variance 2, whatever it holds.
    missing = np.array([[0, 0], [0, 1]], bool)
    densities = multivariate_normal([1, 10], [[4, 2], [2, 3]]).logpdf([1, 8]), norm(1, 2).logpdf(5)
    for held in (0.0, 1e9, np.nan):
        after, told = improve(ONE, np.array([[1, 8], [5, held]]), training_blocks(missing), reg_covar=0.0)
        assert (after.weights.tolist(), told) == ([1], pytest.approx(sum(densities) / 2, rel=1e-12))
        np.testing.assert_allclose(after.means, [[3, 10]], rtol=1e-13)
        np.testing.assert_allclose(after.covariances, [[[4, 4], [4, 4 + 2 / 2]]], rtol=1e-13)


def test_a_component_that_no_row_belongs_to_keeps_its_place_and_harms_nobody():
    points, means = np.array([[0.0, 0.1], [1.0, 0.1], [2.0, 0.1]]), np.array([[1.0, 0.0], [1e6, 1e6]])
    far = Mixture(np.array([0.5, 0.5]), means, np.stack([np.eye(2)] * 2))
    after, _ = improve(far, points, training_blocks(np.zeros((3, 2), bool)), reg_covar=1e-3)
    assert 0 < after.weights[1] < 1e-14
    np.testing.assert_allclose(after.means, [[1, 0.1], [1e6, 1e6]], rtol=1e-13)
    # A constant column has the variance that is added; so has a component without rows.
    expected = [np.diag([2 / 3 + 1e-3, 1e-3]), np.diag([1e-3, 1e-3])]
    np.testing.assert_allclose(after.covariances, expected, rtol=1e-12, atol=1e-14)


def test_the_first_mixture_has_the_groups_own_means_and_covariances():
    points = np.array([[0.0, 0.0], [2.0, 4.0], [7.0, 0.1]])
    first = module.begin_mixture(points, np.zeros((3, 2), bool), at(0, 0, 1), reg_covar=0.5)
    np.testing.assert_allclose(first.weights, [2 / 3, 1 / 3], rtol=1e-15)
    assert first.means.tolist() == [[1, 2], [7, 0.1]]
    assert first.covariances.tolist() == [[[1.5, 2], [2, 4.5]], [[0.5, 0], [0, 0.5]]]
