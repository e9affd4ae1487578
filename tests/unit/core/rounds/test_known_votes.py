"""The vote on what a row knows: by hand, and what it does not depend on."""

from dataclasses import replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.execution.context import Context
from iim.core.held_out.tuning import ColumnTuning
from iim.core.rounds.choices import ColumnChoice
from iim.core.rounds.completion import choose_rows, pose_models
from iim.core.rounds.known_votes import Answers, Receivers, ask_known, combine
from iim.core.settings import Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from strategies import untied

NAN = np.nan
SETTINGS = Settings(
    n_neighbors=3,
    learning_grid=(10,),
    alpha=0.0,
    penalty="slopes",
    scale="none",
    validation="held_out",
    distance="learned",
    level="auto",
    weights="auto",
    shrinkage="auto",
    reach=np.inf,
    donors="available",
    min_donors=1,
)
TUNING = ColumnTuning((), IDENTITY, "fitted", "votes", NAN)
LINE = np.array([[x, 2 * x + 1, -x] for x in np.arange(10.0)])
"""Each column tells the others: a model of all rows without a ridge is exact."""


class Asking:
    """The donors of the second column of a complete table."""

    def __init__(self, table, settings=SETTINGS, tuning=TUNING):
        matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
        source = learn_source(matrix, scale=settings.scale, which="available", min_donors=1)
        self.completed, self.settings = choose_rows(source, 1000), settings
        self.models = pose_models(self.completed, 1, tuning, settings, Context())

    def ask(self, rows, k=3, alphas=(0.0,), context=None, **how):
        rows = np.delete(np.array(rows, float), 1, axis=1)
        missing = np.isnan(rows)
        return ask_known(
            self.models,
            self.completed.source.points(self.models.problem),
            Receivers(np.where(missing, 1e9, rows), missing),
            n_neighbors=k,
            alphas=alphas,
            settings=self.settings,
            context=context or Context(),
            **how,
        )

    def donors(self, answers):
        return self.models.tree.donor[answers.neighbors.place].tolist()


def said(answers):
    return {key: values.tobytes() for key, values in answers.said.items()}


def test_by_hand():
    asking = Asking(LINE)
    rows = [[4.2, NAN, NAN], [NAN, NAN, -7.8], [20, NAN, -20], [5, NAN, -3]]
    models, answers = asking.ask(rows, with_slopes=True)
    assert asking.donors(answers) == [[4, 5, 3], [8, 7, 9], [9, 8, 7], [4, 3, 5]]
    np.testing.assert_allclose(answers.neighbors.distance[0], [0.04, 0.64, 1.44], rtol=1e-12)
    np.testing.assert_allclose(answers.neighbors.distance[3], [2, 4, 4], rtol=1e-12)
    # 2 x + 1 of what the row knows, in units of 32; on both columns only their sum is determined.
    fitted = np.ldexp(answers.said["fitted", 0.0], models.exponent)
    np.testing.assert_allclose(fitted[:3], [[9.4] * 3, [16.6] * 3, [41] * 3], rtol=1e-9)
    np.testing.assert_allclose(answers.said["own", 0.0], answers.said["fitted", 0.0], rtol=1e-9)
    slopes = np.ldexp(answers.slopes, models.exponent)
    np.testing.assert_allclose(slopes[0], [[2, 0]] * 3, rtol=1e-9)
    np.testing.assert_allclose(slopes[1], [[0, -2]] * 3, rtol=1e-9)
    assert (models.n_learning[answers.neighbors.place] == 10).all()


@pytest.fixture(scope="module")
def asking():
    settings = replace(SETTINGS, learning_grid=(1, 4, 9), alpha=0.1)
    metric = np.diag([4.0, 1.0, 0.25])
    return Asking(untied(80, 4), settings, ColumnTuning((0, 2, 3), metric, "own", "votes", 0.5))


@pytest.fixture(scope="module")
def rows():
    rows = untied(40, 4, seed=1)
    rows[np.random.default_rng(2).random(rows.shape) < 0.4] = NAN
    return rows


