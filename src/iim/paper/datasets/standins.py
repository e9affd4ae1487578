"""Stand-ins for the two data sets of the paper that are not published: SN and PHASE.

They match what the paper prints of the originals: size, R2 of neighbours and of one regression, errors of
the methods. They are *not* the originals: they were tuned to these numbers, so agreement with them is no
evidence. Numbers are seeded, computed with few operations, and rounded, so that every machine makes the
same table.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Floats

SEED = 2019
"""Seed of both."""

WEST, EAST, SOUTH, NORTH = 8.2, 11.0, 56.6, 57.7
"""The box around North Jutland in which roads begin, in degrees."""

POINTS = 85
"""Points of a road. With more, a regression over the 200 nearest points sees fewer roads at once."""

SHARE = 0.95
"""Width of a road, relative to the mean distance between the starts of neighbouring roads. Wider roads
share more longitudes, so that neighbours predict less."""

RISE = 0.3
"""Largest change of a road's latitude to the north or south, in degrees."""

WINDING = 0.01
"""Step of a road's windings, in degrees of latitude."""

SPREAD = 0.45
"""Half of the range of latitudes in which roads begin, at one longitude."""

TREND = 0.25
"""How much farther north roads begin in the east than in the west."""


def make_sn(n_rows: int = 100_000) -> Floats:
    """Longitude and latitude of points along winding roads, road after road.

    The original is probably part of a map of North Jutland's roads. These roads run mostly north or south,
    each in a narrow strip of longitudes with little overlap. So the nearest points by longitude lie on one
    road or two, the 200 nearest on several, and no line fits all.

    Parameters
    ----------
    n_rows : int, default=100_000
        Number of points. Roads always cover the whole box: with fewer points, roads are fewer and wider,
        and errors stay about the same.

    Returns
    -------
    ndarray of shape (n_rows, 2)
        Degrees, rounded to six decimals.

    Notes
    -----
    Matched, with the paper's settings and 5 % of the latitudes missing, as medians over five masks (the
    paper's in brackets): standard deviation 0.279 (0.28), R2_S 0.82 (0.79), R2_H 0.04 (0.05), RMS error of
    kNN 0.117 (0.12), GLR 0.272 (0.27), LOESS 0.200 (0.20), ERACER 0.117 (0.13), IIM with l up to 951 0.113
    (0.11). Not matched: the map itself, how roads branch and cross, points that two roads share.
    """
    generator = np.random.default_rng(SEED)
    n_roads = -(-n_rows // POINTS)
    distance = (EAST - WEST) / n_roads
    # Not sorted by longitude, as in the original.
    begin = WEST + distance * (generator.permutation(n_roads) + generator.random(n_roads))
    middle = (SOUTH + NORTH) / 2 + TREND * ((begin - WEST) / (EAST - WEST) - 0.5)
    first = middle + SPREAD * _around_zero(generator, n_roads)
    rise = RISE * _around_zero(generator, n_roads)
    along = np.arange(POINTS) / POINTS
    sideways = 0.01 * _around_zero(generator, n_roads, POINTS)
    longitude = begin[:, None] + SHARE * distance * (along + sideways)
    turns = np.cumsum(_around_zero(generator, n_roads, POINTS), axis=1)
    latitude = first[:, None] + rise[:, None] * along + WINDING / 2 * turns
    # A road turns back at the edge of the box.
    latitude = SOUTH + np.abs(latitude - SOUTH)
    latitude = NORTH - np.abs(NORTH - latitude)
    return np.column_stack([longitude.ravel(), latitude.ravel()])[:n_rows].round(6)


LOAD, LOAD_SPREAD = 20.0, 2.31
"""Power of a phase, in kW, and the common variation of all three."""

IMBALANCE = 0.1
"""Variation of each phase alone, in kW."""

AMPERE_PER_KW = 1.52
"""Current of three phases of 400 V at a power factor of 0.95."""

NOISE = 3.3
"""Standard deviation of the noise, in ampere."""


def make_phase(n_rows: int = 10_000) -> Floats:
    """Power of the three phases of an electric supply, and the resulting current.

    One linear regression fits all rows up to noise. Rows are dense, so kNN is only a little worse.

    Parameters
    ----------
    n_rows : int, default=10_000
        Number of readings.

    Returns
    -------
    ndarray of shape (n_rows, 4)
        power_a, power_b and power_c in kW and current in ampere, rounded to three decimals.

    Notes
    -----
    Matched, with the paper's settings and 5 % of the currents missing, as medians over five masks (the
    paper's in brackets): R2_S 0.90 (0.90), R2_H 0.91 (0.91), RMS error of kNN 3.47 (3.51), GLR 3.33 (3.32),
    LOESS 3.34 (3.32), ERACER 3.33 (3.32), IIM with l up to 951 3.36 (3.31); the standard deviation of 11
    follows from them. Not matched: with l up to 96, IIM is no better than kNN (3.47); with l up to 951 it
    is a little worse than GLR, where in the paper it is a little better. Also not matched: the original's
    columns, its order in time, and its faults.
    """
    generator = np.random.default_rng(SEED)
    shared = LOAD_SPREAD * generator.standard_normal((n_rows, 1))
    power = LOAD + shared + IMBALANCE * generator.standard_normal((n_rows, 3))
    total = power[:, 0] + power[:, 1] + power[:, 2]
    current = AMPERE_PER_KW * total + NOISE * generator.standard_normal(n_rows)
    return np.column_stack([power, current]).round(3)


def _around_zero(generator: np.random.Generator, *shape: int) -> Floats:
    """Numbers between -1 and 1."""
    return 2 * generator.random(shape) - 1
