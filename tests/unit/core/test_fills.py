"""Filled cells: the rows behind a ballot, by hand and against looking at every row."""

from dataclasses import fields, replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.execution.model_cache import ModelCache
from iim.core.fills import Ballot
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.neighbors import Neighbors, index_donors
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import Pattern
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.core.voting import Votes
from iim.kernels.validation import Validation
from iim.matrix import MaskedMatrix
from strategies import holed

PLAIN = {one.name: PAPER[one.name] for one in fields(Settings)} | {"reach": np.inf, "n_neighbors": 4}
NOTHING_SAID = Votes(np.empty((0, 0)), np.empty((0, 0)), np.empty(0))


def ballot(points, rows, places, **more):
    """Donors at some points, of some rows, asked by their places."""
    points, rows = np.array(points, float)[:, None], np.array(rows)
    tree = index_donors(points)
    models = PatternModels.unlearned(
        Problem(Pattern((0,), 1), (0,), rows, Fallback.NONE),
        tree,
        np.array([1]),
        Validation(np.zeros(len(points) + 1, np.intp), np.empty(0, np.intp)),
        (np.zeros(len(points)), 0),
        IDENTITY,
        level="fitted",
        weights="votes",
    )
    place = np.array(places)
    return Ballot(models, Neighbors(np.zeros(place.shape), place), NOTHING_SAID, **more)


def filled(table, settings):
    matrix = MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))
    source = learn_source(matrix, scale="none", which=settings.donors, min_donors=1)
    return list(PatternLoop(source, IndividualModels(settings), ModelCache()).fill(matrix, Context()))


def test_from_places_to_rows_of_the_table_by_hand():
    # Three donors, rows 2, 5 and 9 of those learned from, lie in one leaf in their own order.
    one = ballot([0, 1, 2], [2, 5, 9], [[0, 2], [1, 0]])
    assert one.models.tree.donor.tolist() == [0, 1, 2]
    assert one.donors.tolist() == [[2, 9], [5, 2]]
    # Rows were left out before: those learned from are every third of the table.
    assert replace(one, rows=np.arange(0, 30, 3)).donors.tolist() == [[6, 27], [15, 6]]


def test_places_are_not_rows():
    # More donors than a leaf holds, against their order: the tree turns them around.
    points = -np.arange(100.0)
    one = ballot(points, np.arange(100) + 1000, [np.arange(100)])
    donor = one.models.tree.donor
    assert donor.tolist() != list(range(100))
    assert one.donors.tolist() == [(donor + 1000).tolist()]
    assert sorted(one.donors[0].tolist()) == list(range(1000, 1100))


def test_one_donor_answers_for_all_receivers():
    one = ballot([5], [3], [[0], [0], [0]])
    assert one.donors.tolist() == [[3], [3], [3]]
    assert replace(one, rows=np.array([0, 0, 0, 8])).donors.tolist() == [[8], [8], [8]]


def test_nobody_is_asked_where_nobody_is_to_be_filled():
    assert ballot([0, 1], [0, 1], np.empty((0, 2), np.intp)).donors.shape == (0, 2)


def test_a_mean_has_no_ballot():
    table = np.array([[1.0, 2.0], [3.0, 5.0], [np.nan, np.nan]])
    parts = filled(table, Settings(**PLAIN))
    assert [(one.pattern, one.values.tolist(), one.fallback) for one in parts] == [
        (Pattern((), 0), [2.0], Fallback.MEAN),
        (Pattern((), 1), [3.5], Fallback.MEAN),
    ]
    assert [one.ballot for one in parts] == [None, None]


@pytest.mark.parametrize("donors", ["available", "complete"])
def test_donors_are_the_nearest_rows_that_know_and_values_are_the_mean_of_their_votes(donors):
    table = np.round(holed(90, 3, share=0.15), 1)  # with ties, which go by row
    known = ~np.isnan(table)
    parts = [one for one in filled(table, Settings(**PLAIN | {"donors": donors})) if one.pattern.observed]
    assert len(parts) >= 6
    for one in parts:
        F, A = list(one.pattern.observed), one.pattern.target
        rows = np.flatnonzero(known.all(axis=1) if donors == "complete" else known[:, [*F, A]].all(axis=1))
        for row, asked in zip(one.rows, one.ballot.donors, strict=True):
            d = ((table[rows][:, F] - table[row, F]) ** 2).sum(axis=1)
            assert asked.tolist() == rows[np.lexsort((rows, d))[:4]].tolist()
        votes = one.ballot.votes
        np.testing.assert_allclose((votes.weights * votes.candidates).sum(axis=1), one.values, rtol=1e-12)
        assert one.ballot.lines is None  # those of the models
