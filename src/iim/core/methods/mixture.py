"""A Gaussian mixture learned by expectation-maximisation (EM) from rows with missing values.

For rows with known columns F and missing columns M, each component gives the density of the known values,
and the conditional mean and covariance of the missing ones. Both enter the sums of the next mixture.
Without the conditional covariance, variances would shrink in every iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.core.arithmetic.row_products import times
from iim.core.methods.kmeans import known_means
from iim.core.patterns import group_patterns
from iim.core.scaling import LARGEST
from iim.persistence.fields import SMALLEST, Refused, Sizes, floats, some

BLOCK_ROWS = 4096
"""Rows per block; memory is this times components times columns."""

_TINY = 10 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Mixture:
    """A sum of Gaussian densities.

    Attributes
    ----------
    weights : ndarray of shape (c,)
        Summing to 1.
    means : ndarray of shape (c, m)
        Of the components.
    covariances : ndarray of shape (c, m, m)
        Of the components; positive definite.
    """

    weights: Annotated[Floats, some(floats("components", least=SMALLEST))]
    means: Annotated[Floats, floats("components", "columns", any_order=True)]
    covariances: Annotated[Floats, floats("components", "columns", "columns", any_order=True)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse matrices that are not symmetric and positive definite."""
        del sizes
        if not np.array_equal(self.covariances, self.covariances.transpose(0, 2, 1)):
            raise Refused("`Mixture.covariances`: symmetric matrices are needed")
        if self.covariances.size:
            np.linalg.cholesky(self.covariances)


@dataclass(frozen=True)
class View:
    """A mixture, factored for rows with known columns F and missing columns M.

    Attributes
    ----------
    whitening, origin : ndarray of shape (f, c * f) and (c * f,)
        The norms of ``x @ whitening - origin`` are the Mahalanobis distances to the components.
    log_height : ndarray of shape (c,)
        Logarithm of weight times density at each component's mean.
    slopes, levels : ndarray of shape (f, c * m_missing) and (c * m_missing,)
        ``x @ slopes + levels`` are the conditional means of M.
    left : ndarray of shape (c, m_missing, m_missing)
        Conditional covariance of M given F.
    """

    whitening: Floats
    origin: Floats
    log_height: Floats
    slopes: Floats
    levels: Floats
    left: Floats

    def posterior(self, known: Floats) -> tuple[Floats, Floats]:
        """Responsibilities of the components, (n, c), and the rows' log density, (n,); row by row."""
        n_components = self.log_height.size
        white = times(known, self.whitening) - self.origin
        white = np.clip(white, -LARGEST, LARGEST).reshape(known.shape[0], n_components, known.shape[1])
        square = np.zeros((known.shape[0], n_components))
        for column in range(known.shape[1]):
            square += white[:, :, column] ** 2
        joint = self.log_height - square / 2
        top = joint.max(axis=1)
        shares = np.exp(joint - top[:, None])
        total = np.zeros(known.shape[0])
        for component in range(n_components):
            total += shares[:, component]
        return shares / total[:, None], top + np.log(total)

    def expected(self, known: Floats) -> Floats:
        """Conditional mean of M by component, (n, c, m_missing); row by row."""
        expected = times(known, self.slopes) + self.levels
        return np.asarray(expected.reshape(known.shape[0], *self.left.shape[:2]))


def look_from(mixture: Mixture, at: Integers, to: Integers) -> View:
    """The view of a mixture for known columns ``at`` and missing columns ``to``. O(c m^3)."""
    every = np.arange(mixture.weights.size)
    covariance = mixture.covariances
    lower = np.linalg.cholesky(covariance[np.ix_(every, at, at)])
    inverse = np.linalg.inv(lower)
    white = inverse @ covariance[np.ix_(every, at, to)]
    slopes = inverse.transpose(0, 2, 1) @ white
    left = covariance[np.ix_(every, to, to)] - white.transpose(0, 2, 1) @ white
    center = mixture.means[:, None, at]
    origin = center @ inverse.transpose(0, 2, 1)
    levels = mixture.means[:, to] - (center @ slopes)[:, 0]
    log_volume = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    return View(
        whitening=_side_by_side(inverse.transpose(0, 2, 1)),
        origin=origin.ravel(),
        log_height=np.log(mixture.weights) - log_volume - 0.5 * at.size * np.log(2 * np.pi),
        slopes=_side_by_side(slopes),
        levels=levels.ravel(),
        left=left,
    )


def _side_by_side(matrices: Floats) -> Floats:
    """(c, a, b) as (a, c * b)."""
    n_matrices, n_rows, n_columns = matrices.shape
    return np.ascontiguousarray(matrices.transpose(1, 0, 2)).reshape(n_rows, n_matrices * n_columns)


