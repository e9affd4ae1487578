"""The paper's printed numbers, as CSV: table (its label in the source), row, column, unit, value."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def published(name: str) -> dict[tuple[str, str], str]:
    """The cells of a table of the paper, by row and column.

    Parameters
    ----------
    name : str
        Name of the file, without ".csv".

    Returns
    -------
    dict
        The words or numbers of each cell, as printed; cells without a number are absent.
    """
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return {(line["row"], line["column"]): line["value"] for line in csv.DictReader(text.splitlines())}


def published_number(name: str, row: str, column: str) -> float | None:
    """One number of a table of the paper; None if the cell is empty."""
    value = published(name).get((row, column))
    return None if value is None else float(value)
