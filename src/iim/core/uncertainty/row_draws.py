"""Random numbers that depend on a row or a pattern, not on the order of computation.

Model parameters are drawn once per pattern, from a generator seeded by (seed, F, A). A row's draws are a
hash of (seed, the row's observed values, A): the same row gets the same draws in any batch. The hash mixes
like SplitMix64; a generator for each row would take longer than the fill itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from iim._arrays import Floats
from iim.core.patterns import Pattern

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def pattern_generator(seed: int, pattern: Pattern) -> np.random.Generator:
    """The generator for the parameters of a pattern."""
    # With the number of columns, because trailing zeros do not change a seed.
    return np.random.default_rng([seed, pattern.target, len(pattern.observed), *pattern.observed])


def row_uniforms(seed: int, target: int, known: Floats, n_draws: int) -> Floats:
    """Uniform random numbers in the open interval (0, 1) for each row.

    Parameters
    ----------
    seed : int
        From ``random_state``.
    target : int
        The column that is filled.
    known : ndarray of shape (n_rows, n_observed)
        The rows' observed values.
    n_draws : int
        How many numbers for each row.

    Returns
    -------
    ndarray of shape (n_rows, n_draws)
    """
    # 0.0 and -0.0 are one value.
    bits = np.ascontiguousarray(known + 0.0).view(np.uint64)
    state = np.full(known.shape[0], seed, np.uint64)
    with np.errstate(over="ignore"):
        state = _mix(state + np.uint64(target) * _GOLDEN)
        for column in range(bits.shape[1]):
            state = _mix((state + _GOLDEN) ^ bits[:, column])
        draws = state[:, None] + np.arange(1, n_draws + 1, dtype=np.uint64) * _GOLDEN
        words = _mix(draws) >> np.uint64(12)
    uniforms: Floats = (words.astype(np.float64) + 0.5) * 2.0**-52
    return uniforms


def row_normals(seed: int, target: int, known: Floats, n_draws: int) -> Floats:
    """Standard normal random numbers for each row; see :func:`row_uniforms`."""
    normals: Floats = ndtri(row_uniforms(seed, target, known, n_draws))
    return normals


def _mix(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))
