"""Model files of this version, one for every method, for all later versions to read.

    python tests/model_files/write.py          tells whether the files are there
    python tests/model_files/write.py --write  writes those that are not; written ones are never changed

A file that is in a release stays as it is: that it can still be read is what it is for. When the format
changes, FORMAT_VERSION grows, and this script writes a new folder beside the old ones.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import iim
from iim.keeping.container import FORMAT_VERSION

HERE = Path(__file__).resolve().parent
SETTINGS = {"xgb": {"n_rounds": 5}, "iim": {"prepare": "single"}, "ifc": {"n_clusters": 3}} | {
    "auto": {"methods": ["knn", "glr", "mean"], "repeats": 1}
}
"""Where the defaults would make a large file, or leave something out."""

MODELS = {key: (key, SETTINGS.get(key, {})) for key in iim.METHODS} | {
    "iim-rounds": ("iim", {"strategy": "iterative", "prepare": "single", "max_donors": 20}),
    "iim-numpy": (
        "iim",
        {
            "n_neighbors": np.int8(4),
            "learning_grid": np.array([1, 3, 8], np.uint8),
            "alpha": np.float32(0.5),
            "missing_values": {-99, np.float32(-0.5)},
            "min_value": np.array([-1.0, -np.inf, -6.0]),
            "min_donors": 10**30,
        },
    ),
    "knn-frame": (
        "knn",
        {
            "columns": ["second", "d\u00fcnn"],
            "missing_values": [-99, "?", None, 10**40],
            "min_value": {"second": "observed"},
            "max_value": (None, 10.5, None),
            "add_indicator": True,
            "keep_empty_features": True,
            "n_jobs": None,
        },
    ),
    "mean-own": ("mean", {"missing_values": frozenset([7.25]), "max_value": [1, None, "observed"]}),
}
"""The files, by name: the method's key and settings."""

NAMES = {"knn-frame": ["first", "second", "d\u00fcnn"]}
"""Columns of those that learn from a frame."""

OWN = {
    "mean-own": {
        "note_": "March",
        "by_column_": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "several_": {"a": (1, [2.5, None]), 3: np.array(["x", "yz"]), True: range(2, 9, 3)},
        "large_": np.array([2**40, -1]),
    }
}
"""Attributes that a user has added."""


def tables() -> tuple[np.ndarray, np.ndarray]:
    """A table to learn from, with holes in every column, and rows with every pattern of holes."""
    random = np.random.default_rng(2024)
    both = np.round(random.normal(size=(32, 3)) @ random.normal(size=(3, 3)) + [0.0, 10.0, -5.0], 3)
    known, rows = both[:24].copy(), both[24:].copy()
    known[[3, 9, 15], [0, 1, 2]] = np.nan
    known[20, :2] = np.nan
    rows[np.array(list(product([False, True], repeat=3)))] = np.nan
    return known, rows


def as_given(table: np.ndarray, names: list[str] | None) -> np.ndarray | pd.DataFrame:
    """The table, as a frame if its columns have names."""
    return table if names is None else pd.DataFrame(table, columns=names)


def main(arguments: list[str] | None = None) -> int:
    """Look for the files, or write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write what is not there")
    options = parser.parse_args(arguments)
    folder = HERE / f"v{FORMAT_VERSION}"
    absent = [name for name in MODELS if not (folder / f"{name}.iim").exists()]
    if not options.write:
        sys.stdout.write(
            f"{folder.name}: " + (f"not there: {', '.join(absent)}\n" if absent else "all there\n")
        )
        return int(bool(absent))
    folder.mkdir(exist_ok=True)
    known, rows = tables()
    for name in absent:
        key, settings = MODELS[name]
        imputer = iim.METHODS[key](**settings).fit(as_given(known, NAMES.get(name)))
        vars(imputer).update(OWN.get(name, {}))
        imputer.save(folder / f"{name}.iim")
        # Text: to be read in a review, and by any version of anything. repr gives back every bit.
        filled = np.asarray(imputer.transform(as_given(rows, NAMES.get(name))))
        lines = [",".join(map(repr, row)) for row in filled.tolist()]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
