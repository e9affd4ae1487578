"""Remove cells from all columns at once, and fill them with imputers of iim and of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (needed for the next import)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.preprocessing import StandardScaler

from iim._arrays import Floats
from iim.evaluation.attempts import attempt
from iim.evaluation.hiding import hide_everywhere
from iim.evaluation.scoring import spread
from iim.imputers.iim import IIMImputer
from iim.imputers.mean import MeanImputer
from iim.paper.attribute_fills import sampled_rows
from iim.paper.bench import Bench

SCATTERED = 7
"""Keeps these draws different from those used to choose IIM's defaults."""

Fill = Callable[[Floats], Floats]


def _scaled_neighbors(table: Floats) -> Floats:
    """KNNImputer with ten neighbours on standardised columns, like IIM."""
    scaler = StandardScaler().fit(table)
    filled: Floats = scaler.inverse_transform(
        KNNImputer(n_neighbors=10).fit_transform(scaler.transform(table))
    )
    return filled


IMPUTERS: Mapping[str, Fill] = MappingProxyType(
    {
        "IIM": lambda table: IIMImputer().fit_transform(table),
        "IIM, patterns": lambda table: IIMImputer(strategy="patterns").fit_transform(table),
        "IIM, iterative": lambda table: IIMImputer(strategy="iterative").fit_transform(table),
        "Mean": lambda table: MeanImputer().fit_transform(table),
        "KNNImputer": lambda table: KNNImputer().fit_transform(table),
        "KNNImputer, scaled, k = 10": _scaled_neighbors,
        "IterativeImputer": lambda table: IterativeImputer(random_state=0).fit_transform(table),
    }
)
"""Imputers by name; all with their defaults unless the name has a setting."""


def scatter(inputs: Mapping[str, Any], bench: Bench) -> dict[str, Any]:
    """Remove cells at random from every column, and fill them.

    Parameters
    ----------
    inputs : mapping
        ``data``, ``share`` of the cells, ``method``, ``seed``, and ``n_rows`` if not all.
    bench : Bench
        Provides the data.

    Returns
    -------
    dict
        ``columns``: for each, ``truth`` and ``filled`` values of its removed cells, and the ``spread`` of
        all its values; ``seconds`` of ``fit_transform``;
        ``warned``, warnings of the imputer.
    """
    values = bench.data(inputs["data"]).features()
    values = values[sampled_rows(len(values), inputs.get("n_rows"))]
    seed = [inputs["seed"], round(100 * inputs["share"]), SCATTERED]
    removed = hide_everywhere(*values.shape, share=inputs["share"], seed=seed)
    table, fill = np.where(removed, np.nan, values), IMPUTERS[inputs["method"]]
    bench.warm(inputs["method"], lambda: fill(table[:60]))
    tried = attempt(lambda: fill(table))
    filled = tried.result()
    columns = [
        {
            "truth": values[hole, at].tolist(),
            "filled": filled[hole, at].tolist(),
            "spread": spread(values[:, at]),
        }
        for at, hole in enumerate(removed.T)
    ]
    messages = sorted({str(one.message) for one in tried.warned})
    return {"columns": columns, "seconds": {"all": tried.seconds[0]}, "warned": messages}
