"""The kinds of measurements, by name: each computes a raw record from the inputs of a task."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from iim.evaluation.hiding import hide_one_per_row
from iim.imputers._jobs import usable_threads
from iim.paper.applications import HIDING, classify, cluster
from iim.paper.attribute_fills import fill, removed_rows, sampled_rows, table_of
from iim.paper.bench import Bench, make_imputer
from iim.paper.learning_times import adaptive_learning, fill_from_models
from iim.paper.scattering import scatter
from iim.paper.step_times import step_times

Measure = Callable[[Mapping[str, Any], Bench], dict[str, Any]]


def describe(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Count rows, attributes and missing cells of a data set."""
    features = bench.data(inputs["data"]).features()
    return {
        "n_rows": len(features),
        "n_columns": features.shape[1],
        "n_missing": int(np.isnan(features).sum()),
    }


def learn(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Learn the models of all tuples, straightforwardly or incrementally; fill removed values, if any.

    Parameters
    ----------
    inputs : mapping
        ``data``, ``target``, ``step`` and ``last`` of the candidates, ``way``, ``seed``; optionally
        ``n_rows``, and ``hide``, the number of values to remove and fill.
    bench : Bench
        Provides the data.

    Returns
    -------
    dict
        ``seconds`` by stage, a ``digest`` of all that was learned, and ``truth`` and ``filled``.
    """
    values, target = table_of(inputs, bench)
    removed = removed_rows(values, target, inputs) if "hide" in inputs else np.zeros(len(values), bool)
    observed = np.delete(values, target, axis=1)
    points, targets = observed[~removed], values[~removed, target]
    n_threads = usable_threads()
    learned = adaptive_learning(
        points,
        targets,
        range(1, inputs["last"] + 1, inputs["step"]),
        incremental=inputs["way"] == "incremental",
        n_threads=n_threads,
    )
    written = learned["coef"].tobytes() + learned["n_learning"].tobytes()
    found = {"seconds": learned["seconds"], "digest": hashlib.sha256(written).hexdigest()}
    if removed.any():
        filled = fill_from_models(points, targets, learned["coef"], observed[removed], n_threads=n_threads)
        found |= {"truth": values[removed, target].tolist(), "filled": filled.tolist()}
    return found


def cluster_again(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Cluster a table, remove values, impute them or discard their rows, and cluster again.

    Parameters
    ----------
    inputs : mapping
        ``data``, ``share`` of incomplete rows, ``n_clusters``, ``method`` and ``settings``, ``seed``, and
        ``n_rows`` if not all.
    bench : Bench
        Provides the data.

    Returns
    -------
    dict
        See :func:`iim.paper.applications.cluster`.
    """
    values = bench.data(inputs["data"]).features()
    values = values[sampled_rows(len(values), inputs.get("n_rows"))]
    removed = hide_one_per_row(*values.shape, share=inputs["share"], seed=[inputs["seed"], HIDING])
    imputer = None if inputs["method"] == "missing" else make_imputer(inputs)
    return cluster(values, removed, imputer, n_clusters=inputs["n_clusters"], seed=inputs["seed"])


def classify_folds(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Classify incomplete rows, imputed or not.

    Parameters
    ----------
    inputs : mapping
        ``data``, ``n_neighbors``, ``n_folds``, ``method`` and ``settings``, ``seed``.
    bench : Bench
        Provides the data.

    Returns
    -------
    dict
        See :func:`iim.paper.applications.classify`.
    """
    data = bench.data(inputs["data"])
    return classify(
        data.features(),
        data.labels(),
        None if inputs["method"] == "missing" else lambda: make_imputer(inputs),
        n_neighbors=inputs["n_neighbors"],
        n_folds=inputs["n_folds"],
        seed=inputs["seed"],
    )


def step(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:  # noqa: ARG001 (all have one signature)
    """Time single steps of learning."""
    return step_times(**inputs)


KINDS: dict[str, Measure] = {
    "describe": describe,
    "fill": fill,
    "learn": learn,
    "steps": step,
    "cluster": cluster_again,
    "classify": classify_folds,
    "scatter": scatter,
}
