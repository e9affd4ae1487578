"""Filling from parts: a query goes to the part of its region, then to parts that may have nearer donors.

::

    partition -> queries, addressed to parts      ask
    part      -> answers, and further queries     answer
    partition <- answers -> filled table          finish
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from iim._arrays import Floats, Integers
from iim.cluster._places import Place
from iim.cluster._plans import Plan
from iim.cluster.parted.model import PartedModel, Placed
from iim.cluster.parted.part_learning import ModelsFile, OwnFile, Task, models_of_part
from iim.cluster.parted.storage import numbered
from iim.cluster.partition.part_answers import Answers, ask_part, vote_over_parts
from iim.cluster.partition.parts import Donors
from iim.cluster.partition.space_partition import touched_boxes
from iim.core.distances import transformed
from iim.core.neighbors import Neighbors, index_donors, nearest_donors
from iim.core.patterns import Pattern, group_patterns
from iim.exceptions import UnusableTable
from iim.imputers._containers import open_table
from iim.kernels.tree import Tree
from iim.matrix import MaskedMatrix

WHO = ("partition", "position", "problem")
"""Columns that identify a query or an answer."""


@dataclass(frozen=True)
class Routes:
    """The problems needed to fill the partitions of a table.

    Attributes
    ----------
    model : PartedModel
        The model.
    tasks : list of Task
        Problems, by number.
    placed : list of Placed
        The common data of their parts, in the same order.
    asked : dict
        The number of the problem of each pattern; None if the fallback is the column mean.
    """

    model: PartedModel
    tasks: list[Task]
    placed: list[Placed]
    asked: Mapping[Pattern, int | None]

    @property
    def begins(self) -> Integers:
        """The number of each problem's first part, with the parts of all problems numbered in turn."""
        sizes = [placed.n_parts for placed in self.placed]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    def problem_of(self, pattern: Pattern) -> int | None:
        """The number of a pattern's problem."""
        if pattern not in self.asked:
            raise UnusableTable(
                "The table has changed since its missing cells were counted: a combination of known and "
                "missing columns is new. Give it rows that are the same each time it is computed, or "
                "`persist` it."
            )
        return self.asked[pattern]

    @property
    def n_coordinates(self) -> int:
        """The largest number of columns of a query."""
        return max((len(placed.problem.observed) for placed in self.placed), default=0)

    @property
    def n_neighbors(self) -> int:
        """Number of donors used."""
        return self.model.settings.n_neighbors


def no_queries(routes: Routes) -> pd.DataFrame:
    """An empty frame of queries."""
    none = np.empty(0, np.intp)
    return _queries(routes, none, dict.fromkeys(WHO, none), np.empty((0, routes.n_coordinates)))


def _queries(routes: Routes, part: Integers, who: Mapping[str, Any], points: Floats) -> pd.DataFrame:
    # Queries of all problems share one frame; those of fewer columns leave some empty.
    wide = np.full((points.shape[0], routes.n_coordinates), np.nan)
    wide[:, : points.shape[1]] = points
    return pd.DataFrame({"part": part, **who, **{f"q{at}": wide[:, at] for at in range(wide.shape[1])}})


def no_answers(routes: Routes) -> pd.DataFrame:
    """An empty frame of answers."""
    k, none = routes.n_neighbors, np.empty(0, np.intp)
    nothing = Answers(np.empty((0, k)), np.empty((0, k), np.intp), np.empty((0, k)))
    return _answers(dict.fromkeys(WHO, none), nothing)


def _answers(who: Mapping[str, Any], answers: Answers) -> pd.DataFrame:
    k = answers.rows.shape[1]
    return pd.DataFrame(
        {
            **who,
            **{f"d{at}": answers.distance[:, at] for at in range(k)},
            **{f"r{at}": answers.rows[:, at] for at in range(k)},
            **{f"s{at}": answers.said[:, at] for at in range(k)},
        }
    )


def read_part(model: PartedModel, frame: Any, number: int) -> MaskedMatrix:
    """A partition's numbers in the columns to fill."""
    with Place(number).named():
        matrix = model.front._read(open_table(model.front, frame, reset=False))
    return matrix.select(model.columns)


