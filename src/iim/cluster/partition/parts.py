"""Learning on many machines: each part learns the same models as if it had all donors.

A part owns the donors of one region of space (:mod:`~iim.cluster.partition.space_partition`). Its models
also depend on donors of other parts, which it gets as copies::

    own donors       -> boxes of their learning neighbours            find_needs
    others' boxes    -> donors copied to them: their halo             lend
    own and halo     -> nearest neighbours of the own donors          nearest_lists
    lists            -> own donors that validate other parts' donors  foreign_judges
    all of these     -> models of the own donors                      part_models

A donor's l-th nearest neighbour in its own part is at least as far as its l-th nearest of all. So if the
halo holds everything within that distance, no neighbour is missing, and the models are bit-identical to
those of one machine. Donors are identified, and ties decided, by their row in the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._checks import one_of
from iim.core.donors import Fallback, Problem
from iim.core.execution.context import Context
from iim.core.held_out.shrinkage import Shrinkage
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
"""Boxes per part, at most. More boxes mean fewer donors copied needlessly."""

MARGIN = 1.0 + 1e-9
"""Distances are multiplied by this factor, so that rounding excludes nothing."""

TINY = 1e-150
"""And increased by this much: squares of smaller distances underflow to 0."""

NONE = -1
"""Replaces the number of a row if there is none."""


@dataclass(frozen=True)
class PartedProblem:
    """The common data of all parts of a problem.

    Attributes
    ----------
    observed : tuple of int
        The columns to predict from.
    target : int
        The column to predict.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours.
    exponent : int
        Models are in units of two to this power.
    low, high : float
        Lower and upper bound of candidates, in these units.
    transform : ndarray of shape (n_observed, n_observed) or (0, 0)
        Scaled coordinates are multiplied by it; IDENTITY if empty.
    level : {"fitted", "own"}
        Level of the models at their donors.
    weights : {"votes", "uniform", "distance", "closest"}
        Weights of the candidates.
    shrinkage : Shrinkage
        How far the models are drawn towards one regression and the mean.
    n_donors : int
        Number of donors of all parts.
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
    shrinkage: Shrinkage
    n_donors: Annotated[int, whole(1, 2**63 - 1)]

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse candidates out of order, and a target that is not a column, or that is observed."""
        if np.any(self.grid[:-1] >= self.grid[1:]) or self.grid[-1] > self.n_donors:
            raise Refused("`PartedProblem.grid`: increasing numbers up to that of the donors are needed")
        if not self.target < (sizes.find("columns") or 0) or self.target in self.observed:
            raise Refused("`PartedProblem.target`: another column is needed")

    def n_nearest(self, n_neighbors: int) -> int:
        """How many nearest donors each donor needs, itself included: to learn from, and to validate."""
        return max(int(self.grid[-1]), min(n_neighbors + 1, self.n_donors) if self.grid.size > 1 else 1)


@dataclass(frozen=True)
class Donors:
    """Some donors of a pattern, from any part.

    Attributes
    ----------
    rows : ndarray of shape (n_donors,)
        Their rows in the whole table.
    points : ndarray of shape (n_donors, n_observed)
        Scaled coordinates, transformed if distances are learned.
    targets : ndarray of shape (n_donors,)
        Their known values, in units of the table.
    """

    rows: Annotated[Integers, integers("donors")]
    points: Annotated[Floats, floats("donors", "observed", least=-LARGEST, most=LARGEST)]
    targets: Annotated[Floats, floats("donors")]

    def take(self, at: Integers | Booleans) -> Donors:
        """A subset, or another order."""
        return Donors(self.rows[at], self.points[at], self.targets[at])

    def and_also(self, *others: Donors) -> Donors:
        """These and others, in row order, without duplicates."""
        everyone = (self, *others)
        rows, first = np.unique(np.concatenate([one.rows for one in everyone]), return_index=True)
        return Donors(
            rows,
            np.concatenate([one.points for one in everyone])[first],
            np.concatenate([one.targets for one in everyone])[first],
        )


@dataclass(frozen=True)
class Needs:
    """The regions of donors that a part needs.

    Attributes
    ----------
    low, high : ndarray of shape (n_boxes, n_observed)
        Corners of boxes; every donor in one of them is needed. None for donors whose boxes lie within the
        part's own region.
    radius : ndarray of shape (n_donors,)
        The radius around each own donor within which every donor is in the part or in a box.
    """

    low: Floats
    high: Floats
    radius: Floats


def find_needs(
    own: Donors, region: tuple[Floats, Floats], *, n_learning: int, proven: bool, context: Context
) -> tuple[Donors, Needs]:
    """Compute the boxes that complete the learning neighbours of a part's donors.

    Parameters
    ----------
    own : Donors
        The donors of the part, in row order; at least one.
    region : tuple of ndarray of shape (n_observed,)
        Lower and upper corner of the part's region.
    n_learning : int
        Number of nearest donors that each donor needs, itself included: see ``PartedProblem.n_nearest``.
    proven : bool
        Whether to search for every donor near the border, so that no neighbour can be missing; otherwise
        for one donor of each small group.
    context : Context
        Threads.

    Returns
    -------
    own : Donors
        The same donors, reordered so that near donors follow each other.
    needs : Needs
        O(n) searches for l_max neighbours if ``proven``, otherwise O(n / LEAF_SIZE).
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
    # Rounded outwards, so that nothing just within the radius is excluded.
    low = np.nextafter(low - radius[:, None], -np.inf)
    high = np.nextafter(high + radius[:, None], np.inf)
    beyond = _beyond(low, high, region)
    # Within its own region a part has every donor.
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
    """Upper bound on the distance of the learning neighbours of each group of donors, within their part."""
    n_donors = tree.donor.size
    stops = np.append(starts[1:], n_donors)
    middle = (starts + stops) // 2
    radius: Floats = TINY + MARGIN * np.sqrt(
        farthest_of_nearest(tree, middle, n_neighbors=n_learning, context=context)
    )
    if not proven:
        return radius
    # A group lies within its box, so no member's neighbours are farther than those of the middle one plus
    # the diagonal of the box. That may be far too much; doubtful cases are checked.
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
    """Boxes that extend beyond a region."""
    return np.asarray(((low < region[0]) | (high >= region[1])).any(axis=1))


