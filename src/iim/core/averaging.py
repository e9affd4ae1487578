"""The mean value of the nearest donors."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.core.neighbors import KnownValues, nearest_donors
from iim.core.rows import averaged
from iim.core.workers import Workers
from iim.kernels.votes import weigh_by_distance


def neighbors_mean(
    values: KnownValues, points: Floats, *, n_neighbors: int, weights: str, workers: Workers
) -> Floats:
    """Mean value of the nearest donors of each point."""
    near = nearest_donors(values.tree, points, n_neighbors=n_neighbors, workers=workers)
    if weights == "uniform":
        return averaged(values.targets[near.place])
    shares = np.empty(near.distance.shape)
    weigh_by_distance(near.distance, shares)
    return averaged(values.targets[near.place], shares)
