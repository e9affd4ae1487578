"""Uncertainty of fills in the units of a user's table: standard deviations, intervals, draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import NUMBER, Check
from iim.core.uncertainty.error_scale import ErrorScale
from iim.core.uncertainty.row_draws import row_uniforms
from iim.evaluation.calibration import Calibration
from iim.matrix import MaskedMatrix
from iim.table.fills import Limits

COVERAGE = Check(
    "a number between 0 and 1, both excluded", lambda value: NUMBER.accepts(value) and 0 < value < 1
)
"""Check of the coverage of intervals."""

_FINITE = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Certainty:
    """The error distributions of some cells.

    Attributes
    ----------
    calibration : Calibration
        Error distributions of the columns.
    imputed, spread : ndarray of shape (n_cells,)
        The fills, and the spread of their candidates; NaN without candidates.
    places, columns : ndarray of shape (n_cells,)
        The columns of the cells: among those of the calibration, and in the table.
    limits : Limits
        Of the table's columns.
    """

    calibration: Calibration
    imputed: Floats
    spread: Floats
    places: Integers
    columns: Integers
    limits: Limits

    def std(self) -> Floats:
        """(n_cells,): standard deviation of each cell's error."""
        std = np.empty(self.imputed.size)
        for cells, scale in self._by_scale():
            std[cells] = scale.std(self.spread[cells])
        return std

    def interval(self, coverage: float) -> tuple[Floats, Floats]:
        """Ends of intervals with this coverage, rounded and bounded as fills are."""
        width = np.empty(self.imputed.size)
        with np.errstate(over="ignore", invalid="ignore"):
            for cells, scale in self._by_scale():
                width[cells] = scale.half_width(coverage) * scale.scales(self.spread[cells])
            # Without scores the interval is infinite; 0 times infinity would be NaN.
            width = np.where(np.isnan(width), np.inf, width)
            ends = self.imputed - width, self.imputed + width
        return self.limits.apply(ends[0], self.columns), self.limits.apply(ends[1], self.columns)

    def draw(self, seed: int, matrix: MaskedMatrix, rows: Integers, n_draws: int) -> Floats:
        """Draws of the cells' values: each fill plus a drawn error.

        Parameters
        ----------
        seed : int
            From ``random_state``.
        matrix : MaskedMatrix
            The table with the cells; a row's draws depend on its known values.
        rows : ndarray of shape (n_cells,)
            The rows of the cells.
        n_draws : int
            How many.

        Returns
        -------
        ndarray of shape (n_cells, n_draws)
            Finite; not rounded or bounded.
        """
        known = np.where(matrix.missing, np.nan, matrix.values)
        drawn = np.empty((rows.size, n_draws))
        with np.errstate(over="ignore"):
            for cells, scale in self._by_scale():
                uniforms = row_uniforms(seed, int(self.places[cells[0]]), known[rows[cells]], n_draws)
                errors = scale.draw(uniforms) * scale.scales(self.spread[cells])[:, None]
                drawn[cells] = self.imputed[cells, None] + errors
        return np.clip(drawn, -_FINITE, _FINITE)

    def _by_scale(self) -> Iterator[tuple[Integers, ErrorScale]]:
        """Cells by their error scale."""
        unvoted = np.isnan(self.spread)
        for place in np.unique(self.places).tolist():
            for scales, is_mean in ((self.calibration.voted, False), (self.calibration.means, True)):
                cells = np.flatnonzero((self.places == place) & (unvoted == is_mean))
                if cells.size:
                    yield cells, scales[place]
