"""Compare methods on your own table: hide known cells, fill them, measure the errors.

::

    table -> matrix -> cells hidden, repeat by repeat -> every method fills the same cells
          -> a record for each method, column and repeat -> leaderboard, best by column, picture

``methods`` reads which methods are compared, ``running`` hides cells and runs every method on them,
``result`` holds the ``records`` and the ``scores`` computed from them, ``page`` and ``picture`` show it.

A new error measure is a function in ``iim.evaluation.scoring``, a field of ``Record`` that ``running``
fills, and a field of ``MethodScore`` with its computation and its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from iim._checks import CALLABLE, FLAG, check_parameters, one_of, whole_number
from iim.comparing.methods import name_contenders, repeatable
from iim.comparing.records import Note, Record
from iim.comparing.result import Comparison
from iim.comparing.running import ComparisonPlan, run
from iim.comparing.scores import ColumnScore, MethodScore, Recommendation
from iim.comparing.wording import as_python
from iim.evaluation.hiding import SHARE_OR_COUNT
from iim.exceptions import UnusableTable
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix
from iim.table.columns import MARKERS
from iim.table.kinds import ID
from iim.table.tables import Reading, read_table
from iim.versions import versions

__all__ = ["ColumnScore", "Comparison", "MethodScore", "Note", "Recommendation", "Record", "compare"]

_CHECKS = {
    "hide": SHARE_OR_COUNT,
    "repeats": whole_number(least=1),
    "random_state": RANDOM_STATE,
    "pattern": one_of("cells", "attribute", "clusters"),
    "cluster_size": whole_number(least=1),
    "missing_values": MARKERS,
    "n_jobs": NUMBER_OF_JOBS,
    "progress": FLAG | CALLABLE,
}


def compare(
    table: Any,
    methods: Any = None,
    columns: Any = None,
    hide: float = 0.05,
    repeats: int = 3,
    random_state: Any = 0,
    *,
    pattern: str = "cells",
    cluster_size: int = 3,
    missing_values: Any = np.nan,
    n_jobs: int | None = -1,
    progress: bool | Callable[[float], None] = True,
) -> Comparison:
    """Compare methods on your own table: hide known cells, fill them, measure the errors.

    Every method gets the same tables with the same cells hidden; missing cells stay missing. The result
    holds as far as the hidden cells are like the missing ones. If values are missing *because* they are
    large, or in long gaps, cells hidden at random make every method look better than it is;
    ``pattern="clusters"`` is harder. Two methods are in a statistical tie in a column unless Student's
    paired t test over repeats rejects, at 5 %, that their mean errors are equal; more repeats separate
    smaller differences. A column whose known values are all equal is not scored: any error there is
    rounding.

    Cost: ``repeats`` fits of each method, times the number of columns with ``pattern="attribute"``. With
    ``pattern="cells"`` in a wide table, nearly every row gets a missing pattern of its own (5 % of 50
    columns leave 8 % of the rows whole), which is slow for methods that learn by pattern, such as iim, glr,
    loess, blr and pmm: choose ``pattern="attribute"``, fewer ``columns`` or fewer ``methods`` there.
    Times are medians over repeats, since the first fit on a machine also compiles. With fewer than three
    repeats, call it twice if times matter.

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers, possibly some missing: an array, a list of rows, a pandas or polars frame; not changed. Ids
        and columns without numbers (text, categories, dates) are set aside, and listed with the reason in
        the result.
    methods : None, str, imputer, sequence or mapping, default=None
        Keys of ``iim.METHODS``, or objects with ``fit`` and ``transform`` (scikit-learn's imputers, too),
        or a mapping from your names to these, or pairs of a name and one of these. None is every method but
        "auto", which takes several times as long as all others. Methods given by key get seeds and
        ``n_jobs``; objects are copied and keep their settings. All get arrays of float64 with NaN for
        missing cells, without the columns that have no known value.
    columns : None, name, position, or sequence of these, default=None
        Columns to hide cells of, and to score; the others only help to fill them. None is all. An id listed
        here is not set aside.
    hide : float or int, default=0.05
        Share of the known cells of each column to hide (at least one cell), or their number. Hiding more
        makes the measured error less noisy, but the problem harder. The last known cell stays; the result
        has the number of hidden cells.
    repeats : int, default=3
        Number of draws of hidden cells. With one there is no spread, and ties are unknown. With three, only
        large differences are significant; with ten, most that matter.
    random_state : int, RandomState or None, default=0
        Seed of the hidden cells, and of random methods. The cells hidden in a column depend only on it, the
        repeat and the column: more columns or repeats do not change them.
    pattern : {"cells", "attribute", "clusters"}, default="cells"
        "cells": at random, in all chosen columns at once. "attribute": the same cells, but one column at a
        time, so that only one value is missing from a row. "clusters": rows lose a value together with
        their nearest rows, each column separately, so that the nearest donors are missing, too.
    cluster_size : int, default=3
        Rows of a cluster, for ``pattern="clusters"``; 1 is "cells".
    missing_values : number, str, None, NaN or list of these, default=np.nan
        Marks of missing values. NaN, None and nulls always are.
    n_jobs : int or None, default=-1
        Threads of the methods given by key: -1 for all cores that this process may use, None for one.
    progress : bool or callable, default=True
        True shows a line on the terminal (standard error) for calls longer than a second; a function gets a
        number from 0 to 1 after every fit.

    Returns
    -------
    Comparison
        Printed, it is a leaderboard; see its ``records``, ``overall``, ``by_column``, ``recommended``,
        ``failures``, ``to_frame()`` and ``plot()``. A method that raises or exits, or leaves a hidden cell
        without a finite value, is shown as failed, with the reason.

    Examples
    --------
    >>> import iim
    >>> table = iim.samples.sensors("numpy")
    >>> result = iim.compare(table, ["mean", "knn", "iim"], repeats=2, progress=False)
    >>> [score.method for score in result.overall]
    ['iim', 'knn', 'mean']
    """
    check_parameters("compare", locals(), _CHECKS)
    contenders = name_contenders(methods)
    reading = read_table(table, missing_values, columns=columns)
    matrix, scored, not_scored = _choose_columns(reading.matrix, reading.chosen)
    settings = {
        "methods": repeatable(contenders),
        "columns": _named_columns(reading),
        "hide": as_python(hide),
        "repeats": as_python(repeats),
        "random_state": seed_from(random_state),
        "pattern": str(pattern),
        "cluster_size": as_python(cluster_size),
        "missing_values": as_python(missing_values),
    }
    plan = ComparisonPlan(
        **{name: settings[name] for name in ("hide", "repeats", "pattern", "cluster_size")},
        seed=settings["random_state"],
    )
    records, notes = run(contenders, matrix, scored, plan, n_jobs=n_jobs, progress=progress)
    return Comparison(
        methods=tuple(contender.name for contender in contenders),
        columns=tuple(matrix.columns[column] for column in scored),
        records=records,
        not_scored={**reading.set_aside, **not_scored},
        notes=notes,
        settings=settings,
        facts={
            "n_rows": reading.matrix.n_rows,
            "n_columns": reading.matrix.n_columns,
            "n_missing": int(reading.matrix.missing.sum()),
            "n_known": {
                matrix.columns[column]: int((~matrix.missing[:, column]).sum()) for column in scored
            },
            "versions": versions(),
        },
        backend=reading.backend,
    )


def _named_columns(reading: Reading) -> list[Any] | None:
    """The argument ``columns`` that chooses the same columns again; None if the default does."""
    ids = [
        name for name, kind in reading.kinds.items() if kind.kind == ID and name not in reading.set_aside
    ]
    if len(reading.chosen) == reading.matrix.n_columns and not ids:
        return None
    return [as_python(reading.matrix.columns[at]) for at in reading.chosen]


def _choose_columns(
    matrix: MaskedMatrix, chosen: list[int]
) -> tuple[MaskedMatrix, tuple[int, ...], dict[Any, str]]:
    """The columns with a known value; positions among them to score; reasons why others are not scored."""
    if matrix.n_rows == 0 or matrix.n_columns == 0:
        raise UnusableTable(
            f"The table has {matrix.n_rows} rows and {matrix.n_columns} columns: there is nothing to hide. "
            "Give a table with values."
        )
    reasons = {column: _why_not_scored(matrix, column) for column in chosen}
    not_scored = {matrix.columns[column]: reason for column, reason in reasons.items() if reason}
    wanted = [column for column, reason in reasons.items() if not reason]
    if not wanted:
        some = "; ".join(f"{column!r}: {reason}" for column, reason in list(not_scored.items())[:5])
        raise UnusableTable(
            "No column can be scored: each needs two known values, one to hide and one to learn from, that "
            f"are not all equal ({some}). Give a table with more known values, or choose other `columns`."
        )
    kept = np.flatnonzero((~matrix.missing).any(axis=0))
    scored = np.flatnonzero(np.isin(kept, wanted))
    return matrix.select(kept), tuple(scored.tolist()), not_scored


def _why_not_scored(matrix: MaskedMatrix, column: int) -> str | None:
    known = matrix.values[~matrix.missing[:, column], column]
    if known.size < 2:
        return "only one value is known" if known.size else "no value is known"
    # Otherwise the method with the least rounding would win, by an infinite ratio.
    return "all known values are equal" if known.min() == known.max() else None
