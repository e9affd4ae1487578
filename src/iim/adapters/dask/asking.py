"""Filling a Dask DataFrame from a model in parts: queries to parts, answers back to partitions."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import numpy as np
from dask import delayed

from iim._arrays import Booleans, Integers
from iim.adapters._plans import plan_filling
from iim.adapters.dask.learning import compute, exchange, place_problems, task_of
from iim.adapters.parted import asking
from iim.adapters.parted.asking import Routes
from iim.adapters.parted.model import PartedModel, load_problem, patterns_in
from iim.adapters.parted.table import count_holes
from iim.core.donors import SeenPattern
from iim.core.patterns import Pattern
from iim.imputers._fallbacks import warn_of_fallbacks


def holes_of(model: PartedModel, frame: Any, number: int) -> tuple[Booleans, Integers]:
    """Combinations of missing cells in a partition, and how many rows have them."""
    if len(frame) == 0:
        return np.empty((0, model.means.size), bool), np.empty(0, np.intp)
    missing = asking.read_part(model, frame, number).missing
    return count_holes(missing, np.ones(missing.shape[0], np.intp))


def find_routes(model: PartedModel, patterns: dict[Pattern, int]) -> Routes:
    """Find the problems behind some patterns, and learn those that are new."""
    found = {pattern: model.donation(pattern) for pattern in patterns}
    warn_of_fallbacks(
        [SeenPattern(pattern, patterns[pattern], fallback) for pattern, (_, fallback) in found.items()],
        model.names,
    )
    wanted = model.asked_of(patterns)
    place_problems(model, wanted)
    placed = [one for donation in wanted if (one := load_problem(model.place(donation))) is not None]
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
            for pattern, (donation, _) in found.items()
        },
    )


def impute_in_parts(ddf: Any, model: PartedModel) -> Any:
    """Fill a Dask DataFrame from a model in parts; see :func:`iim.adapters.dask.impute`."""
    partitions = ddf.to_delayed()
    shared = delayed(model, traverse=False)
    plan = plan_filling(model.front, ddf._meta)
    kinds = compute(delayed(holes_of)(shared, part, number) for number, part in enumerate(partitions))
    holes, counts = (np.concatenate(parts) for parts in zip(*kinds, strict=True))
    routes = find_routes(model, patterns_in(holes, counts))
    known = delayed(routes, traverse=False)
    n_parts = int(routes.begins[-1])
    answers: list[Any] = [delayed(asking.no_answers)(known)] * len(partitions)
    if n_parts:
        queries = [delayed(asking.ask)(known, part, number) for number, part in enumerate(partitions)]
        first = [
            delayed(asking.answer, nout=2)(known, part, frame)
            for part, frame in enumerate(exchange(queries, asking.no_queries(routes), n_parts))
        ]
        further = exchange([frame for _, frame in first], asking.no_queries(routes), n_parts)
        second = [delayed(asking.answer_further)(known, part, frame) for part, frame in enumerate(further)]
        lines = [*(frame for frame, _ in first), *second]
        answers = exchange(lines, asking.no_answers(routes), len(partitions), by="partition")
    filled = [
        delayed(asking.finish)(known, delayed(plan, traverse=False), part, number, frame)
        for number, (part, frame) in enumerate(zip(partitions, answers, strict=True))
    ]
    return dd.from_delayed(filled, meta=plan.result, divisions=ddf.divisions, verify_meta=False)
