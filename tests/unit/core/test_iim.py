"""The method's three steps, on the eight rows of the paper's first figure; its limits; what is shared."""

from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import iim
from iim.core import iim as one_page
from iim.core.distances import IDENTITY
from iim.core.donors import Fallback
from iim.core.execution.context import Context
from iim.core.held_out.tuning import ColumnTuning
from iim.core.iim import IndividualModels
from iim.core.pattern_loop import Receivers
from iim.core.patterns import Pattern
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from reference import paper
from strategies import untied

ONE = Context()
PLAIN = {one.name: PAPER[one.name] for one in fields(Settings)} | {"reach": np.inf, "n_neighbors": 3}
SETTINGS = Settings(**PLAIN | {"learning_grid": range(1, 9)})
TABLE = iim.samples.example("numpy")
X, Y = TABLE[:8, :1], TABLE[:8, 1]


def source_of(table, settings=SETTINGS):
    table = np.array(table, float)
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    return learn_source(matrix, scale=settings.scale, which=settings.donors, min_donors=1)


def steps(table, rows, settings=SETTINGS):
    """All three steps for the last column of a table, from all others: what each gives."""
    source, method = source_of(table, settings), IndividualModels(settings)
    n_known = source.matrix.n_columns - 1
    pattern = Pattern(tuple(range(n_known)), n_known)
    models = method.solve(source, source.pose(pattern), None, ONE)
    rows = np.atleast_2d(np.array(rows, float))
    receivers = Receivers(pattern, np.arange(len(rows)) + 100, rows)
    asked = method.ask(source, models, receivers, ONE)
    return models, asked, method.predict(asked, ONE)


def test_the_papers_example_step_by_step():
    models, asked, fills = steps(TABLE, [5, np.nan])
    # Solved: the eight complete rows are indexed, and nobody has learned yet.
    assert models.problem.rows.tolist() == list(range(8))
    assert models.grid.tolist() == list(range(1, 9))
    assert not models.n_learning.any()
    # Asked: t5, t4 and t6, at 6.8, 2.9 and 7.5, are the nearest of 5; each learns from four.
    assert asked.points.tolist() == [[5.0]]
    rows = models.tree.donor[asked.neighbors.place]
    assert (rows + 1).tolist() == [[5, 4, 6]]
    np.testing.assert_allclose(asked.neighbors.distance, [[3.24, 4.41, 6.25]], rtol=1e-12)
    n_learning = asked.model.n_learning[models.tree.place]
    assert n_learning.tolist() == [0, 0, 0, 4, 4, 4, 0, 0]
    # Voted: t5 and t6 say the same, so that t4 counts half as much as each.
    assert (fills.rows.tolist(), fills.fallback) == ([100], Fallback.NONE)
    np.testing.assert_allclose(fills.ballot.votes.candidates, [[1.172, 1.233, 1.172]], atol=5e-4, rtol=0)
    np.testing.assert_allclose(fills.ballot.votes.weights, [[0.4, 0.2, 0.4]], atol=5e-4, rtol=0)
    assert fills.values[0] == pytest.approx(1.184, abs=5e-4)
    assert fills.values[0] == fills.ballot.votes.values[0]


def test_each_step_is_that_of_the_printed_algorithms():
    table, receivers = untied(40, 4, seed=1), untied(6, 4, seed=2)
    settings = replace(SETTINGS, learning_grid=(1, 4, 9, 30), alpha=0.05)
    models, asked, fills = steps(table, receivers, settings)
    chosen, phi = paper.adaptive([1, 4, 9, 30], 3, table[:, :3], table[:, 3], 0.05)
    for at, x in enumerate(receivers[:, :3]):
        value, candidates, rows = paper.imputation(x, 3, phi, table[:, :3])
        assert fills.ballot.donors[at].tolist() == rows
        assert asked.model.n_learning[asked.neighbors.place[at]].tolist() == chosen[rows].tolist()
        np.testing.assert_allclose(fills.ballot.votes.candidates[at], candidates, rtol=1e-8)
        assert fills.values[at] == pytest.approx(value, rel=1e-8)
    rest = IndividualModels(settings).learn_rest(asked.model, ONE)
    assert rest.n_learning[models.tree.place].tolist() == chosen.tolist()
    there = asked.model.n_learning > 0
    assert rest.coef[there].tobytes() == asked.model.coef[there].tobytes()


