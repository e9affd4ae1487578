"""The decisions of the method, with names, and the two places they are set: the paper's and ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from iim._checks import one_of, whole_number
from iim.persistence.fields import LARGEST, MOST_ROUNDS, many, real, scalar, whole

WEIGHTS = ("votes", "uniform", "distance", "closest")
"""Ways to weigh candidates; CONTRIBUTING says what a new one needs."""

PAPER: dict[str, Any] = {
    "n_neighbors": 10,
    "learning_neighbors": None,
    "learning_grid": range(1, 101, 5),
    "alpha": 0.001,
    "penalty": "all",
    "scale": "none",
    "validation": "reused",
    "distance": "scaled",
    "level": "fitted",
    "weights": "votes",
    "reach": None,
    "donors": "complete",
    "min_donors": 1,
    "strategy": "patterns",
    "min_value": None,
    "max_value": None,
}
"""Settings that make :class:`IIMImputer` the paper's algorithm, to the letter.

The grid is that of the authors' program; ``range(1, n + 1)`` over all n complete rows is the paper's text.
Where alpha is below the rounding of the raw squares (columns that spread over a million, learned from fewer
neighbours than columns), the formula cannot be told from one without ridge: slopes that only the ridge
would decide are 0.
"""

AUTO_ALPHA = 0.001
"""Ridge weight of ``alpha="auto"``, on scaled columns.

Chosen by ``benchmarks/defaults.py`` for the plain IIM, before distances were learned, and kept.
"""

AUTO_ALPHA_OF_HOLES = 10.0
"""How much ``alpha="auto"`` grows, in rounds, with the square of the share of missing cells.

Rounds learn from filled values too, and these are wrong by more the more is missing: steep slopes would
magnify that (chosen by ``benchmarks/rounds.py``).
"""

AUTO_GRID = (1, 3, 6, 10, 16, 25, 40, 64, 100, 160, 250)
"""Numbers of learning neighbours of ``learning_grid="auto"``.

Chosen on the development tasks of ``benchmarks/accuracy``, whose ablation compares it with the former one.
"""


@dataclass(frozen=True)
class Settings:
    """All that decides a fill, besides the table.

    Attributes
    ----------
    n_neighbors : int
        k: donors that are asked for a value, and donors that judge a donor's models.
    learning_grid : sequence of int
        Candidate numbers of learning neighbours, increasing; a single one is a fixed number.
    alpha : float
        Ridge weight.
    penalty : {"slopes", "all"}
        What the ridge weighs on: the slopes, or the intercept too.
    scale : {"standard", "robust", "none"}
        How columns are brought to one scale.
    validation : {"held_out", "reused"}
        Whether a model is judged on donors as if it had not learned from them, or as it is.
    distance : {"learned", "scaled"}
        Whether distances are learned from the models' slopes, or those of the scaled columns.
    level : {"auto", "fitted", "own"}
        Where a model passes its donor: at the value fitted there, or at the donor's own.
    weights : {"auto", "votes", "uniform", "distance", "closest"}
        How candidates are combined.
    reach : float
        How far candidates may lie beyond the donors' values, in widths of their range; may be infinite.
    donors : {"available", "complete"}
        Which rows may be donors.
    min_donors : int
        Fewer donors than this are too few to learn from.
    """

    n_neighbors: Annotated[int, scalar(whole_number(least=1))]
    learning_grid: Annotated[tuple[int, ...], many(whole(1, 2**63 - 1), least=1)]
    alpha: Annotated[float, real(0, LARGEST)]
    penalty: Annotated[str, scalar(one_of("slopes", "all"))]
    scale: Annotated[str, scalar(one_of("standard", "robust", "none"))]
    validation: Annotated[str, scalar(one_of("held_out", "reused"))]
    distance: Annotated[str, scalar(one_of("learned", "scaled"))]
    level: Annotated[str, scalar(one_of("auto", "fitted", "own"))]
    weights: Annotated[str, scalar(one_of("auto", *WEIGHTS))]
    reach: Annotated[float, real(0, math.inf)]
    donors: Annotated[str, scalar(one_of("available", "complete"))]
    min_donors: Annotated[int, scalar(whole_number(least=1))]


@dataclass(frozen=True)
class RoundSettings:
    """What else decides a fill if columns are filled in turn, in rounds.

    Attributes
    ----------
    start : {"knn", "mean"}
        What missing cells hold before the first round.
    max_iter : int
        Rounds at most.
    tol : float
        The end has come when values change by less, in units of the scaled columns.
    max_donors : int
        Donors of a column at most.
    alpha_of_holes : float
        How much the ridge weight grows with the square of the share of missing cells.
    """

    start: Annotated[str, scalar(one_of("knn", "mean"))]
    max_iter: Annotated[int, whole(1, MOST_ROUNDS)]
    tol: Annotated[float, real(0, LARGEST)]
    max_donors: Annotated[int, scalar(whole_number(least=1))]
    alpha_of_holes: Annotated[float, real(0, LARGEST)]
