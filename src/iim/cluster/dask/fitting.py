"""IIM from a table larger than one machine: checks, then :mod:`~iim.cluster.dask.learning_plan`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import dask.dataframe as dd

from iim._checks import CALLABLE, check_parameters, exactly, one_of, whole_number
from iim.cluster.dask.learning_plan import learn
from iim.cluster.dask.partition_fills import refuse_other_tables
from iim.cluster.parted.model import MOST_NEIGHBORS, Division, PartedModel, is_model, load_model
from iim.cluster.parted.storage import folder_at, made_whole
from iim.exceptions import InvalidParameter
from iim.imputers.iim import IIMImputer

PART_ROWS = 250_000
"""Donors of a part: with its halo, it needs several hundred megabytes while it learns."""


def fit(
    ddf: dd.DataFrame,
    imputer: IIMImputer,
    folder: str | os.PathLike[str],
    *,
    halo: str = "sampled",
    part_rows: int = PART_ROWS,
    storage_options: Mapping[str, Any] | None = None,
    progress: Callable[[float], None] | None = None,
) -> PartedModel:
    """Learn IIM from a Dask DataFrame of any size, into a folder.

    Space is divided into regions, and the donors of a region form a part of about ``part_rows``. Each part
    learns the models of its own donors; it gets copies of the donors of other parts that these depend on (a
    *halo*). No machine ever holds more than a part. Prefer ``imputer.fit`` for tables that fit into memory,
    a few million rows: it is several times as fast.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The table. It is computed once; its numbers are kept in the folder.
    imputer : IIMImputer
        Its parameters are used, whether it is fitted or not. ``strategy="auto"`` is "patterns" here.
        ``strategy="iterative"`` and ``scale="robust"`` are not available: the first learns from few rows
        anyway, the second needs whole columns at once.
    folder : str or path
        Folder of the model: a path that is the same for all workers, or an address in an object store that
        fsspec knows. On a disk, an older model there is replaced when the new one is complete. A folder
        with other files is refused.
    halo : {"sampled", "proven"}, default="sampled"
        How the halo is chosen. "proven" searches the neighbours of every donor near a border, so that no
        neighbour and no validation row can be missing: fills are bit-identical to those of
        ``imputer.fit(table)`` with ``strategy="patterns"``. "sampled" searches for one donor in 32, which
        takes less time and gives a smaller halo. A few models near borders may then learn from neighbours
        that are not quite the nearest; ``losses()`` of the result bounds how many.
    part_rows : int, default=250_000
        Approximate number of donors of a part. Smaller parts need less memory, but have relatively larger
        halos: more time and more copies.
    storage_options : dict, optional
        Options for object stores, see fsspec.
    progress : callable, optional
        Gets a number from 0 to 1.

    Returns
    -------
    PartedModel
        For :func:`impute`; :func:`open_model` opens it later.

    Notes
    -----
    Everything runs on the cluster of the current Dask client, or without one on threads of this process.
    Either way partitions and parts are loaded one at a time per thread. Rows are numbered in the order of
    the partitions; ties of distance are decided by row number.

    Examples
    --------
    >>> import tempfile
    >>> import dask.dataframe as dd
    >>> import iim
    >>> from iim.cluster.dask import fit, impute
    >>> table = iim.samples.sensors()[["temperature", "humidity", "pressure"]]
    >>> ddf = dd.from_pandas(table, npartitions=4)
    >>> imputer = iim.IIMImputer(strategy="patterns")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     model = fit(ddf, imputer, f"{place}/model", halo="proven", part_rows=500)
    ...     filled = impute(ddf, model).compute()
    >>> filled.equals(imputer.fit_transform(table))
    True
    """
    refuse_other_tables(ddf)
    _check(imputer, halo=halo, part_rows=part_rows, progress=progress)
    target = folder_at(folder, storage_options)
    if not target.is_empty() and (target.local() is None or not is_model(target)):
        raise InvalidParameter(
            f"`folder` of fit: a new or empty folder, or on a disk one with an older model, is needed; "
            f"{os.fspath(folder)!r} has other files. Name another folder, or remove them."
        )
    with made_whole(target) as making:
        model = learn(ddf, imputer, making, Division(halo, int(part_rows)), progress)
    return replace(model, folder=target)


def open_model(
    folder: str | os.PathLike[str], storage_options: Mapping[str, Any] | None = None
) -> PartedModel:
    """Open a model that :func:`fit` has learned.

    Parameters
    ----------
    folder : str or path
        The folder, under the path that the workers use.
    storage_options : dict, optional
        Options for object stores, see fsspec.

    Returns
    -------
    PartedModel
        For :func:`impute`.

    Raises
    ------
    UnusableFile
        If there is no model, or an incomplete one.
    """
    return load_model(folder_at(folder, storage_options))


def _check(imputer: Any, **given: Any) -> None:
    if not isinstance(imputer, IIMImputer):
        raise InvalidParameter(
            f"`imputer` of fit: an IIMImputer is needed; received {imputer!r:.200}. Other methods learn "
            "on one machine: fit them to a sample, and fill with `impute`."
        )
    check_parameters(
        "fit",
        given,
        {
            "halo": one_of("sampled", "proven"),
            "part_rows": whole_number(least=1),
            "progress": exactly(None) | CALLABLE,
        },
    )
    check_parameters(type(imputer).__name__, imputer.get_params(), imputer._checks)
    if imputer.n_neighbors > MOST_NEIGHBORS:
        raise InvalidParameter(
            f"`n_neighbors` of fit on Dask: a whole number up to {MOST_NEIGHBORS} is needed; received "
            f"{imputer.n_neighbors}."
        )
    for name, refused, why in (
        ("strategy", "iterative", "learns from at most `max_donors` rows: fit it to a sample"),
        ("scale", "robust", "needs the quantiles of whole columns: use 'standard'"),
    ):
        if getattr(imputer, name) == refused:
            raise InvalidParameter(f"`{name}` of fit on Dask: {refused!r} is not available; it {why}.")
