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
    """Fill the missing values of a Dask DataFrame with a fitted imputer, lazily.

    Nothing is computed before the result is. Each partition is then filled separately; the fills are
    bit-identical to those of ``imputer.transform`` on the whole table. The model is sent to each worker
    once. If a worker is lost, others repeat its partitions, with the same result. Cost: that of
    ``imputer.transform``, divided among the workers; memory for a partition and the model in each of them.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The table, with the columns of ``fit``. Columns left out by ``columns=`` pass through.
    imputer : Imputer, PartedModel, str or path
        A fitted imputer of any method, or the path of a file written by its ``save``. Only the path of a
        file is sent, and each worker process loads it once; it must be readable here and on all workers.
        Prefer a file for models of more than about 10 MB, for which Dask warns. Or a model in parts, from
        :func:`fit` or :func:`open_model`, or its folder: then missing cells are counted at once, and new
        combinations of known and missing columns are learned. The table is computed twice more, and has to
        be the same each time.

    Returns
    -------
    dask.dataframe.DataFrame
        With the same partitions, divisions, index, and order of columns. A column that can have missing
        values has one type in all partitions, the one ``imputer.transform`` gives a column with missing
        values: floats keep theirs, whole numbers and booleans become float64, or keep theirs with
        ``round_integers=True``.

    Raises
    ------
    UnusableTable
        At once if ``ddf`` is not a Dask DataFrame or its columns cannot be used. When the result is
        computed if its values cannot be used; the message then begins with the number of the partition, and
        names the row within it.

    See Also
    --------
    iim.IIMImputer.transform : The same for a table in memory.
    iim.cluster.spark.impute : The same for Spark.

    Notes
    -----
    Workers issue no ``FallbackWarning``. To see it, fill one partition here:
    ``imputer.transform(ddf.partitions[0].compute())``.

    Partitions are numbered among those computed: after ``filled.partitions[3:]``, partition 0 in a message
    is the former partition 3. With known divisions, the message also has the index.

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
    # As one value in the graph, Dask sends it to a worker once and can recompute it if the worker is lost.
    # What a client scatters is lost with its worker.
    filling = dask.delayed(Filling(plan, model), traverse=False)
    return ddf.map_partitions(_fill_partition, filling, meta=plan.result, enforce_metadata=False)


def refuse_other_tables(table: Any) -> None:
    """Raise for anything but a Dask DataFrame, with advice."""
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
    # Dask passes it to functions with an argument of this name.
    info = partition_info or {"number": 0, "division": None}
    return filling.fill(partition, Place(info["number"], info["division"]))
