"""Individual models: each donor's own ridge regression, over a number of neighbours chosen for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.distances import transformed
from iim.core.donors import Problem
from iim.core.execution.context import Context
from iim.core.learning_size import grid_steps
from iim.core.neighbors import boxes_help
from iim.core.scaling import Scaling
from iim.core.settings import Settings
from iim.kernels.learn import learn_block
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation


@dataclass(frozen=True)
class PatternModels:
    """The donors of one problem and the models learned for them so far.

    Places are positions in the tree; ``problem.rows[tree.donor]`` are their rows of the table learned from.

    Attributes
    ----------
    problem : Problem
        Columns used and donor rows.
    tree : Tree
        The donors' scaled coordinates, transformed if distances are learned.
    grid : ndarray of shape (n_grid,)
        Candidate numbers of learning neighbours.
    validation : Validation
        Who judges whom; empty lists if there is nothing to choose.
    exponent : int
        Targets and models are in units of two to this power: dividing by it is exact, and keeps squares
        and differences of large values from overflowing.
    targets : ndarray of shape (n_donors,)
        Known values of the target, by place.
    coef : ndarray of shape (n_donors, n_observed + 1)
        By place: the model's value at its donor, then its slopes per unit of transformed coordinate.
    n_learning : ndarray of shape (n_donors,)
        By place: the chosen number of learning neighbours; 0 where no model has been learned yet.
    transform : ndarray of shape (n_observed, n_observed) or (0, 0)
        What scaled coordinates are multiplied by before distances and models; IDENTITY if empty.
    level : {"fitted", "own"}
        Where models pass their donors.
    weights : {"votes", "uniform", "distance", "closest"}
        How candidates are weighed.
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
        )

    def has_same_index(self, problem: Problem, transform: Floats) -> bool:
        """Whether another problem can share tree and judges: same donors, and distances not learned."""
        return (
            self.transform.size == transform.size == 0
            and self.problem.observed == problem.observed
            and np.array_equal(self.problem.rows, problem.rows)
        )

    def coordinates(self, scaling: Scaling, values: Floats) -> Floats:
        """Where rows of the table lie among the donors."""
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

    For each donor, a model over every candidate number of learning neighbours is learned and judged; the
    one that errs least on its judges is kept.

    Parameters
    ----------
    models : PatternModels
        What is known so far; not changed.
    places : ndarray, optional
        Places of the donors that are asked; all of them by default.
    settings : Settings
        All decisions.
    context : Context
        How to run; told of the donors learned.
    cost : ndarray of shape (n_learned, n_grid), optional
        Receives the squared errors that decide, by place; see :func:`learning_costs`.

    Returns
    -------
    PatternModels
        The same object if nothing is missing.
    """
    wanted = np.arange(models.n_learning.size) if places is None else np.unique(places)
    wanted = wanted[models.n_learning[wanted] == 0]
    if wanted.size == 0:
        return models
    coef, n_learning, steps = models.coef.copy(), models.n_learning.copy(), grid_steps(models.grid)
    pruned = boxes_help(models.tree, steps.size, wanted.size)
    # A block without lines: costs are forgotten.
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
    return replace(models, coef=coef, n_learning=n_learning)


def learning_costs(models: PatternModels, places: Integers, *, settings: Settings) -> Floats:
    """cost[i][l] of some donors: the squared errors that decide each one's number of neighbours.

    Parameters
    ----------
    models : PatternModels
        Donors and judges.
    places : ndarray of shape (n_places,)
        The donors of interest.
    settings : Settings
        All decisions.

    Returns
    -------
    ndarray of shape (n_places, n_grid)
    """
    once, which = np.unique(places, return_inverse=True)
    cost = np.empty((once.size, models.grid.size))
    unlearned = replace(models, n_learning=np.zeros_like(models.n_learning))
    learn_models(unlearned, once, settings=settings, context=Context(), cost=cost)
    return np.ldexp(cost[which], 2 * models.exponent)