@dataclass(frozen=True)
class Block:
    """Rows with known columns ``observed`` and missing columns ``targets``."""

    observed: Integers
    targets: Integers
    rows: Integers


def split_blocks(missing: Booleans) -> Iterator[Block]:
    """Blocks of all incomplete rows with a known value, pattern by pattern."""
    for group in group_patterns(missing):
        observed, targets = np.array(group.observed, np.intp), np.array(group.targets, np.intp)
        if observed.size:
            for begin in range(0, group.rows.size, BLOCK_ROWS):
                yield Block(observed, targets, group.rows[begin : begin + BLOCK_ROWS])


def training_blocks(missing: Booleans) -> list[Block]:
    """Blocks of all rows with a known value, complete ones first."""
    complete = np.flatnonzero(~missing.any(axis=1))
    everything = np.arange(missing.shape[1])
    blocks = [
        Block(everything, everything[:0], complete[begin : begin + BLOCK_ROWS])
        for begin in range(0, complete.size, BLOCK_ROWS)
    ]
    return blocks + list(split_blocks(missing))


def begin_mixture(points: Floats, missing: Booleans, group: Integers, *, reg_covar: float) -> Mixture:
    """The mixture with one component for each group of points; groups are 0, 1, ...

    Missing values get the variance of the whole column, not of the group.
    """
    means, spreads = [], []
    wide = (np.where(missing, 0.0, points - known_means(points, missing)) ** 2).sum(axis=0)
    wide /= np.maximum((~missing).sum(axis=0), 1)
    for at in range(group.max() + 1):
        members, holes = points[group == at], missing[group == at]
        means.append(known_means(members, holes))
        away = np.where(holes, 0.0, members - means[-1])
        spreads.append(away.T @ away / len(members) + np.diag(holes.mean(axis=0) * wide))
    ridge = reg_covar * np.eye(points.shape[1])
    return Mixture(np.bincount(group) / group.size, np.stack(means), np.stack(spreads) + ridge)


def improve(
    mixture: Mixture, points: Floats, blocks: list[Block], *, reg_covar: float
) -> tuple[Mixture, float]:
    """One EM iteration.

    Parameters
    ----------
    mixture : Mixture
        The current mixture.
    points : ndarray of shape (n, m)
        Points; values in missing cells are not used.
    blocks : list of Block
        All rows to learn from.
    reg_covar : float
        Added to the variances.

    Returns
    -------
    mixture : Mixture
        The next one. O(n c m^2 + patterns c m^3).
    log_likelihood : float
        Mean log density of the known values under the current mixture.
    """
    n_components, n_columns = mixture.means.shape
    weight, log_likelihood, n_rows = np.full(n_components, _TINY), 0.0, 0
    first = np.zeros((n_components, n_columns))
    second = np.zeros((n_components, n_columns, n_columns))
    for block in blocks:
        at, to = block.observed, block.targets
        known = points[np.ix_(block.rows, at)]
        view = look_from(mixture, at, to)
        shares, log_density = view.posterior(known)
        # Around the former means, which are near the new ones: this avoids cancellation.
        away = np.empty((block.rows.size, n_components, n_columns))
        away[:, :, at] = known[:, None, :] - mixture.means[:, at]
        away[:, :, to] = view.expected(known) - mixture.means[:, to]
        shared = away * shares[:, :, None]
        share = shares.sum(axis=0)
        weight += share
        first += shared.sum(axis=0)
        second += shared.transpose(1, 2, 0) @ away.transpose(1, 0, 2)
        second[np.ix_(np.arange(n_components), to, to)] += share[:, None, None] * view.left
        log_likelihood += float(log_density.sum())
        n_rows += block.rows.size
    step = first / weight[:, None]
    covariances = second / weight[:, None, None] - step[:, :, None] * step[:, None, :]
    covariances = (covariances + covariances.transpose(0, 2, 1)) / 2 + reg_covar * np.eye(n_columns)
    return Mixture(weight / weight.sum(), mixture.means + step, covariances), log_likelihood / n_rows


def fill_block(mixture: Mixture, block: Block, known: Floats, *, how: str) -> Floats:
    """The missing values of a block, row by row.

    Parameters
    ----------
    mixture : Mixture
        The density of whole rows.
    block : Block
        The known and the missing columns.
    known : ndarray of shape (n, f)
        The rows' known coordinates.
    how : {"conditional", "mean"}
        Whether to average the components' conditional means, or their means.

    Returns
    -------
    ndarray of shape (n, m_missing)
    """
    view = look_from(mixture, block.observed, block.targets)
    shares, _ = view.posterior(known)
    means = mixture.means[None, :, block.targets] if how == "mean" else view.expected(known)
    fills = np.zeros((known.shape[0], block.targets.size))
    for component in range(mixture.weights.size):
        fills += shares[:, component, None] * means[:, component]
    return fills
