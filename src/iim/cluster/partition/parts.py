"""Learning on many machines: each part of the donors learns as if all donors were there.

A part owns the donors of one region of space (:mod:`~iim.cluster.partition.space_partition`). What else its
models depend on comes from other parts, as copies::

    own donors       -> how far their learning neighbours may lie     find_needs
    others' needs    -> donors lent to them: their halo               lend
    own and halo     -> nearest other donors of the own ones          nearest_lists
    lists            -> donors that judge donors of other parts       foreign_judges
    all of these     -> models of the own donors                      part_models

A donor's l-th nearest in its own part is at least as far as its l-th nearest of all. So where the halo
holds everything within that distance, nothing can be missing: the models are those of one machine, bit
by bit. Donors are told apart, and ties decided, by their row in the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._checks import one_of
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.learning import LARGEST_TRANSFORM, PatternModels, learn_models
from iim.core.neighbors import farthest_of_nearest, index_donors, nearest_other_donors
from iim.core.patterns import Pattern
from iim.core.scaling import EXPONENT, LARGEST
from iim.core.settings import WEIGHTS, Settings
from iim.kernels.boxes import mark_inside
from iim.kernels.tree import LEAF_SIZE, Tree
from iim.kernels.validation import Validation
from iim.persistence.fields import (
    COUNT,
    Refused,
    Sizes,
    floats,
    integers,
    positions,
    real,
    scalar,
    some,
    symmetric,
    whole,
)

MOST_NEEDS = 8192
"""Boxes that tell what a part needs, at most: more boxes mean fewer donors copied needlessly."""

MARGIN = 1.0 + 1e-9
"""Distances are widened by this factor, so that no rounding leaves out what lies just within them."""

TINY = 1e-150
"""And by this much: squares of what is smaller are 0, and rows that are so close count as in one place."""

NONE = -1
"""In place of a row: there is none."""


@dataclass(frozen=True)
class PartedProblem:
    """What all parts of a pattern have in common.

    Attributes
    ----------
    observed : tuple of int
        The columns that are used.
    target : int
        The column to fill.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours.
    exponent : int
        Models are in units of two to this power.
    low, high : float
        The smallest and the largest candidate that is let through, in these units.
    transform : ndarray of shape (n_observed, n_observed) or (0, 0)
        What scaled coordinates are multiplied by; IDENTITY if empty.
    level : {"fitted", "own"}
        Where models pass their donors.
    weights : {"votes", "uniform", "distance", "closest"}
        How candidates are weighed.
    n_donors : int
        How many donors all parts have together.
    """

    observed: Annotated[tuple[int, ...], positions("observed", below="columns", least=1)]
    target: Annotated[int, COUNT]
    grid: Annotated[Integers, some(integers("grid", least=1))]
    exponent: Annotated[int, EXPONENT]
    low: Annotated[float, real(-np.inf, np.inf)]
    high: Annotated[float, real(-np.inf, np.inf)]
    transform: Annotated[Floats, symmetric("observed", most=LARGEST_TRANSFORM)]
    level: Annotated[str, scalar(one_of("fitted", "own"))]
    weights: Annotated[str, scalar(one_of(*WEIGHTS))]
    n_donors: Annotated[int, whole(1, 2**63 - 1)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse candidates out of order, and a target that is none of the columns, or observed."""
        if np.any(self.grid[:-1] >= self.grid[1:]) or self.grid[-1] > self.n_donors:
            raise Refused("`PartedProblem.grid`: increasing numbers up to that of the donors are needed")
        if not self.target < (sizes.find("columns") or 0) or self.target in self.observed:
            raise Refused("`PartedProblem.target`: another column is needed")

    def n_nearest(self, n_neighbors: int) -> int:
        """How many of its nearest a donor has to know, itself counted: to learn from, and to judge."""
        return max(int(self.grid[-1]), min(n_neighbors + 1, self.n_donors) if self.grid.size > 1 else 1)


