"""One Gaussian for the whole table: first fills, and a regression that may share in every fill.

Learned by expectation-maximisation from rows with missing cells. Its conditional means are the regression
of a row's missing values on its known ones. A donor's missing values can be filled *without* the value that
its model shall predict: then donors and rows to fill are alike, and a held-out error is honest.

Rows are computed one by one, in batches of small matrices, so that no row depends on the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from iim._arrays import Booleans, Floats
from iim.persistence.fields import LARGEST, Refused, Sizes, floats, real

RIDGES = (1e-3, 0.03, 0.3)
"""Ridge weights to try: added to the variances of the known columns, in standard deviations squared.

The more columns for each row, the larger the best one.
"""

RIDGE = RIDGES[0]
"""The default, and the least."""

MOST_TURNS = 30
"""Most iterations."""

CHANGE = 1e-3
"""Iterations end when no mean and no covariance changes by more."""

MOST_WORK = 1e11
"""Most multiplications of all iterations: wide tables get fewer, down to none, which gives means."""

NUMBERS_AT_ONCE = 2**21
"""Numbers in a batch of matrices: bounds the memory."""


@dataclass(frozen=True)
class Gaussian:
    """Mean and covariance of the rows of a table, in standard deviations of its columns.

    Attributes
    ----------
    mean : ndarray of shape (n_columns,)
        Near 0.
    covariance : ndarray of shape (n_columns, n_columns)
        Symmetric, and positive definite with the ridge weight added.
    ridge : float
        Ridge weight of all regressions.
    """

    mean: Annotated[Floats, floats("columns")]
    covariance: Annotated[Floats, floats("columns", "columns")]
    ridge: Annotated[float, real(RIDGE, LARGEST)] = RIDGE

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse a matrix whose parts could have no inverse."""
        del sizes
        if not np.array_equal(self.covariance, self.covariance.T):
            raise Refused("`Gaussian.covariance`: a symmetric matrix is needed")
        try:
            np.linalg.cholesky(self.covariance + self.ridge * np.eye(self.mean.size))
        except np.linalg.LinAlgError:
            raise Refused("`Gaussian.covariance`: a positive definite matrix is needed") from None

    def expected(self, points: Floats, missing: Booleans) -> Floats:
        """Rows with their conditional means in missing cells.

        Parameters
        ----------
        points : ndarray of shape (n_rows, n_columns)
            Values in missing cells are not used.
        missing : ndarray of shape (n_rows, n_columns)
            Where they are.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """
        filled = points.copy()
        for rows in batches(missing):
            view = self._look(points[rows], missing[rows])
            filled[rows] = np.where(missing[rows], self.mean + view.moved, points[rows])
        return filled

    def look(self, points: Floats, missing: Booleans) -> list[View]:
        """The conditional distributions of all rows, for calls of :meth:`without`: n m^2 numbers."""
        return [self._look(points[rows], missing[rows]) for rows in batches(missing)]

    def without(
        self, points: Floats, missing: Booleans, column: int, views: list[View] | None = None
    ) -> Floats:
        """The same rows, each filled as if its value in a column were missing, too.

        That column itself is left as it is. ``views`` are those of :meth:`look`, if they are at hand.
        """
        filled = points.copy()
        for at, rows in enumerate(batches(missing)):
            view = self._look(points[rows], missing[rows]) if views is None else views[at]
            known = ~missing[rows, column]
            # What is known of the value beyond what the other known values say of it.
            with np.errstate(divide="ignore", invalid="ignore"):
                news = view.pull[:, column] / view.precision[:, column]
            moved = view.moved - np.where(known, news, 0.0)[:, None] * view.weights[:, :, column]
            filled[rows] = np.where(missing[rows], self.mean + moved, points[rows])
        return filled

    def _look(self, points: Floats, missing: Booleans) -> View:
        """The conditional distribution, given each row's known values. O(m^3) per row."""
        known = ~missing
        both = known[:, :, None] & known[:, None, :]
        matrix = np.where(both, self.covariance, 0.0)
        every = np.arange(missing.shape[1])
        matrix[:, every, every] += np.where(known, self.ridge, 1.0)
        precision = np.where(both, np.linalg.inv(matrix), 0.0)
        weights = self.covariance @ precision
        gap = np.where(known, points - self.mean, 0.0)[:, :, None]
        return View(
            np.ascontiguousarray(precision[:, every, every]),
            weights,
            (precision @ gap)[:, :, 0],
            (weights @ gap)[:, :, 0],
        )


class View(NamedTuple):
    """The conditional distribution of some rows, given their known values."""

    precision: Floats
    """(n, m): diagonal of the inverse covariance of the known columns; 0 elsewhere."""
    weights: Floats
    """(n, m, m): slopes of every column on the known ones; 0 for others."""
    pull: Floats
    """(n, m): precision times the known values' distance from the mean."""
    moved: Floats
    """(n, m): conditional mean less the mean."""


def learn_gaussian(points: Floats, missing: Booleans, ridge: float = RIDGE) -> Gaussian:
    """Learn mean and covariance from the known values of a table.

    Parameters
    ----------
    points, missing : ndarray of shape (n_rows, n_columns)
        Standardised values, and where they are missing: those are not used.
    ridge : float
        Ridge weight.

    Returns
    -------
    Gaussian
        O(n m^3) per iteration; deterministic.
    """
    n_rows, n_columns = points.shape
    known = ~missing
    filled = np.where(known, points, 0.0)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = filled.sum(axis=0) / counts
    variance = np.where(known, (filled - mean) ** 2, 0.0).sum(axis=0) / counts
    gaussian = Gaussian(mean, np.diag(variance), ridge)
    n_turns = min(MOST_TURNS, int(MOST_WORK / (4.0 * n_rows * n_columns**3 + 1.0)))
    for _ in range(n_turns):
        before = gaussian
        gaussian = _improve(before, points, missing)
        moved = max(
            np.abs(gaussian.mean - before.mean).max(initial=0.0),
            np.abs(gaussian.covariance - before.covariance).max(initial=0.0),
        )
        if moved <= CHANGE:
            break
    return gaussian


def _improve(gaussian: Gaussian, points: Floats, missing: Booleans) -> Gaussian:
    """One iteration of expectation-maximisation."""
    n_rows, n_columns = points.shape
    first, second = np.zeros(n_columns), np.zeros((n_columns, n_columns))
    for rows in batches(missing):
        view = gaussian._look(points[rows], missing[rows])
        holes = missing[rows]
        away = np.where(holes, view.moved, points[rows] - gaussian.mean)
        left = gaussian.covariance - view.weights @ gaussian.covariance
        first += away.sum(axis=0)
        second += away.T @ away
        second += np.where(holes[:, :, None] & holes[:, None, :], left, 0.0).sum(axis=0)
    step = first / n_rows
    covariance = second / n_rows - step[:, None] * step[None, :]
    return Gaussian(gaussian.mean + step, (covariance + covariance.T) / 2.0, gaussian.ridge)


def batches(missing: Booleans) -> Iterator[slice]:
    """Rows whose matrices are held in memory together."""
    n_rows, n_columns = missing.shape
    size = max(1, NUMBERS_AT_ONCE // max(n_columns**2, 1))
    for begin in range(0, n_rows, size):
        yield slice(begin, begin + size)