def lend(donors: Donors, low: Floats, high: Floats) -> Donors:
    """The donors of a part that lie in another part's boxes."""
    inside = np.zeros(donors.rows.size, bool)
    if low.size:
        # Most boxes of a distant part are far away.
        near = ~_apart(low, high, donors.points.min(axis=0), donors.points.max(axis=0))
        mark_inside(
            donors.points, np.ascontiguousarray(low[near]), np.ascontiguousarray(high[near]), inside
        )
    return donors.take(inside)


def _apart(low: Floats, high: Floats, floor: Floats, ceiling: Floats) -> Booleans:
    return np.asarray(((low > ceiling) | (high < floor)).any(axis=1))


@dataclass(frozen=True)
class Lists:
    """The nearest neighbours of a part's own donors, nearest first.

    Attributes
    ----------
    rows : ndarray of shape (n_own,)
        The own donors, in row order.
    nearest : ndarray of shape (n_own, k)
        Rows of their nearest neighbours; NONE if there are fewer.
    distance : ndarray of shape (n_own,)
        Distance to the last of them.
    """

    rows: Integers
    nearest: Integers
    distance: Floats


def nearest_lists(own: Donors, halo: Donors, *, n_neighbors: int, context: Context) -> Lists:
    """Find the nearest neighbours of a part's own donors.

    Parameters
    ----------
    own, halo : Donors
        The part's donors, and those copied to it.
    n_neighbors : int
        Number of neighbours.
    context : Context
        Threads.

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
    """Find the own donors that are validation rows of donors of other parts.

    A donor validates the models of its own nearest neighbours.

    Parameters
    ----------
    lists : Lists
        Lists of the part's own donors.
    owner : ndarray of shape (n_own, k)
        The part of each neighbour; ``home`` if there is none.
    home : int
        The number of this part.

    Returns
    -------
    part : ndarray of shape (n_judges,)
        A part with donors to validate.
    judge : ndarray of shape (n_judges,)
        Position of the validation row in ``lists``. Each pair of part and row occurs once.
    judged : ndarray of shape (n_judges, k)
        Rows of that part's donors that it validates, nearest first; NONE elsewhere.
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
    """What the models of a part's own donors are learned from; none is learned yet.

    Parameters
    ----------
    own, halo : Donors
        The part's donors, and those copied to it.
    judges : Donors
        Validation rows from other parts; empty with a single candidate for l.
    judged : ndarray of shape (n_judges, k)
        Rows of the own donors that each of them validates; NONE elsewhere.
    lists : Lists
        Lists of the own donors.
    problem : PartedProblem
        The common data of all parts.

    Returns
    -------
    PatternModels
        Of own donors and others; only own donors have complete neighbours and validation rows.
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
        shrinkage=problem.shrinkage,
    )


def learn_own(models: PatternModels, rows: Integers, *, settings: Settings, context: Context) -> Floats:
    """Learn the models of some of a part's own donors.

    Parameters
    ----------
    models : PatternModels
        From :func:`part_models`.
    rows : ndarray of shape (n_rows,)
        Own donors, by their rows in the whole table.
    settings : Settings
        All parameters.
    context : Context
        Threads.

    Returns
    -------
    ndarray of shape (n_rows, n_observed + 1)
        Value at the donor and slopes.
    """
    places = models.tree.place[np.searchsorted(models.problem.rows, rows)]
    return learn_models(models, places, settings=settings, context=context).coef[places]


def _validation(rows: Integers, tree: Tree, judges: Integers, judged: Integers, lists: Lists) -> Validation:
    """Validation rows of each own donor, as in :func:`iim.kernels.validation.judge_lists`."""
    k = lists.nearest.shape[1]
    judge = np.concatenate([np.repeat(lists.rows, k), np.repeat(judges, k)])
    model = np.concatenate([lists.nearest.ravel(), judged.ravel()])
    # Neighbours from other parts are validated in their own part.
    counts = np.isin(model, lists.rows)
    judge, model = judge[counts], model[counts]
    alone = np.setdiff1d(lists.rows, model)
    own_nearest = lists.nearest[np.searchsorted(lists.rows, alone)]
    kept = own_nearest != NONE
    model = np.concatenate([model, np.repeat(alone, k)[kept.ravel()]])
    # In row order within a list; donors that are nobody's neighbour use their nearest first.
    rank = np.concatenate([judge, np.tile(np.arange(k), alone.size)[kept.ravel()]])
    judge = np.concatenate([judge, own_nearest[kept]])
    place_of = tree.place
    model_place = place_of[np.searchsorted(rows, model)]
    order = np.lexsort((rank, model_place))
    first = np.zeros(rows.size + 1, np.intp)
    np.cumsum(np.bincount(model_place, minlength=rows.size), out=first[1:])
    return Validation(first, place_of[np.searchsorted(rows, judge[order])])
