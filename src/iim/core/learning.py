"""Individual models: each donor's own ridge regression, over a number of neighbours chosen for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from iim._arrays import Floats, Integers
from iim.core.choosing import grid_steps, judge_lists, usable_grid
from iim.core.distances import NO_MAP, moved
from iim.core.donors import DonorChoice
from iim.core.manners import Manner
from iim.core.neighbors import boxes_help, index_donors
from iim.core.scaling import Scaling
from iim.core.settings import Settings
from iim.core.workers import Progress, Workers
from iim.kernels.learn import learn_block
from iim.kernels.tree import Tree
from iim.kernels.validation import Validation
from iim.matrix import MaskedMatrix


@dataclass(frozen=True)
class PatternModels:
    """The donors of one pattern and the models learned for them so far.

    Places are positions in the tree; ``choice.rows[tree.donor]`` are their rows of the training table.

    Attributes
    ----------
    choice : DonorChoice
        Columns used and donor rows.
    tree : Tree
        The donors' scaled coordinates.
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
        By place: the model's value at its donor, then its slopes per unit of scaled coordinate.
    n_learning : ndarray of shape (n_donors,)
        By place: the chosen number of learning neighbours; 0 where no model has been learned yet.
    move : ndarray of shape (n_observed, n_observed) or (0, 0)
        The map that scaled coordinates are moved by before distances and models; empty for none.
    level : {"fitted", "own"}
        Where models pass their donors.
    weights : {"votes", "uniform", "distance", "closest"}
        How candidates are weighed.
    """

    choice: DonorChoice
    tree: Tree
    grid: Integers
    validation: Validation
    exponent: int
    targets: Floats
    coef: Floats
    n_learning: Integers
    move: Floats = field(default_factory=lambda: NO_MAP)
    level: str = "fitted"
    weights: str = "votes"

    @property
    def nbytes(self) -> int:
        """Memory held."""
        arrays = (*self.tree, *self.validation, self.targets, self.coef, self.n_learning, self.move)
        return sum(array.nbytes for array in arrays)

    def coordinates(self, scaling: Scaling, values: Floats) -> Floats:
        """Where rows of the table lie among the donors."""
        return moved(scaling.coordinates(values, self.choice.observed), self.move)


def prepare_models(
    matrix: MaskedMatrix,
    scaling: Scaling,
    choice: DonorChoice,
    target: int,
    manner: Manner,
    *,
    settings: Settings,
    workers: Workers,
    progress: Progress | None = None,
    like: PatternModels | None = None,
) -> PatternModels:
    """Index the donors of a pattern and find out who judges whom; learn nothing yet.

    Parameters
    ----------
    matrix : MaskedMatrix
        The training table.
    scaling : Scaling
        Its scaling.
    choice : DonorChoice
        Columns and donors; at least one of each.
    target : int
        The column to fill.
    manner : Manner
        How it is filled best.
    settings : Settings
        All decisions.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the donors whose judges are found.
    like : PatternModels, optional
        Models of another target: if columns, donors and distances are the same, their index is shared.

    Returns
    -------
    PatternModels
        Without any model.
    """
    n_donors = choice.rows.size
    grid = usable_grid(settings.learning_grid, n_donors)
    move = manner.move(choice.observed)
    if like is not None and like.move.size == move.size == 0 and _same_donors(like.choice, choice):
        tree, validation = like.tree, like.validation
    else:
        points = scaling.coordinates(matrix.values[choice.rows], choice.observed)
        tree = index_donors(moved(points, move))
        if grid.size > 1:
            validation = judge_lists(
                tree, n_neighbors=settings.n_neighbors, workers=workers, progress=progress
            )
        else:
            validation = Validation(np.zeros(n_donors + 1, np.intp), np.empty(0, np.intp))
    targets = matrix.values[choice.rows[tree.donor], target]
    exponent = int(np.frexp(np.abs(targets).max())[1])
    return PatternModels(
        choice=choice,
        tree=tree,
        grid=grid,
        validation=validation,
        exponent=exponent,
        targets=np.ldexp(targets, -exponent),
        coef=np.zeros((n_donors, len(choice.observed) + 1)),
        n_learning=np.zeros(n_donors, np.intp),
        move=move,
        level=manner.level,
        weights=manner.weights,
    )


def learn_models(
    models: PatternModels,
    places: Integers | None = None,
    *,
    settings: Settings,
    workers: Workers,
    progress: Progress | None = None,
) -> PatternModels:
    """Learn the models of the given donors that have none yet (Algorithms 1 and 2, Proposition 3).

    Parameters
    ----------
    models : PatternModels
        What is known so far; not changed.
    places : ndarray, optional
        Places of the donors that are asked; all of them by default.
    settings : Settings
        All decisions.
    workers : Workers
        Who does the work.
    progress : callable, optional
        Told of the donors learned.

    Returns
    -------
    PatternModels
        The same object if nothing is missing.
    """
    if places is None:
        wanted = np.flatnonzero(models.n_learning == 0)
    else:
        wanted = np.unique(places)
        wanted = wanted[models.n_learning[wanted] == 0]
    if wanted.size == 0:
        return models
    coef, n_learning = models.coef.copy(), models.n_learning.copy()
    _learn_into(models, wanted, settings, workers, progress, coef, n_learning, _no_cost(models))
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
    cost = np.empty((places.size, models.grid.size))
    coef, n_learning = models.coef.copy(), models.n_learning.copy()
    one_block = Workers(n_threads=1, block_size=max(places.size, 1))
    _learn_into(models, places, settings, one_block, None, coef, n_learning, cost)
    return np.ldexp(cost, 2 * models.exponent)


def _learn_into(
    models: PatternModels,
    places: Integers,
    settings: Settings,
    workers: Workers,
    progress: Progress | None,
    coef: Floats,
    n_learning: Integers,
    cost: Floats,
) -> None:
    steps = grid_steps(models.grid)
    pruned = boxes_help(models.tree, steps.size, places.size)

    def work(first: int, stop: int) -> None:
        learn_block(
            models.tree,
            models.targets,
            places[first:stop],
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
        )

    workers.run(work, places.size, progress=progress)


def _no_cost(models: PatternModels) -> Floats:
    return np.empty((0, models.grid.size))


def _same_donors(one: DonorChoice, other: DonorChoice) -> bool:
    return one.observed == other.observed and np.array_equal(one.rows, other.rows)
