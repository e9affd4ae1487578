"""Individual models: a ridge regression for each donor, over its own number of neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np

from iim._arrays import Floats, Integers
from iim._checks import one_of
from iim.core.distances import transformed
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.held_out.shrinkage import Shrinkage, no_shrinkage
from iim.core.learning_size import grid_steps, rename_judges
from iim.core.neighbors import boxes_help, index_donors
from iim.core.patterns import Pattern
from iim.core.scaling import EXPONENT, LARGEST, Scaling
from iim.core.settings import WEIGHTS, Settings
from iim.kernels.learn import learn_block
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation
from iim.persistence.fields import Refused, Sizes, floats, integers, scalar, some, symmetric

LARGEST_TRANSFORM = 1e6
"""Bound for files: a transform has mean square 1, so its entries are far below this."""


class KeptModels(NamedTuple):
    """The saved part of the models of a problem, in the order of the rows; the tree is rebuilt."""

    problem: Problem
    points: Annotated[Floats, floats("donors", "observed", least=-LARGEST, most=LARGEST)]
    grid: Annotated[Integers, some(integers("grid", least=1, below="donors + 1"))]
    first: Annotated[Integers, integers("donors + 1")]
    judges: Annotated[Integers, integers("judges", below="donors")]
    exponent: Annotated[int, EXPONENT]
    targets: Annotated[Floats, floats("donors", least=-1, most=1)]
    coef: Annotated[Floats, floats("donors", "observed + 1", finite=False)]
    n_learning: Annotated[Integers, integers("donors", below="donors + 1")]
    transform: Annotated[Floats, symmetric("observed", most=LARGEST_TRANSFORM)]
    level: Annotated[str, scalar(one_of("fitted", "own"))]
    weights: Annotated[str, scalar(one_of(*WEIGHTS))]
    shrinkage: Shrinkage

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse an unsorted grid, and malformed lists of validation rows."""
        if np.any(self.grid[:-1] >= self.grid[1:]):
            raise Refused("`PatternModels.grid`: increasing numbers are needed")
        lengths = np.diff(self.first)
        # No donor is twice in one list.
        if self.first[0] != 0 or self.first[-1] != self.judges.size or np.any(lengths < 0):
            raise Refused("`PatternModels.first`: the beginnings of lists are needed")
        if np.any(lengths > (sizes.find("donors") or 0)):
            raise Refused("`PatternModels.judges`: no more than all donors are needed")


@dataclass(frozen=True)
class PatternModels:
    """The donors of one problem and the models learned for them so far.

    Places are positions in the tree; ``problem.rows[tree.donor]`` are their rows in the training table.

    Attributes
    ----------
    problem : Problem
        Columns used and donor rows.
    tree : Tree
        The donors' scaled coordinates, transformed if distances are learned.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours.
    validation : Validation
        The validation rows of each donor; empty lists if the grid has one candidate only.
    exponent : int
        Targets and models are in units of two to this power: dividing by it is exact, and keeps squares
        and differences of large values from overflowing.
    targets : ndarray of shape (n_donors,)
        Known values of the target, by place.
    coef : ndarray of shape (n_donors, n_observed + 1)
        By place, after shrinkage: the model's value at its donor, then its slopes per unit of transformed
        coordinate.
    n_learning : ndarray of shape (n_donors,)
        By place: the chosen number of learning neighbours; 0 where no model has been learned yet.
    transform : ndarray of shape (n_observed, n_observed) or (0, 0)
        Multiplies scaled coordinates before distances and models; IDENTITY if empty.
    level : {"fitted", "own"}
        The model's value at its donor: the fitted one, or the donor's own.
    weights : {"votes", "uniform", "distance", "closest"}
        Weighting of candidates.
    shrinkage : Shrinkage
        How far the models are drawn towards one regression and the mean.
    """

    problem: Problem
    tree: Tree
    grid: Integers
    validation: Validation
    exponent: int
    targets: Floats
    coef: Floats
    n_learning: Integers
    transform: Floats
    level: str
    weights: str
    shrinkage: Shrinkage

    kept_as: ClassVar[type] = KeptModels

    def to_kept(self) -> KeptModels:
        """The saved part, in row order; the tree is rebuilt from it."""
        tree = self.tree
        judges = rename_judges(self.validation, tree.place, tree.donor)
        return KeptModels(
            problem=self.problem,
            points=tree.points[tree.place],
            grid=self.grid,
            first=judges.first,
            judges=judges.judges,
            exponent=self.exponent,
            targets=self.targets[tree.place],
            coef=self.coef[tree.place],
            n_learning=self.n_learning[tree.place],
            transform=self.transform,
            level=self.level,
            weights=self.weights,
            shrinkage=self.shrinkage,
        )

    @classmethod
    def from_kept(cls, kept: KeptModels) -> Self:
        """The models from a saved part; the index of donors is rebuilt."""
        tree = index_donors(kept.points)
        return cls(
            problem=kept.problem,
            tree=tree,
            grid=kept.grid,
            validation=rename_judges(Validation(kept.first, kept.judges), tree.donor, tree.place),
            exponent=kept.exponent,
            targets=kept.targets[tree.donor],
            coef=kept.coef[tree.donor],
            n_learning=kept.n_learning[tree.donor],
            transform=kept.transform,
            level=kept.level,
            weights=kept.weights,
            shrinkage=kept.shrinkage,
        )

    def are_for(self, pattern: Pattern) -> bool:
        """Whether these are the models of a pattern."""
        return self.problem.pattern == pattern

    @classmethod
    def unlearned(
        cls,
        problem: Problem,
        tree: Tree,
        grid: Integers,
        validation: Validation,
        numbers: tuple[Floats, int],
        transform: Floats,
        *,
        level: str,
        weights: str,
        shrinkage: Shrinkage | None = None,
    ) -> Self:
        """Donors without any model yet; ``numbers`` are their targets in row order, and the exponent."""
        n_donors, (targets, exponent) = problem.rows.size, numbers
        return cls(
            problem=problem,
            tree=tree,
            grid=grid,
            validation=validation,
            exponent=exponent,
            targets=targets[tree.donor],
            coef=np.zeros((n_donors, len(problem.observed) + 1)),
            n_learning=np.zeros(n_donors, np.intp),
            transform=transform,
            level=level,
            weights=weights,
            shrinkage=no_shrinkage(len(problem.observed)) if shrinkage is None else shrinkage,
        )

    def has_same_index(self, problem: Problem, transform: Floats) -> bool:
        """Whether another problem can share tree and validation rows: same donors, no learned distances."""
        return (
            self.transform.size == transform.size == 0
            and self.problem.observed == problem.observed
            and np.array_equal(self.problem.rows, problem.rows)
        )

    def coordinates(self, scaling: Scaling, values: Floats) -> Floats:
        """Coordinates of rows of the table, in the space of the donors."""
        return transformed(scaling.coordinates(values, self.problem.observed), self.transform)


