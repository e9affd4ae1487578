"""A Gaussian mixture learned from rows with holes by expectation and maximisation.

For rows that know the columns F and miss M, each component tells how likely the known values are, and what
the missing ones are given the known ones: a mean, and a covariance that is left. Both go into the sums from
which the next mixture is made; leaving out the second would make the mixture narrower in every round.
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
"""Rows handled at once; memory is this times components times columns."""

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
        """Refuse matrices that are no covariances."""
        del sizes
        if not np.array_equal(self.covariances, self.covariances.transpose(0, 2, 1)):
            raise Refused("`Mixture.covariances`: symmetric matrices are needed")
        if self.covariances.size:
            np.linalg.cholesky(self.covariances)


@dataclass(frozen=True)
class View:
    """A mixture seen from rows that know the columns F and miss the columns M.

    Attributes
    ----------
    whitening, origin : ndarray of shape (f, c * f) and (c * f,)
        ``x @ whitening - origin`` has the components' Mahalanobis distances as lengths.
    log_height : ndarray of shape (c,)
        Logarithm of weight times density at the components' means.
    slopes, levels : ndarray of shape (f, c * m_missing) and (c * m_missing,)
        ``x @ slopes + levels`` is what each component expects in M.
    left : ndarray of shape (c, m_missing, m_missing)
        Covariance of M given F.
    """

    whitening: Floats
    origin: Floats
    log_height: Floats
    slopes: Floats
    levels: Floats
    left: Floats

    def posterior(self, known: Floats) -> tuple[Floats, Floats]:
        """Shares of the components in rows, (n, c), and the rows' log density, (n,); row by row."""
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
        """What each component expects in M, (n, c, m_missing); row by row."""
        expected = times(known, self.slopes) + self.levels
        return np.asarray(expected.reshape(known.shape[0], *self.left.shape[:2]))


def look_from(mixture: Mixture, at: Integers, to: Integers) -> View:
    """The view of a mixture from rows that know the columns ``at`` and miss ``to``. O(c m^3)."""
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
    """Rows that know the columns ``observed`` and miss ``targets``."""

    observed: Integers
    targets: Integers
    rows: Integers


def split_blocks(missing: Booleans) -> Iterator[Block]:
    """Blocks of all incomplete rows that know something, pattern by pattern."""
    for group in group_patterns(missing):
        observed, targets = np.array(group.observed, np.intp), np.array(group.targets, np.intp)
        if observed.size:
            for begin in range(0, group.rows.size, BLOCK_ROWS):
                yield Block(observed, targets, group.rows[begin : begin + BLOCK_ROWS])


def training_blocks(missing: Booleans) -> list[Block]:
    """Blocks of all rows that know something, complete ones first."""
    complete = np.flatnonzero(~missing.any(axis=1))
    everything = np.arange(missing.shape[1])
    blocks = [
        Block(everything, everything[:0], complete[begin : begin + BLOCK_ROWS])
        for begin in range(0, complete.size, BLOCK_ROWS)
    ]
    return blocks + list(split_blocks(missing))


def begin_mixture(points: Floats, missing: Booleans, group: Integers, *, reg_covar: float) -> Mixture:
    """The mixture with one component for each group of points; groups are 0, 1, ...

    Of what is missing, a group knows nothing: it may be as far from its mean as all points are from theirs.
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
    """One round of expectation and maximisation.

    Parameters
    ----------
    mixture : Mixture
        What is known so far.
    points : ndarray of shape (n, m)
        Points; what they hold at missing columns does not count.
    blocks : list of Block
        All rows to learn from.
    reg_covar : float
        Added to the variances.

    Returns
    -------
    mixture : Mixture
        The next one. O(n c m^2 + patterns c m^3).
    log_likelihood : float
        Mean logarithm of the density of the known values under the mixture given.
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
        # About the former means, which are near the new ones: no digits are lost by squaring.
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
    """The missing values of a block's rows, each by itself.

    Parameters
    ----------
    mixture : Mixture
        The density of whole rows.
    block : Block
        Which columns are known, and which are not.
    known : ndarray of shape (n, f)
        The rows' known coordinates.
    how : {"conditional", "mean"}
        Whether a component tells what it expects given the known values, or its own mean.

    Returns
    -------
    ndarray of shape (n, m_missing)
    """
    view = look_from(mixture, block.observed, block.targets)
    shares, _ = view.posterior(known)
    told = mixture.means[None, :, block.targets] if how == "mean" else view.expected(known)
    fills = np.zeros((known.shape[0], block.targets.size))
    for component in range(mixture.weights.size):
        fills += shares[:, component, None] * told[:, component]
    return fills
