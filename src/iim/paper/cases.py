"""The data sets as the paper used them, and the settings of its methods on each.

The paper names neither the attribute that loses values, nor the columns of CCS, nor most settings. The
choices that fit its numbers are here, each with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from iim.imputers import METHODS

ORDER = ("iim", *(key for key in METHODS if key not in ("iim", "auto")))
"""Methods in the paper's order: its own first. It has none that chooses among the others."""

NAMES = {key: METHODS[key].paper_name for key in ORDER}


@dataclass(frozen=True)
class Case:
    """A data set, the attribute that loses values, and how the paper changed both.

    Attributes
    ----------
    data : str
        Key of the data set.
    name : str
        In the paper.
    target : str
        The column that loses values.
    n_columns : int or None
        Number of first columns used; None for all.
    factor : float
        Factor of the values.
    why : str
        Evidence for the choice of attribute, columns and factor.
    n_rows : int
        Approximate number of rows, for the weight of tasks.
    """

    data: str
    name: str
    target: str
    why: str
    n_rows: int
    n_columns: int | None = None
    factor: float = 1.0

    def inputs(self) -> dict[str, Any]:
        """The inputs of a task that identify the data."""
        changes: dict[str, Any] = {}
        if self.n_columns is not None:
            changes["n_columns"] = self.n_columns
        if self.factor != 1.0:
            changes["factor"] = self.factor
        return {"data": self.data, "target": self.target, **changes}


CASES = MappingProxyType(
    {
        case.data: case
        for case in (
            Case(
                "asf", "ASF", "A2", "the paper's row equals its row of A2 in the table by attribute", 1503
            ),
            Case(
                "ca",
                "CA",
                "longitude",
                "on raw values, GLR's error and both R2 fit longitude, and latitude nearly as well",
                20640,
            ),
            Case("ccpp", "CCPP", "PE", "GLR's error there is the printed one", 9568),
            Case(
                "ccs",
                "CCS",
                "water",
                "the errors of kNN, GLR and LOESS fit the first six columns with water missing",
                1030,
                n_columns=6,
            ),
            Case(
                "da",
                "DA",
                "Sa",
                "with values times 1e5 the errors fit; with raw ones, alpha would erase all slopes",
                7129,
                factor=1e5,
            ),
            Case("phase", "PHASE", "current", "a stand-in: the data are not published", 10_000),
            Case("sn", "SN", "latitude", "a stand-in: the rows that were used are not published", 100_000),
        )
    }
)
"""The data sets of the paper's large table, in its order."""

LARGE = 5000
"""From this many rows on, candidates for l go up to 951 by 50. Ours; it is the paper's step for CA and
SN."""

LARGE_GRID = range(1, 1001, 50)

XGB_ROUNDS = {"ccs": 9, "da": 10, "ccpp": 15, "ca": 15, "phase": 15, "sn": 15}
"""Rounds of boosting that fit printed errors, where they are not the 6 of ASF; of SN none is printed."""


def paper_settings(method: str, data: str, n_rows: int) -> dict[str, Any]:
    """Settings of a method as in the paper, where they are known or could be inferred.

    Parameters
    ----------
    method : str
        Key of the method.
    data : str
        Key of the data set.
    n_rows : int
        Number of its rows.

    Returns
    -------
    dict
        Parameters, of plain types.
    """
    changes: dict[str, Any] = {}
    if method == "iim" and n_rows >= LARGE:
        changes["learning_grid"] = LARGE_GRID
    if method == "xgb" and data in XGB_ROUNDS:
        changes["n_rounds"] = XGB_ROUNDS[data]
    return plain_settings({**METHODS[method].PAPER, **changes})


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON can hold them: a range becomes a list."""
    return {name: list(value) if isinstance(value, range) else value for name, value in settings.items()}
