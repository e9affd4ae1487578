"""Learning from a Dask DataFrame: the order of the steps, and what is shuffled in between."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from sklearn.base import clone

from iim._arrays import Floats, Integers
from iim.cluster.parted import part_learning, table
from iim.cluster.parted.model import (
    Division,
    Halo,
    PartedModel,
    Placed,
    count_asked,
    patterns_in,
    save_problem,
)
from iim.cluster.parted.part_learning import OwnPart, Task
from iim.cluster.parted.storage import Folder, made_whole
from iim.cluster.parted.table import Donation, Facts, TablePart, Wish
from iim.cluster.partition.parts import PartedProblem
from iim.cluster.partition.space_partition import SpacePartition, divide_space
from iim.core.arithmetic.exact_sums import total
from iim.core.distances import transformed
from iim.core.held_out.shrinkage import shrink_towards
from iim.core.held_out.tuning import (
    MOST_RECEIVERS,
    ColumnTuning,
    default_tuning,
    has_choices,
    rows_to_try,
    spread_evenly,
    tune_column,
)
from iim.core.learning_size import usable_grid
from iim.core.patterns import Pattern
from iim.core.scaling import Scaling
from iim.core.voting import candidate_limits
from iim.exceptions import FallbackWarning, UnusableTable
from iim.imputers._jobs import context_for
from iim.imputers.iim import IIMImputer

SAMPLE = 2**16
"""Approximate size of the sample of donors that space is divided by."""

SAMPLE_OF_PART = 512
"""Least sample size per part; with fewer, parts become less equal."""

LEARNED_AHEAD = 4
"""All models are learned ahead if the table's missing cells use at least one in this many donors."""

MOST_PROBLEMS = 256
"""Combinations of known and missing columns that are learned, at most; each needs several passes."""

N_STEPS = 4
"""Steps of a problem that report progress."""

Tell = Callable[[float], None]
"""Gets the finished share of the work."""


def exchange(
    frames: Sequence[Any], meta: pd.DataFrame, n_parts: int, *, by: str = "part", how: str | None = None
) -> list[Any]:
    """Send rows to the parts they are addressed to.

    Parameters
    ----------
    frames : sequence of Delayed
        Frames to send, with the column ``by``.
    meta : DataFrame
        Their columns.
    n_parts : int
        Number of parts.
    by : str
        The column with the number of the part.
    how : str or None
        Dask's shuffle method; None lets Dask choose where the job is made, not where it is computed.

    Returns
    -------
    list of Delayed
        A frame for each part.
    """
    sent = dd.from_delayed(list(frames), meta=meta, verify_meta=False)
    places = list(range(n_parts + 1))
    return list(sent.set_index(by, divisions=places, sorted=False, shuffle_method=how).to_delayed())


def compute(tasks: Iterable[Any]) -> list[Any]:
    """Run tasks on the current cluster, or on threads of this process."""
    return list(dask.compute(*tasks))


def learn(
    ddf: Any, imputer: IIMImputer, folder: Folder, division: Division, tell: Tell | None = None
) -> PartedModel:
    """Learn from a Dask DataFrame into a folder; see :func:`iim.cluster.dask.fit`."""
    model = open_folder(ddf, imputer, folder, division)
    seen = patterns_in(model.holes, model.counts)
    if imputer.prepare == "single":
        columns = range(model.means.size)
        for target in columns:
            others = tuple(column for column in columns if column != target)
            seen[Pattern(others, target)] = int(model.counts.sum())
    donations = {pattern: model.donation(pattern)[0] for pattern in seen}
    place_problems(model, count_asked(donations, seen, model.settings.n_neighbors), tell)
    model.save()
    return model


