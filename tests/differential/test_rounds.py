"""Rounds against their witness: the same completed table, the same fills."""

from dataclasses import fields, replace

import numpy as np
import pytest

import iim
from cases import long
from iim.core.distances import IDENTITY
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.held_out.tuning import ColumnTuning
from iim.core.iim import IndividualModels
from iim.core.rounds import completion
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan
from iim.core.rounds.completion import complete
from iim.core.rounds.round_loop import RoundLoop
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix
from reference import rounds as witness
from strategies import PLAIN, holed

NAN = np.nan
MODELS = witness.Models((1, 3, 6, 12), 4, 0.1)
SETTINGS = Settings(
    **{one.name: PAPER[one.name] for one in fields(Settings)}
    | {"n_neighbors": 4, "learning_grid": MODELS.ells, "alpha": 0.1, "penalty": "slopes"}
    | {"donors": "available", "validation": "held_out", "reach": 1.0, "scale": "standard"}
    # With nothing to tune, the tuning of a plan is not looked at.
    | {"distance": "learned", "level": "auto", "weights": "auto"}
)
NEW = np.array([[0.3, NAN, NAN], [NAN, -0.5, 0.1], [NAN, NAN, 1.2], [9.0, NAN, -9.0], [NAN] * 3])
METRIC = np.array([[2.0, 0.5], [0.5, 0.3]])

PLAINLY = ColumnChoice(
    ColumnTuning((), IDENTITY, "fitted", "votes", NAN), "fitted", "votes", 4, 0.1, 1.0, 0.0
)
WAYS = {
    "plain": {},
    "own, and more of them": {"level": "own", "weights": "closest", "n_neighbors": 7},
    "another ridge": {"alpha": 3.0, "weights": "distance", "n_neighbors": 2},
    "shares": {"vote": 0.5, "gaussian": 0.25, "weights": "uniform"},
    "no vote": {"vote": 0.0, "gaussian": 1.0},
    "more neighbours than donors": {"n_neighbors": 99},
}


def table_of(seed, n_rows=24):
    """On one scale already, so that both see the same numbers; each row knows a value."""
    table = holed(n_rows, 3, share=0.25, seed=seed)
    table[np.isnan(table).all(axis=1), 0] = 0.0
    return witness.standardised(table)


def plan_of(way, n_rounds, metric=None, level="fitted"):
    """The same way in every round and column."""
    columns = []
    for column in range(3):
        others = tuple(other for other in range(3) if other != column)
        tuning = ColumnTuning(
            () if metric is None else others, IDENTITY if metric is None else metric, level, "votes", NAN
        )
        columns.append(replace(PLAINLY, tuning=tuning, **way))
    return RoundPlan(1000, (Round(tuple(columns)),) * n_rounds)


def loop_over(table, settings, plan):
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(3)))
    source = learn_source(
        matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors
    )
    return RoundLoop(
        complete(source, settings, plan, Context()), plan, IndividualModels(settings), ModelCache()
    )


def filled(loop, rows):
    values = rows.copy()
    for part in loop.fill(MaskedMatrix(rows, np.isnan(rows), tuple(range(3))), Context()):
        values[part.rows, part.pattern.target] = part.values
    return values


def check(loop, table, new, models, fills_of=filled):
    """The completed table, then the fills of its rows and of others."""
    ways = [one.columns for one in loop.rounds.rounds]
    V, law = witness.complete(table, ways, models, loop.rounds.ridge)
    completed = [witness.expected(x, *law) for x in table] if V is None else V
    close = {"rtol": 1e-7, "atol": 1e-9}
    np.testing.assert_allclose(loop.source.matrix.values, completed, **close)
    rows = np.vstack([table, new])
    expected = witness.fill(rows, ways[-1], table, V, law, models)
    np.testing.assert_allclose(fills_of(loop, rows), expected, **close)


@pytest.mark.parametrize("seed", [0, *long(1, 2)])
@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_the_fills_are_those_of_the_reference(seed, n_rounds):
    table = table_of(seed)
    check(loop_over(table, SETTINGS, plan_of({}, n_rounds)), table, NEW, MODELS)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("metric", [None, METRIC], ids=["scaled", "learned"])
def test_in_every_way(way, metric):
    table = table_of(3)
    check(loop_over(table, SETTINGS, plan_of(way, 2, metric)), table, NEW, MODELS)


@pytest.mark.parametrize("level", ["fitted", "own"])
@pytest.mark.parametrize("metric", [None, METRIC], ids=["scaled", "learned"])
def test_the_level_that_numbers_of_neighbours_are_chosen_for_is_not_that_of_the_vote(level, metric):
    table = table_of(4)
    check(loop_over(table, SETTINGS, plan_of({"level": "fitted"}, 2, metric, level)), table, NEW, MODELS)


@pytest.mark.parametrize("n_rounds", [2, 4])
def test_many_donors_keep_the_numbers_that_they_chose_in_the_first_round(monkeypatch, n_rounds):
    table, plan = table_of(7), plan_of({}, n_rounds, METRIC)
    enough = np.sort(np.count_nonzero(~np.isnan(table), axis=0))[1]
    monkeypatch.setattr(completion, "MANY", enough)
    check(loop_over(table, SETTINGS, plan), table, NEW, MODELS._replace(many=enough))


@pytest.mark.parametrize("penalty", ["slopes", "all"])
@pytest.mark.parametrize("way", [{}, {"level": "own", "alpha": 3.0}], ids=["fitted", "own"])
def test_as_the_paper_validates(penalty, way):
    table = table_of(5)
    settings = replace(SETTINGS, penalty=penalty, validation="reused", reach=np.inf)
    models = MODELS._replace(penalty=penalty, validation="reused", reach=np.inf)
    check(loop_over(table, settings, plan_of(way, 2)), table, NEW, models)


@pytest.mark.parametrize("max_iter", [0, 1, 2])
@pytest.mark.parametrize("distance", ["scaled", "learned"])
def test_what_was_rehearsed_is_done(max_iter, distance):
    table = table_of(6, 64)
    imputer = iim.IIMImputer(
        4, learning_grid=MODELS.ells, alpha=0.1, strategy="iterative", distance=distance, max_iter=max_iter
    ).fit(table)
    assert 1 <= imputer.n_iter_ == len(imputer._loop.rounds.rounds) <= max_iter + 1
    check(imputer._loop, table, NEW, MODELS, fills_of=lambda _, rows: imputer.transform(rows))


def test_with_complete_rows_and_one_hole_in_a_row_it_is_the_other_strategy():
    # A row knows all that its donors' models need, and these learn as they do for its pattern.
    table = holed(120, 3, share=0.0)
    table[np.arange(40), np.arange(40) % 3] = np.nan
    imputer = iim.IIMImputer(strategy="patterns", donors="complete", alpha=0.01, **PLAIN)
    patterns = imputer.fit_transform(table)
    settings, _ = imputer._settings()
    loop = loop_over(table, settings, plan_of({"n_neighbors": 10, "alpha": 0.01}, 1))
    np.testing.assert_allclose(filled(loop, table), patterns, rtol=1e-9, atol=1e-12)
