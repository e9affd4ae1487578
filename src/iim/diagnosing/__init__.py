"""Diagnose a table: which cells are missing together, and which kind of method suits each column.

``patterns`` counts, ``measuring`` hides known cells to get R2_S and R2_H and puts them into words,
``result`` holds and shows it all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from iim._checks import CALLABLE, FLAG, check_parameters, one_of, whole_number
from iim.diagnosing.measuring import NOTHING, DiagnosisPlan, advise, measure_column, why_not
from iim.diagnosing.patterns import MissingPattern, find_patterns
from iim.diagnosing.result import ColumnDiagnosis, Diagnosis
from iim.evaluation.hiding import SHARE_OR_COUNT
from iim.exceptions import UnusableTable
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._progress import Reporter
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix
from iim.table.columns import MARKERS
from iim.table.tables import Reading, read_table
from iim.versions import versions

__all__ = ["ColumnDiagnosis", "Diagnosis", "MissingPattern", "diagnose"]

_CHECKS = {
    "hide": SHARE_OR_COUNT,
    "repeats": whole_number(least=1),
    "n_neighbors": whole_number(least=1),
    "scale": one_of("standard", "robust", "none"),
    "random_state": RANDOM_STATE,
    "missing_values": MARKERS,
    "n_jobs": NUMBER_OF_JOBS,
    "progress": FLAG | CALLABLE,
}


def diagnose(
    table: Any,
    *,
    columns: Any = None,
    hide: float = 0.05,
    repeats: int = 3,
    n_neighbors: int = 10,
    scale: str = "standard",
    random_state: Any = 0,
    missing_values: Any = np.nan,
    n_jobs: int | None = -1,
    progress: bool | Callable[[float], None] = True,
) -> Diagnosis:
    """Count missing cells, and suggest a kind of method for each column.

    Known cells of each column are hidden and filled in two ways: from the nearest rows, and by one linear
    regression over all rows. The two errors show whether the data are sparse or heterogeneous, the two
    problems of the paper. It is a quick look; :func:`iim.compare` measures the methods. The work is
    bounded: at most 1000 cells of a column are hidden at a time, and tables with more than a million values
    are measured on a sample of rows (missing cells are counted in all rows).

    Parameters
    ----------
    table : array or frame of shape (n_rows, n_columns)
        Numbers, possibly some missing: an array, a list of rows, a pandas or polars frame; not changed. Ids
        and columns without numbers (text, categories, dates) are set aside, and listed with the reason in
        the result.
    columns : None, name, position, or sequence of these, default=None
        Columns to measure; None is all. An id listed here is not set aside. Patterns are counted over all
        columns in any case.
    hide : float or int, default=0.05
        Cells of a column to hide at a time: a share of the usable rows, or their number; never more than
        half of the rows. If that is fewer than 30 cells in all repeats together, more are hidden, up to a
        quarter of the rows at a time.
    repeats : int, default=3
        Number of draws of hidden cells; their errors are pooled.
    n_neighbors : int, default=10
        Number of nearest rows that are averaged. A small table uses fewer: at most a fifth of the rows with
        a known value, since the mean of more would be close to the column mean. The result has the number
        used.
    scale : {"standard", "robust", "none"}, default="standard"
        How columns are scaled before distances; "none" is the paper's choice.
    random_state : int, RandomState or None, default=0
        Seed of the hidden cells.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        Marks of missing values. NaN, None and nulls always are.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. The result does not depend on it.
    progress : bool or callable, default=True
        True shows a line on the terminal (standard error) for calls longer than a second; a function gets a
        number from 0 to 1 after every column.

    Returns
    -------
    Diagnosis
        Printed, it is a page of text; see its ``columns``, ``patterns`` and ``to_frame()``.

    Examples
    --------
    >>> import iim
    >>> found = iim.diagnose(iim.samples.sensors("numpy"), progress=False)
    >>> found.n_missing, len(found.patterns), found.patterns[0].columns
    (387, 15, ('x2',))
    """
    check_parameters("diagnose", locals(), _CHECKS)
    plan = DiagnosisPlan(hide, repeats, n_neighbors, scale, seed_from(random_state), n_jobs)
    reading = read_table(table, missing_values, columns=columns)
    return diagnose_reading(reading, plan, progress=progress)


def diagnose_reading(
    reading: Reading,
    plan: DiagnosisPlan,
    *,
    progress: bool | Callable[[float], None] = False,
) -> Diagnosis:
    """Diagnose a table that has been read.

    Parameters
    ----------
    reading : Reading
        The table as numbers; its chosen columns are measured.
    plan : DiagnosisPlan
        How to measure.
    progress
        As of :func:`diagnose`.

    Returns
    -------
    Diagnosis
    """
    matrix = reading.matrix
    if matrix.n_rows == 0 or matrix.n_columns == 0:
        raise UnusableTable(
            f"The table has {matrix.n_rows} rows and {matrix.n_columns} columns: there is nothing to "
            "measure. Give a table with values."
        )
    return Diagnosis(
        n_rows=matrix.n_rows,
        n_columns=matrix.n_columns,
        n_missing=int(matrix.missing.sum()),
        n_complete=int(np.count_nonzero(~matrix.missing.any(axis=1))),
        columns=_diagnose_columns(matrix, reading.chosen, plan, Reporter.of(progress, "diagnosing")),
        patterns=find_patterns(matrix),
        kinds=reading.kinds,
        not_measured=reading.set_aside,
        settings={
            "hide": plan.hide,
            "repeats": plan.repeats,
            "n_neighbors": plan.n_neighbors,
            "scale": plan.scale,
            "random_state": plan.seed,
            "versions": versions(),
        },
        backend=reading.backend,
    )


def _diagnose_columns(
    matrix: MaskedMatrix, chosen: list[int], plan: DiagnosisPlan, reporter: Reporter | None
) -> tuple[ColumnDiagnosis, ...]:
    kept = np.flatnonzero(~matrix.missing.all(axis=0))
    known_part = matrix.select(kept)
    found = []
    for at, column in enumerate(chosen):
        known = matrix.values[~matrix.missing[:, column], column]
        constant = known.size > 0 and bool(known.min() == known.max())
        advice = why_not(known.size, constant=constant, n_columns=kept.size)
        measured, left_out = NOTHING, ()
        if advice is None:
            target = int(np.searchsorted(kept, column))
            measured = measure_column(known_part, target, plan)
            advice = "Not measured: too few rows have it together with other columns."
            if measured is not NOTHING:
                advice = advise(measured.r2_neighbors, measured.r2_regression)
                used = {*measured.observed, target}
                left_out = tuple(name for at, name in enumerate(known_part.columns) if at not in used)
        found.append(
            ColumnDiagnosis(
                column=matrix.columns[column],
                n_missing=matrix.n_rows - known.size,
                n_known=known.size,
                r2_neighbors=measured.r2_neighbors,
                r2_regression=measured.r2_regression,
                n_cells=measured.n_cells,
                n_rows=measured.n_rows,
                n_neighbors=measured.n_neighbors,
                bounded=measured.bounded,
                left_out=left_out,
                advice=advice,
            )
        )
        if reporter is not None:
            reporter(at + 1, len(chosen))
    return tuple(found)
