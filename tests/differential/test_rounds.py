"""Rounds against their witness: the same completed table, the same fills."""

import numpy as np
import pytest

import iim
from cases import long
from reference import rounds
from strategies import PLAIN, holed

ELLS = (1, 3, 6, 12)


@pytest.mark.parametrize("seed", [0, *long(1, 2)])
@pytest.mark.parametrize("start", ["knn", "mean"])
@pytest.mark.parametrize(("max_iter", "tol"), [(1, 0.0), (3, 0.0), (6, 0.05)])
def test_the_fills_are_those_of_the_reference(seed, start, max_iter, tol):
    # On one scale already, so that both see the same numbers.
    table = rounds.standardised(holed(24, 3, share=0.15, seed=seed))
    table[np.isnan(table).all(axis=1), 0] = 0.0
    new = np.array([[0.3, np.nan, np.nan], [np.nan, -0.5, 0.1], [np.nan, np.nan, 1.2]])
    how = {"start": start, "max_iter": max_iter, "tol": tol}
    imputer = iim.IIMImputer(
        4, learning_grid=ELLS, alpha=0.1, strategy="iterative", scale="none", **PLAIN, **how
    ).fit(table)
    completed, turn = rounds.complete(table, ELLS, 4, 0.1, **how)
    assert imputer.n_iter_ == turn
    np.testing.assert_allclose(imputer._loop.source.matrix.values, completed, rtol=1e-8, atol=1e-9)
    expected = [rounds.replay(x, table, completed, ELLS, 4, 0.1, **how) for x in np.vstack([table, new])]
    filled = np.vstack([imputer.transform(table), imputer.transform(new)])
    np.testing.assert_allclose(filled, expected, rtol=1e-8, atol=1e-9)


def test_with_one_hole_in_a_row_it_is_the_other_strategy():
    # Complete donors, nothing to guess besides: one round decides, and the votes are those of the pattern.
    table = holed(120, 4, share=0.0)
    table[np.arange(40), np.arange(40) % 4] = np.nan
    # Learned distances, and what is chosen by trying, are for patterns only.
    settings = {"donors": "complete", "alpha": 0.01, **PLAIN}
    patterns = iim.IIMImputer(strategy="patterns", **settings).fit_transform(table)
    imputer = iim.IIMImputer(strategy="iterative", **settings).fit(table)
    assert imputer.n_iter_ == 1
    assert imputer.transform(table).tobytes() == patterns.tobytes()
