"""Filling a Dask DataFrame from a model in parts: queries go to parts, answers come back to partitions."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from dask.utils import get_default_shuffle_method

from iim._arrays import Booleans, Integers
from iim.cluster._plans import Plan, plan_filling
from iim.cluster.dask.learning_plan import compute, exchange, place_problems, task_of
from iim.cluster.parted import part_queries
from iim.cluster.parted.model import PartedModel, count_asked, patterns_in
from iim.cluster.parted.part_queries import Routes
from iim.cluster.parted.table import count_holes
from iim.core.donors import SeenPattern
from iim.core.patterns import Pattern
from iim.imputers._fallbacks import warn_of_fallbacks


def holes_of(model: PartedModel, frame: Any, number: int) -> tuple[Booleans, Integers]:
    """Combinations of missing cells in a partition, and the number of rows with each."""
    if len(frame) == 0:
        return np.empty((0, model.means.size), bool), np.empty(0, np.intp)
    missing = part_queries.read_part(model, frame, number).missing
    return count_holes(missing, np.ones(missing.shape[0], np.intp))


def find_routes(model: PartedModel, patterns: dict[Pattern, int]) -> Routes:
    """Find the problems of some patterns, and learn the new ones."""
    found = {pattern: model.donation(pattern) for pattern in patterns}
    warn_of_fallbacks(
        [SeenPattern(pattern, patterns[pattern], fallback) for pattern, (_, fallback) in found.items()],
        model.names,
    )
    donations = {pattern: donation for pattern, (donation, _) in found.items()}
    wanted = count_asked(donations, patterns, model.settings.n_neighbors)
    place_problems(model, wanted)
    loaded = [model.problem(donation) for donation in wanted]
    placed = [one for one in loaded if one is not None]
    numbers = {donation: at for at, donation in enumerate(wanted)}
    return Routes(
        model=model,
        tasks=[
            task_of(model, model.place(donation), one.problem)
            for donation, one in zip(wanted, placed, strict=True)
        ],
        placed=placed,
        asked={
            pattern: None if donation is None else numbers[donation]
            for pattern, donation in donations.items()
        },
    )


def impute_in_parts(ddf: Any, model: PartedModel) -> Any:
    """Fill a Dask DataFrame from a model in parts; see :func:`iim.cluster.dask.impute`."""
    # Under new names, so that partitions are read again by the tasks that fill them; otherwise all would
    # wait for their answers in memory.
    partitions = ddf.map_partitions(_as_it_is, meta=ddf._meta, enforce_metadata=False).to_delayed()
    shared = delayed(model, traverse=False)
    plan = plan_filling(model.front, ddf._meta)
    kinds = compute(delayed(holes_of)(shared, part, number) for number, part in enumerate(partitions))
    holes, counts = (np.concatenate(parts) for parts in zip(*kinds, strict=True))
    routes = find_routes(model, patterns_in(holes, counts))
    known = delayed(routes, traverse=False)
    n_parts = int(routes.begins[-1])
    answers: list[Any] = [delayed(part_queries.no_answers)(known)] * len(partitions)
    if n_parts:
        how = _shuffle_method()
        queries = [delayed(part_queries.ask)(known, part, number) for number, part in enumerate(partitions)]
        first = [
            delayed(part_queries.answer, nout=2)(known, part, frame)
            for part, frame in enumerate(
                exchange(queries, part_queries.no_queries(routes), n_parts, how=how)
            )
        ]
        further = exchange([frame for _, frame in first], part_queries.no_queries(routes), n_parts, how=how)
        second = [
            delayed(part_queries.answer_further)(known, part, frame) for part, frame in enumerate(further)
        ]
        lines = [*(frame for frame, _ in first), *second]
        answers = exchange(lines, part_queries.no_answers(routes), len(partitions), by="partition", how=how)
    lines = dd.from_delayed(answers, meta=part_queries.no_answers(routes), verify_meta=False)
    numbers = dd.from_map(_number, range(len(partitions)), meta=_number(0)[:0])
    return ddf.map_partitions(
        _finish,
        lines,
        numbers,
        known,
        delayed(plan, traverse=False),
        meta=plan.result,
        align_dataframes=False,
        enforce_metadata=False,
    )


def _as_it_is(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _number(number: int) -> pd.DataFrame:
    return pd.DataFrame({"number": [number]})


def _finish(
    frame: pd.DataFrame, lines: pd.DataFrame, number: pd.DataFrame, routes: Routes, plan: Plan
) -> pd.DataFrame:
    return part_queries.finish(routes, plan, frame, int(number["number"].iloc[0]), lines)


def _shuffle_method() -> str:
    """The shuffle method for queries and answers, wherever the result is computed.

    A shuffle through a disk works on one machine only. A job made without a client may be computed with
    one, and machines with separate disks would lose rows.
    """
    method = str(get_default_shuffle_method())
    return "tasks" if method == "disk" else method
