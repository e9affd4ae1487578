"""What parts say of receivers, and the vote over it, against sorting and weighing donor by donor."""

import numpy as np
import pytest

from iim.cluster.partition.part_answers import Answers, ask_part, vote_over_parts
from iim.cluster.partition.parts import NONE, PartedProblem
from iim.core.execution.context import Context
from iim.core.held_out.shrinkage import no_shrinkage
from iim.core.neighbors import index_donors, nearest_donors
from strategies import untied

UNUSED = {"target": 9, "grid": np.array([1]), "transform": np.empty((0, 0)), "level": "fitted"}
UNUSED |= {"shrinkage": no_shrinkage(1)}
"""Of a problem: what no answer depends on."""


def problem_of(n_donors, weights="uniform", exponent=0, low=-np.inf, high=np.inf):
    units = {"exponent": exponent, "low": low, "high": high}
    return PartedProblem(observed=(0,), weights=weights, n_donors=n_donors, **units, **UNUSED)


def asked(rows, points, coef, queries, problem, k):
    """The answers of a part with donors of these rows."""
    tree = index_donors(points)
    found = nearest_donors(tree, queries, n_neighbors=k, context=Context())
    return ask_part(tree, rows, coef, queries, found, problem, k)


def voted(receiver, distance, rows, said, problem):
    answers = Answers(np.array(distance, float), np.array(rows, np.intp), np.array(said, float))
    receivers, values = vote_over_parts(np.array(receiver, np.intp), answers, problem)
    return receivers.tolist(), values.tolist()


def test_answers_by_hand():
    # Donors at 0 and 4, with the models 10 + 2 (x - 0) and 20 - (x - 4); at 3 they say 16 and 21.
    rows, points = np.array([7, 9]), np.array([[0.0], [4.0]])
    coef, queries = np.array([[10.0, 2.0], [20.0, -1.0]]), np.array([[3.0], [0.0]])
    answers = asked(rows, points, coef, queries, problem_of(9), 3)
    assert answers.distance.tolist() == [[1, 9, np.inf], [0, 16, np.inf]]
    assert answers.rows.tolist() == [[9, 7, NONE], [7, 9, NONE]]
    assert answers.said[:, :2].tolist() == [[21, 16], [10, 24]]
    limited = asked(rows, points, coef, queries, problem_of(9, low=12, high=20), 1)
    assert limited.said.tolist() == [[20], [12]]


def test_votes_by_hand():
    # Of receiver 3 the parts name rows 5, 8 and 2, of which the nearest two are 5 and 2.
    receiver, distance, rows = [3, 0, 3], [[1, 9], [0, 1], [4, np.inf]], [[5, 8], [1, 2], [2, NONE]]
    said = [[10, 1000], [7, 9], [40, 12345]]
    # They are at distances of 1 and 2; whoever lies on the receiver has all.
    near = {
        "distance": [7, (10 / 1 + 40 / 2) / (1 + 1 / 2)],
        "closest": [7, (10 / 1 + 40 / 4) / (1 + 1 / 4)],
    }
    for weights, expected in {"uniform": [8, 25], "votes": [8, 25], **near}.items():
        told = voted(receiver, distance, rows, said, problem_of(9, weights))
        assert told == ([0, 3], pytest.approx(expected, rel=1e-14))


def test_of_equally_near_donors_the_first_row_counts():
    lines = [3, 3], [[4, 4], [4, 9]], [[8, 30], [6, 1]], [[1, 2], [4, 8]]
    assert voted(*lines, problem_of(50)) == ([3], [(4 + 1) / 2])


def test_with_fewer_donors_than_are_asked_all_of_them_vote():
    lines = [0, 0], [[1, np.inf], [2, np.inf]], [[5, NONE], [1, NONE]], [[3, 99], [6, 99]]
    assert voted(*lines, problem_of(2)) == ([0], [4.5])
    # If only one of them is heard of, it votes alone where there is no other.
    assert voted(*(line[1:] for line in lines), problem_of(1)) == ([0], [6])
    assert voted(*(line[1:] for line in lines), problem_of(2)) == ([], [])


def test_who_lacks_answers_is_left_out_and_takes_none_from_the_next():
    lines = [4, 5, 6], [[1, np.inf], [1, 2], [1, np.inf]], [[3, NONE], [3, 4], [7, NONE]]
    assert voted(*lines, [[1, 0], [10, 20], [5, 0]], problem_of(9)) == ([5], [15])
    assert voted([], *np.empty((3, 0, 2)), problem_of(9)) == ([], [])


def test_values_come_back_in_units_of_the_table_and_stay_finite():
    lines = [0, 1], [[1, 2], [1, 2]], [[1, 2], [1, 2]], [[0.5, 0.25], [1.0, 3.0]]
    assert voted(*lines, problem_of(9, exponent=4)) == ([0, 1], [6, 32])
    largest = float(np.finfo(np.float64).max)
    assert voted(*lines, problem_of(9, exponent=1024)) == ([0, 1], [0.75 * 2.0**1023, largest])


def plain_vote(rows, points, coef, query, weights):
    """Of the nearest seven, donor by donor, as the formulas stand."""
    square = ((points - query) ** 2).sum(axis=1)
    near = np.lexsort((rows, square))[:7]
    said = np.array([coef[one, 0] + coef[one, 1:] @ (query - points[one]) for one in near])
    power = {"uniform": 0.0, "distance": -0.5, "closest": -1.0}.get(weights)
    shares = square[near] ** power if power is not None else 1 / np.abs(said[:, None] - said).sum(axis=1)
    return shares @ said / shares.sum()


@pytest.mark.parametrize("weights", ["votes", "uniform", "distance", "closest"])
@pytest.mark.parametrize("n_parts", [1, 3, 30])
def test_any_division_votes_as_all_donors_in_one_place_do(weights, n_parts):
    # On a lattice, with many donors as far as others.
    random, queries = np.random.default_rng(0), np.round(4 * untied(25, 3, seed=1)) + 0.5
    points, problem = np.round(4 * untied(90, 3)), problem_of(90, weights)
    donors = np.sort(random.permutation(500)[:90]), points, random.normal(size=(90, 4))
    part, said = random.integers(n_parts, size=90), []
    for one in np.unique(part):
        answers = asked(*(of[part == one] for of in donors), queries, problem, 7)
        said.append((np.arange(25), answers.distance, answers.rows, answers.said))
    # The lines come in any order.
    order = random.permutation(25 * len(said))
    receivers, values = voted(*(np.concatenate(lines)[order] for lines in zip(*said, strict=True)), problem)
    assert receivers == list(range(25))
    expected = [plain_vote(*donors, query, weights) for query in queries]
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    undivided = asked(*donors, queries, problem, 7)
    assert values == vote_over_parts(np.arange(25), undivided, problem)[1].tolist()
