"""Columns on one scale, before distances and ridge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from iim._arrays import Floats
from iim.core.arithmetic.exact_sums import exact_parts
from iim.exceptions import UnusableTable
from iim.matrix import MaskedMatrix
from iim.persistence.fields import SMALLEST, floats, integers, whole

LARGEST = 1e150
"""Coordinates are clipped to this, because larger squares would overflow."""

EXPONENT = whole(-1100, 1100)
"""Bounds of a unit's power of two in a file."""

_FINITE = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Scaling:
    """A shift and a divisor per column, learned from the known values.

    Values are first divided by a power of two. That is exact, and keeps squares from over- and underflow. A
    constant column has an infinite spread: its coordinate is 0 in every row. All attributes have shape
    (n_columns,).
    """

    exponent: Annotated[npt.NDArray[np.intc], integers("columns", least=-1100, most=1100, dtype=np.intc)]
    # With these limits, no coordinate of a finite value can be NaN: searches rely on it.
    center: Annotated[Floats, floats("columns", least=-1, most=1)]
    spread: Annotated[Floats, floats("columns", least=SMALLEST, finite=False)]

    def coordinates(self, values: Floats, columns: tuple[int, ...]) -> Floats:
        """Scaled coordinates of ``values[:, columns]``, C-ordered."""
        at = list(columns)
        with np.errstate(over="ignore"):
            # Kept finite: in a constant column, infinity would give NaN instead of 0.
            scaled = np.clip(np.ldexp(values[:, at], -self.exponent[at]), -_FINITE, _FINITE)
            scaled = (scaled - self.center[at]) / self.spread[at]
        return np.ascontiguousarray(np.clip(scaled, -LARGEST, LARGEST))

    def values(self, coordinates: Floats, columns: tuple[int, ...]) -> Floats:
        """Values in the units of the table, from scaled coordinates; a constant column gives its value."""
        at = list(columns)
        spread = np.where(np.isinf(self.spread), 0.0, self.spread)[at]
        with np.errstate(over="ignore"):
            scaled = np.clip(coordinates * spread, -_FINITE, _FINITE) + self.center[at]
            return np.clip(np.ldexp(scaled, self.exponent[at]), -_FINITE, _FINITE)

    def table_spreads(self) -> Floats:
        """One unit of each coordinate, in units of the table; 0 for a constant column."""
        spreads: Floats = np.ldexp(np.where(np.isinf(self.spread), 0.0, self.spread), self.exponent)
        return spreads

    def raw_slopes(self, slopes: Floats, columns: tuple[int, ...]) -> Floats:
        """Slopes per unit of the table, from slopes per unit of the scaled coordinates."""
        at = list(columns)
        with np.errstate(over="ignore"):
            return np.clip(np.ldexp(slopes / self.spread[at], -self.exponent[at]), -_FINITE, _FINITE)


def in_table_units(values: Floats, exponent: int) -> Floats:
    """``values`` times two to the power ``exponent``, clipped to the largest finite float."""
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(values, exponent), -_FINITE, _FINITE)


def learn_scaling(matrix: MaskedMatrix, how: str) -> Scaling:
    """Learn a scaling from the known values of every column.

    Parameters
    ----------
    matrix : MaskedMatrix
        Each column has a known value.
    how : {"standard", "robust", "none"}
        Mean and standard deviation; median and interquartile range (the standard deviation where that
        is 0); or the values as they are. A constant column does not count in distances: scaled, it is 0 in
        every row, also in later rows with another value.

    Returns
    -------
    Scaling
    """
    exponent = np.zeros(matrix.n_columns, np.intc)
    center, spread = np.zeros(matrix.n_columns), np.ones(matrix.n_columns)
    if how == "none":
        refuse_overflow(matrix)
        return Scaling(exponent, center, spread)
    for column in range(matrix.n_columns):
        known = matrix.values[~matrix.missing[:, column], column]
        exponent[column] = np.frexp(np.abs(known).max())[1]
        values = np.ldexp(known, -exponent[column])
        if values.min() == values.max():
            center[column], spread[column] = values[0], math.inf
            continue
        center[column] = math.fsum(exact_parts(values)) / values.size
        squares = math.fsum(exact_parts(np.square(values - center[column])))
        spread[column] = math.sqrt(squares / values.size)
        if how == "robust":
            low, center[column], high = np.quantile(values, [0.25, 0.5, 0.75])
            spread[column] = high - low if high > low else spread[column]
    return Scaling(exponent, center, spread)


def refuse_overflow(matrix: MaskedMatrix, *, limit: float = LARGEST) -> None:
    """Refuse an unscaled table whose squares would overflow."""
    largest = np.nanmax(np.abs(matrix.values), axis=0, initial=0.0)
    for column in np.flatnonzero(largest > limit):
        raise UnusableTable(
            f"Column {matrix.columns[column]!r} has values beyond {limit:g}, whose squares overflow; "
            f"received {largest[column]:g}. Use scale='standard', or rescale it."
        )
