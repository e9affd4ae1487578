"""How a column is filled best: what is tried, and what comes of it when there is nothing to try."""

import numpy as np
import pytest

import iim
from cases import COMPILED
from iim.core.distances import IDENTITY
from iim.core.execution.context import Context
from iim.core.held_out import tuning
from iim.core.held_out.tuning import rows_to_try, tune_column
from iim.core.learning_size import usable_grid
from iim.core.settings import AUTO_GRID
from iim.core.voting import candidate_limits
from strategies import untied


def settled(**changed):
    return iim.IIMImputer(**changed)._settings()[0]


def learn(points, targets, context=None, receivers=None, **changed):
    observed = tuple(range(points.shape[1]))
    return tune_column(
        np.ascontiguousarray(points),
        targets,
        observed,
        np.empty((0, points.shape[1])) if receivers is None else receivers,
        settings=settled(**changed),
        context=context or Context(),
    )


@pytest.mark.parametrize("n_donors", [1, 2, 49, 999, 1000, 1001, 2500, 10**6])
@pytest.mark.parametrize("n_observed", [1, 7, 60, 400])
def test_rows_to_try_are_from_all_over_the_table(n_donors, n_observed):
    rows = rows_to_try(n_donors, n_observed, AUTO_GRID)
    assert rows.size <= min(n_donors, tuning.MOST_ROWS)
    assert (np.diff(rows) > 0).all()
    if n_donors <= tuning.MOST_ROWS and n_observed < 60:
        assert rows.tolist() == list(range(n_donors))
    if rows.size:
        assert rows[0] == 0
        assert rows[-1] >= n_donors - 1 - n_donors // rows.size
        grid = usable_grid(AUTO_GRID, min(n_donors, tuning.MOST_ROWS))
        work = grid.size * n_observed**3 / 3 + grid[-1] * n_observed**2 / 2
        assert rows.size * work <= tuning.MOST_WORK


def test_no_rows_are_tried_where_one_alone_is_too_much_work():
    assert rows_to_try(10**4, 10**4, AUTO_GRID).size == 0
    assert rows_to_try(0, 3, AUTO_GRID).size == 0


@pytest.mark.parametrize(
    ("n_rows", "changed"),
    [
        (tuning.FEWEST_ROWS - 1, {}),
        (60, {"n_neighbors": 30}),
        (60, {"distance": "scaled", "level": "own", "weights": "closest", "shrinkage": "none"}),
    ],
)
def test_defaults_where_there_is_little_to_try_or_nothing(n_rows, changed):
    found = learn(untied(n_rows, 3), np.linspace(-1, 1, n_rows), **changed)
    assert found.metric is IDENTITY
    assert found.observed == ()
    assert np.isnan(found.error)
    assert found.level == changed.get("level", "fitted")
    assert found.weights == changed.get("weights", "votes")


def test_a_constant_gets_the_default_tuning():
    assert np.isnan(learn(untied(80, 3), np.full(80, 0.5)).error)


def test_rows_that_are_all_alike_are_no_reason_to_fail():
    found = learn(np.zeros((80, 3)), np.linspace(-1, 1, 80))
    assert found.metric is IDENTITY
    assert found.error > 0.9


@COMPILED
@pytest.mark.parametrize("column", range(3))
def test_the_column_that_tells_the_target_gets_most_weight(column):
    points = np.random.default_rng(column).normal(size=(300, 3))
    targets = np.sin(points[:, column])
    found = learn(points, targets)
    weight = np.diag(found.transform((0, 1, 2)) @ found.transform((0, 1, 2)))
    assert weight.argmax() == column
    assert weight[column] > 0.9 * weight.sum()
    assert found.error < 0.7 * learn(points, targets, distance="scaled").error


@COMPILED
def test_columns_that_tell_nothing_are_no_reason_to_learn_distances():
    points = np.random.default_rng(0).normal(size=(120, 2))
    found = learn(points, np.random.default_rng(1).uniform(-1, 1, 120))
    # Whatever it is, the errors of noise are about as large as noise.
    assert 0.9 < found.error < 1.5


@COMPILED
@pytest.mark.parametrize("changed", [{}, {"level": "own"}, {"n_neighbors": 3, "weights": "closest"}])
def test_threads_and_blocks_never_change_a_bit(changed):
    table = untied(150, 5, seed=2)
    one = learn(table[:, :-1], table[:, -1] / 4, **changed)
    for context in (
        Context(n_threads=2, block_size=7),
        Context(n_threads=1, block_size=1),
        Context(n_threads=1, block_size=1000),
    ):
        other = learn(table[:, :-1], table[:, -1] / 4, context, **changed)
        assert other.metric.tobytes() == one.metric.tobytes()
        assert (other.level, other.weights, other.error) == (one.level, one.weights, one.error)


def test_how_far_candidates_may_go():
    known = np.array([1.0, 3.0, 2.0])
    assert candidate_limits(known, 0.0) == (1.0, 3.0)
    assert candidate_limits(known, 0.5) == (0.0, 4.0)
    assert candidate_limits(known, np.inf) == (-np.inf, np.inf)
    assert candidate_limits(np.array([2.0, 2.0]), 3.0) == (2.0, 2.0)
