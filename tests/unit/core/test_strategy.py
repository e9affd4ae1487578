"""Which strategy is taken, and the words for it."""

import copy
import pickle
import re

import numpy as np
import pytest

import iim
from cases import COMPILED
from iim.core import strategy as module
from iim.core.execution.context import Context
from iim.core.pattern_loop import PatternLoop
from iim.core.rounds.round_loop import RoundLoop
from iim.core.strategy import StrategyChoice, begin, make_plan
from iim.matrix import MaskedMatrix
from strategies import holed, untied

pytestmark = COMPILED

TRIED_BOTH = re.compile(
    r"[\d,]+ known cells hidden: typically off by [\d.e-]+ standard deviations by patterns, "
    r"by [\d.e-]+ in rounds"
)


def holes(n_rows, n_columns, rate, seed=0):
    table = untied(n_rows, n_columns, seed)
    table[np.random.default_rng(1).random(table.shape) < rate] = np.nan
    return table


def matrix_of(table):
    return MaskedMatrix(table, np.isnan(table), tuple(range(table.shape[1])))


def plan_for(table, **settings):
    imputer = iim.IIMImputer(**settings)
    return make_plan(matrix_of(table), *imputer._settings(), strategy=imputer.strategy, context=Context())


def chosen(table, **settings):
    return plan_for(table, **settings).strategy


def test_nothing_missing_is_left_to_patterns():
    assert repr(chosen(untied(30, 3))) == "'patterns' (nothing is missing)"


def test_few_rows_with_a_hole_each_are_left_to_patterns():
    table = untied(80, 4)
    table[np.arange(20), np.arange(20) % 4] = np.nan
    assert repr(chosen(table)) == "'patterns' (few rows lack a value, and none of them two)"
    # A row more, or a second hole, and both are tried.
    table[20, 0] = np.nan
    assert TRIED_BOTH.fullmatch(chosen(table).reason)
    table[20, 0], table[19, :2] = 1.0, np.nan
    assert TRIED_BOTH.fullmatch(chosen(table).reason)


def test_both_are_tried_and_the_smaller_error_is_taken(monkeypatch):
    table = holes(150, 4, 0.2)
    choice = chosen(table)
    assert TRIED_BOTH.fullmatch(choice.reason)
    monkeypatch.setattr(module, "_errors_of_patterns", lambda *_: np.full(100, 1e-6))
    assert chosen(table) == "patterns"
    assert "by 1e-06 standard deviations by patterns" in chosen(table).reason
    monkeypatch.setattr(module, "_errors_of_patterns", lambda *_: np.full(100, 10.0))
    assert chosen(table) == "iterative"


@pytest.mark.parametrize(("cheap", "expected"), [(np.inf, "patterns"), (0.0, "iterative")])
def test_of_about_equal_errors_the_cheaper_strategy_is_taken(monkeypatch, cheap, expected):
    found = []

    def rehearse(*given, **how):
        found.append(rehearsed(*given, **how))
        return found[-1]

    rehearsed = module.rehearse
    monkeypatch.setattr(module, "rehearse", rehearse)
    monkeypatch.setattr(module, "_errors_of_patterns", lambda *_: np.zeros(1))
    monkeypatch.setattr(module, "loss_of", lambda _: found[-1].loss)
    monkeypatch.setattr(module, "CHEAP", cheap)
    assert chosen(holes(60, 3, 0.2)) == expected


def test_too_many_patterns_are_not_tried(monkeypatch):
    table = holes(120, 6, 0.3)
    monkeypatch.setattr(module, "_errors_of_patterns", lambda *_: pytest.fail("patterns were tried"))
    monkeypatch.setattr(module, "TRIED", 0.0)
    choice = chosen(table)
    assert choice == "iterative"
    assert re.fullmatch(
        r"\d+ combinations of known and missing columns: too many to learn one by one", choice.reason
    )


def test_what_patterns_cost_grows_with_their_number_and_with_rows():
    settings, _ = iim.IIMImputer()._settings()

    def cost(table):
        missing = np.isnan(table)
        return module._cost_of_patterns(missing, module.group_patterns(missing), settings)

    one_column = untied(2000, 6)
    one_column[:100, 2] = np.nan
    assert cost(one_column) < module.CHEAP
    assert cost(holes(200, 5, 0.2)) < module.CHEAP
    assert cost(holes(2000, 5, 0.2)) > cost(holes(200, 5, 0.2))
    assert cost(holes(20_000, 16, 0.2)) > module.TRIED


@pytest.mark.parametrize("table", [np.array([[1.0, np.nan], [np.nan, 2]]), np.array([[1.0], [np.nan]])])
def test_a_table_too_small_to_hide_a_cell_is_left_to_patterns(table):
    assert chosen(table) is module.TOO_SMALL
    plan = plan_for(table, strategy="iterative")
    assert (plan.strategy, plan.strategy.reason) == ("iterative", "requested")
    assert len(plan.rounds.rounds) == 1


def test_what_is_requested_is_done():
    table = holed(40, 3, 0.1)
    for strategy, loop in (("patterns", PatternLoop), ("iterative", RoundLoop)):
        imputer = iim.IIMImputer(strategy=strategy).fit(table)
        assert repr(imputer.strategy_) == f"'{strategy}' (requested)"
        assert isinstance(imputer._loop, loop)


def test_plans_have_what_their_strategy_needs():
    table = holed(40, 3, 0.2)
    patterns, rounds = plan_for(table, strategy="patterns"), plan_for(table, strategy="iterative")
    assert patterns.rounds is None
    assert patterns.groups
    assert rounds.groups == []
    assert len(rounds.rounds.rounds[-1].columns) == 3
    for plan, loop in ((patterns, PatternLoop), (rounds, RoundLoop)):
        begun = begin(matrix_of(table), plan.settings, plan.rounds, Context())
        assert isinstance(begun, loop)
        assert begun.models.kept == {}


def test_the_ridge_of_rounds_grows_with_the_holes():
    table = untied(60, 4)
    table[:24, 0] = np.nan  # a tenth of the cells
    for one in plan_for(table, strategy="iterative").rounds.rounds:
        assert {choice.alpha for choice in one.columns} <= {0.001 + 10 * 0.1**2, 0.001 + 100 * 0.1**2}
    for one in plan_for(table, strategy="iterative", alpha=0.3).rounds.rounds:
        assert {choice.alpha for choice in one.columns} == {0.3}


def test_a_choice_is_a_string_that_knows_its_reason():
    choice = StrategyChoice("patterns", "few rows")
    assert choice == "patterns"
    assert repr(choice) == "'patterns' (few rows)"
    for again in (pickle.loads(pickle.dumps(choice)), copy.deepcopy(choice)):
        assert (again, again.reason, type(again)) == ("patterns", "few rows", StrategyChoice)