def open_folder(ddf: Any, imputer: IIMImputer, folder: Folder, division: Division) -> PartedModel:
    """Read the table once, and compute what all its patterns share."""
    # A progress function cannot be sent to workers.
    shell = clone(imputer).set_params(progress=False)
    shell._note_columns(ddf._meta_nonempty)
    shared = delayed(shell, traverse=False)
    facts = compute(
        delayed(table.read_partition)(shared, part, number, folder)
        for number, part in enumerate(ddf.to_delayed())
    )
    front = _fit_front(imputer, shell, facts)
    columns = front._known_places()
    kinds = [table.count_holes(each.holes[:, columns], each.counts) for each in facts]
    holes = np.concatenate([holes for holes, _ in kinds])
    counts = np.concatenate([counts for _, counts in kinds])
    partition = np.repeat(np.arange(len(kinds)), [counts.size for _, counts in kinds])
    scaling, means = _learn_scaling(folder, len(facts), front, columns, counts @ ~holes)
    return PartedModel(
        folder=folder,
        front=front,
        scaling=scaling,
        means=means,
        holes=holes,
        counts=counts,
        partition=partition,
        lengths=np.array([each.n_rows for each in facts], np.intp),
        division=division,
    )


def _fit_front(imputer: IIMImputer, shell: IIMImputer, facts: Sequence[Facts]) -> IIMImputer:
    """An imputer with names, types and bounds of the columns, fitted to rows with their extreme values."""
    rows = pd.concat([each.extremes for each in facts if each.n_rows] or [facts[0].extremes])
    if len(rows):
        rows = rows.iloc[table.extreme_rows(*table.read_numbers(shell, rows))]
    with warnings.catch_warnings():
        # Warnings about cells that so few rows cannot fill are meaningless.
        warnings.simplefilter("ignore", FallbackWarning)
        front: IIMImputer = clone(imputer).set_params(progress=False)
        return front.fit(rows)


def _learn_scaling(
    folder: Folder, n_partitions: int, front: IIMImputer, columns: Integers, n_known: Integers
) -> tuple[Scaling, Floats]:
    """Scaling and means of the whole table, as in :mod:`iim.core.scaling` and ``means``."""
    values = front._loop.source.matrix.values
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1].astype(np.intc)
    parts_of = [TablePart(folder, number, columns) for number in range(n_partitions)]
    sums = compute(delayed(table.add_values)(part, exponent) for part in parts_of)
    center = np.array([total(parts) for parts in zip(*sums, strict=True)]) / n_known
    means = np.clip(np.ldexp(center, exponent), low, high)
    if front.scale == "none":
        plain = np.zeros(columns.size)
        return Scaling(np.zeros(columns.size, np.intc), plain, np.ones(columns.size)), means
    squares = compute(delayed(table.add_squares)(part, exponent, center) for part in parts_of)
    spread = np.sqrt(np.array([total(parts) for parts in zip(*squares, strict=True)]) / n_known)
    constant = low == high
    center = np.where(constant, np.ldexp(low, -exponent), center)
    return Scaling(exponent, center, np.where(constant, np.inf, spread)), means


def place_problems(model: PartedModel, wanted: dict[Donation, int], tell: Tell | None = None) -> None:
    """Divide the donors of problems that the folder lacks, and learn their models.

    Parameters
    ----------
    model : PartedModel
        The model; files are added to its folder.
    wanted : dict
        How many donors are used, by problem. Where they are few, models are learned when needed.
    tell : callable, optional
        Gets the finished share.
    """
    new = [donation for donation in wanted if model.problem(donation) is None]
    if not new:
        return
    if len(new) > MOST_PROBLEMS:
        raise UnusableTable(
            f"The table has {len(new):,} combinations of known and missing columns, and each has to be "
            f"learned from all donors; at most {MOST_PROBLEMS} are allowed. Leave columns out with "
            "`columns=`, or fit an imputer to a sample and fill with `impute`."
        )
    agreed = _agree(model, new)
    for at, (donation, (problem, regions)) in enumerate(zip(new, agreed, strict=True)):
        ahead = wanted[donation] * LEARNED_AHEAD >= problem.n_donors
        # Two simultaneous fills may meet the same new pattern: each then makes the same parts.
        with made_whole(model.place(donation), replace=False) as making:
            task = task_of(model, making, problem)
            _place(model, donation, task, regions, ahead=ahead, tell=_part_of(tell, at, len(new)))


