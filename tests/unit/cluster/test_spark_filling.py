"""Spark DataFrames, filled by Python workers of a local Spark; needs Java."""

import datetime as dt
import math
import os
import re
import shutil
import signal
import sys
import threading
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyspark import TaskContext
from pyspark.errors import PythonException
from pyspark.ml import Pipeline
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession, types

import iim
from cases import QUICK, assert_same, fit_quietly, long
from iim.cluster.spark import SparkImputer, impute
from iim.imputers._telling import silence
from partition_witnesses import PATIENCE, Witness, wait_once, when_begun
from strategies import untied

pytestmark = [
    pytest.mark.slow,
    pytest.mark.engine,
    pytest.mark.skipif(
        shutil.which("java") is None, reason="Spark needs Java, and there is no `java` here"
    ),
    # One Java machine for all, in one process, where tests run side by side.
    pytest.mark.xdist_group("spark"),
    # Spark's word on pandas 3, at each use of Arrow.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # Spark 3.5 uses what Python and pandas are about to drop, and leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:is_datetime64tz_dtype is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BATCH = 50
"""Rows of a batch: few, so that partitions have several."""


@pytest.fixture(scope="module")
def spark():
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        # Workers import the witnesses, and iim from where it is imported here.
        patched.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]))
        session = (
            # A partition whose worker was lost is tried again, which is not so for plain local[2].
            SparkSession.builder.master("local[2,2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(BATCH))
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def holed(n_rows, seed):
    table = untied(n_rows, 4, seed=seed)
    return np.where(np.random.default_rng(seed).random(table.shape) < 0.2, np.nan, table)


KNOWN, NEW = (
    pd.DataFrame(holed(48, 3), columns=list("abcd")),
    pd.DataFrame(holed(500, 4), columns=list("abcd")),
)


def in_spark(spark, table, n_partitions, schema="a double, b double, c double, d double"):
    """The table; of its holes, those of even rows are NaN and those of odd rows null."""
    rows = [
        tuple(None if row % 2 and isinstance(cell, float) and math.isnan(cell) else cell for cell in cells)
        for row, cells in enumerate(table.itertuples(index=False))
    ]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, n_partitions), schema)


def numbers(df):
    return np.array([tuple(row) for row in df.collect()], dtype=float)


@pytest.mark.parametrize("key", ["iim", *long(*(key for key in iim.METHODS if key != "iim"))])
def test_every_method_fills_as_it_does_locally(spark, key):
    imputer = fit_quietly(iim.METHODS[key](**QUICK.get(key, {})), KNOWN)
    with silence():
        expected = imputer.transform(NEW).to_numpy()
    for n_partitions in (1, 7):
        filled = impute(in_spark(spark, NEW, n_partitions), imputer)
        assert_same(numbers(filled), expected)
        assert filled.rdd.getNumPartitions() == n_partitions


@pytest.fixture(scope="module")
def imputer():
    return iim.MeanImputer().fit(KNOWN)


def test_a_model_from_a_file_fills_the_same(spark, imputer, tmp_path):
    imputer.save(tmp_path / "model.iim")
    filled = impute(in_spark(spark, NEW, 3), tmp_path / "model.iim")
    assert_same(numbers(filled), imputer.transform(NEW).to_numpy())


def test_a_python_worker_opens_the_model_once(spark, tmp_path):
    imputer = iim.MeanImputer().fit(KNOWN)
    imputer.witness_ = Witness(tmp_path)
    numbers(impute(in_spark(spark, NEW, 12), imputer))
    counts = Witness.counts(tmp_path)
    assert 1 <= len(counts) <= 2
    assert set(counts.values()) == {1}


def test_without_a_broadcast_the_model_goes_along_and_is_unpacked_once(
    spark, imputer, tmp_path, monkeypatch
):
    # As with Spark Connect, by whose name its frames are known.
    df = in_spark(spark, NEW, 6)
    imputer = iim.MeanImputer().fit(KNOWN)
    imputer.witness_ = Witness(tmp_path)
    monkeypatch.setattr(type(df), "__module__", "pyspark.sql.connect.dataframe")
    filled = impute(df, imputer)
    monkeypatch.undo()
    assert_same(numbers(filled), imputer.transform(NEW).to_numpy())
    counts = Witness.counts(tmp_path)
    assert set(counts.values()) == {1}


