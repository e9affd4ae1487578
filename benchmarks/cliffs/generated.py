"""Values of generated tables: each function gives what draws a complete table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

Truth = Callable[[np.random.Generator], np.ndarray]
"""From a generator to a complete table."""


def low_rank(n_rows: int, n_columns: int, rank: int, *, noise: float = 0.05) -> Truth:
    """A product of two random matrices, plus noise (in standard deviations of the product)."""

    def truth(random: np.random.Generator) -> np.ndarray:
        product = random.normal(size=(n_rows, rank)) @ random.normal(size=(rank, n_columns))
        return product + noise * np.sqrt(rank) * random.normal(size=product.shape)

    return truth


def autoregressive(n_rows: int, n_columns: int, correlation: float) -> Truth:
    """Each column is the one before, times a correlation, plus noise; all of variance 1."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.normal(size=(n_rows, n_columns))
        for at in range(1, n_columns):
            values[:, at] *= np.sqrt(1.0 - correlation**2)
            values[:, at] += correlation * values[:, at - 1]
        return values

    return truth


def drifting(n_rows: int, n_columns: int) -> Truth:
    """Series that grow with time, with a season and a random walk each; rows in the order of time."""

    def truth(random: np.random.Generator) -> np.ndarray:
        time = np.linspace(0.0, 1.0, n_rows)[:, None]
        slopes, phases = random.uniform(2.0, 6.0, n_columns), random.uniform(0.0, 2.0 * np.pi, n_columns)
        walk = np.cumsum(random.normal(size=(n_rows, n_columns)), axis=0) / np.sqrt(n_rows)
        season = np.sin(12.0 * np.pi * time + phases)
        return slopes * time + 0.5 * season + 0.5 * walk + 0.1 * random.normal(size=walk.shape)

    return truth


def noise(n_rows: int, n_columns: int) -> Truth:
    """Independent normal values: nothing is better than the mean."""
    return lambda random: random.normal(size=(n_rows, n_columns))


def linear(n_rows: int, n_columns: int, *, error: float = 0.1) -> Truth:
    """The last column is a weighted sum of the others, plus an error."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.normal(size=(n_rows, n_columns))
        weights = random.uniform(0.5, 1.5, n_columns - 1)
        values[:, -1] = values[:, :-1] @ weights + error * values[:, -1]
        return values

    return truth


def linear_beside_noise(n_rows: int, n_linear: int, n_noise: int) -> Truth:
    """Columns of one linear relation, beside independent ones."""
    related, independent = linear(n_rows, n_linear), noise(n_rows, n_noise)
    return lambda random: np.column_stack([related(random), independent(random)])


def weak(n_rows: int, n_columns: int, r_squared: float) -> Truth:
    """The others explain a part of the last column, which has variance 1."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.normal(size=(n_rows, n_columns))
        explained = values[:, :-1].sum(axis=1) / np.sqrt(n_columns - 1)
        values[:, -1] = np.sqrt(r_squared) * explained + np.sqrt(1.0 - r_squared) * values[:, -1]
        return values

    return truth


def _related(random: np.random.Generator, n_rows: int, n_columns: int) -> np.ndarray:
    """Normal columns of variance about 1 with two factors."""
    values = low_rank(n_rows, n_columns, 2, noise=0.3)(random)
    return values / values.std(axis=0)


def cauchy(n_rows: int, n_columns: int) -> Truth:
    """Related columns with tails as heavy as those of the Cauchy distribution."""

    def truth(random: np.random.Generator) -> np.ndarray:
        chances = np.clip(ndtr(_related(random, n_rows, n_columns)), 1e-4, 1.0 - 1e-4)
        return np.tan(np.pi * (chances - 0.5))

    return truth


def lognormal(n_rows: int, n_columns: int) -> Truth:
    """Exponentials of related columns."""
    return lambda random: np.exp(1.5 * _related(random, n_rows, n_columns))


def half_zeros(n_rows: int, n_columns: int) -> Truth:
    """Related columns whose negative values are 0."""
    return lambda random: np.maximum(_related(random, n_rows, n_columns), 0.0)