def task_of(model: PartedModel, folder: Folder, problem: PartedProblem) -> Task:
    """The common data of all steps of a problem."""
    return Task(
        folder=folder,
        problem=problem,
        settings=model.settings,
        proven=model.division.halo == "proven",
        n_jobs=model.front.n_jobs,
    )


@dataclass(frozen=True)
class _Seen:
    """The samples of all partitions together."""

    sample: Floats
    picked: Floats
    receivers: Floats
    low: float
    high: float

    @property
    def exponent(self) -> int:
        return int(np.frexp(max(abs(self.low), abs(self.high)))[1])


def _agree(model: PartedModel, donations: Sequence[Donation]) -> list[tuple[PartedProblem, SpacePartition]]:
    """Compute what the parts of each problem share, and the regions of the parts."""
    settings, n_columns = model.settings, model.means.size
    whole: dict[int, Donation | None] = {}
    for target in {donation.target for donation in donations}:
        others = tuple(column for column in range(n_columns) if column != target)
        whole[target] = None if not has_choices(settings) else model.donation(Pattern(others, target))[0]
    seen = _look(model, [*donations, *filter(None, whole.values())])
    tunings: dict[int, ColumnTuning] = {}
    for target, donation in whole.items():
        tunings[target] = default_tuning(settings)
        if donation is not None:
            one = seen[donation]
            tunings[target] = tune_column(
                model.scaling.coordinates(one.picked, donation.observed),
                np.ldexp(one.picked[:, target], -one.exponent),
                donation.observed,
                model.scaling.coordinates(one.receivers, donation.observed),
                settings=settings,
                context=context_for(model.front.n_jobs),
            )
    return [_divide(model, donation, seen[donation], tunings[donation.target]) for donation in donations]


