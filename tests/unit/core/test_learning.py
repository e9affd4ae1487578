"""Individual models: by hand, their limits, and against the paper's algorithms as they are printed."""

from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from iim.core.distances import IDENTITY
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.learning import PatternModels, learn_models, learning_costs
from iim.core.learning_size import find_judges, usable_grid
from iim.core.neighbors import index_donors
from iim.core.patterns import Pattern
from iim.core.scaling import Scaling
from iim.core.settings import PAPER, Settings
from reference import better, paper
from strategies import untied

PLAIN = {one.name: PAPER[one.name] for one in fields(Settings)} | {"reach": np.inf}
ELLS = (1, 2, 5, 9, 20)
SETTINGS = Settings(**PLAIN | {"n_neighbors": 3, "learning_grid": ELLS, "alpha": 0.1, "penalty": "slopes"})


def donors(X, Y, settings=SETTINGS, *, exponent=0):
    """Donors without a model yet."""
    X, Y = np.array(X, float).reshape(len(Y), -1), np.array(Y, float)
    pattern = Pattern(tuple(range(X.shape[1])), X.shape[1])
    tree, grid = index_donors(X), usable_grid(settings.learning_grid, len(Y))
    judges = find_judges(tree, grid, n_neighbors=settings.n_neighbors, context=Context())
    problem = Problem(pattern, pattern.observed, np.arange(len(Y)), Fallback.NONE)
    how = {"level": settings.level, "weights": settings.weights}
    return PatternModels.unlearned(problem, tree, grid, judges, (Y, exponent), IDENTITY, **how)


def learned(models, settings=SETTINGS, places=None, **how):
    return learn_models(models, places, settings=settings, context=Context(**how))


def by_row(models):
    """The numbers of learning neighbours, and the models with their intercepts, in row order."""
    place, points = models.tree.place, models.tree.points
    level = models.coef[:, 0] - (models.coef[:, 1:] * points).sum(axis=1)
    return models.n_learning[place], np.column_stack([level, models.coef[:, 1:]])[place]


# Two donors, (0, 0) and (2, 4), and a ridge of 2. Slopes only: 4 / (2 + 2) = 1 through the middle (1, 2).
# All: (4 2; 2 6) phi = (4, 8), so the intercept is 0.4 and the slope 1.2.
@pytest.mark.parametrize(
    ("penalty", "level", "coef"),
    [
        ("slopes", "fitted", [[1.0, 1.0], [3.0, 1.0]]),
        ("all", "fitted", [[0.4, 1.2], [2.8, 1.2]]),
        ("slopes", "own", [[0.0, 1.0], [4.0, 1.0]]),
    ],
)
def test_two_donors_by_hand(penalty, level, coef):
    settings = replace(SETTINGS, learning_grid=(2,), alpha=2.0, penalty=penalty, level=level)
    models = learned(donors([0, 2], [0, 4], settings), settings)
    np.testing.assert_allclose(models.coef[models.tree.place], coef, rtol=1e-14, atol=1e-15)
    assert models.n_learning.tolist() == [2, 2]


@pytest.mark.parametrize("exponent", [0, 3])
def test_costs_by_hand_in_the_squared_unit_of_the_table(exponent):
    # One neighbour judges: 0, 1 and 5 are judged on 1, on 0 and 5, and on 1. Alone, each model is constant.
    settings = replace(SETTINGS, n_neighbors=1, learning_grid=(1, 3), alpha=0.0)
    models = learned(donors([0, 1, 3], [0, 1, 5], settings, exponent=exponent), settings)
    cost = learning_costs(models, models.tree.place, settings=settings) / 4**exponent
    assert cost[:, 0].tolist() == [1.0, 1.0 + 16.0, 16.0]
    # The line through all three: its slope is 12/7 and it passes (4/3, 2), so that it misses 1 by 3/7.
    np.testing.assert_allclose(cost[0, 1], (3 / 7) ** 2, rtol=1e-12)
    assert models.n_learning.tolist() == [3, 3, 3]


def test_all_learning_neighbours_are_one_regression():
    X, Y = untied(30, 2), untied(30, 1, seed=1)[:, 0]
    settings, ridge = replace(SETTINGS, learning_grid=(30,)), Ridge(alpha=0.1).fit(X, Y)
    _, phi = by_row(learned(donors(X, Y, settings), settings))
    np.testing.assert_allclose(phi, [[ridge.intercept_, *ridge.coef_]] * 30, rtol=1e-9)


