"""What the driver decides: ties between costs, and costs that cannot be told."""

import numpy as np
import pytest

from iim.core.execution.context import Context
from iim.core.learning_size import find_judges, grid_steps
from iim.core.neighbors import index_donors
from iim.kernels.learn import learn_block
from strategies import untied

GRID = np.array([1, 4, 9])
INTERCEPT_PENALISED = False
HELD_OUT = False
THROUGH = False
PRUNED = True


def learn(targets, places=None, grid=GRID):
    """Models, chosen numbers and costs, by place."""
    n_donors = len(targets)
    places = np.arange(n_donors) if places is None else np.asarray(places)
    tree = index_donors(untied(n_donors, 3))
    validation = find_judges(tree, np.array([1, 2]), n_neighbors=3, context=Context())
    flags = INTERCEPT_PENALISED, HELD_OUT, THROUGH, PRUNED
    given = tree, targets, places, grid, grid_steps(grid), validation, 0.1, *flags
    coef, n_learning = np.full((n_donors, 4), np.nan), np.zeros(n_donors, np.intp)
    cost = np.empty((len(places), grid.size))
    learn_block(*given, coef, n_learning, cost)
    return coef, n_learning, cost


def test_of_equal_costs_the_larger_number_wins():
    _, n_learning, cost = learn(np.full(30, 2.5))
    assert (cost == 0).all()
    assert (n_learning == 9).all()


# With the compiler off, numpy's scalars warn of what is tried here.
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_costs_that_overflow_leave_the_constant():
    targets = np.where(np.arange(30) % 2 == 0, 1.5e308, -1.5e308)
    coef, n_learning, cost = learn(targets, grid=np.array([4, 9]))
    lost = np.isnan(cost).all(axis=1)
    assert lost.any()
    assert coef[lost].tolist() == [[target, 0.0, 0.0, 0.0] for target in targets[lost]]
    assert (n_learning[lost] == 1).all()


def test_places_that_are_not_asked_for_are_left_alone():
    coef, n_learning, _ = learn(np.arange(30.0), places=[4, 7])
    assert np.flatnonzero(n_learning).tolist() == [4, 7]
    assert np.flatnonzero(np.isfinite(coef).all(axis=1)).tolist() == [4, 7]
