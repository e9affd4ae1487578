"""xgboost's trees as plain arrays, and back.

xgboost's own files are not safe to read from a stranger: its reader and its trees follow lengths and
positions as they come. So only numbers are kept, and the file that xgboost reads is made from them here.

Nodes are laid out level by level, the two children of a node side by side. Then where children are follows
from which nodes have any: those of the j-th such node (from 0) are at 2 j + 1 and 2 j + 2. No node can
lead back to an earlier one, or out of its tree.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from iim._arrays import Booleans, Integers

Singles = npt.NDArray[np.float32]

MOST_DEPTH = 1000
"""The deepest tree that is kept: xgboost goes down by recursion, and a long chain would end the process."""

_NO_PARENT = 2**31 - 1
_NO_CHILD = -1


class Forest(NamedTuple):
    """All trees of a booster, one after the other."""

    n_columns: int
    """How many columns it predicts from."""
    base_score: float
    """Where the sum of the trees' values starts."""
    n_nodes: Integers
    """(n_trees,): of each tree."""
    splits: Booleans
    """(n_all_nodes,): whether a node has children."""
    column: Integers
    """(n_all_nodes,): the column that is asked; 0 for a leaf."""
    value: Singles
    """(n_all_nodes,): below this, rows go left; the value of a leaf."""
    unknown_left: Booleans
    """(n_all_nodes,): where rows go that do not know the column."""


def take_apart(booster: Any) -> Forest:
    """The numbers that decide what a booster predicts."""
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    assert learner["gradient_booster"]["name"] == "gbtree"  # noqa: S101
    trees = [_lay_out(tree) for tree in learner["gradient_booster"]["model"]["trees"]]
    parameters = learner["learner_model_param"]
    # From version 3.1 on it is a list of one.
    base_score = float(np.float32(parameters["base_score"].strip("[]")))
    together = (
        (np.concatenate(parts) for parts in zip(*trees, strict=True)) if trees else _lay_out_nothing()
    )
    n_nodes = np.array([tree[0].size for tree in trees], np.intp)
    return Forest(int(parameters["num_feature"]), base_score, n_nodes, *together)


def put_together(forest: Forest) -> bytes:
    """The file from which xgboost reads a booster with these trees."""
    parts = zip(*(_by_tree(array, forest.n_nodes) for array in forest[3:]), strict=True)
    trees = [_write_tree(at, forest.n_columns, *part) for at, part in enumerate(parts)]
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {
            "model": {
                "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
                "iteration_indptr": list(range(len(trees) + 1)),
                "tree_info": [0] * len(trees),
                "trees": trees,
            },
            "name": "gbtree",
        },
        "learner_model_param": {
            "base_score": str(np.float32(forest.base_score)),
            "boost_from_average": "1",
            "num_class": "0",
            "num_feature": str(forest.n_columns),
            "num_target": "1",
        },
        "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
    }
    # The oldest version that is supported; newer ones read it, too.
    return json.dumps({"learner": learner, "version": [2, 1, 1]}).encode()


def is_sound(forest: Forest) -> bool:
    """Whether every tree is one, and not too deep: its nodes are the root and children of earlier ones."""
    if forest.n_nodes.sum() != forest.splits.size or np.any(forest.n_nodes < 1):
        return False
    for splits in _by_tree(forest.splits, forest.n_nodes):
        at = np.flatnonzero(splits)
        if splits.size != 2 * at.size + 1 or np.any(2 * np.arange(at.size) + 1 <= at):
            return False
        if _is_deeper(splits, MOST_DEPTH):
            return False
    return True


def _is_deeper(splits: Booleans, most: int) -> bool:
    """Whether a tree has more levels below its root."""
    start, stop = 0, 1
    for _ in range(most + 1):
        n_children = 2 * int(np.count_nonzero(splits[start:stop]))
        if n_children == 0:
            return False
        start, stop = stop, stop + n_children
    return True


def _by_tree(nodes: Any, n_nodes: Integers) -> list[Any]:
    return np.split(nodes, np.cumsum(n_nodes))[:-1]


def _lay_out(tree: dict[str, Any]) -> tuple[Booleans, Integers, Singles, Booleans]:
    left, right = tree["left_children"], tree["right_children"]
    assert not any(tree["split_type"])  # noqa: S101 (numbers only, no categories)
    order = [0]
    for node in order:  # which grows meanwhile
        if left[node] != _NO_CHILD:
            order += [left[node], right[node]]
    splits = np.array([left[node] != _NO_CHILD for node in order])
    column = np.where(splits, np.array(tree["split_indices"], np.intp)[order], 0)
    value = np.array(tree["split_conditions"], np.float32)[order]
    return splits, column, value, np.array(tree["default_left"], np.bool_)[order]


def _lay_out_nothing() -> tuple[Booleans, Integers, Singles, Booleans]:
    return np.empty(0, np.bool_), np.empty(0, np.intp), np.empty(0, np.float32), np.empty(0, np.bool_)


def _write_tree(
    number: int, n_columns: int, splits: Booleans, column: Integers, value: Singles, unknown_left: Booleans
) -> dict[str, Any]:
    n_nodes, parents = splits.size, np.flatnonzero(splits)
    left = np.full(n_nodes, _NO_CHILD)
    left[parents] = 2 * np.arange(parents.size) + 1
    # The shortest text that means the number in 32 bits: xgboost reads no more than nine digits.
    values = value.astype(str).astype(np.float64).tolist()
    nothing = [0.0] * n_nodes
    return {
        "base_weights": nothing,
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": unknown_left.astype(int).tolist(),
        "id": number,
        "left_children": left.tolist(),
        "loss_changes": nothing,
        "parents": [_NO_PARENT, *np.repeat(parents, 2).tolist()],
        "right_children": np.where(splits, left + 1, _NO_CHILD).tolist(),
        "split_conditions": values,
        "split_indices": column.tolist(),
        "split_type": [0] * n_nodes,
        "sum_hessian": nothing,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_columns),
            "num_nodes": str(n_nodes),
            "size_leaf_vector": "1",
        },
    }
