"""The parameters of the method: the paper's values and our defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from iim._checks import one_of, whole_number
from iim.persistence.fields import LARGEST, MOST_ROUNDS, many, real, scalar, whole

DISTANCES = ("learned", "scaled")
"""Distances: learned from the slopes of models, or Euclidean on the scaled columns."""

SHRINKAGES = ("auto", "none")
"""Whether models are drawn towards one regression and the mean as far as held-out errors say, or not."""

WEIGHTS = ("votes", "uniform", "distance", "closest")
"""Weightings of candidates, in the order of their codes in ``iim.kernels.votes``."""

TRIED_WEIGHTS = ("votes", "distance", "closest")
"""Weightings that ``weights="auto"`` chooses from."""

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
    "shrinkage": "none",
    "reach": None,
    "donors": "complete",
    "min_donors": 1,
    "strategy": "patterns",
    "min_value": None,
    "max_value": None,
}
"""Settings that make :class:`IIMImputer` the paper's algorithm exactly.

The grid is that of the authors' program; the paper's text has ``range(1, n + 1)`` over all n complete rows.
Alpha has no effect where it is below the rounding of the raw squares: in columns with a spread above a
million, with fewer learning neighbours than columns. Slopes that only the ridge determines are then 0.
"""

AUTO_ALPHA = 0.001
"""Ridge weight of ``alpha="auto"``, on scaled columns.

Chosen by ``benchmarks/defaults.py`` for the plain IIM, before distances were learned, and kept.
"""

AUTO_ALPHAS_OF_HOLES = (10.0, 100.0)
"""Growths of ``alpha="auto"`` with the square of the share of missing cells, tried in the votes of rounds.

Rounds learn from filled values too. Their errors grow with the share of missing cells, and steep slopes
would magnify them.
"""

AUTO_GRID = (1, 3, 6, 10, 16, 25, 40, 64, 100, 160, 250)
"""Candidates of ``learning_grid="auto"``.

Chosen on the development tasks of ``benchmarks/accuracy``; its ablation compares it with the former grid.
"""


ROUNDS_GRID = (1, 10, 40, 160)
"""Candidates of ``learning_grid="auto"`` in rounds: there a coarser grid errs no more, in half the time.

Compared on the tables for choosing of ``benchmarks/published``.
"""


@dataclass(frozen=True)
class Settings:
    """All parameters that determine a fill, for a given table.

    Attributes
    ----------
    n_neighbors : int
        k: donors whose models predict a value, and validation rows of a donor's models.
    learning_grid : sequence of int
        Candidate numbers of learning neighbours, increasing; a single one is a fixed number.
    alpha : float
        Ridge weight.
    penalty : {"slopes", "all"}
        What the ridge penalises: the slopes, or the intercept too.
    scale : {"standard", "robust", "none"}
        How columns are brought to one scale.
    validation : {"held_out", "reused"}
        Whether a model is validated on rows that are held out of it, or on rows that it may have learned
        from.
    distance : str
        One of ``DISTANCES``: Euclidean on the scaled columns, or learned from the models' slopes.
    level : {"auto", "fitted", "own"}
        A model's value at its donor: the fitted one, or the donor's own.
    weights : str
        How candidates are combined: "auto", or one of ``WEIGHTS``.
    shrinkage : {"auto", "none"}
        Whether models are drawn towards one regression and the mean.
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
    distance: Annotated[str, scalar(one_of(*DISTANCES))]
    level: Annotated[str, scalar(one_of("auto", "fitted", "own"))]
    weights: Annotated[str, scalar(one_of("auto", *WEIGHTS))]
    shrinkage: Annotated[str, scalar(one_of(*SHRINKAGES))]
    reach: Annotated[float, real(0, math.inf)]
    donors: Annotated[str, scalar(one_of("available", "complete"))]
    min_donors: Annotated[int, scalar(whole_number(least=1))]


@dataclass(frozen=True)
class RoundSettings:
    """Further parameters, for the strategy of rounds.

    Attributes
    ----------
    max_iter : int
        Most rounds.
    max_donors : int
        Most donors of a column.
    learning_grid : sequence of int
        Candidate numbers of learning neighbours, in place of those of patterns.
    alphas_of_holes : tuple of float
        Growths of the ridge weight of votes, with the square of the share of missing cells, to try.
    """

    max_iter: Annotated[int, whole(0, MOST_ROUNDS)]
    max_donors: Annotated[int, scalar(whole_number(least=1))]
    learning_grid: Annotated[tuple[int, ...], many(whole(1, 2**63 - 1), least=1)]
    alphas_of_holes: Annotated[tuple[float, ...], many(real(0, LARGEST), least=1)]
