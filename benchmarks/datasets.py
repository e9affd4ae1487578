"""The data sets, read from the folder that the environment variable IIM_DATA names.

Not through ``iim.paper``: the speed of earlier commits is measured with it, which have none.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np


def path_of(name: str) -> Path:
    """The file of a data set; the program ends with a message if it is not there."""
    folder = os.environ.get("IIM_DATA")
    if not folder:
        sys.exit("Set IIM_DATA to the folder with the data sets (ca.csv, asf.csv, ...).")
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        sys.exit(f"{path.name} is not in the folder that IIM_DATA names.")
    return path


def read(name: str) -> tuple[np.ndarray, list[str]]:
    """A data set as an array with NaN, and its column names.

    Parameters
    ----------
    name : str
        The file's name without ``.csv``, with its folder inside of the named one if it has one.

    Returns
    -------
    table : ndarray of shape (n_rows, n_columns)
    columns : list of str
    """
    path = path_of(name)
    columns = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    return np.genfromtxt(path, delimiter=",", skip_header=1), columns


def emptied(table: np.ndarray, column: int, n_holes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The table with cells of one column emptied, and the rows where."""
    rows = np.random.default_rng(seed).permutation(len(table))[:n_holes]
    table = table.copy()
    table[rows, column] = np.nan
    return table, rows
