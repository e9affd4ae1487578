"""Hashes of fills: whether a change of the code has changed a bit of any result.

``python benchmarks/fill_hashes.py`` computes them and compares with the committed ones in
``fill_hashes.json``; it ends with 1 if one differs. ``--write`` replaces the file. Needs IIM_DATA; five
minutes on two idle cores.

A hash covers every bit of an array. Digits of eigenvectors and of trees depend on the processor and on the
versions of LAPACK and xgboost, so that hashes are only compared on one machine: the file names the one that
wrote it, and elsewhere the former commit is run first, with ``--write --file FILE``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import iim
from datasets import read
from iim.versions import versions

KEPT = Path(__file__).with_suffix(".json")

TABLES = (
    "asf",
    "ca",
    "ccpp",
    "ccs",
    "da",
    "hep",
    "mam",
    "scattered/iris",
    "scattered/concrete",
    "density/geyser",
)
"""Data sets, of which the first MOST_ROWS rows are taken."""

MOST_ROWS = 500
N_NEW = 60
"""Rows that ``fit`` does not see: they are filled by ``transform`` alone."""

SEED = 0

VARIANTS: dict[str, dict[str, Any]] = {
    "patterns": {"strategy": "patterns"},
    "rounds": {"strategy": "iterative"},
    "rounds, few donors": {"strategy": "iterative", "max_donors": 90},
    "complete donors": {"donors": "complete"},
    "robust, uniform": {"scale": "robust", "weights": "uniform", "level": "own"},
    "closest, no limit": {"weights": "closest", "reach": None, "distance": "scaled"},
    "one l": {"learning_neighbors": 12},
    "all, reused": {"penalty": "all", "validation": "reused", "alpha": 0.1},
    "single holes ahead": {"prepare": "single", "n_neighbors": 4},
    "paper in rounds": {**iim.PAPER, "strategy": "iterative"},
}
"""Settings of IIM, besides its defaults and the paper's."""


def main() -> int:
    """Compute, then write or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the file instead of comparing")
    parser.add_argument("--file", type=Path, default=KEPT, help="the hashes (default: the committed ones)")
    parser.add_argument("--only", default="", help="compare the tables whose names begin so")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = dict(all_hashes(options.only))
    if options.write:
        options.file.write_text(
            json.dumps({"versions": versions(), "hashes": found}, indent=1) + "\n", encoding="utf-8"
        )
        print(f"Wrote {len(found)} hashes.")
        return 0
    kept = json.loads(options.file.read_text(encoding="utf-8"))["hashes"]
    kept = {name: kept[name] for name in kept if name.startswith(options.only)}
    different = [name for name in kept if found.get(name) != kept[name]]
    new = [name for name in found if name not in kept]
    for name in different:
        print(f"differs: {name}")
    for name in new:
        print(f"not in the file: {name}")
    print(f"{len(kept) - len(different)} of {len(kept)} hashes are the same, {len(new)} are new.")
    return 1 if different or new else 0


def all_hashes(only: str = "") -> Iterator[tuple[str, str]]:
    """Name and hash of every result."""
    for name, table in tables():
        if not name.startswith(only):
            continue
        fitted, new = table[:-N_NEW], table[-N_NEW:]
        for key, method in iim.METHODS.items():
            for settings in ("default", "paper"):
                if settings == "paper" and not method.PAPER:
                    continue
                if key == "auto" and not name.startswith(("iris", "made")):
                    continue
                parameters = dict(method.PAPER) if settings == "paper" else {}
                yield from _hashed(f"{name}/{key}/{settings}", _fills(method, parameters, fitted, new))
        for variant, parameters in VARIANTS.items():
            yield from _hashed(f"{name}/iim/{variant}", _fills(iim.IIMImputer, parameters, fitted, new))
        for strategy in ("patterns", "iterative"):
            for settings in ({}, dict(iim.PAPER)):
                parameters = {**settings, "strategy": strategy}
                label = f"{name}/iim/{strategy}/{'paper' if settings else 'default'}"
                yield from _hashed(label, _evidence(parameters, fitted, new))


def tables() -> Iterator[tuple[str, np.ndarray]]:
    """Tables with holes: data sets, and generated ones."""
    for at, name in enumerate(TABLES):
        whole = read(name)[0][:MOST_ROWS]
        whole = whole[:, ~np.isnan(whole).all(axis=0)]
        short = name.rpartition("/")[2]
        yield f"{short}, one column", _one_column(whole, SEED + at)
        if at % 2 == 0:
            yield f"{short}, scattered", scattered(whole, 0.15, SEED + at)
    generator = np.random.default_rng(SEED)
    laws = generator.normal(size=(3, 5))
    rows = generator.normal(size=(400, 5))
    made = np.column_stack([rows, np.einsum("nm,nm->n", rows, laws[generator.integers(3, size=400)])])
    yield "made, scattered", scattered(made, 0.3, SEED)
    ties = np.round(made * 2) / 2
    ties[:, 1] = 7.0
    yield "made, ties", scattered(ties, 0.1, SEED)
    yield "made, huge and tiny", scattered(made * 10.0 ** np.array([200, -200, 0, 5, -5, 100]), 0.1, SEED)
    yield "made, few rows", scattered(made[:75], 0.1, SEED)


def scattered(whole: np.ndarray, share: float, seed: int) -> np.ndarray:
    """The table with cells of all columns emptied, one row of them wholly."""
    holes = np.random.default_rng(seed).random(whole.shape) < share
    holes[3] = True
    return np.where(holes, np.nan, whole)


def _one_column(whole: np.ndarray, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    table = whole.copy()
    holes = generator.random(len(table)) < 0.1
    # One at least among the rows that come later.
    holes[-1] = True
    table[holes, seed % table.shape[1]] = np.nan
    return table


def _fills(method: type, parameters: dict[str, Any], fitted: np.ndarray, new: np.ndarray) -> Any:
    def compute() -> dict[str, np.ndarray]:
        at_once = method(**parameters).fit_transform(fitted)
        imputer = method(**parameters).fit(fitted)
        return {
            "fit_transform": at_once,
            "transform": imputer.transform(fitted),
            "new": imputer.transform(new),
        }

    return compute


def _evidence(parameters: dict[str, Any], fitted: np.ndarray, new: np.ndarray) -> Any:
    def compute() -> dict[str, np.ndarray]:
        imputer = iim.IIMImputer(**parameters).fit(fitted)
        found = imputer.candidates(fitted)
        arrays = {
            part: getattr(found, part) for part in ("imputed", "values", "weights", "donors", "n_learning")
        }
        certain = imputer.candidates(new, calibrated=True)
        arrays |= {"std": certain.std, "interval": np.stack(certain.interval(0.9))}
        arrays["draws"] = np.stack(imputer.sample(new, n_draws=3, random_state=7))
        row, column = np.argwhere(np.isnan(new))[0]
        explained = imputer.explain(new, int(row), int(column))
        arrays["explained"] = np.concatenate([explained.candidates, explained.effects.ravel()])
        return arrays

    return compute


def _hashed(name: str, compute: Callable[[], dict[str, np.ndarray]]) -> Iterator[tuple[str, str]]:
    try:
        arrays = compute()
    except ValueError as error:
        # What a table is refused for is a result, too.
        yield name, f"refused: {type(error).__name__}"
        return
    for part, result in arrays.items():
        # One NaN for all: their bits mean nothing.
        array = np.where(np.isnan(result), np.nan, result) if result.dtype.kind == "f" else result
        header = f"{array.dtype.str}{array.shape}".encode()
        yield f"{name}/{part}", hashlib.sha256(header + array.tobytes()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
