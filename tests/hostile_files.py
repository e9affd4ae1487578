"""Forged model files: a valid checksum, but invalid content."""

import copy
import random
import warnings
from unittest import mock

import numpy as np

import iim
from iim.persistence.atomic import replace_file
from iim.persistence.container import pack, read_container

VALUES = (
    *(None, True, False, -1, 0, 1, 2, 3, 10**4, 10**18, 2**62, 2**70, 0.5, -0.0, 1e308, -1e308, 5e-324),
    *("", "x", "array", "none", "all", "complete", [], {}, [[]], [0, 1], [0, 0], [5]),
    *({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"list": []}, {"dict": []}),
    *({"range": [1, 10**15, 1]}, {"number": ["float64", {"float": "nan"}]}, {"int": "0x" + "f" * 40}),
)
"""What is put in the place of something in the JSON."""

NUMBERS = (np.nan, np.inf, -np.inf, 0, -1, 1, 1e308, -1e308, 5e-324, 2**31 - 1, -(2**31), 100, 10**6)
"""What is put in the place of an entry of an array."""

DTYPES = (np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_)


def changed(rng: random.Random, content: dict, arrays: dict) -> tuple[dict, dict]:
    """One to three changes anywhere."""
    content, arrays = copy.deepcopy(content), dict(arrays)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if arrays and rng.random() < 0.55:
            name = rng.choice(sorted(arrays))
            with np.errstate(all="ignore"):
                arrays[name] = np.ascontiguousarray(_changed_array(rng, arrays[name].copy()))
        else:
            _change_tree(rng, content)
    return content, arrays


GROWTH = 3000
"""How many times something is repeated."""


def _changed_array(rng, array):
    how = rng.randrange(9)
    if how == 0:
        return array.astype(rng.choice(DTYPES))
    if how == 1:
        return array.reshape(-1)
    if how == 2:
        return array[: rng.randrange(array.shape[0] + 1)]
    if how == 3:
        return np.concatenate([array, array[:1]])
    if how == 4:
        return array.T if array.ndim > 1 else array[::-1]
    if how == 5:
        return array[..., :-1]
    if how == 6:
        return np.concatenate([array] * max(1, GROWTH // max(1, array.size)))
    if array.size:
        number = rng.choice(NUMBERS)
        if array.dtype.kind != "f":
            number = int(np.clip(np.nan_to_num(number), -(2**31), 2**31 - 1))
        array.reshape(-1)[rng.randrange(array.size)] = np.array(number).astype(array.dtype)
    return array


def _change_tree(rng, content):
    paths = [path for path in _paths(content) if path and path[0] in {"state", "parameters", "kept"}]
    if not paths:  # all is gone already
        return
    *above, last = rng.choice(paths)
    parent, how = _find(content, above), rng.randrange(10)
    if how < 5:
        parent[last] = copy.deepcopy(rng.choice(VALUES))
    elif how == 5:
        parent[last] = copy.deepcopy(_find(content, rng.choice(paths)))
    elif how == 6:
        del parent[last]
    elif how == 7:
        parent[last] = _grown(rng, parent[last])
    elif how == 8 and isinstance(parent, list):
        parent += [copy.deepcopy(parent[last]) for _ in range(rng.choice([2, GROWTH]))]
    elif isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    else:
        parent["extra"] = copy.deepcopy(parent[last])


def _grown(rng, value):
    """The same, many times: within each other, side by side, or as what has one hash."""
    how = rng.randrange(5)
    if how == 0:
        for _ in range(rng.choice([50, 400])):
            value = [value]
        return value
    if how == 1:
        return [copy.deepcopy(value) for _ in range(GROWTH)]
    if how == 2:
        return {"texts": [["x" * GROWTH], *(["a"] for _ in range(GROWTH))]}
    alike = [{"int": hex((2**61 - 1) * (2**40 + at))} for at in range(GROWTH)]
    return {"set": alike} if how == 3 else {"dict": [[key, 0] for key in alike]}


def _paths(tree, path=()):
    yield path
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, entry in entries:
        yield from _paths(entry, (*path, key))


def _find(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def load_and_fill(path, rows) -> bool:
    """Whether the file was loaded and filled rows; False if it was refused. Nothing else may happen."""
    try:
        imputer = iim.load(path)
    except iim.UnusableFile:
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of overflow: wrong numbers are all that may come of it
        imputer.transform(rows)
    return True


def write_container(path, content: dict, arrays: dict) -> None:
    """Write a file as `save` does."""
    replace_file(path, pack(content, arrays))


def forge(path, content: dict, arrays: dict) -> None:
    """Write a file with its checksum, whatever it says."""
    with mock.patch("iim.persistence.container.refuse_density"):
        write_container(path, content, arrays)


def try_changes(path, rows, *, seed: int, n_files: int) -> tuple[int, int]:
    """How many files were refused, and how many filled rows."""
    rng, (content, arrays) = random.Random(seed), read_container(path)
    n_filled = 0
    for _ in range(n_files):
        forge(path, *changed(rng, content, arrays))
        n_filled += load_and_fill(path, rows)
    return n_files - n_filled, n_filled
