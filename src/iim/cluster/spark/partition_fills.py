"""A fitted imputer, mapped over the partitions of a Spark DataFrame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml import Transformer
from pyspark.sql import DataFrame, types

from iim.cluster._models import HeldModel, PackedModel, kind_of, model_of
from iim.cluster._places import Place
from iim.cluster._plans import Filling, Plan, plan_filling
from iim.exceptions import UnusableTable
from iim.imputers import Imputer

_ARROW_TYPES = {
    types.BooleanType: pa.bool_(),
    types.ByteType: pa.int8(),
    types.ShortType: pa.int16(),
    types.IntegerType: pa.int32(),
    types.LongType: pa.int64(),
    types.FloatType: pa.float32(),
    types.DoubleType: pa.float64(),
}
"""Arrow types of numbers and booleans in Spark; types of decimals depend on their digits."""


def impute(df: DataFrame, imputer: Imputer | str | os.PathLike[str]) -> DataFrame:
    """Fill the missing values of a Spark DataFrame with a fitted imputer, lazily.

    Nothing runs before an action on the result. Each partition is then filled separately, batch by batch
    (``mapInArrow``); the fills are bit-identical to those of ``imputer.transform`` on the whole table. The
    model is broadcast, and opened once in each Python worker. If a worker is lost, Spark repeats its
    partitions, with the same result. Cost: that of ``imputer.transform``, divided among the workers; memory
    for a batch (``spark.sql.execution.arrow.maxRecordsPerBatch``) and the model in each of them.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The table, with the columns of ``fit``. Both null and NaN are missing. Columns left out by
        ``columns=`` pass through, whatever their type.
    imputer : Imputer, str or path
        A fitted imputer of any method, or the path of a file written by its ``save``. Only the path of a
        file is sent, and each worker process loads it once; it must be readable here and on all workers.
        Prefer a file for large models with Spark Connect, which has no broadcast and sends the model with
        every task.

    Returns
    -------
    pyspark.sql.DataFrame
        With the same partitions, order of rows and columns, nullability and metadata. A column that can
        have nulls gets the type that ``imputer.transform`` gives a column with missing values: float and
        double keep theirs, whole numbers and booleans become double, or keep theirs with
        ``round_integers=True``.

    Raises
    ------
    UnusableTable
        At once if ``df`` is not a Spark DataFrame or its columns cannot be used. Unusable values are found
        in the workers: an action then fails with Spark's ``PythonException``, in which the message of iim
        begins with the number of the partition and names the row within it.

    See Also
    --------
    SparkImputer : The same as a step of a pipeline.
    iim.cluster.dask.impute : The same for Dask.

    Notes
    -----
    Workers issue no ``FallbackWarning``. To see it, fill some rows here:
    ``imputer.transform(df.limit(10_000).toPandas())``.

    Examples
    --------
    >>> from iim.cluster.spark import impute
    >>> filled = impute(spark.read.parquet("sensors"), imputer)  # doctest: +SKIP
    >>> filled.write.parquet("filled")  # doctest: +SKIP
    """
    if not hasattr(df, "mapInArrow"):
        raise UnusableTable(f"A Spark DataFrame is needed; received {kind_of(df)}. {_next_step(df)}")
    model = model_of(imputer, owner="impute")
    fields = df.schema.fields
    never_null = {field.name for field in fields if not field.nullable}
    plan = plan_filling(model.open(), _description(fields), never_null=never_null)
    schema = types.StructType(_fields_of(plan, fields))
    return df.mapInArrow(_partition_filler(df, Filling(plan, model)), schema)


class SparkImputer(Transformer):
    """A fitted imputer as a step of a Spark pipeline.

    It learns nothing from the table: fit the imputer first, on a sample of rows that fits into memory, such
    as ``df.sample(0.01).toPandas()``. It fills as :func:`impute` does; prefer that function without a
    pipeline.

    Parameters
    ----------
    imputer : Imputer, str or path
        A fitted imputer of any method, or the path of a file written by its ``save``; see
        :func:`impute`.

    See Also
    --------
    impute : The same as a function.

    Examples
    --------
    >>> from iim.cluster.spark import SparkImputer
    >>> from pyspark.ml import Pipeline
    >>> pipeline = Pipeline(stages=[SparkImputer(imputer), assembler, regression])  # doctest: +SKIP
    >>> pipeline.fit(df).transform(df)  # doctest: +SKIP
    """

    def __init__(self, imputer: Imputer | str | os.PathLike[str]) -> None:
        super().__init__()
        self.imputer = imputer

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return impute(dataset, self.imputer)


def _next_step(table: Any) -> str:
    if hasattr(table, "to_spark"):
        return "Make one of it with `to_spark()`."
    if isinstance(table, pd.DataFrame):
        return (
            "Fill a table in memory with `imputer.transform(table)`, or make a Spark DataFrame of it with "
            "`spark.createDataFrame(table)`."
        )
    return "Read one with the functions of `spark.read`, such as `parquet`."


def _description(fields: list[Any]) -> Any:
    """A frame without rows, with the column names, and the types of columns of numbers."""
    columns = [pd.Series([], dtype=pd.ArrowDtype(_arrow_type(field.dataType))) for field in fields]
    # Named at the end: Spark allows duplicate names, which are refused later, with advice.
    return pd.DataFrame(dict(enumerate(columns))).set_axis([field.name for field in fields], axis=1)


def _arrow_type(kind: Any) -> Any:
    if isinstance(kind, types.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    # In columns of text and the like, only nulls could be filled.
    return _ARROW_TYPES.get(type(kind), pa.null())


def _fields_of(plan: Plan, fields: list[Any]) -> list[Any]:
    """The columns of the result as Spark types."""
    filled = []
    for at, position in enumerate(plan.kept):
        field = fields[position]
        if at in plan.filled and plan.result.dtypes.iloc[at] == np.float64:
            field = types.StructField(field.name, types.DoubleType(), field.nullable, field.metadata)
        filled.append(field)
    indicators = plan.result.columns[len(plan.kept) :]
    return filled + [types.StructField(name, types.DoubleType(), nullable=False) for name in indicators]


def _partition_filler(df: DataFrame, filling: Filling) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that Spark calls in a worker for each partition."""
    if isinstance(filling.model, HeldModel):
        if not type(df).__module__.startswith("pyspark.sql.connect"):
            # Not part of the function, which Spark unpickles for each task.
            broadcast = df.sparkSession.sparkContext.broadcast(filling)
            return lambda batches: _fill_batches(broadcast.value, batches)
        filling = Filling(filling.plan, PackedModel.of(filling.model.imputer))
    return lambda batches: _fill_batches(filling, batches)


def _fill_batches(filling: Filling, batches: Iterable[Any]) -> Iterator[Any]:
    """Fill a partition, which comes in batches of rows."""
    partition, n_rows = TaskContext.get().partitionId(), 0
    for batch in batches:
        if batch.num_rows:
            # Arrow types, so that columns that are not filled need no conversion.
            frame = batch.to_pandas(types_mapper=pd.ArrowDtype)
            filled = filling.fill(frame, Place(partition, first_row=n_rows))
            yield _as_batch(filled, batch, filling.plan)
            n_rows += batch.num_rows


def _as_batch(filled: Any, batch: Any, plan: Plan) -> Any:
    """Filled rows for Spark; a column that passes through is the original one."""
    arrays, fields = [], []
    for at in range(filled.shape[1]):
        came = batch.schema.field(plan.kept[at]) if at < len(plan.kept) else None
        if came is not None and at not in plan.filled:
            arrays.append(batch.column(plan.kept[at]))
            fields.append(came)
            continue
        array = pa.array(filled.iloc[:, at])
        arrays.append(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)
        name, nullable = (filled.columns[at], False) if came is None else (came.name, came.nullable)
        fields.append(pa.field(name, array.type, nullable=nullable))
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
