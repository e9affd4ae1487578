"""Which way is cheaper, and the words for it."""

import copy
import pickle

import numpy as np
import pytest

import iim
from iim.core.strategy import CHEAP, StrategyChoice, choose_by_cost, make_plan


def holes(n_rows, n_columns, rate):
    table = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    table[np.random.default_rng(1).random(table.shape) < rate] = np.nan
    return table


def chosen(table, **settings):
    imputer = iim.IIMImputer(**settings)
    return make_plan(np.isnan(table), *imputer._settings(), strategy=imputer.strategy).strategy


@pytest.mark.parametrize(
    ("patterns", "rounds", "expected"),
    [
        (CHEAP, 1.0, "patterns"),
        (4 * CHEAP, 2 * CHEAP, "iterative"),
        (4 * CHEAP, 4 * CHEAP, "patterns"),
        (4 * CHEAP, 8 * CHEAP, "patterns"),
    ],
)
def test_the_cheaper_one_is_taken_if_it_is_worth_it(patterns, rounds, expected):
    assert choose_by_cost(7, patterns, rounds) == expected


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ((0, 0.0, 0.0), "nothing is missing"),
        ((1, 1.0, 2.0), "1 combination of known and missing columns: learned within seconds"),
        (
            (1234, 6 * CHEAP, 2 * CHEAP),
            "1,234 combinations of known and missing columns: estimated at 3 times the cost of rounds over "
            "all columns",
        ),
    ],
)
def test_the_reason_is_told(costs, expected):
    assert choose_by_cost(*costs).reason == expected


def test_few_patterns_are_learned_one_by_one_and_very_many_are_not():
    one_column = holes(20_000, 6, 0.0)
    one_column[:1000, 2] = np.nan
    assert chosen(one_column) == "patterns"
    assert chosen(holes(200, 5, 0.2)) == "patterns"
    assert chosen(holes(20_000, 5, 0.2)) == "patterns"
    assert chosen(holes(20_000, 16, 0.2)) == "iterative"


def test_what_is_requested_is_done():
    table = holes(40, 3, 0.1)
    for strategy in ("patterns", "iterative"):
        imputer = iim.IIMImputer(strategy=strategy).fit(table)
        assert imputer.strategy_ == strategy
        assert imputer.strategy_.reason == "requested"


def test_a_choice_is_a_string_that_knows_its_reason():
    choice = StrategyChoice("patterns", "few rows")
    assert choice == "patterns"
    assert repr(choice) == "'patterns' (few rows)"
    for again in (pickle.loads(pickle.dumps(choice)), copy.deepcopy(choice)):
        assert (again, again.reason, type(again)) == ("patterns", "few rows", StrategyChoice)