def _divide(
    model: PartedModel, donation: Donation, seen: _Seen, tuning: ColumnTuning
) -> tuple[PartedProblem, SpacePartition]:
    settings = model.settings
    n_donors = int(model.donors_by_partition(donation).sum())
    extent = np.ldexp(np.array([seen.low, seen.high]), -seen.exponent)
    low, high = candidate_limits(extent, settings.reach)
    transform = tuning.transform(donation.observed)
    problem = PartedProblem(
        observed=donation.observed,
        target=donation.target,
        grid=usable_grid(settings.learning_grid, n_donors),
        exponent=seen.exponent,
        low=low,
        high=high,
        transform=transform,
        level=tuning.level,
        weights=tuning.weights,
        shrinkage=shrink_towards(
            model.scaling.coordinates(seen.picked, donation.observed),
            np.ldexp(seen.picked[:, donation.target], -seen.exponent),
            tuning.shares,
            transform,
        ),
        n_donors=n_donors,
    )
    sample = transformed(model.scaling.coordinates(seen.sample, donation.observed), problem.transform)
    return problem, divide_space(sample, -(-n_donors // model.division.part_rows))


def _look(model: PartedModel, donations: Iterable[Donation]) -> dict[Donation, _Seen]:
    """Sample the donors of several problems, in one pass over the table."""
    donations = list(dict.fromkeys(donations))
    wishes: list[list[Wish]] = [[] for _ in model.lengths]
    for donation in donations:
        by_partition = model.donors_by_partition(donation)
        n_donors = int(by_partition.sum())
        picked = rows_to_try(n_donors, len(donation.observed), model.settings.learning_grid)
        receivers = model.receivers_by_partition(donation)
        received = spread_evenly(int(receivers.sum()), MOST_RECEIVERS)
        before = np.cumsum(by_partition) - by_partition
        receivers_before = np.cumsum(receivers) - receivers
        n_sampled = max(SAMPLE, SAMPLE_OF_PART * -(-n_donors // model.division.part_rows))
        for number, first in enumerate(before.tolist()):
            step, lacking = max(1, n_donors // n_sampled), int(receivers_before[number])
            wishes[number].append(Wish(donation, first, step, picked, lacking, received))
    looks = compute(
        delayed(table.look_at)(model.table_part(number), delayed(wished, traverse=False))
        for number, wished in enumerate(wishes)
    )
    return {
        donation: _Seen(
            np.concatenate([look[at].sample for look in looks]),
            np.concatenate([look[at].picked for look in looks]),
            np.concatenate([look[at].receivers for look in looks]),
            min(look[at].low for look in looks),
            max(look[at].high for look in looks),
        )
        for at, donation in enumerate(donations)
    }


def _place(
    model: PartedModel,
    donation: Donation,
    task: Task,
    regions: SpacePartition,
    *,
    ahead: bool,
    tell: Tell | None,
) -> None:
    """Divide the donors of a problem, exchange halos and validation rows, and learn the models."""
    problem = task.problem
    shared = delayed(task, traverse=False)
    parts = range(regions.n_regions)
    first_rows = np.cumsum(model.lengths) - model.lengths
    where = delayed((donation, model.scaling, regions), traverse=False)
    sent = [
        delayed(part_learning.send_donors)(shared, model.table_part(number), int(first), where)
        for number, first in enumerate(first_rows)
    ]
    low, high = regions.boxes(len(problem.observed))
    owned: list[OwnPart] = compute(
        delayed(part_learning.keep_own)(shared, part, frame, (low[part], high[part]))
        for part, frame in enumerate(exchange(sent, part_learning.empty_frame(task), regions.n_regions))
    )
    _tell(tell, 1)
    own_low, own_high = np.array([each.low for each in owned]), np.array([each.high for each in owned])
    askers = _askers(owned, own_low, own_high)
    lent = [delayed(part_learning.send_halo)(shared, part, askers[part]) for part in parts]
    n_halo = compute(
        delayed(part_learning.keep_halo)(shared, part, frame)
        for part, frame in enumerate(
            exchange(lent, part_learning.empty_frame(task, "home"), regions.n_regions)
        )
    )
    _tell(tell, 2)
    named = [f"n{at}" for at in range(task.settings.n_neighbors)]
    lists = [delayed(part_learning.list_nearest, nout=2)(shared, part) for part in parts]
    judges = exchange(
        [frame for frame, _ in lists], part_learning.empty_frame(task, *named), regions.n_regions
    )
    kept = [delayed(part_learning.keep_judges)(shared, part, frame) for part, frame in enumerate(judges)]
    found = compute([*kept, *(loss for _, loss in lists)])
    n_judges, losses = found[: regions.n_regions], found[regions.n_regions :]
    _tell(tell, 3)
    if ahead:
        compute(delayed(part_learning.learn_part)(shared, part) for part in parts)
    _tell(tell, 4)
    save_problem(
        task.folder,
        Placed(
            problem,
            regions,
            own_low,
            own_high,
            np.array([each.size for each in owned], np.intp),
            ahead,
            Halo(
                n_rows=sum(n_halo),
                n_judges=sum(n_judges),
                n_short_lists=sum(loss.n_short_lists for loss in losses),
                share_unproven=sum(loss.n_unproven for loss in losses)
                / max(1, sum(loss.n_looked_at for loss in losses)),
            ),
        ),
    )
    used = ("needs", *(("own", "halo", "lists", "judges") if ahead else ()))
    compute(delayed(part_learning.clear_part)(shared, part, *used) for part in parts)


def _askers(owned: Sequence[OwnPart], low: Floats, high: Floats) -> list[list[int]]:
    """For each part, the other parts that may need some of its donors."""
    found: list[list[int]] = [[] for _ in owned]
    for asker, each in enumerate(owned):
        near = ((each.needs_low <= high) & (low <= each.needs_high)).all(axis=1)
        for part in np.flatnonzero(near).tolist():
            if part != asker:
                found[part].append(asker)
    return found


def _tell(tell: Tell | None, done: int) -> None:
    if tell is not None:
        tell(done / N_STEPS)


def _part_of(tell: Tell | None, at: int, of: int) -> Tell | None:
    return None if tell is None else lambda share: tell((at + share) / of)
