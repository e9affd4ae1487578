"""Steps of learning a problem, each for one partition or one part; see :mod:`iim.cluster.partition.parts`.

A step reads files written by the step before, and returns rows for other parts: a frame with the column
``part``, by which an engine shuffles it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from iim._arrays import Floats, Integers
from iim.cluster.parted.storage import Folder, Kept, donor_columns, donors_from
from iim.cluster.parted.table import Donation, TablePart
from iim.cluster.partition.parts import (
    NONE,
    Donors,
    Lists,
    PartedProblem,
    find_needs,
    foreign_judges,
    learn_own,
    lend,
    nearest_lists,
    part_models,
)
from iim.cluster.partition.space_partition import SpacePartition
from iim.core.distances import transformed
from iim.core.execution.context import Context
from iim.core.neighbors import farthest_of_nearest, index_donors
from iim.core.scaling import Scaling
from iim.core.settings import Settings
from iim.exceptions import UnusableFile
from iim.imputers._jobs import context_for
from iim.persistence.fields import Field, floats, integers

SAMPLED = 16
"""One in this many donors is checked, to estimate how many lack learning neighbours."""


SOME_DONORS = Field("one donor or more", lambda value, _: value.rows.size > 0)
"""A part has own donors."""


@dataclass(frozen=True)
class Task:
    """The common data of all steps of a problem.

    Attributes
    ----------
    folder : Folder
        The folder of the parts.
    problem : PartedProblem
        The common data of the parts.
    settings : Settings
        All parameters.
    proven : bool
        Whether the halo is complete, or based on a sample of donors.
    n_jobs : int or None
        Threads of a step, as for the imputer.
    """

    folder: Folder
    problem: PartedProblem
    settings: Settings
    proven: bool
    n_jobs: int | None

    def read(self, name: str, part: int, kind: type[Kept], **sizes: int) -> Kept:
        """Read a file of a part."""
        known = {"observed": len(self.problem.observed), "nearest": self.settings.n_neighbors, **sizes}
        return self.folder.read_kept(part_file(name, part), kind, **known)

    @property
    def context(self) -> Context:
        """Threads for this machine."""
        return context_for(self.n_jobs)


class OwnFile(NamedTuple):
    """A part's own donors, and the radius around each within which its data are complete."""

    own: Annotated[Donors, SOME_DONORS]
    radius: Annotated[Floats, floats("donors", least=0, finite=False)]


class NeedsFile(NamedTuple):
    """Boxes of donors that a part needs from others."""

    low: Annotated[Floats, floats("boxes", "observed", finite=False)]
    high: Annotated[Floats, floats("boxes", "observed", finite=False)]


class HaloFile(NamedTuple):
    """Donors copied to a part, and the part that owns each."""

    donors: Donors
    home: Annotated[Integers, integers("donors")]


class ListsFile(NamedTuple):
    """The nearest neighbours of a part's own donors."""

    rows: Annotated[Integers, integers("donors")]
    nearest: Annotated[Integers, integers("donors", "nearest", least=NONE)]


class JudgesFile(NamedTuple):
    """Validation rows from other parts, and the own donors that each of them validates."""

    judges: Donors
    judged: Annotated[Integers, integers("donors", "nearest", least=NONE)]


class ModelsFile(NamedTuple):
    """A part's own donors in row order, and their models."""

    own: Annotated[Donors, SOME_DONORS]
    coef: Annotated[Floats, floats("donors", "observed + 1", finite=False)]


def part_file(name: str, part: int) -> str:
    """The file of a part."""
    return f"{name}-{part}.iim"


def empty_frame(task: Task, *more: str) -> pd.DataFrame:
    """An empty frame of donors to send."""
    n_observed = len(task.problem.observed)
    nobody = Donors(np.empty(0, np.intp), np.empty((0, n_observed)), np.empty(0))
    return _addressed(np.empty(0, np.intp), nobody, **{name: np.empty(0, np.intp) for name in more})


