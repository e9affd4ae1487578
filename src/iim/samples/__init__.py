"""Small tables that ship with the package: the paper's example, and made-up sensors.

Nothing is downloaded. The sensor table is generated, by ``benchmarks/make_sensors.py``: three weather
stations with laws of their own, noise, and gaps as real loggers leave them.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from iim._arrays import Floats
from iim.exceptions import MissingDependency

Backend: TypeAlias = Literal["pandas", "polars", "numpy"]


def example(backend: Backend = "pandas") -> Any:
    """The paper's first figure: eight complete rows, and a ninth whose A2 is missing (in truth, 1.8).

    Parameters
    ----------
    backend : {"pandas", "polars", "numpy"}, default="pandas"
        What to return.

    Returns
    -------
    frame or ndarray of shape (9, 2)
        Columns A1 and A2.

    Examples
    --------
    >>> from iim import samples
    >>> samples.example("numpy")[-2:]
    array([[9. , 5.5],
           [5. , nan]])
    """
    return _load("example.csv", backend)


def sensors(backend: Backend = "pandas", *, complete: bool = False) -> Any:
    """A day and a half of readings of three weather stations, with gaps.

    Parameters
    ----------
    backend : {"pandas", "polars", "numpy"}, default="pandas"
        What to return.
    complete : bool, default=False
        Give the table before the gaps were made: the truth to compare fills with.

    Returns
    -------
    frame or ndarray of shape (1296, 6)
        Columns hour, temperature, humidity, pressure, sunlight and voltage.
    """
    return _load("sensors_complete.csv" if complete else "sensors.csv", backend)


def _load(name: str, backend: Backend) -> Any:
    columns = _read_csv(name)
    if backend == "numpy":
        return np.column_stack(list(columns.values()))
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ImportError as error:
        raise MissingDependency(
            f"A {backend} frame needs the package {backend}, which is not installed. Install it with "
            f"`pip install \"iim[{backend}]\"`, or ask for backend='numpy'."
        ) from error


def _read_csv(name: str) -> dict[str, Floats]:
    with files(__name__).joinpath(name).open(encoding="utf-8") as stream:
        header, *lines = csv.reader(stream)
    cells = np.array([[float(cell) if cell else np.nan for cell in line] for line in lines])
    return {column: cells[:, position].copy() for position, column in enumerate(header)}
