"""Held-out costs, trials, learned distances and the whole way, against the slow witness."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import iim
from cases import COMPILED, examples
from iim.core.distances import IDENTITY
from iim.core.execution.context import Context
from iim.core.held_out.tuning import _pairs, tune_column
from iim.core.learning import learn_models, learning_costs
from iim.core.learning_size import find_judges, grid_steps, usable_grid
from iim.core.neighbors import index_donors, nearest_other_donors
from iim.core.settings import AUTO_GRID
from iim.kernels.held_out import LEAST_FREEDOM, MOST_JUDGES
from iim.kernels.learn import learn_block
from iim.kernels.trials import try_block
from iim.kernels.validation import judge_lists
from reference import better
from strategies import SMOOTH, complete_tables, untied

FREE_INTERCEPT, HELD_OUT, PRUNED = False, True, True


def split(table):
    """Standard columns, and the last as it is."""
    return (table[:, :-1] - table[:, :-1].mean(axis=0)) / table[:, :-1].std(axis=0), table[:, -1]


def learn(X, Y, grid, k, alpha, level):
    """Costs, chosen numbers and models (intercept first), by row."""
    tree = index_donors(X)
    validation = find_judges(tree, np.array([1, 2]), n_neighbors=k, context=Context())
    grid = np.array(grid)
    coef, n_learning = np.empty((len(X), X.shape[1] + 1)), np.zeros(len(X), np.intp)
    cost = np.empty((len(X), grid.size))
    flags = FREE_INTERCEPT, HELD_OUT, level == "own", PRUNED
    given = tree, Y[tree.donor], np.arange(len(X)), grid, grid_steps(grid), validation, alpha, *flags
    learn_block(*given, coef, n_learning, cost)
    coef[:, 0] -= (coef[:, 1:] * tree.points).sum(axis=1)
    return cost[tree.place], n_learning[tree.place], coef[tree.place]


def settings_of(**changed):
    """The settings of an imputer, as its core sees them."""
    return iim.IIMImputer(**changed)._settings()[0]


def test_the_witness_has_the_same_limits():
    assert better.LEAST_FREEDOM == LEAST_FREEDOM
    assert better.MOST_JUDGES == MOST_JUDGES


@pytest.mark.parametrize("level", better.LEVELS)
@pytest.mark.parametrize("alpha", [0.001, 0.5])
@pytest.mark.parametrize("columns", [2, 3, 5])
def test_costs_choices_and_models(level, alpha, columns):
    X, Y = split(untied(45, columns, seed=columns))
    grid = [1, 3, 6, 10, 20, 45]
    cost, chosen, coef = learn(X, Y, grid, 4, alpha, level)
    costs, ells, Phi = better.adaptive(grid, 4, X, Y, alpha, level)
    np.testing.assert_allclose(cost, costs, rtol=1e-8)
    assert chosen.tolist() == ells.tolist()
    np.testing.assert_allclose(coef, Phi, rtol=1e-7, atol=1e-9)


@settings(examples(0.3))
@given(
    table=complete_tables(min_rows=4, max_rows=14, min_columns=2, max_columns=4, cells=SMOOTH),
    k=st.integers(1, 5),
    step=st.integers(1, 4),
    level=st.sampled_from(better.LEVELS),
)
def test_costs_of_any_table(table, k, step, level):
    assume((table[:, :-1].std(axis=0) > 1e-3).all())
    X, Y = split(table)
    grid = list(range(1, len(X) + 1, step))
    cost, _, _ = learn(X, Y, grid, k, 0.1, level)
    costs, _, _ = better.adaptive(grid, k, X, Y, 0.1, level)
    np.testing.assert_allclose(cost, costs, rtol=1e-6, atol=1e-7 * (1.0 + np.abs(Y).max() ** 2))


def test_a_donor_that_everybody_has_near_is_judged_on_the_first_ones_only():
    # The others lie on the axes, on both sides of the first row: it is the nearest of them all.
    axes = np.eye(36) * (1.0 + 0.01 * np.arange(36))
    X = np.vstack([np.zeros(36), axes, -1.001 * axes])
    Y = np.random.default_rng(0).normal(size=73)
    lists = better.judges(better.near(X, 1))
    assert len(lists[0]) > MOST_JUDGES
    cost, _, _ = learn(X, Y, [1, 20], 1, 0.1, "fitted")
    costs = [
        (better.errors(0, [1, 20], lists[0][:n_judges], X, Y, 0.1)[0] ** 2).sum(axis=1)
        for n_judges in (MOST_JUDGES, len(lists[0]))
    ]
    np.testing.assert_allclose(cost[0], costs[0], rtol=1e-8)
    assert (cost[0] < costs[1]).all()


def test_a_donor_that_decides_a_model_alone_keeps_a_little_of_it():
    # Only t_2 tells the slope on the second column: without it, next to nothing is left to divide by.
    X = np.array([[0.0, 0.0], [0.1, 0.0], [0.3, 900.0], [0.5, 0.0]])
    Y = np.array([1.0, 2.0, 7.0, 3.0])
    E = better.errors(0, [4], [2], X, Y, 1e-6)
    for level in range(2):
        cost, _, _ = learn(X, Y, [1, 4], 3, 1e-6, better.LEVELS[level])
        whom = better.judges(better.near(X, 3))[0]
        expected = better.errors(0, [1, 4], whom, X, Y, 1e-6)[level]
        np.testing.assert_allclose(cost[0], (expected**2).sum(axis=1), rtol=1e-4)
    assert abs(E[0, 0, 0]) < 1e-3 / LEAST_FREEDOM


def tried(X, Y, grid, k, alpha):
    """What the kernel finds: said[level, j, at] and slopes, by row; and by whom, as rows."""
    tree = index_donors(X)
    known, grid = Y[tree.donor], np.array(grid)
    nearest = nearest_other_donors(tree, n_neighbors=k, context=Context())
    validation = judge_lists(np.ascontiguousarray(nearest.place), tree.place)
    slopes, errors = np.empty_like(X), np.full((2, validation.judges.size), np.nan)
    places = np.arange(len(X))
    try_block(tree, known, places, grid, grid_steps(grid), validation, alpha, PRUNED, slopes, errors)
    pairs = _pairs(nearest.place, validation.first, tree.donor)
    # Where a pair points, the judge's list has the donor judged.
    assert (validation.judges[pairs] == places[:, None]).all()
    assert (validation.first[nearest.place] <= pairs).all()
    assert (pairs < validation.first[nearest.place + 1]).all()
    said = known[:, None] - errors[:, pairs]
    return said[:, tree.place], slopes[tree.place], tree.donor[nearest.place][tree.place]


@pytest.mark.parametrize(("n_rows", "columns", "k"), [(50, 2, 3), (60, 4, 5), (17, 3, 16)])
def test_trials(n_rows, columns, k):
    X, Y = split(untied(n_rows, columns, seed=n_rows))
    grid = [1, 3, 8, 17]
    said, slopes, who = tried(X, Y, grid, k, 0.01)
    expected, expected_slopes = better.trials(grid, k, X, Y, 0.01)
    assert who.tolist() == better.near(X, k)
    np.testing.assert_allclose(said, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-7, atol=1e-9)


def as_witness(X, Y, grid, k, **fixed):
    """What the library and the witness learn of one column."""
    options = {name: [value] for name, value in fixed.items() if name in ("level", "weights")}
    renamed = {"level": "levels", "weights": "weights"}
    witness = {renamed[name]: value for name, value in options.items()}
    if fixed.get("distance") == "scaled":
        witness["passes"] = 0
    settings = settings_of(n_neighbors=k, learning_grid=grid, alpha=0.01, **fixed)
    expected = better.learned(grid, k, X, Y, 0.01, reach=settings.reach, **witness)
    observed, nobody = tuple(range(X.shape[1])), X[:0]
    found = tune_column(X, Y, observed, nobody, settings=settings, context=Context())
    return found, expected


@COMPILED
@pytest.mark.parametrize(
    "fixed",
    [
        {},
        {"level": "own"},
        {"weights": "uniform", "reach": 0.2},
        {"distance": "scaled"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("n_rows", "columns", "bent"), [(60, 3, False), (75, 5, False), (70, 3, True)])
def test_tunings(fixed, n_rows, columns, bent):
    X, Y = split(untied(n_rows, columns, seed=columns))
    if bent:  # by one column, so that distances along the other tell nothing
        Y = np.sin(2.0 * X[:, 0])
    found, (W, level, way, error) = as_witness(X, Y, [1, 4, 10, 30], 4, **fixed)
    assert (found.level, found.weights) == (level, way)
    assert found.error == pytest.approx(error, rel=1e-7)
    assert (W is not None) == (bent and "distance" not in fixed)
    if W is None:
        assert found.metric is IDENTITY
        assert found.observed == ()
    else:
        assert found.observed == tuple(range(columns - 1))
        np.testing.assert_allclose(found.transform(found.observed), better.root(W), rtol=1e-6, atol=1e-8)


@COMPILED
@pytest.mark.parametrize("seed", [1, 2])
def test_the_whole_way_with_default_settings_but_for_shrinkage(seed):
    table = untied(65, 3, seed) * [1.0, 1e5, 20.0] + [3.0, -1e6, 0.0]
    truth, table = table, table.copy()
    table[:5, -1] = np.nan
    X = (table - np.nanmean(table, axis=0))[:, :-1] / np.nanstd(table, axis=0)[:-1]
    Y = truth[5:, -1]
    k = 5
    imputer = iim.IIMImputer(n_neighbors=k, shrinkage="none").fit(table)
    grid = usable_grid(AUTO_GRID, len(Y)).tolist()
    expected = better.filled(X[:5], grid, k, X[5:], Y, 0.001)
    np.testing.assert_allclose(imputer.transform(table)[:5, -1], expected, rtol=1e-6)
    # And its parts: every donor's costs and model, on transformed coordinates.
    (models,) = imputer._loop.models.kept.values()
    settings = imputer._loop.method.settings
    models = learn_models(models, settings=settings, context=Context())
    place = models.tree.place
    cost, chosen, _ = better.adaptive(grid, k, models.tree.points[place], Y, 0.001, models.level)
    np.testing.assert_allclose(learning_costs(models, place, settings=settings), cost, rtol=1e-6)
    assert models.n_learning[place].tolist() == chosen.tolist()