def _addressed(part: Integers, donors: Donors, **more: Integers) -> pd.DataFrame:
    return pd.DataFrame({"part": part, **donor_columns(donors), **more})


def send_donors(
    task: Task, table: TablePart, first_row: int, where: tuple[Donation, Scaling, SpacePartition]
) -> pd.DataFrame:
    """The donors of a partition, each addressed to the part that owns its place."""
    donation, scaling, regions = where
    values = table.values()
    rows = donation.donors(np.isnan(values))
    points = transformed(scaling.coordinates(values[rows], donation.observed), task.problem.transform)
    donors = Donors(rows + first_row, points, values[rows, donation.target])
    return _addressed(regions.owner(points), donors)


@dataclass(frozen=True)
class OwnPart:
    """Summary of a part's own donors.

    Attributes
    ----------
    size : int
        Number of donors.
    low, high : ndarray of shape (n_observed,)
        Corners of their bounding box.
    needs_low, needs_high : ndarray of shape (n_observed,)
        Corners of the bounding box of all that the part needs from others.
    """

    size: int
    low: Floats
    high: Floats
    needs_low: Floats
    needs_high: Floats


def keep_own(task: Task, part: int, sent: pd.DataFrame, region: tuple[Floats, Floats]) -> OwnPart:
    """Write the donors that a part owns, and compute what it needs from others."""
    # Never empty: each region has a donor of the sample that it was cut by.
    own, needs = find_needs(
        donors_from(sent).and_also(),
        region,
        n_learning=task.problem.n_nearest(task.settings.n_neighbors),
        proven=task.proven,
        context=task.context,
    )
    task.folder.write_kept(part_file("own", part), OwnFile(own, needs.radius))
    task.folder.write_kept(part_file("needs", part), NeedsFile(needs.low, needs.high))
    return OwnPart(
        own.rows.size,
        own.points.min(axis=0),
        own.points.max(axis=0),
        needs.low.min(axis=0, initial=np.inf),
        needs.high.max(axis=0, initial=-np.inf),
    )


def send_halo(task: Task, part: int, askers: Sequence[int]) -> pd.DataFrame:
    """Copies of a part's donors for the parts that may need them."""
    own = task.read("own", part, OwnFile).own
    frames = [empty_frame(task, "home")]
    for asker in askers:
        needs = task.read("needs", asker, NeedsFile)
        lent = lend(own, needs.low, needs.high)
        home = np.full(lent.rows.size, part, np.intp)
        frames.append(_addressed(np.full(lent.rows.size, asker, np.intp), lent, home=home))
    return pd.concat(frames, ignore_index=True)


def keep_halo(task: Task, part: int, sent: pd.DataFrame) -> int:
    """Write the donors copied to a part; returns their number."""
    halo = sent.sort_values("row")
    kept = HaloFile(donors_from(halo), np.asarray(halo["home"], np.intp))
    task.folder.write_kept(part_file("halo", part), kept)
    return len(halo)


@dataclass(frozen=True)
class Loss:
    """Donors whose neighbours may be incomplete.

    Attributes
    ----------
    n_short_lists : int
        Donors whose nearest neighbours may be incomplete.
    n_unproven, n_looked_at : int
        Donors of a sample whose learning neighbours may be incomplete, and size of the sample.
    """

    n_short_lists: int
    n_unproven: int
    n_looked_at: int


def list_nearest(task: Task, part: int) -> tuple[pd.DataFrame, Loss]:
    """Find the nearest neighbours of a part's donors; send those that validate donors of other parts."""
    own, radius = task.read("own", part, OwnFile)
    by_row = np.argsort(own.rows)
    k = task.settings.n_neighbors
    halo, home = task.read("halo", part, HaloFile)
    radius = radius[by_row]
    n_unproven, n_looked_at = _look_for_unproven(task, own.and_also(halo), own.rows[by_row], radius)
    if task.problem.grid.size == 1:
        # With a single candidate for l, nothing is validated.
        return empty_frame(task, *(f"n{at}" for at in range(k))), Loss(0, n_unproven, n_looked_at)
    lists = nearest_lists(own, halo, n_neighbors=k, context=task.context)
    task.folder.write_kept(part_file("lists", part), ListsFile(lists.rows, lists.nearest))
    owner = np.full(lists.nearest.shape, part, np.intp)
    if halo.rows.size:
        at = np.minimum(np.searchsorted(halo.rows, lists.nearest), halo.rows.size - 1)
        owner = np.where(halo.rows[at] == lists.nearest, home[at], owner)
    to, judge, judged = foreign_judges(lists, owner, part)
    named = {f"n{at}": judged[:, at] for at in range(k)}
    loss = Loss(int(np.count_nonzero(lists.distance > radius)), n_unproven, n_looked_at)
    return _addressed(to, own.take(by_row).take(judge), **named), loss