@dataclass(frozen=True)
class Donors:
    """Some donors of a pattern, wherever they are from.

    Attributes
    ----------
    rows : ndarray of shape (n_donors,)
        Their rows in the whole table.
    points : ndarray of shape (n_donors, n_observed)
        Where they lie: scaled coordinates, transformed if distances are learned.
    targets : ndarray of shape (n_donors,)
        Their known values, in units of the table.
    """

    rows: Annotated[Integers, integers("donors")]
    points: Annotated[Floats, floats("donors", "observed", least=-LARGEST, most=LARGEST)]
    targets: Annotated[Floats, floats("donors")]

    def take(self, at: Integers | Booleans) -> Donors:
        """Some of them, or all in another order."""
        return Donors(self.rows[at], self.points[at], self.targets[at])

    def and_also(self, *others: Donors) -> Donors:
        """These and others, in row order; a donor that is in several is there once."""
        everyone = (self, *others)
        rows, first = np.unique(np.concatenate([one.rows for one in everyone]), return_index=True)
        return Donors(
            rows,
            np.concatenate([one.points for one in everyone])[first],
            np.concatenate([one.targets for one in everyone])[first],
        )


@dataclass(frozen=True)
class Needs:
    """Where the donors lie that a part needs.

    Attributes
    ----------
    low, high : ndarray of shape (n_boxes, n_observed)
        Corners of boxes: whatever lies in one of them is needed. None for donors whose boxes lie within the
        part's own region.
    radius : ndarray of shape (n_donors,)
        How far around each own donor, in their order, everything is in the part or in a box.
    """

    low: Floats
    high: Floats
    radius: Floats