def ask(routes: Routes, frame: Any, number: int) -> pd.DataFrame:
    """The missing cells of a partition as queries, each addressed to the part of its region."""
    frames = [no_queries(routes)]
    if len(frame):
        matrix = read_part(routes.model, frame, number)
        for group in group_patterns(matrix.missing):
            for pattern in group.patterns:
                at = routes.problem_of(pattern)
                if at is None:
                    continue
                placed = routes.placed[at]
                points = transformed(
                    routes.model.scaling.coordinates(matrix.values[group.rows], placed.problem.observed),
                    placed.problem.transform,
                )
                part = placed.regions.owner(points) + routes.begins[at]
                who = {"partition": number, "position": group.rows, "problem": at}
                frames.append(_queries(routes, part, who, points))
    return pd.concat(frames, ignore_index=True)


def answer(routes: Routes, part: int, queries: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Candidates of a part's donors for receivers of its region, and further queries to other parts."""
    answers = _answer(routes, part, queries)
    if len(queries) == 0:
        return answers, no_queries(routes)
    at = int(np.searchsorted(routes.begins, part, side="right")) - 1
    placed, begin = routes.placed[at], routes.begins[at]
    points = _points(placed, queries)
    radius = np.asarray(answers[f"d{routes.n_neighbors - 1}"])
    rows, boxes = touched_boxes(points, radius, placed.low, placed.high)
    others = boxes + begin != part
    rows, boxes = rows[others], boxes[others]
    who = {name: np.asarray(queries[name])[rows] for name in WHO}
    return answers, _queries(routes, boxes + begin, who, points[rows])


def answer_further(routes: Routes, part: int, queries: pd.DataFrame) -> pd.DataFrame:
    """The candidates of a part's donors for receivers of other regions."""
    return _answer(routes, part, queries)


def _points(placed: Placed, queries: pd.DataFrame) -> Floats:
    return np.ascontiguousarray(numbered(queries, "q")[:, : len(placed.problem.observed)])


def _answer(routes: Routes, part: int, queries: pd.DataFrame) -> pd.DataFrame:
    if len(queries) == 0:
        return no_answers(routes)
    at = int(np.searchsorted(routes.begins, part, side="right")) - 1
    task, placed, here = routes.tasks[at], routes.placed[at], part - int(routes.begins[at])
    points = _points(placed, queries)
    own, coef, tree, found = _find(task, placed, here, points)
    answers = ask_part(tree, own.rows, coef, points, found, placed.problem, routes.n_neighbors)
    return _answers({name: np.asarray(queries[name]) for name in WHO}, answers)


def _find(task: Task, placed: Placed, part: int, points: Floats) -> tuple[Donors, Floats, Tree, Neighbors]:
    """A part's donors, their models, and the nearest donors of some receivers."""
    k, n_own = task.settings.n_neighbors, int(placed.sizes[part])
    if placed.learned:
        own, coef = task.read("models", part, ModelsFile, donors=n_own)
        tree = index_donors(own.points)
        return own, coef, tree, nearest_donors(tree, points, n_neighbors=k, context=task.context)
    own = task.read("own", part, OwnFile, donors=n_own).own.and_also()
    tree = index_donors(own.points)
    found = nearest_donors(tree, points, n_neighbors=k, context=task.context)
    asked = own.rows[np.unique(tree.donor[found.place])]
    own, coef = models_of_part(task, part, asked, donors=n_own)
    return own, coef, tree, found


def finish(routes: Routes, filling: Plan, frame: Any, number: int, answers: pd.DataFrame) -> Any:
    """A filled partition, in the container of the imputer and the types of the plan."""
    front = copy.copy(routes.model.front)
    # The imputer does everything except the numbers.
    front._fill = lambda matrix: _voted(routes, matrix, answers)  # type: ignore[method-assign]
    return filling.fill(front, frame, Place(number))


def _voted(routes: Routes, matrix: MaskedMatrix, answers: pd.DataFrame) -> Floats:
    """The values of a partition, every missing cell filled by a vote or by the mean."""
    values = matrix.values.copy()
    for group in group_patterns(matrix.missing):
        for pattern in group.patterns:
            if routes.problem_of(pattern) is None:
                values[group.rows, pattern.target] = routes.model.means[pattern.target]
    for at, lines in answers.groupby("problem"):
        problem = routes.placed[int(at)].problem
        said = Answers(
            numbered(lines, "d"), np.asarray(numbered(lines, "r"), np.intp), numbered(lines, "s")
        )
        rows, filled = vote_over_parts(np.asarray(lines["position"], np.intp), said, problem)
        values[rows, problem.target] = filled
    if np.isnan(values).any():
        raise UnusableTable(
            f"{np.count_nonzero(np.isnan(values)):,} missing cells got no answer: the table has changed "
            "since its missing cells were counted, or rows were lost between workers. Give it rows that "
            "are the same each time it is computed, and compute the result with the client of `impute`."
        )
    return values