def _look_for_unproven(task: Task, everyone: Donors, own: Integers, radius: Floats) -> tuple[int, int]:
    """Donors of a sample whose learning neighbours may lie beyond the halo."""
    if task.proven:
        return 0, own.size
    sample = np.arange(SAMPLED // 2, own.size, SAMPLED)
    n_learning = int(task.problem.grid[-1])
    if sample.size == 0:
        return 0, 0
    tree = index_donors(everyone.points)
    places = tree.place[np.searchsorted(everyone.rows, own[sample])]
    order = np.argsort(places)
    farthest = farthest_of_nearest(tree, places[order], n_neighbors=n_learning, context=task.context)
    return int(np.count_nonzero(np.sqrt(farthest) > radius[sample][order])), int(sample.size)


def keep_judges(task: Task, part: int, sent: pd.DataFrame) -> int:
    """Write the validation rows from other parts; returns their number."""
    judges = sent.sort_values("row")
    k = task.settings.n_neighbors
    judged = np.asarray(judges[[f"n{at}" for at in range(k)]], np.intp)
    kept = JudgesFile(donors_from(judges), np.ascontiguousarray(judged))
    task.folder.write_kept(part_file("judges", part), kept)
    return len(judges)


def models_of_part(
    task: Task, part: int, rows: Integers | None = None, **sizes: int
) -> tuple[Donors, Floats]:
    """A part's own donors in row order, and their models; only those of ``rows`` if given."""
    own = task.read("own", part, OwnFile, **sizes).own.and_also()
    halo = task.read("halo", part, HaloFile).donors
    nobody = own.take(np.empty(0, np.intp))
    judges, judged = nobody, np.empty((0, task.settings.n_neighbors), np.intp)
    lists = Lists(own.rows, np.empty((own.rows.size, 0), np.intp), np.empty(own.rows.size))
    if task.problem.grid.size > 1:
        judges, judged = task.read("judges", part, JudgesFile)
        kept = task.read("lists", part, ListsFile)
        lists = Lists(kept.rows, kept.nearest, np.empty(own.rows.size))
        known = np.concatenate([own.rows, halo.rows, [NONE]])
        if not np.array_equal(kept.rows, own.rows) or not np.isin(kept.nearest, known).all():
            raise UnusableFile(f"Part {part} of {task.folder.url!r} lists donors that it does not have.")
    models = part_models(own, halo, judges, judged, lists, problem=task.problem)
    if task.problem.grid[-1] > models.problem.rows.size:
        raise UnusableFile(f"Part {part} of {task.folder.url!r} has fewer donors than it learns from.")
    wanted = own.rows if rows is None else rows
    coef = np.zeros((own.rows.size, len(task.problem.observed) + 1))
    coef[np.searchsorted(own.rows, wanted)] = learn_own(
        models, wanted, settings=task.settings, context=task.context
    )
    return own, coef


def learn_part(task: Task, part: int) -> int:
    """Learn and write the models of all of a part's donors; returns their number."""
    own, coef = models_of_part(task, part)
    task.folder.write_kept(part_file("models", part), ModelsFile(own, coef))
    return int(own.rows.size)


def clear_part(task: Task, part: int, *names: str) -> None:
    """Remove files that only learning needs."""
    for name in names:
        task.folder.remove(part_file(name, part))
