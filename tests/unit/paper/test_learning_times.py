"""Adaptive learning in both ways: the same bits, and those of the imputer."""

import numpy as np
import pytest

import iim
from iim.core.neighbors import index_donors
from iim.paper.learning_times import adaptive_learning, fill_from_models

GRIDS = {
    "fine": range(1, 91),
    "coarse": range(1, 81, 9),
    "not from 1": (5, 20),
    "one": (7,),
    "ends": (1, 90),
}


def donors(n_rows=90, n_columns=4, *, seed=0, whole=False):
    """Rows of a bent surface; rounded, they have ties."""
    random = np.random.default_rng(seed)
    points = random.uniform(-3, 3, size=(n_rows, n_columns - 1))
    targets = np.abs(points[:, 0]) * 40 + points.sum(axis=1) + random.normal(size=n_rows)
    return (points.round(), targets.round()) if whole else (points, targets)


def same(one, other):
    np.testing.assert_array_equal(one["n_learning"], other["n_learning"])
    np.testing.assert_array_equal(one["coef"], other["coef"])


@pytest.mark.parametrize("whole", [False, True], ids=["reals", "ties"])
@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_both_ways_learn_the_same_bits(grid, whole):
    points, targets = donors(whole=whole)
    ways = [adaptive_learning(points, targets, grid, incremental=way) for way in (True, False)]
    same(*ways)
    assert set(ways[0]["n_learning"]) <= set(grid)
    for way in ways:
        seconds = way["seconds"]
        assert 0.0 < seconds["search"] + seconds["learning"] <= seconds["total"]


@pytest.mark.parametrize("n_columns", [2, 7])
@pytest.mark.parametrize("n_rows", [3, 16, 17, 40])
def test_any_shape(n_rows, n_columns):
    points, targets = donors(n_rows, n_columns)
    same(*(adaptive_learning(points, targets, range(1, 99), incremental=way) for way in (True, False)))


@pytest.mark.parametrize("whole", [False, True], ids=["reals", "ties"])
@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
@pytest.mark.parametrize("incremental", [True, False])
def test_it_learns_what_the_imputer_learns(grid, whole, incremental):
    points, targets = donors(whole=whole)
    queries = donors(12, seed=1, whole=whole)[0]
    learned = adaptive_learning(points, targets, grid, incremental=incremental)
    table = np.column_stack([np.vstack([points, queries]), np.append(targets, np.full(12, np.nan))])
    imputer = iim.IIMImputer(**{**iim.PAPER, "learning_grid": grid}).fit(table)
    np.testing.assert_array_equal(
        fill_from_models(points, targets, learned["coef"], queries), imputer.transform(table)[90:, -1]
    )
    (models,) = imputer._loop.models.kept.values()
    asked = models.n_learning > 0
    donor = models.tree.donor[asked]
    assert donor.size > 10
    np.testing.assert_array_equal(learned["n_learning"][donor], models.n_learning[asked])
    np.testing.assert_array_equal(learned["coef"][donor], np.ldexp(models.coef[asked], models.exponent))


@pytest.mark.parametrize("incremental", [True, False])
def test_blocks_and_threads_change_no_bit(incremental):
    points, targets = donors(300)
    grid = range(1, 60, 4)
    whole = adaptive_learning(points, targets, grid, incremental=incremental)
    for n_threads, block_rows in ((1, 1), (1, 7), (2, 16), (2, 100), (3, None)):
        parts = adaptive_learning(
            points, targets, grid, incremental=incremental, n_threads=n_threads, block_rows=block_rows
        )
        same(whole, parts)
    queries = donors(20, seed=1)[0]
    np.testing.assert_array_equal(
        fill_from_models(points, targets, whole["coef"], queries),
        fill_from_models(points, targets, whole["coef"], queries, n_threads=2),
    )


def test_costs_overflow():
    """Then the constant model may be what is left, in both ways."""
    points, targets = donors(40)
    points[:, 0] *= 1e149
    targets[::2] *= -1e140
    same(*(adaptive_learning(points, targets, range(1, 30), incremental=way) for way in (True, False)))


def test_the_settings_reach_the_models():
    points, targets = donors()
    usual = adaptive_learning(points, targets, range(1, 40, 3), incremental=True)
    for change in ({"n_neighbors": 3}, {"alpha": 10.0}):
        other = adaptive_learning(points, targets, range(1, 40, 3), incremental=True, **change)
        assert (other["coef"] != usual["coef"]).any()


def test_places_are_those_of_the_index():
    """Results are by donor, not by place in the tree."""
    points, targets = donors(600)
    assert (index_donors(points).donor != np.arange(600)).any()
    learned = adaptive_learning(points, targets, (1,), incremental=False)
    np.testing.assert_array_equal(learned["coef"][:, 0], targets)