FIELDS = [
    types.StructField("id", types.LongType(), nullable=False),
    types.StructField("single", types.FloatType(), nullable=True, metadata={"unit": "m"}),
    types.StructField("double", types.DoubleType()),
    types.StructField("long", types.LongType(), nullable=True, metadata={"unit": "kg"}),
    types.StructField("byte", types.ByteType()),
    types.StructField("flag", types.BooleanType()),
    types.StructField("decimal", types.DecimalType(10, 2)),
    types.StructField("text", types.StringType()),
    types.StructField("other decimal", types.DecimalType(20, 3)),
    types.StructField("binary", types.BinaryType()),
    types.StructField("date", types.DateType()),
    types.StructField("timestamp", types.TimestampType()),
    types.StructField("local", types.TimestampNTZType()),
    types.StructField("duration", types.DayTimeIntervalType()),
    types.StructField("list", types.ArrayType(types.IntegerType())),
    types.StructField("map", types.MapType(types.StringType(), types.IntegerType())),
    types.StructField("record", types.StructType([types.StructField("x", types.ByteType())])),
]
CHOSEN = ["id", "single", "double", "long", "byte", "flag", "decimal"]
FIRST = dt.datetime(2020, 1, 1, 12, 30, 15, 123456)  # noqa: DTZ001 (as Spark hands them out)


def row(number, *, missing=False):
    cells = (number, number / 4, number / 3, 2 * number, number % 100, number % 2 == 0, Decimal(number) / 4)
    others = ("ä" * (number % 3), Decimal(number) / 8, bytes([number % 256]), FIRST.date(), FIRST, FIRST)
    nested = (dt.timedelta(microseconds=number), [number, None], {"x": number}, (number % 100,))
    whole = (*cells, *others, *nested)
    return (number, *[None] * (len(whole) - 1)) if missing else whole


@pytest.fixture
def mixed(spark):
    """All types; the first partitions have no hole, the last ones have rows of holes."""
    rows = [row(number, missing=number >= 300 and number % 3 == 0) for number in range(400)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, 4), types.StructType(FIELDS))


def local_table():
    table = pd.DataFrame([row(number) for number in range(50)], columns=[field.name for field in FIELDS])
    return table.astype({"flag": "boolean", "decimal": float, "single": np.float32})


@pytest.mark.parametrize("whole", [False, True])
def test_types_nullability_metadata_and_order_are_kept(mixed, whole):
    imputer = iim.MeanImputer(columns=CHOSEN, round_integers=whole, max_value={"byte": 99}).fit(
        local_table()
    )
    filled = impute(mixed, imputer)
    assert filled.columns == mixed.columns
    changed = {"decimal": types.DoubleType()}
    if not whole:
        changed |= dict.fromkeys(["long", "byte", "flag"], types.DoubleType())
    for field, came in zip(filled.schema.fields, mixed.schema.fields, strict=True):
        assert field.dataType == changed.get(field.name, came.dataType)
        assert (field.nullable, field.metadata) == (came.nullable, came.metadata)
    came, rows = mixed.collect(), filled.collect()
    for name in mixed.columns:
        before, after = [cells[name] for cells in came], [cells[name] for cells in rows]
        if name in CHOSEN:
            assert all(
                cell == known for cell, known in zip(after, before, strict=True) if known is not None
            )
            assert None not in after
        else:
            assert after == before


def test_indicators_come_last(spark):
    imputer = iim.MeanImputer(add_indicator=True).fit(KNOWN)
    filled = impute(in_spark(spark, NEW, 2), imputer)
    assert filled.columns == [*"abcd", *(f"missingindicator_{name}" for name in "abcd")]
    assert filled.schema["missingindicator_a"] == types.StructField(
        "missingindicator_a", types.DoubleType(), nullable=False
    )
    assert_same(numbers(filled), imputer.transform(NEW).to_numpy())


def test_empty_columns_are_left_out(spark):
    imputer = fit_quietly(iim.MeanImputer(), KNOWN.assign(b=np.nan))
    filled = impute(in_spark(spark, NEW, 2), imputer)
    assert filled.columns == ["a", "c", "d"]
    assert_same(numbers(filled), imputer.transform(NEW).to_numpy())


def test_partitions_without_rows_are_kept(spark, imputer):
    df = in_spark(spark, NEW[:3], 8)
    filled = impute(df, imputer)
    assert [len(part) for part in filled.rdd.glom().collect()] == [
        len(part) for part in df.rdd.glom().collect()
    ]
    assert impute(df.limit(0), imputer).collect() == []


