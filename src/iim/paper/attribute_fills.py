"""Remove values of one attribute, and fill them: the measurement of most tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.evaluation.attempts import attempt
from iim.evaluation.hiding import hide_cells, hide_clusters
from iim.evaluation.scoring import spread
from iim.matrix import MaskedMatrix
from iim.paper.bench import Bench, make_imputer

TUPLES = 1
"""Keeps the draw of complete rows independent of other draws of the same seed."""


def fill(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Remove values, fit a method, fill them.

    Parameters
    ----------
    inputs : mapping
        ``data``, ``target``, ``method``, ``settings``, ``hide``, ``seed``; and, where not all is used,
        ``n_columns``, ``factor``, ``n_rows``, ``n_observed``, ``n_complete``, ``cluster_size``.
    bench : Bench
        Provides the data.

    Returns
    -------
    dict
        ``truth`` and ``filled`` values of the removed cells, in row order; the ``mean`` of the known
        values and the ``spread`` of all; ``n_complete`` rows to learn from; ``seconds`` of fitting (the
        paper's offline learning) and of filling; ``warned``, warnings of the method.
    """
    values, target = table_of(inputs, bench)
    removed = removed_rows(values, target, inputs)
    receivers = np.flatnonzero(removed)
    complete = _complete_rows(removed, inputs)
    rows = np.sort(np.concatenate([receivers, complete]))
    table = values.copy()
    table[receivers, target] = np.nan
    bench.warm(
        f"{inputs['method']} {inputs['settings']}",
        lambda: make_imputer(inputs).fit(table[rows[:60]]).transform(table[receivers[:2]]),
    )
    tried = attempt(
        lambda: make_imputer(inputs).fit(table[rows]), lambda imputer: imputer.transform(table[receivers])
    )
    filled, (fit_seconds, fill_seconds) = tried.result(), tried.seconds
    return {
        "truth": values[receivers, target].tolist(),
        "filled": filled[:, target].tolist(),
        "mean": float(values[complete, target].mean()),
        "spread": spread(values[:, target]),
        "n_complete": complete.size,
        "seconds": {"fit": fit_seconds, "fill": fill_seconds},
        "warned": sorted({str(one.message) for one in tried.warned}),
    }


def table_of(inputs: Mapping[str, Any], bench: Bench) -> tuple[Floats, int]:
    """The table of an experiment, and the position of the target in it."""
    data = bench.data(inputs["data"])
    columns = data.columns[: inputs.get("n_columns")]
    observed = [name for name in columns if name != inputs["target"]][: inputs.get("n_observed")]
    # In the order of the table.
    used = [name for name in columns if name in {*observed, inputs["target"]}]
    values = data.values[:, [data.columns.index(name) for name in used]] * inputs.get("factor", 1.0)
    return values[sampled_rows(len(values), inputs.get("n_rows"))], used.index(inputs["target"])


def sampled_rows(n_rows: int, most: int | None) -> Integers:
    """All rows or, if there are too many, some from the whole table; always the same."""
    if most is None or most >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(most).permutation(n_rows)[:most])


def removed_rows(values: Floats, target: int, inputs: Mapping[str, Any]) -> Booleans:
    """Rows that lose their value of the target."""
    missing = np.isnan(values)
    draw: dict[str, Any] = {"hide": inputs["hide"], "seed": inputs["seed"], "repeat": 0}
    if "cluster_size" not in inputs:
        return hide_cells(missing, [target], **draw)[:, target]
    matrix = MaskedMatrix(np.ascontiguousarray(values), missing, tuple(range(values.shape[1])))
    size = inputs["cluster_size"]
    return hide_clusters(matrix, [target], cluster_size=size, scale="none", **draw)[:, target]


def _complete_rows(removed: Booleans, inputs: Mapping[str, Any]) -> Integers:
    """Rows to learn from: all that kept their value, or nested samples of them."""
    complete = np.flatnonzero(~removed)
    if "n_complete" not in inputs:
        return complete
    shuffled = np.random.default_rng([inputs["seed"], TUPLES]).permutation(complete)
    return np.sort(shuffled[: inputs["n_complete"]])
