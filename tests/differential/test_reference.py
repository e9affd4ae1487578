"""The library against the witness: same neighbours, same models, same choice, same value."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import iim
from iim.core.execution.context import Context
from iim.core.learning import learn_models, learning_costs
from reference import paper
from strategies import SMOOTH, complete_tables, untied


def by_donor(imputer):
    """All models of the only pattern, donors in row order: intercept first, raw units."""
    (models,) = imputer._loop.models.kept.values()
    models = learn_models(models, settings=imputer._loop.method.settings, context=Context())
    place = models.tree.place
    points = models.tree.points[place]
    coef = np.ldexp(models.coef[place], models.exponent)
    slopes = coef[:, 1:]
    intercept = coef[:, 0] - (slopes * points).sum(axis=1)
    costs = learning_costs(models, place, settings=imputer._loop.method.settings)
    return models.n_learning[place], np.column_stack([intercept, slopes]), costs


def with_receiver(table):
    """The table, and one more row that lacks its last value."""
    receiver = table.mean(axis=0)
    receiver[-1] = np.nan
    return np.vstack([table, receiver])


def closely(actual, expected, scale=1.0):
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-7 * scale)


@given(
    table=complete_tables(min_rows=2, min_columns=2, max_columns=4, cells=SMOOTH),
    k=st.integers(1, 6),
    penalty=st.sampled_from(["all", "slopes"]),
    step=st.integers(1, 4),
)
def test_costs_agree_with_the_reference(table, k, penalty, step):
    table = with_receiver(table)
    X, Y = table[:-1, :-1], table[:-1, -1]
    grid = range(1, len(X) + 1, step)
    assume(len(grid) > 1)  # with a single candidate there is nothing to choose, and nobody judges
    settings = {**iim.PAPER, "n_neighbors": k, "learning_grid": grid, "penalty": penalty, "alpha": 0.1}
    _, _, costs = by_donor(iim.IIMImputer(**settings).fit(table))
    for i in range(len(X)):
        expected = paper.costs(i, list(grid), k, X, Y, 0.1, penalty)
        closely(costs[i], expected, scale=1.0 + np.abs(Y).max() ** 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalty", ["all", "slopes"])
@pytest.mark.parametrize("columns", [2, 3, 5, 9])
def test_choice_models_and_fill_agree_with_the_reference(seed, penalty, columns):
    table = with_receiver(untied(40, columns, seed))
    X, Y = table[:-1, :-1], table[:-1, -1]
    grid = list(range(1, 38, 4))
    settings = {**iim.PAPER, "n_neighbors": 4, "learning_grid": grid, "penalty": penalty}
    imputer = iim.IIMImputer(**settings).fit(table)
    chosen, coef, _ = by_donor(imputer)
    ells, Phi = paper.adaptive(grid, 4, X, Y, 0.001, penalty)
    assert chosen.tolist() == ells.tolist()
    np.testing.assert_allclose(coef, Phi, rtol=1e-6, atol=1e-8)
    value, candidates, donors = paper.imputation(table[-1, :-1], 4, Phi, X)
    why = imputer.explain(table, len(X), columns - 1)
    assert why.donors.tolist() == donors
    np.testing.assert_allclose(why.candidates, candidates, rtol=1e-7, atol=1e-9)
    assert why.value == pytest.approx(value, rel=1e-7)
    assert imputer.transform(table)[-1, -1] == why.value


@given(
    table=complete_tables(min_rows=3, min_columns=2, max_columns=4, cells=SMOOTH),
    step=st.integers(1, 5),
)
def test_growing_sums_give_the_model_of_a_single_step(table, step):
    # Proposition 3, in the library: a grid that ends at l leaves the same sums as l alone.
    table = with_receiver(table)
    last = len(table) - 1
    grid = range(last, 0, -step)
    for candidate in grid:
        fixed = iim.IIMImputer(**{**iim.PAPER, "learning_neighbors": candidate}).fit(table)
        stepped = iim.IIMImputer(**{**iim.PAPER, "learning_grid": grid}).fit(table)
        chosen, coef, _ = by_donor(stepped)
        _, alone, _ = by_donor(fixed)
        for i in np.flatnonzero(chosen == candidate):
            closely(coef[i], alone[i], scale=1.0 + np.abs(table[:-1]).max())