@pytest.mark.parametrize("penalty", ["slopes", "all"])
def test_numbers_models_and_costs_are_those_of_the_paper(penalty):
    settings = replace(SETTINGS, penalty=penalty)
    X, Y = untied(28, 2, seed=4), untied(28, 1, seed=5)[:, 0]
    models = donors(X, Y, settings)
    chosen, phi = paper.adaptive(ELLS, 3, X, Y, 0.1, penalty)
    found, coef = by_row(learned(models, settings))
    assert found.tolist() == chosen.tolist()
    assert len(set(chosen.tolist())) > 1
    np.testing.assert_allclose(coef, phi, rtol=1e-8, atol=1e-10)
    expected = np.array([paper.costs(i, ELLS, 3, X, Y, 0.1, penalty) for i in range(28)])
    rows, cost = [3, 0, 17, 3], np.empty((28, 5))
    some = learning_costs(models, models.tree.place[rows], settings=settings)
    np.testing.assert_allclose(some, expected[rows], rtol=1e-8, atol=1e-12)
    learn_models(models, settings=settings, context=Context(2, 5), cost=cost)
    np.testing.assert_allclose(cost[models.tree.place], expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("level", ["fitted", "own"])
def test_held_out_models_are_those_of_the_witness(level):
    settings = replace(SETTINGS, validation="held_out", level=level)
    X, Y = untied(28, 2, seed=6), untied(28, 1, seed=7)[:, 0]
    _, chosen, phi = better.adaptive(ELLS, 3, X, Y, 0.1, level)
    found, coef = by_row(learned(donors(X, Y, settings), settings))
    assert found.tolist() == chosen.tolist()
    np.testing.assert_allclose(coef, phi, rtol=1e-8, atol=1e-10)


def test_only_those_asked_learn_and_nobody_learns_twice():
    models = donors(untied(30, 2), untied(30, 1, seed=1)[:, 0])
    every = learned(models)
    some = learned(models, places=np.array([[7, 2], [2, 11]]))
    assert np.flatnonzero(some.n_learning).tolist() == [2, 7, 11]
    assert some.coef[[2, 7, 11]].tobytes() == every.coef[[2, 7, 11]].tobytes()
    assert not some.coef[np.delete(np.arange(30), [2, 7, 11])].any()
    assert not models.n_learning.any()  # what was given is as it was
    rest = learned(some, n_threads=2, block_size=4)
    assert rest.coef.tobytes() == every.coef.tobytes()
    assert rest.n_learning.tobytes() == every.n_learning.tobytes()
    assert learned(rest, places=np.array([0, 5])) is rest
    told = []
    learned(some, block_size=20, progress=lambda *done: told.append(done))
    assert told == [(20, 27), (27, 27)]


def test_one_donor_and_donors_in_one_place():
    one = learned(donors([[3.0, 4.0]], [7.0]))
    assert (one.coef.tolist(), one.n_learning.tolist()) == ([[7.0, 0.0, 0.0]], [1])
    # Nothing tells them apart: neighbours go by row, the donor first, and no slope is learned.
    settings = replace(SETTINGS, learning_grid=(2,))
    _, phi = by_row(learned(donors(np.ones((4, 1)), [0, 2, 4, 6], settings), settings))
    assert phi.tolist() == [[1, 0], [1, 0], [2, 0], [3, 0]]


def test_an_index_serves_another_target_of_the_same_donors_only():
    models = donors(untied(5, 2), np.arange(5))
    same, turned = replace(models.problem, pattern=Pattern((0, 1), 3)), np.eye(2)
    assert models.has_same_index(same, IDENTITY)
    for other in ({"rows": np.array([0, 1, 2, 3, 5])}, {"rows": np.arange(4)}, {"observed": (0,)}):
        assert not models.has_same_index(replace(same, **other), IDENTITY)
    assert not models.has_same_index(same, turned)
    assert not replace(models, transform=turned).has_same_index(same, turned)


def test_coordinates_are_scaled_then_transformed():
    scaling = Scaling(np.zeros(3, np.intc), np.array([1.0, 0.0, 9.0]), np.array([2.0, 4.0, 9.0]))
    models, rows = donors(untied(5, 2), np.arange(5)), np.array([[5.0, 8.0, np.nan]])
    assert models.coordinates(scaling, rows).tolist() == [[2.0, 2.0]]
    turned = replace(models, transform=np.array([[1.0, 3.0], [3.0, 0.0]]))
    assert turned.coordinates(scaling, rows).tolist() == [[8.0, 6.0]]
