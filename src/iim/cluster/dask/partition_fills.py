"""A fitted imputer, mapped over the partitions of a Dask DataFrame."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd

from iim.cluster._models import kind_of, model_of
from iim.cluster._places import Place
from iim.cluster._plans import Filling, plan_filling
from iim.cluster.dask.partition_queries import impute_in_parts
from iim.cluster.parted.model import PartedModel, load_model
from iim.cluster.parted.storage import folder_at
from iim.exceptions import UnusableTable
from iim.imputers import Imputer


def impute(ddf: dd.DataFrame, imputer: Imputer | PartedModel | str | os.PathLike[str]) -> dd.DataFrame:
    """Fill the holes of a Dask DataFrame with a fitted imputer, lazily.

    Nothing is computed before the result is; each partition is then filled by itself, with the fills that
    ``imputer.transform`` gives for the whole table, to the last bit. The model goes to each worker once. If
    a worker is lost, others do its partitions again, with the same result. Cost: that of
    ``imputer.transform``, divided among the workers; memory for a partition and the model in each of them.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The table, with the columns that ``fit`` saw. Columns that ``columns=`` leaves out pass through.
    imputer : Imputer, PartedModel, str or path
        A fitted imputer of any method, or the path of a file that its ``save`` has written; or a model in
        parts, from :func:`fit` or :func:`open_model`, or its folder: for that, the holes of the table are
        counted at once, and combinations of known and missing columns that are new to it are learned. The
        table is then computed twice more, and has to be the same each time. Of a file only
        the path travels, and each worker process loads it once; it must be readable where the call is and
        in all workers. Prefer it for models of more than about 10 MB, of which Dask warns.

    Returns
    -------
    dask.dataframe.DataFrame
        With the same partitions, divisions, index, and order of columns. A column that can have holes has
        one type in all partitions, the one that ``imputer.transform`` gives it if it has some: floats their
        own, whole numbers and booleans float64, or their own with ``round_integers=True``.

    Raises
    ------
    UnusableTable
        At once if ``ddf`` is not a Dask DataFrame or its columns cannot be used; when the result is
        computed if its values cannot: then the message begins with the number of the partition, and names
        the row within it.

    See Also
    --------
    iim.IIMImputer.transform : The same for a table in memory.
    iim.cluster.spark.impute : The same for Spark.

    Notes
    -----
    What ``transform`` would warn of (``FallbackWarning``) is not told in workers. Fill one partition where
    you are, ``imputer.transform(ddf.partitions[0].compute())``, to hear it.

    Partitions are counted among those that are computed: after ``filled.partitions[3:]``, partition 0 of a
    message is the former partition 3. Where divisions are known, the message has the index as well.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import iim
    >>> from iim.cluster.dask import impute
    >>> table = iim.samples.sensors()
    >>> imputer = iim.KnnImputer().fit(table)
    >>> ddf = dd.from_pandas(table, npartitions=4)
    >>> filled = impute(ddf, imputer)
    >>> filled.npartitions, filled.divisions == ddf.divisions
    (4, True)
    >>> filled.compute(scheduler="threads").equals(imputer.transform(table))
    True
    """
    refuse_other_tables(ddf)
    if isinstance(imputer, (str, os.PathLike)) and Path(imputer).is_dir():
        imputer = load_model(folder_at(imputer, None))
    if isinstance(imputer, PartedModel):
        return impute_in_parts(ddf, imputer)
    model = model_of(imputer, owner="impute")
    plan = plan_filling(model.open(), ddf._meta)
    # As one value in the graph, which Dask sends to a worker once and can make again if the worker is lost;
    # what a client scatters is lost with its worker.
    filling = dask.delayed(Filling(plan, model), traverse=False)
    return ddf.map_partitions(_fill_partition, filling, meta=plan.result, enforce_metadata=False)


def refuse_other_tables(table: Any) -> None:
    """Raise for anything but a Dask DataFrame, and say what to do with it."""
    if not isinstance(table, dd.DataFrame):
        raise UnusableTable(f"A Dask DataFrame is needed; received {kind_of(table)}. {_next_step(table)}")


def _next_step(table: Any) -> str:
    if isinstance(table, pd.DataFrame):
        return (
            "Fill a table in memory with `imputer.transform(table)`, or make partitions of it with "
            "`dask.dataframe.from_pandas(table, npartitions=...)`."
        )
    if isinstance(table, dd.Series):
        return "Make a table of one column with `to_frame()`."
    return "Read one with the functions of `dask.dataframe`, such as `read_parquet`."


def _fill_partition(
    partition: pd.DataFrame, filling: Filling, partition_info: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    # Dask gives it to functions that have an argument of this name.
    info = partition_info or {"number": 0, "division": None}
    return filling.fill(partition, Place(info["number"], info["division"]))
