"""Data sets with the columns of the real ones and a few made-up rows."""

import numpy as np

from iim.paper.datasets import DATASETS, Data

N_ROWS = 60


def make_data(key, _folder=None):
    """Rows near a line; holes and two classes where the real data set has them."""
    dataset = DATASETS[key]
    random = np.random.default_rng(len(key))
    shared = random.normal(size=(N_ROWS, 1))
    values = 10 + shared + 0.3 * random.normal(size=(N_ROWS, len(dataset.columns)))
    if dataset.label is not None:
        values[random.random(values.shape) < 0.05] = np.nan
        values[:, dataset.columns.index(dataset.label)] = np.arange(N_ROWS) % 2
    return Data(key, dataset.columns, values, dataset.label)
