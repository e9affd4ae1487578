"""Filling at scale: Dask and Spark on one machine, against ``transform`` of the whole table.

Two tables, ``ca.csv`` and a generated one, with 5 % of the cells hidden; each method is fitted once, on a
sample of the rows, saved, and fills all rows: in this process, with Dask and with Spark, in 1 and in 16
partitions, from Parquet to Parquet. Printed: whether all cells, filled and known, are the same to the last
bit, the size of the model, and seconds, reading and writing included, after one run that is not counted, in
which workers start and load the model. Run:
``python benchmarks/clusters_filling.py`` with IIM_DATA set; it needs ``iim[dask,spark]`` and Java.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from pyspark.sql import SparkSession

import iim
from datasets import read
from iim.cluster import dask as on_dask
from iim.cluster import spark as on_spark
from iim.versions import versions

METHODS = ("mean", "glr", "gmm", "iim")
PARTITIONS = (1, 16)
HIDDEN = 0.05
ROW = "row"
"""A column that passes through: the number of the row, by which results are put in order."""

Job = Callable[[Any, Path, Path], None]


def main() -> None:
    """Set up the engines, fill and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the generated table")
    parser.add_argument("--sample", type=int, default=10_000, help="rows that models are fitted on")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of each engine")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    print(f"seconds from Parquet to Parquet, {options.workers} workers; default settings of all methods")
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster),
        closing(StoppedLater(options.workers)) as session,
    ):
        engines: dict[str, Job] = {"dask": with_dask, "spark": session.fill}
        for about, table in tables(options.rows):
            measure(about, table, engines, options.sample, Path(tempfile.mkdtemp(dir=folder)))
    found = versions() | {name: version(name) for name in ("dask", "distributed", "pyspark")}
    print("\n" + ", ".join(f"{name} {text}" for name, text in found.items()))


def tables(n_rows: int) -> list[tuple[str, pd.DataFrame]]:
    """What to fill: a name and a table with holes."""
    values, columns = read("ca")
    random = np.random.default_rng(1)
    made = np.tanh(random.normal(size=(n_rows, 3)) @ random.normal(size=(3, 5)))
    made += 0.1 * random.normal(size=made.shape)
    return [
        ("ca.csv", hide(pd.DataFrame(values, columns=columns))),
        ("generated", hide(pd.DataFrame(made, columns=[f"x{at}" for at in range(5)]))),
    ]


def hide(table: pd.DataFrame) -> pd.DataFrame:
    """The table with some cells hidden, and with the numbers of its rows."""
    holes = np.random.default_rng(0).random(table.shape) < HIDDEN
    holed = table.mask(holes)
    holed.insert(0, ROW, np.arange(len(table)))
    return holed


def measure(about: str, table: pd.DataFrame, engines: dict[str, Job], n_sample: int, folder: Path) -> None:
    """Fill a table in all ways, compare, and print a line for each method."""
    columns = [name for name in table.columns if name != ROW]
    sample = table.sample(min(n_sample, len(table) // 2), random_state=0)
    n_holes = int(table.isna().to_numpy().sum())
    print(
        f"\n{about}, {len(table):,} x {len(columns)}, {HIDDEN:.0%} of the cells hidden (seed 0): "
        f"{n_holes:,} holes; fitted on {len(sample):,} rows"
    )
    for n_partitions in PARTITIONS:
        write_parts(table, folder / f"{n_partitions}", n_partitions)
    ways = {f"{name} in {n}": (job, n) for name, job in engines.items() for n in PARTITIONS}
    header = f"{'method':>8}{'MB':>8}{'fit s':>8}{'local s':>9}" + "".join(f"{way:>13}" for way in ways)
    print(f"{header}{'same bits':>12}")
    for key in METHODS:
        model = folder / f"{key}.iim"
        begun = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", iim.FallbackWarning)
            imputer = iim.METHODS[key](columns=columns).fit(sample)
            fitted = time.perf_counter() - begun
            imputer.save(model)
            alone = timed(local, imputer, folder / "1", folder / f"{key}-local")
        expected = read_back(folder / f"{key}-local")
        cells, same = "", True
        for way, (job, n) in ways.items():
            cells += f"{timed(job, model, folder / f'{n}', folder / f'{key}-{way}'):>13.2f}"
            filled = read_back(folder / f"{key}-{way}")
            same &= filled.equals(expected) and filled.to_numpy().tobytes() == expected.to_numpy().tobytes()
        size = model.stat().st_size / 2**20
        print(
            f"{key:>8}{size:>8.1f}{fitted:>8.2f}{alone:>9.2f}{cells}{'yes' if same else 'NO':>12}",
            flush=True,
        )
        assert same


def timed(job: Job, model: Any, source: Path, target: Path) -> float:
    """Seconds of a job, the second time."""
    job(model, source, target.with_name(f"{target.name}-first"))
    begun = time.perf_counter()
    job(model, source, target)
    return time.perf_counter() - begun


def write_parts(table: pd.DataFrame, folder: Path, n_parts: int) -> None:
    """The table as a folder of Parquet files."""
    folder.mkdir()
    borders = np.linspace(0, len(table), n_parts + 1).astype(int)
    for at in range(n_parts):
        table.iloc[borders[at] : borders[at + 1]].to_parquet(folder / f"{at:03}.parquet", index=False)


def read_back(folder: Path) -> pd.DataFrame:
    """A folder of Parquet files as a table, its rows in order."""
    parts = [pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]
    return pd.concat(parts).sort_values(ROW, ignore_index=True)


def local(imputer: Any, source: Path, target: Path) -> None:
    """In this process, all rows at once."""
    target.mkdir()
    imputer.transform(pd.read_parquet(source)).to_parquet(target / "000.parquet", index=False)


def with_dask(model: Path, source: Path, target: Path) -> None:
    """With the workers of the Dask cluster that this process is a client of."""
    ddf = dd.read_parquet(source, split_row_groups=False)
    assert ddf.npartitions == len(list(source.iterdir()))
    filled = on_dask.impute(ddf, model)
    filled.to_parquet(target, write_index=False)


class StoppedLater:
    """A local Spark, until it is closed."""

    def __init__(self, n_workers: int) -> None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self.session = (
            SparkSession.builder.master(f"local[{n_workers}]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.showConsoleProgress", "false")
            # A partition for each file, however small.
            .config("spark.sql.files.openCostInBytes", str(2**27))
            .getOrCreate()
        )
        self.session.sparkContext.setLogLevel("ERROR")

    def fill(self, model: Path, source: Path, target: Path) -> None:
        """With its Python workers."""
        df = self.session.read.parquet(str(source))
        assert df.rdd.getNumPartitions() == len(list(source.iterdir()))
        on_spark.impute(df, model).write.parquet(str(target))

    def close(self) -> None:
        """Stop it."""
        self.session.stop()


if __name__ == "__main__":
    main()