def test_distances_are_those_learned_on_what_is_known(asking, rows):
    _, answers = asking.ask(rows, k=80)
    transform = asking.models.transform
    others = np.delete(rows, 1, axis=1)
    for row, distance, donors in zip(
        others, answers.neighbors.distance, asking.donors(answers), strict=True
    ):
        F = ~np.isnan(row)
        gaps = np.delete(asking.completed.source.matrix.values, 1, axis=1)[donors][:, F] - row[F]
        metric = (transform @ transform)[np.ix_(F, F)]
        np.testing.assert_allclose(distance, np.einsum("ij,jk,ik->i", gaps, metric, gaps), atol=1e-12)
        assert (np.diff(distance) >= 0).all()


def test_threads_and_blocks_change_nothing(asking, rows):
    _, one = asking.ask(rows, alphas=(0.1, 1.0), with_slopes=True)
    _, other = asking.ask(rows, alphas=(0.1, 1.0), with_slopes=True, context=Context(2, 3))
    assert said(one) == said(other)
    assert one.slopes.tobytes() == other.slopes.tobytes()
    assert one.neighbors.place.tobytes() == other.neighbors.place.tobytes()


def test_no_row_notices_others(asking, rows):
    _, together = asking.ask(rows)
    for at in range(0, 40, 7):
        _, alone = asking.ask(rows[[at]])
        assert alone.said["own", 0.0][0].tobytes() == together.said["own", 0.0][at].tobytes()
        assert alone.neighbors.distance[0].tobytes() == together.neighbors.distance[at].tobytes()


def test_more_neighbours_and_ridge_weights_change_nothing_of_the_first(asking, rows):
    _, few = asking.ask(rows, k=3, alphas=(0.5,))
    _, many = asking.ask(rows, k=9, alphas=(0.1, 0.5, 2.0))
    assert set(many.said) == {(level, alpha) for level in ("fitted", "own") for alpha in (0.1, 0.5, 2.0)}
    for level in ("fitted", "own"):
        assert many.said[level, 0.5][:, :3].tolist() == few.said[level, 0.5].tolist()
    _, every = asking.ask(rows, k=1000)
    assert every.neighbors.place.shape == (40, 80)
    assert few.slopes is None


def test_models_add_up(asking, rows):
    models, answers = asking.ask(rows, alphas=(0.3,), with_slopes=True)
    donors = np.array(asking.donors(answers))
    points = np.delete(asking.completed.source.matrix.values, 1, axis=1)[donors]
    gaps = np.nan_to_num(np.delete(rows, 1, axis=1))[:, None] - points
    own = models.targets[answers.neighbors.place] + (answers.slopes * gaps).sum(axis=2)
    np.testing.assert_allclose(answers.said["own", 0.3], own, rtol=1e-9, atol=1e-12)
    assert (answers.slopes[np.repeat(np.isnan(np.delete(rows, 1, axis=1))[:, None], 3, axis=1)] == 0).all()


def test_only_those_asked_learn(asking, rows):
    before, (models, answers) = asking.models, asking.ask(rows[:2])
    assert not before.n_learning.any()
    assert np.flatnonzero(models.n_learning).tolist() == np.unique(answers.neighbors.place).tolist()
    assert Asking.ask(asking, rows[:0])[1].said["own", 0.0].shape == (0, 3)


def test_combining_by_hand():
    asking = Asking(LINE)
    models, answers = asking.ask([[20, NAN, -20], [4.5, NAN, -4.5]], k=4)
    two = np.array([[0.5, 0.25, 9, 9], [0.5, 1.0, 9, 9]])  # in units of 32
    answers = Answers(replace(answers.neighbors, distance=np.array([[1.0, 4, 9, 9]] * 2)), {}, None)
    answers.said["own", 0.0] = two
    choice = ColumnChoice(TUNING, "own", "closest", 2, 0.0, 1.0, 0.0)
    votes = combine(models, answers, choice, reach=np.inf)
    assert votes.candidates.tolist() == [[16, 8], [16, 32]]
    np.testing.assert_allclose(votes.weights, [[0.8, 0.2]] * 2, rtol=1e-14)
    np.testing.assert_allclose(votes.values, [0.8 * 16 + 0.2 * 8, 0.8 * 16 + 0.2 * 32], rtol=1e-14)
    # Known are 1 to 19.
    assert combine(models, answers, choice, reach=0.0).candidates.tolist() == [[16, 8], [16, 19]]
    everyone = combine(models, answers, replace(choice, n_neighbors=9, weights="uniform"), reach=np.inf)
    np.testing.assert_allclose(everyone.values, [16 * (0.75 + 18) / 2, 16 * (1.5 + 18) / 2], rtol=1e-14)