def test_one_learning_neighbour_is_knn_and_all_are_one_ridge_regression():
    table, receivers = untied(40, 3, seed=3), untied(9, 3, seed=4)
    _, _, fills = steps(table, receivers, replace(SETTINGS, learning_grid=(1,), weights="uniform"))
    d = ((receivers[:, None, :2] - table[None, :, :2]) ** 2).sum(axis=2)
    nearest = np.argsort(d, axis=1)[:, :3]
    np.testing.assert_allclose(fills.values, table[nearest, 2].mean(axis=1), rtol=1e-14)
    everyone = replace(SETTINGS, learning_grid=(40,), alpha=0.7, penalty="slopes")
    ridge = Ridge(alpha=0.7).fit(table[:, :2], table[:, 2])
    _, _, fills = steps(table, receivers, everyone)
    np.testing.assert_allclose(fills.values, ridge.predict(receivers[:, :2]), rtol=1e-9)


def test_one_donor_gives_its_value_and_a_constant_column_its_own():
    _, asked, fills = steps([[1, 2, 7.3], [4, 1, np.nan]], [[9, 9, np.nan], [1, 2, np.nan]])
    assert asked.model.grid.tolist() == [1]
    assert fills.values.tolist() == [7.3, 7.3]
    slopes_only = replace(SETTINGS, penalty="slopes")
    assert steps([[0, 0.1], [1, 0.1], [1, 0.1]], [[5, np.nan]], slopes_only)[2].values.tolist() == [0.1]


SHARED = np.column_stack([untied(12, 2), np.arange(12.0), np.arange(12.0) ** 2])


def solve(source, target, previous=None, method=None, observed=(0, 1)):
    method = method or IndividualModels(SETTINGS)
    return method.solve(source, source.pose(Pattern(observed, target)), previous, ONE)


def test_the_index_is_shared_with_a_model_of_the_same_donors_and_with_no_other():
    source = source_of(SHARED)
    first = solve(source, 2)
    second, alone = solve(source, 3, first), solve(source, 3)
    assert second.tree is first.tree
    assert second.validation is first.validation
    assert alone.tree is not first.tree
    assert second.targets.tobytes() == alone.targets.tobytes()
    assert second.validation.judges.tolist() == alone.validation.judges.tolist()
    assert solve(source, 3, first, observed=(0,)).tree.points.shape == (12, 1)
    holed = source_of(np.where(SHARED == 11.0, np.nan, SHARED), replace(SETTINGS, donors="available"))
    assert solve(holed, 3, solve(holed, 2)).tree.donor.size == 12
    assert solve(holed, 2, solve(holed, 3)).tree.donor.size == 11


def test_columns_are_tuned_once_from_all_others_and_solved_by_that(monkeypatch):
    asked = []

    def tune(points, targets, observed, receivers, *, settings, context):
        asked.append((points.shape, np.ldexp(targets[-1], 4), observed))
        return ColumnTuning(observed, np.diag([4.0, 1.0, 0.25]), "own", "closest", 0.5)

    monkeypatch.setattr(one_page, "tune_column", tune)
    source, method = source_of(SHARED), IndividualModels(replace(SETTINGS, distance="learned"))
    models = solve(source, 2, method=method)
    again = solve(source, 2, models, method=method)
    # Of 11.0 in column 2, in units of 16. Slopes of 2 and 1, to a mean square of 1.
    assert asked == [((12, 3), 11.0, (0, 1, 3))]
    stretch = np.array([2.0, 1.0]) / np.sqrt(2.5)
    np.testing.assert_allclose(models.transform, np.diag(stretch), rtol=1e-14)
    points = models.tree.points[models.tree.place]
    np.testing.assert_allclose(points, SHARED[:, :2] * stretch, rtol=1e-12)
    assert (models.level, models.weights) == ("own", "closest")
    assert again.tree is not models.tree  # learned distances belong to their target
    assert list(method.tunings.kept) == [Pattern((0, 1, 3), 2)]


def test_without_a_choice_nothing_is_tuned(monkeypatch):
    monkeypatch.setattr(one_page, "tune_column", None)
    method = IndividualModels(replace(SETTINGS, level="own", weights="uniform"))
    tuning = method.tuning(source_of(SHARED), 2, ONE)
    assert (tuning.level, tuning.weights, tuning.metric is IDENTITY) == ("own", "uniform", True)
    assert method.tunings.kept == {}