def learn_models(
    models: PatternModels,
    places: Integers | None = None,
    *,
    settings: Settings,
    context: Context,
    cost: Floats | None = None,
) -> PatternModels:
    """Learn the models of the given donors that have none yet (Algorithms 1 and 3, Proposition 3).

    For each donor, one model per candidate number of learning neighbours is learned and validated. The one
    with the smallest squared error on its validation rows is kept.

    Parameters
    ----------
    models : PatternModels
        Donors and the models so far; not changed.
    places : ndarray, optional
        Places of the donors whose models are needed; all by default.
    settings : Settings
        All parameters.
    context : Context
        Threads and progress (donors learned).
    cost : ndarray of shape (n_learned, n_grid), optional
        Receives the squared validation errors, by place; see :func:`learning_costs`.

    Returns
    -------
    PatternModels
        The same object if all these models were learned before.
    """
    wanted = np.arange(models.n_learning.size) if places is None else np.unique(places)
    wanted = wanted[models.n_learning[wanted] == 0]
    if wanted.size == 0:
        return models
    coef, n_learning, steps = models.coef.copy(), models.n_learning.copy(), grid_steps(models.grid)
    pruned = boxes_help(models.tree, steps.size, wanted.size)
    # An array without rows: the kernel then keeps no costs.
    cost = np.empty((0, models.grid.size)) if cost is None else cost
    context.run(
        lambda first, stop: learn_block(
            models.tree,
            models.targets,
            wanted[first:stop],
            models.grid,
            steps,
            models.validation,
            settings.alpha,
            settings.penalty == "all",
            settings.validation == "held_out",
            models.level == "own",
            pruned,
            coef,
            n_learning,
            cost[first:stop],
        ),
        wanted.size,
    )
    coef[wanted] = models.shrinkage.apply(coef[wanted], models.tree.points[wanted])
    return replace(models, coef=coef, n_learning=n_learning)


def learning_costs(models: PatternModels, places: Integers, *, settings: Settings) -> Floats:
    """cost[i][l] of some donors: the squared validation errors that choose each one's l.

    Parameters
    ----------
    models : PatternModels
        Donors and validation rows.
    places : ndarray of shape (n_places,)
        The donors of interest.
    settings : Settings
        All parameters.

    Returns
    -------
    ndarray of shape (n_places, n_grid)
    """
    once, which = np.unique(places, return_inverse=True)
    cost = np.empty((once.size, models.grid.size))
    unlearned = replace(models, n_learning=np.zeros_like(models.n_learning))
    learn_models(unlearned, once, settings=settings, context=Context(), cost=cost)
    return np.ldexp(cost[which], 2 * models.exponent)
