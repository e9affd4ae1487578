"""Sums of trees: what xgboost predicts from the same trees, and no way down that leads nowhere."""

import numpy as np
import pytest
import xgboost

from iim.core.methods.decision_trees import DecisionTrees
from iim.imputers.xgb import take_apart
from iim.persistence.fields import Refused, Sizes


def grown(seed=0, n_rounds=20, **parameters):
    random = np.random.default_rng(seed)
    inputs = (random.normal(size=(200, 3)) * 10.0 ** random.integers(-9, 9, 3)).astype(np.float32)
    inputs[random.random(inputs.shape) < 0.2] = np.nan
    labels = np.nan_to_num(inputs / np.nanstd(inputs, axis=0)).sum(axis=1) + random.normal(size=200)
    table = xgboost.DMatrix(inputs, label=labels, missing=np.nan, nthread=1)
    return xgboost.train({"nthread": 1, **parameters}, table, num_boost_round=n_rounds), table, inputs


@pytest.mark.parametrize("parameters", [{}, {"max_depth": 1}, {"base_score": 0.5}, {"gamma": 5.0}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_sum_is_what_xgboost_predicts_to_the_last_bit(seed, parameters):
    booster, table, inputs = grown(seed, **parameters)
    trees = take_apart(booster)
    trees.check_kept(Sizes())
    np.testing.assert_array_equal(trees.predict(inputs), booster.predict(table).astype(np.float64))


def made(first, left, column=None):
    size = len(left)
    return DecisionTrees(
        2,
        0.5,
        np.array(first, np.intp),
        np.array(left, np.intp),
        np.zeros(size, np.intp) if column is None else np.array(column, np.intp),
        np.arange(size, dtype=np.float32),
        np.zeros(size, bool),
    )


def test_a_row_goes_down_as_its_values_say():
    # 0 asks column 0 for values below 0, then 1 asks column 1 for values below 1.
    trees = made([0], [1, 3, 0, 0, 0], [0, 1, 0, 0, 0])
    rows = np.array([[-1, 0], [-1, 1], [0, 0], [np.nan, 0], [-1, np.nan]], np.float32)
    assert trees.predict(rows).tolist() == [3.5, 4.5, 2.5, 2.5, 4.5]


@pytest.mark.parametrize(
    ("first", "left", "sound"),
    [
        ([0], [0], True),
        ([0], [1, 0, 0], True),
        ([0], [1, 0, 3, 0, 0], True),
        ([0, 1], [0, 2, 0, 0], True),
        ([0], [1, 0], False),
        ([0], [0, 1, 0], False),
        ([0], [1, 1, 0], False),
        ([0, 1], [1, 0, 0], False),
        ([0, 0], [0, 0], False),
        ([1], [0, 0], False),
        ([0, 5], [0, 0], False),
    ],
)
def test_only_what_hangs_together_is_a_tree(first, left, sound):
    trees = made(first, left)
    if sound:
        trees.check_kept(Sizes())
    else:
        with pytest.raises(Refused, match="DecisionTrees"):
            trees.check_kept(Sizes())
