"""Generate the sensor table that ships with the package.

Three weather stations (valley, coast, hill) report every five minutes for a day and a half. Each has its
own law between temperature, humidity and pressure, which is what individual models are for; a solar panel
charges each logger's battery. Gaps come as they do in the field: single readings, and outages of one
sensor for up to an hour. Rows are in order of time, stations in turn.

Run from the project's root: ``python benchmarks/make_sensors.py``.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "src" / "iim" / "samples"
COLUMNS = ("hour", "temperature", "humidity", "pressure", "sunlight", "voltage")
N_STEPS = 432
"""Readings per station: a day and a half, every five minutes."""


def readings(rng: np.random.Generator) -> np.ndarray:
    """Complete readings, shape (3 N_STEPS, 6)."""
    time = np.arange(N_STEPS) / 12.0
    hour = time % 24.0
    sun = np.clip(np.sin((hour - 6.0) / 12.0 * np.pi), 0.0, None)
    weather = np.cumsum(rng.normal(0.0, 0.06, N_STEPS))
    stations = []
    for base, swing, damp, law, level in (
        (14.0, 11.0, 62.0, -2.1, 1009.0),
        (17.0, 3.5, 78.0, -0.6, 1013.5),
        (6.0, 6.0, 71.0, 1.1, 931.0),
    ):
        cloud = np.clip(0.7 + 0.25 * np.sin(time / 5.0 + base) + rng.normal(0, 0.05, N_STEPS), 0.1, 1)
        light = 950.0 * sun * cloud
        warm = base + swing * np.sin((hour - 9.0) / 12.0 * np.pi) + 1.5 * weather
        warm += 0.004 * light + rng.normal(0.0, 0.15, N_STEPS)
        humid = np.clip(damp + law * (warm - base) - 0.006 * light, 15.0, 100.0)
        humid = np.clip(humid + rng.normal(0.0, 0.6, N_STEPS), 10.0, 100.0)
        press = level - 2.4 * weather - 0.05 * (warm - base) + rng.normal(0.0, 0.1, N_STEPS)
        volt = 3.62 + 0.42 * (1.0 - np.exp(-light / 220.0)) + 0.004 * (warm - base)
        volt += rng.normal(0.0, 0.008, N_STEPS)
        stations.append(np.column_stack([hour, warm, humid, press, light, volt]))
    return np.stack(stations, axis=1).reshape(-1, len(COLUMNS))


def gaps(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Where readings are lost, shape (n_rows, 6); the clock never stops."""
    lost = rng.random((n_rows, len(COLUMNS))) < 0.02
    for column in range(1, len(COLUMNS)):
        for _ in range(8):
            first = int(rng.integers(0, n_rows - 36))
            # Every third row belongs to one station: its sensor is out for up to an hour.
            lost[first : first + 3 * int(rng.integers(3, 13)) : 3, column] = True
    lost[:, 0] = False
    return lost


def write(name: str, table: np.ndarray, lost: np.ndarray) -> None:
    """Write a CSV with empty cells where readings are lost."""
    digits = (3, 2, 1, 2, 0, 3)
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for values, holes in zip(table, lost, strict=True):
            writer.writerow(
                "" if hole else f"{value:.{digit}f}"
                for value, hole, digit in zip(values, holes, digits, strict=True)
            )


def main() -> None:
    """Write both tables."""
    rng = np.random.default_rng(20190408)
    table = readings(rng)
    lost = gaps(rng, table.shape[0])
    write("sensors.csv", table, lost)
    write("sensors_complete.csv", table, np.zeros_like(lost))


if __name__ == "__main__":
    main()
