"""Imputers of packages that need not be installed, in the shape of all others: ``fit_transform``."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import numpy as np

PEERS = {"missforest": "MissForest", "miceforest": "miceforest"}
"""By method, the package that brings it; versions are in ``peers.txt``."""

MICE_ROUNDS = 3

N_THREADS = 1
"""Of LightGBM: more of them wait for each other a hundred times as long, if another process is at work."""


def missing_package(method: str) -> str | None:
    """The package that a method would need, if it is not installed."""
    package = PEERS.get(method)
    return package if package is not None and peer_version(package) is None else None


def peer_version(package: str) -> str | None:
    """The version of an installed package; None if it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


class MissForestPackage:
    """The package MissForest with its defaults, which are boosted trees of LightGBM with linear leaves."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed

    def fit_transform(self, values: np.ndarray) -> np.ndarray:
        """Fill a table."""
        import pandas as pd  # noqa: PLC0415
        from lightgbm import LGBMRegressor  # noqa: PLC0415
        from missforest import MissForest  # noqa: PLC0415

        # Its default learner, with a seed and one thread, and nothing printed.
        learner = LGBMRegressor(verbosity=-1, linear_tree=True, random_state=self.seed, n_jobs=N_THREADS)
        frame = _frame(values, pd)
        filled = MissForest(rgr=learner, verbose=0).fit_transform(frame)
        # It returns columns in the order of their number of holes.
        return filled[frame.columns].to_numpy(float)


class MiceForestPackage:
    """The package miceforest: one table, predictions instead of draws (no mean matching)."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed

    def fit_transform(self, values: np.ndarray) -> np.ndarray:
        """Fill a table."""
        import miceforest  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        frame = _frame(values, pd)
        kernel = miceforest.ImputationKernel(
            frame, num_datasets=1, mean_match_candidates=0, random_state=self.seed
        )
        kernel.mice(MICE_ROUNDS, verbose=False, num_threads=N_THREADS)
        return kernel.complete_data(0).to_numpy(float)


def _frame(values: np.ndarray, pandas: ModuleType) -> Any:
    return pandas.DataFrame(values, columns=[f"column {at}" for at in range(values.shape[1])])
