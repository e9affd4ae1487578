"""The decisions: those of the paper make its algorithm, each of them matters, and no other does."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import iim
from iim.core.settings import (
    AUTO_ALPHA,
    AUTO_ALPHAS_OF_HOLES,
    AUTO_GRID,
    PAPER,
    ROUNDS_GRID,
    RoundSettings,
    Settings,
)
from reference import paper
from strategies import untied

OTHER = {
    "n_neighbors": 9,
    "learning_neighbors": 4,
    "learning_grid": range(2, 101, 5),
    "alpha": 1.0,
    "penalty": "slopes",
    "scale": "standard",
    "validation": "held_out",
    "distance": "learned",
    "level": "own",
    "weights": "uniform",
    "shrinkage": "auto",
    "reach": 0.0,
    "donors": "available",
    "min_donors": 1000,
    "strategy": "iterative",
    "min_value": 0.0,
    "max_value": 0.0,
}
"""For every decision of the paper, another one."""

OF_ROUNDS = {"max_iter": 1, "max_donors": 1}
OF_THE_CALL = {"prepare": "single", "n_jobs": 1}
OF_THE_TABLE = {"missing_values", "add_indicator", "keep_empty_features", "columns", "round_integers"}


@pytest.fixture(scope="module")
def table():
    """120 rows, 52 of them complete: fewer than half of those that know the last column."""
    table = untied(120, 3)
    table[:60, 0] = np.nan
    table[112:, 2] = np.nan
    table[116:, 0] = np.nan
    table[115:117, 1] = [4.0, -4.0]  # far from all others
    return table


@pytest.fixture(scope="module")
def papers_fill(table):
    return iim.IIMImputer(**PAPER).fit_transform(table)


def test_the_papers_decisions_are_those_that_it_prints():
    # k of its experiments, and the grid and the ridge of the authors' program; all the rest is its text.
    assert (PAPER["n_neighbors"], PAPER["alpha"], list(PAPER["learning_grid"])[:3]) == (
        10,
        0.001,
        [1, 6, 11],
    )
    assert max(PAPER["learning_grid"]) == 96
    assert iim.PAPER is iim.IIMImputer.PAPER is PAPER


def test_they_make_the_algorithm_of_the_paper(table, papers_fill):
    complete, ells = table[60:112], [ell for ell in PAPER["learning_grid"] if ell <= 52]
    for target, known, rows in (
        (0, [1, 2], range(3)),
        (2, [0, 1], range(112, 116)),
        (2, [1], range(116, 120)),
    ):
        X, Y = complete[:, known], complete[:, target]
        _, phi = paper.adaptive(ells, 10, X, Y, 0.001)
        expected = [paper.imputation(x, 10, phi, X)[0] for x in table[rows][:, known]]
        np.testing.assert_allclose(papers_fill[rows, target], expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
@pytest.mark.parametrize("name", PAPER)
def test_each_of_them_matters(table, papers_fill, name):
    other = iim.IIMImputer(**PAPER | {name: OTHER[name]}).fit_transform(table)
    assert np.abs(other - papers_fill).max() > 1e-6
    assert (other == papers_fill)[~np.isnan(table)].all()


@pytest.mark.parametrize(("name", "value"), (OF_ROUNDS | OF_THE_CALL).items())
def test_no_other_decides_a_fill(table, papers_fill, name, value):
    assert iim.IIMImputer(**PAPER, **{name: value}).fit_transform(table).tobytes() == papers_fill.tobytes()


def test_every_parameter_is_one_or_the_other():
    assert {one.name for one in fields(Settings)} <= set(PAPER)
    beyond = {"learning_neighbors", "strategy", "min_value", "max_value"}
    assert set(PAPER) - {one.name for one in fields(Settings)} == beyond
    assert {one.name for one in fields(RoundSettings)} == {*OF_ROUNDS, "learning_grid", "alphas_of_holes"}
    rest = {*OF_ROUNDS, *OF_THE_CALL, *OF_THE_TABLE, "progress"}
    assert set(iim.IIMImputer().get_params()) == set(PAPER) | rest
    assert not set(PAPER) & rest


def test_the_grid_begins_with_the_donor_alone_and_grows():
    for grid in (AUTO_GRID, ROUNDS_GRID):
        assert grid[0] == 1
        assert (np.diff(grid) > 0).all()
    # Not by leaps: from 3 on, the next is at most twice as large.
    assert (np.array(AUTO_GRID[2:]) <= 2 * np.array(AUTO_GRID[1:-1])).all()


def test_what_is_automatic_is_what_the_imputer_uses_and_tells():
    table = untied(40, 4)
    table[:16, 0] = np.nan  # a tenth of the cells
    patterns = iim.IIMImputer(strategy="patterns").fit(table)
    assert (patterns.learning_grid_, patterns.alpha_) == (AUTO_GRID, AUTO_ALPHA)
    rounds = iim.IIMImputer(strategy="iterative").fit(table)
    assert (rounds.learning_grid_, rounds.alpha_) == (ROUNDS_GRID, AUTO_ALPHA)
    tried = [AUTO_ALPHA + growth * 0.1**2 for growth in AUTO_ALPHAS_OF_HOLES]
    ridges = {one.alpha for part in rounds._loop.rounds.rounds for one in part.columns}
    assert all(any(ridge == pytest.approx(alpha) for alpha in tried) for ridge in ridges)
    given = iim.IIMImputer(strategy="iterative", alpha=0.3, learning_grid=[4, 2]).fit(table)
    assert (given.learning_grid_, given.alpha_) == ((2, 4), 0.3)
    assert {one.alpha for part in given._loop.rounds.rounds for one in part.columns} == {0.3}
    told = " ".join(iim.IIMImputer.__doc__.split())
    assert f'"auto" is {", ".join(map(str, AUTO_GRID))}' in told


def test_a_decision_is_not_changed_once_it_is_made():
    rounds = RoundSettings(5, 1000, (1, 4), (0.0,))
    assert rounds == RoundSettings(
        max_iter=5, max_donors=1000, learning_grid=(1, 4), alphas_of_holes=(0.0,)
    )
    with pytest.raises(FrozenInstanceError):
        rounds.max_iter = 4