def find_needs(
    own: Donors, region: tuple[Floats, Floats], *, n_learning: int, proven: bool, context: Context
) -> tuple[Donors, Needs]:
    """Find out what a part needs, for the learning neighbours of each of its donors to be complete.

    Parameters
    ----------
    own : Donors
        The donors of the part, in row order; one at least.
    region : tuple of ndarray of shape (n_observed,)
        Lower and upper corner of the part's region.
    n_learning : int
        How many of its nearest each donor is to have, itself counted: see ``PartedProblem.n_nearest``.
    proven : bool
        Whether the distance is found out for every donor near the border, so that nothing can be missing;
        if not, for one of each few that lie together.
    context : Context
        How to run.

    Returns
    -------
    own : Donors
        The same donors, in an order in which those near to each other follow each other.
    needs : Needs
        O(n) searches for l_max neighbours if ``proven``, else a LEAF_SIZE-th of them.
    """
    tree = index_donors(own.points)
    n_donors = own.rows.size
    size = LEAF_SIZE * -(-n_donors // (LEAF_SIZE * MOST_NEEDS))
    starts = np.arange(0, n_donors, size)
    low, high = np.minimum.reduceat(tree.points, starts), np.maximum.reduceat(tree.points, starts)
    if n_donors < n_learning:
        radius = np.full(starts.size, np.inf)
    else:
        radius = _radius_of_groups(
            tree, starts, low, high, region, n_learning, proven=proven, context=context
        )
    # Rounded outwards: what lies just within the radius must not be left out.
    low = np.nextafter(low - radius[:, None], -np.inf)
    high = np.nextafter(high + radius[:, None], np.inf)
    beyond = _beyond(low, high, region)
    # Within its own region a donor sees everything, too.
    border = np.minimum(tree.points - region[0], region[1] - tree.points).min(axis=1) / MARGIN
    seen = np.maximum(np.repeat(radius, np.diff(np.append(starts, n_donors))), border)
    return own.take(tree.donor), Needs(low[beyond], high[beyond], seen)


def _radius_of_groups(
    tree: Tree,
    starts: Integers,
    low: Floats,
    high: Floats,
    region: tuple[Floats, Floats],
    n_learning: int,
    *,
    proven: bool,
    context: Context,
) -> Floats:
    """How far the learning neighbours of each group of donors lie at most, within their own part."""
    n_donors = tree.donor.size
    stops = np.append(starts[1:], n_donors)
    middle = (starts + stops) // 2
    radius: Floats = TINY + MARGIN * np.sqrt(
        farthest_of_nearest(tree, middle, n_neighbors=n_learning, context=context)
    )
    if not proven:
        return radius
    # All of a group lie within its box: none has its neighbours farther than the middle one has them, and
    # once across the box. That may be far more than it takes; what it leaves in doubt is looked at.
    across = np.sqrt(np.sum((high - low) ** 2, axis=1))
    bound: Floats = TINY + MARGIN * (radius + across)
    doubted = _beyond(low - bound[:, None], high + bound[:, None], region)
    lengths = (stops - starts)[doubted]
    places = np.flatnonzero(np.repeat(doubted, stops - starts))
    if places.size:
        farthest = farthest_of_nearest(tree, places, n_neighbors=n_learning, context=context)
        firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        bound[doubted] = TINY + MARGIN * np.sqrt(np.maximum.reduceat(farthest, firsts))
    return bound


def _beyond(low: Floats, high: Floats, region: tuple[Floats, Floats]) -> Booleans:
    """Which boxes stick out of a region."""
    return np.asarray(((low < region[0]) | (high >= region[1])).any(axis=1))


def lend(donors: Donors, low: Floats, high: Floats) -> Donors:
    """Those of a part's donors that another part needs, given its boxes."""
    inside = np.zeros(donors.rows.size, bool)
    if low.size:
        # Most boxes of a distant part are nowhere near.
        near = ~_apart(low, high, donors.points.min(axis=0), donors.points.max(axis=0))
        mark_inside(
            donors.points, np.ascontiguousarray(low[near]), np.ascontiguousarray(high[near]), inside
        )
    return donors.take(inside)


def _apart(low: Floats, high: Floats, floor: Floats, ceiling: Floats) -> Booleans:
    return np.asarray(((low > ceiling) | (high < floor)).any(axis=1))


@dataclass(frozen=True)
class Lists:
    """The nearest other donors of a part's own ones, nearest first.

    Attributes
    ----------
    rows : ndarray of shape (n_own,)
        The own donors, in row order.
    nearest : ndarray of shape (n_own, k)
        Rows of their nearest others; NONE where there are no more.
    distance : ndarray of shape (n_own,)
        Distance to the last of them.
    """

    rows: Integers
    nearest: Integers
    distance: Floats


def nearest_lists(own: Donors, halo: Donors, *, n_neighbors: int, context: Context) -> Lists:
    """Find the nearest other donors of a part's own ones.

    Parameters
    ----------
    own, halo : Donors
        The part's donors, and those lent to it.
    n_neighbors : int
        k.
    context : Context
        How to run.

    Returns
    -------
    Lists
    """
    everyone = own.and_also(halo)
    tree = index_donors(everyone.points)
    rows = np.sort(own.rows)
    places = np.sort(tree.place[np.searchsorted(everyone.rows, rows)])
    found = nearest_other_donors(tree, places, n_neighbors=n_neighbors, context=context)
    by_row = np.argsort(everyone.rows[tree.donor[places]])
    nearest = np.full((rows.size, n_neighbors), NONE, np.intp)
    nearest[:, : found.place.shape[1]] = everyone.rows[tree.donor[found.place]][by_row]
    farthest = found.distance[:, -1] if found.place.shape[1] else np.zeros(rows.size)
    return Lists(rows, nearest, np.sqrt(farthest)[by_row])


def foreign_judges(lists: Lists, owner: Integers, home: int) -> tuple[Integers, Integers, Integers]:
    """Which of a part's donors judge donors of other parts.

    A donor j judges those among its nearest: their models are tried on it.

    Parameters
    ----------
    lists : Lists
        Of the part's own donors.
    owner : ndarray of shape (n_own, k)
        The part of each of the nearest; ``home`` where there is none.
    home : int
        The part itself.

    Returns
    -------
    part : ndarray of shape (n_judges,)
        A part that has a donor which is judged elsewhere.
    judge : ndarray of shape (n_judges,)
        Position of the judge in ``lists``. Each pair of part and judge is there once.
    judged : ndarray of shape (n_judges, k)
        Rows of the donors of that part that it judges, nearest first; NONE elsewhere.
    """
    position, _ = np.nonzero(owner != home)
    pairs = np.unique(np.column_stack([owner[owner != home], position]), axis=0)
    part, judge = pairs[:, 0], pairs[:, 1]
    return part, judge, np.where(owner[judge] == part[:, None], lists.nearest[judge], NONE)


def part_models(
    own: Donors,
    halo: Donors,
    judges: Donors,
    judged: Integers,
    lists: Lists,
    *,
    problem: PartedProblem,
) -> PatternModels:
    """All that the models of a part's own donors are learned from; none is learned yet.

    Parameters
    ----------
    own, halo : Donors
        The part's donors, and those lent to it.
    judges : Donors
        Donors of other parts that judge own ones; empty if there is nothing to choose.
    judged : ndarray of shape (n_judges, k)
        Rows of the own donors that each of them judges; NONE elsewhere.
    lists : Lists
        Of the own donors.
    problem : PartedProblem
        What all parts have in common.

    Returns
    -------
    PatternModels
        Of own donors and others: only the former have their neighbours and judges complete.
    """
    everyone = own.and_also(halo, judges)
    tree = index_donors(everyone.points)
    grid = problem.grid
    if grid.size > 1:
        validation = _validation(everyone.rows, tree, judges.rows, judged, lists)
    else:
        validation = Validation(np.zeros(everyone.rows.size + 1, np.intp), np.empty(0, np.intp))
    pattern = Pattern(problem.observed, problem.target)
    return PatternModels(
        problem=Problem(pattern, problem.observed, everyone.rows, Fallback.NONE),
        tree=tree,
        grid=grid,
        validation=validation,
        exponent=problem.exponent,
        targets=np.ldexp(everyone.targets[tree.donor], -problem.exponent),
        coef=np.zeros((everyone.rows.size, len(problem.observed) + 1)),
        n_learning=np.zeros(everyone.rows.size, np.intp),
        transform=problem.transform,
        level=problem.level,
        weights=problem.weights,
    )


def learn_own(models: PatternModels, rows: Integers, *, settings: Settings, context: Context) -> Floats:
    """Models of some of a part's own donors.

    Parameters
    ----------
    models : PatternModels
        From :func:`part_models`.
    rows : ndarray of shape (n_rows,)
        Own donors, by their rows in the whole table.
    settings : Settings
        All decisions.
    context : Context
        How to run.

    Returns
    -------
    ndarray of shape (n_rows, n_observed + 1)
        Value at the donor and slopes.
    """
    places = models.tree.place[np.searchsorted(models.problem.rows, rows)]
    return learn_models(models, places, settings=settings, context=context).coef[places]


def _validation(rows: Integers, tree: Tree, judges: Integers, judged: Integers, lists: Lists) -> Validation:
    """Whom each own donor is judged on, as :func:`iim.kernels.validation.judge_lists` has it."""
    k = lists.nearest.shape[1]
    judge = np.concatenate([np.repeat(lists.rows, k), np.repeat(judges, k)])
    model = np.concatenate([lists.nearest.ravel(), judged.ravel()])
    # Those of the own donors' nearest that are not own themselves are judged in their own part.
    counts = np.isin(model, lists.rows)
    judge, model = judge[counts], model[counts]
    alone = np.setdiff1d(lists.rows, model)
    own_nearest = lists.nearest[np.searchsorted(lists.rows, alone)]
    kept = own_nearest != NONE
    model = np.concatenate([model, np.repeat(alone, k)[kept.ravel()]])
    # In row order within a list; nearest first for those that are nobody's neighbour.
    rank = np.concatenate([judge, np.tile(np.arange(k), alone.size)[kept.ravel()]])
    judge = np.concatenate([judge, own_nearest[kept]])
    place_of = tree.place
    model_place = place_of[np.searchsorted(rows, model)]
    order = np.lexsort((rank, model_place))
    first = np.zeros(rows.size + 1, np.intp)
    np.cumsum(np.bincount(model_place, minlength=rows.size), out=first[1:])
    return Validation(first, place_of[np.searchsorted(rows, judge[order])])