def test_it_is_a_step_of_a_pipeline(spark, imputer):
    df = in_spark(spark, NEW, 2)
    steps = [SparkImputer(imputer), VectorAssembler(inputCols=list("abcd"), outputCol="all")]
    model = Pipeline(stages=steps).fit(df)
    vectors = np.array([cells["all"].toArray() for cells in model.transform(df).collect()])
    assert_same(vectors, imputer.transform(NEW).to_numpy())
    assert_same(numbers(SparkImputer(imputer).copy({}).transform(df)), vectors)


def test_nothing_runs_before_an_action(spark, imputer, tmp_path):
    folder = str(tmp_path)

    def noticed(batches):
        Path(folder, "ran").touch()
        yield from batches

    df = in_spark(spark, NEW, 2)
    filled = impute(df.mapInPandas(noticed, df.schema), imputer)
    assert not (tmp_path / "ran").exists()
    filled.collect()
    assert (tmp_path / "ran").exists()


def test_a_poisoned_partition_is_named_with_its_row(spark, imputer):
    table = NEW.astype({"b": object}).assign(b=None)
    table.loc[250 + 2 * BATCH + 17, "b"] = "n/a"
    df = in_spark(spark, table, 2, "a double, b string, c double, d double")
    with pytest.raises(PythonException) as caught:
        impute(df, imputer).collect()
    said = str(caught.value)
    assert "iim.exceptions.UnusableTable: Partition 1: could not convert string to float: 'n/a'." in said
    # Counted over the batches of the partition.
    assert "Column 'b' holds text in all 1 known cells (" in said
    assert f"first: row {2 * BATCH + 17}, 'n/a')" in said


def test_whole_numbers_that_floats_do_not_have_are_kept(spark):
    table = pd.DataFrame({"id": [1, 2, 2**53 + 1], "x": [1.0, 2.0, None]})
    df = in_spark(spark, table, 1, "id long, x double")
    kept = impute(df, iim.MeanImputer(round_integers=True).fit(table[:2]))
    assert [cells["id"] for cells in kept.collect()] == [1, 2, 2**53 + 1]


def test_what_cannot_be_filled_is_refused_at_once(spark, imputer):
    df = in_spark(spark, NEW, 1)
    with pytest.raises(ValueError, match="feature names should match"):
        impute(df.select("b", "a", "c", "d"), imputer)
    with pytest.raises(iim.UnusableTable, match="Column 'a' appears more than once"):
        impute(df.selectExpr("a", "a", "b", "c"), imputer)
    with pytest.raises(
        iim.UnusableTable, match=r"^A Spark DataFrame is needed; received DataFrame of pandas\. Fill"
    ):
        impute(NEW, imputer)
    with pytest.raises(
        iim.UnusableTable, match=r"^A Spark DataFrame is needed; received NoneType\. Read one"
    ):
        impute(None, imputer)
    with pytest.raises(iim.InvalidParameter, match=r"^`imputer` of impute: a fitted imputer"):
        SparkImputer(None).transform(df)


def test_a_worker_killed_in_the_middle_changes_nothing(spark, imputer, tmp_path):
    folder = str(tmp_path)

    def wait(batches):
        if TaskContext.get().partitionId() == 2:
            wait_once(folder, "partition")
        yield from batches

    df = in_spark(spark, NEW, 5)
    disturbed = impute(df.mapInPandas(wait, df.schema), imputer)
    target = tmp_path / "filled"
    job = threading.Thread(target=lambda: disturbed.write.parquet(str(target)), daemon=True)
    job.start()
    pid = when_begun(tmp_path, "partition")
    assert pid != os.getpid()
    os.kill(pid, signal.SIGKILL)
    # What is not finished does not look as if it were.
    assert not (target / "_SUCCESS").exists()
    (tmp_path / "partition-over").touch()
    job.join(PATIENCE)
    assert (target / "_SUCCESS").exists()
    parts = [pd.read_parquet(path) for path in sorted(target.glob("part-*"))]
    assert len(parts) == 5
    assert_same(pd.concat(parts).to_numpy(), imputer.transform(NEW).to_numpy())


def test_the_example_of_the_page_runs(spark, pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "clusters.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?SparkImputer.*?)```", page, re.DOTALL)
    names = {"spark": spark}
    exec(code, names)
    expected = names["imputer"].transform(iim.samples.sensors()).to_numpy()
    assert_same(numbers(names["filled"]), expected)
    assert_same(np.array([cells["features"].toArray() for cells in names["features"].collect()]), expected)
