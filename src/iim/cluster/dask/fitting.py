"""IIM from a table that no machine holds: checks, then :mod:`~iim.cluster.dask.learning_plan`."""

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
"""Donors of a part: with its halo, several hundred megabytes while it learns."""


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

    Donors are divided by where they lie, into parts of about ``part_rows``. Each part learns the models of
    its own donors; what these depend on beyond its border is lent by the parts next to it (a *halo*). No
    machine ever holds more than a part. Prefer ``imputer.fit`` for tables that fit into memory, a few
    million rows: it is several times as fast.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The table. It is computed once; its numbers are kept in the folder.
    imputer : IIMImputer
        Its parameters count, whether it is fitted or not. ``strategy="iterative"`` and ``scale="robust"``
        are not available: the first learns from few rows anyway, the second needs whole columns at once.
    folder : str or path
        Where the model goes: a folder that all workers see under this path, or an address in an object
        store that fsspec knows. On a disk, a former model there is replaced when the new one is complete; a
        folder with anything else in it is refused.
    halo : {"sampled", "proven"}, default="sampled"
        How far parts look beyond their borders. "proven" is the exact mode: every donor near a border is
        searched for, so that no neighbour and no judge can be missing, and fills are those of
        ``imputer.fit(table)`` to the last bit. "sampled" searches for one donor of 32, which takes less
        time and a smaller halo; a few models near borders may then learn from neighbours that are not quite
        the nearest. ``losses()`` of the result says of how many donors that cannot be ruled out.
    part_rows : int, default=250_000
        Donors of a part, about. Smaller parts need less memory, and relatively larger halos: time and
        copies grow.
    storage_options : dict, optional
        For addresses of object stores, see fsspec.
    progress : callable, optional
        Gets a number from 0 to 1.

    Returns
    -------
    PartedModel
        For :func:`impute`; :func:`open_model` opens it again.

    Notes
    -----
    Everything runs on the cluster of the current Dask client, or, without one, on threads of this process,
    out of core either way: partitions and parts are loaded one at a time for each thread. Rows are counted
    in the order of the partitions, and ties are decided by it.

    Examples
    --------
    >>> import tempfile
    >>> import dask.dataframe as dd
    >>> import iim
    >>> from iim.cluster.dask import fit, impute
    >>> table = iim.samples.sensors()[["temperature", "humidity", "pressure"]]
    >>> ddf = dd.from_pandas(table, npartitions=4)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     model = fit(ddf, iim.IIMImputer(), f"{place}/model", halo="proven", part_rows=500)
    ...     filled = impute(ddf, model).compute()
    >>> filled.equals(iim.IIMImputer().fit_transform(table))
    True
    """
    refuse_other_tables(ddf)
    _check(imputer, halo=halo, part_rows=part_rows, progress=progress)
    target = folder_at(folder, storage_options)
    if not target.is_empty() and (target.local() is None or not is_model(target)):
        raise InvalidParameter(
            f"`folder` of fit: a new or empty folder, or on a disk one with a former model, is needed; "
            f"{os.fspath(folder)!r} has other files. Name another one, or take them away."
        )
    with made_whole(target) as making:
        model = learn(ddf, imputer, making, Division(halo, int(part_rows)), progress)
    return replace(model, folder=target)


def open_model(
    folder: str | os.PathLike[str], storage_options: Mapping[str, Any] | None = None
) -> PartedModel:
    """Open a model that :func:`fit` has written.

    Parameters
    ----------
    folder : str or path
        The folder, as the workers see it.
    storage_options : dict, optional
        For addresses of object stores, see fsspec.

    Returns
    -------
    PartedModel
        For :func:`impute`.

    Raises
    ------
    UnusableFile
        If there is no model, or none that is complete.
    """
    return load_model(folder_at(folder, storage_options))


def _check(imputer: Any, **given: Any) -> None:
    if not isinstance(imputer, IIMImputer):
        raise InvalidParameter(
            f"`imputer` of fit: an IIMImputer is needed; received {imputer!r:.200}. Other methods learn "
            "from what one machine holds: fit them to a sample, and fill with `impute`."
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