def counts_with_zeros(n_rows: int, n_columns: int) -> Truth:
    """Counts with related rates; half of the cells are 0 for no reason."""

    def truth(random: np.random.Generator) -> np.ndarray:
        counts = random.poisson(np.exp(1.0 + 0.7 * _related(random, n_rows, n_columns)))
        return (counts * (random.random(counts.shape) < 0.5)).astype(float)

    return truth


def likert(n_rows: int, n_columns: int) -> Truth:
    """Answers from 1 to 5 that follow two factors."""

    def truth(random: np.random.Generator) -> np.ndarray:
        answers = _related(random, n_rows, n_columns) + random.normal(0.0, 0.5, n_columns)
        return 1.0 + np.digitize(answers, [-1.2, -0.4, 0.4, 1.2])

    return truth


def repeated_rows(n_different: int, n_times: int, n_columns: int) -> Truth:
    """Each row several times, in random order."""

    def truth(random: np.random.Generator) -> np.ndarray:
        return random.permutation(np.repeat(_related(random, n_different, n_columns), n_times, axis=0))

    return truth


def repeated_columns(n_rows: int, n_different: int) -> Truth:
    """Each column three times: as it is, in another unit, and with some noise."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.normal(size=(n_rows, n_different))
        noisy = values + 0.2 * random.normal(size=values.shape)
        return np.column_stack([values, 100.0 * values + 7.0, noisy])

    return truth


def with_constants(n_rows: int, n_columns: int, n_constant: int) -> Truth:
    """Related columns beside constant ones."""

    def truth(random: np.random.Generator) -> np.ndarray:
        constant = np.full((n_rows, n_constant), 3.0)
        return np.column_stack([_related(random, n_rows, n_columns), constant])

    return truth


def sine(n_rows: int) -> Truth:
    """A column, waves of it, and its square."""

    def truth(random: np.random.Generator) -> np.ndarray:
        x = random.uniform(-2.0, 2.0, n_rows)
        values = np.column_stack([x, np.sin(3.0 * x), np.cos(2.0 * x), x**2])
        return values + 0.1 * random.normal(size=values.shape)

    return truth


def product(n_rows: int) -> Truth:
    """Two columns, their product and their quotient."""

    def truth(random: np.random.Generator) -> np.ndarray:
        a, b = random.uniform(-1.0, 1.0, n_rows), random.uniform(0.5, 2.0, n_rows)
        values = np.column_stack([a, b, a * b, a / b])
        return values + 0.05 * random.normal(size=values.shape)

    return truth


def exclusive_or(n_rows: int) -> Truth:
    """Two signs and their product, beside two columns of noise: no pair of columns is correlated."""

    def truth(random: np.random.Generator) -> np.ndarray:
        signs = random.choice([-1.0, 1.0], size=(n_rows, 2))
        related = np.column_stack([signs, signs[:, 0] * signs[:, 1]])
        return np.column_stack([related, random.normal(size=(n_rows, 2))])

    return truth


def ring(n_rows: int) -> Truth:
    """Points near a circle, with the angle's double wave."""

    def truth(random: np.random.Generator) -> np.ndarray:
        angle = random.uniform(0.0, 2.0 * np.pi, n_rows)
        values = np.column_stack([np.cos(angle), np.sin(angle), np.sin(2.0 * angle)])
        return values + 0.1 * random.normal(size=values.shape)

    return truth


def regimes(n_rows: int, n_columns: int) -> Truth:
    """Two groups of rows, far apart in the first column, with opposite linear relations."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.normal(size=(n_rows, n_columns))
        side = random.choice([-1.0, 1.0], n_rows)
        weights = random.uniform(0.5, 1.5, n_columns - 2)
        values[:, 0] = 3.0 * side + 0.5 * values[:, 0]
        values[:, -1] = side * (values[:, 1:-1] @ weights) + 0.1 * values[:, -1]
        return values

    return truth


def steps(n_rows: int, n_columns: int) -> Truth:
    """The last column jumps where the first and the second one pass thresholds."""

    def truth(random: np.random.Generator) -> np.ndarray:
        values = random.uniform(-1.0, 1.0, (n_rows, n_columns))
        levels = 2.0 * (values[:, 0] > 0.2) + 1.0 * (values[:, 1] > -0.3)
        values[:, -1] = levels + 0.1 * values[:, -1]
        return values

    return truth
