"""The mean of the nearest donors' values."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.core.arithmetic.row_products import averaged
from iim.core.execution.context import Context
from iim.core.neighbors import KnownValues, nearest_donors
from iim.kernels.votes import weigh_by_distance


def neighbors_mean(
    values: KnownValues, points: Floats, *, n_neighbors: int, weights: str, context: Context
) -> Floats:
    """Mean of the values of each point's nearest donors."""
    near = nearest_donors(values.tree, points, n_neighbors=n_neighbors, context=context)
    if weights == "uniform":
        return averaged(values.targets[near.place])
    shares = np.empty(near.distance.shape)
    weigh_by_distance(near.distance, shares)
    return averaged(values.targets[near.place], shares)
