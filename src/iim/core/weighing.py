"""Ways to weigh candidates, by name, and how far a candidate may go."""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats
from iim.kernels.votes import CLOSEST, DISTANCE, UNIFORM, VOTES

WEIGHTS = {"votes": VOTES, "uniform": UNIFORM, "distance": DISTANCE, "closest": CLOSEST}
"""Ways to weigh candidates, by name."""


def reach_of(known: Floats, reach: float) -> tuple[float, float]:
    """The smallest and the largest candidate that is let through.

    Parameters
    ----------
    known : ndarray of shape (n_donors,)
        The donors' values.
    reach : float
        How far candidates may lie beyond them, in widths of their range.

    Returns
    -------
    low, high : float
    """
    if np.isinf(reach):
        return -np.inf, np.inf
    low, high = float(known.min()), float(known.max())
    beyond = reach * (high - low)
    return low - beyond, high + beyond
