"""xgboost's trees as arrays: the same predictions, and no tree that is none."""

import numpy as np
import pytest
import xgboost

from iim.imputers._boosters import Forest, is_sound, put_together, take_apart


def grown(seed=0, n_rounds=20, **parameters):
    random = np.random.default_rng(seed)
    inputs = (random.normal(size=(200, 3)) * 10.0 ** random.integers(-9, 9, 3)).astype(np.float32)
    inputs[random.random(inputs.shape) < 0.2] = np.nan
    labels = np.nan_to_num(inputs / np.nanstd(inputs, axis=0)).sum(axis=1) + random.normal(size=200)
    table = xgboost.DMatrix(inputs, label=labels, missing=np.nan, nthread=1)
    return xgboost.train({"nthread": 1, **parameters}, table, num_boost_round=n_rounds), table


@pytest.mark.parametrize("parameters", [{}, {"max_depth": 1}, {"base_score": 0.5}, {"gamma": 5.0}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_trees_put_together_again_predict_the_same(seed, parameters):
    booster, table = grown(seed, **parameters)
    forest = take_apart(booster)
    assert is_sound(forest)
    again = xgboost.Booster(model_file=bytearray(put_together(forest)))
    np.testing.assert_array_equal(again.predict(table), booster.predict(table))
    for one, other in zip(take_apart(again), forest, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_trees_at_all_can_be_kept():
    booster, table = grown(n_rounds=0, base_score=0.25)
    forest = take_apart(booster)
    assert is_sound(forest)
    again = xgboost.Booster(model_file=bytearray(put_together(forest)))
    np.testing.assert_array_equal(again.predict(table), booster.predict(table))


@pytest.mark.parametrize(
    ("n_nodes", "splits", "sound"),
    [
        ([1], [0], True),
        ([3], [1, 0, 0], True),
        ([5], [1, 0, 1, 0, 0], True),
        ([1, 3], [0, 1, 0, 0], True),
        ([], [], True),
        ([3], [1, 0], False),
        ([2], [1, 0], False),
        ([3], [0, 1, 0], False),
        ([3], [0, 0, 1], False),
        ([5], [1, 0, 0, 1, 0], False),
        ([3], [0, 0, 0], False),
        ([3], [1, 1, 1], False),
        ([1, 0, 3], [0, 1, 0, 0], False),
        ([-1, 4], [1, 0, 0], False),
    ],
)
def test_only_what_hangs_together_is_a_tree(n_nodes, splits, sound):
    size = len(splits)
    forest = Forest(
        2,
        0.5,
        np.array(n_nodes, np.intp),
        np.array(splits, bool),
        np.zeros(size, np.intp),
        np.zeros(size, np.float32),
        np.zeros(size, bool),
    )
    assert is_sound(forest) == sound
