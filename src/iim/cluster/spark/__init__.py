"""Spark DataFrames: fill them with a fitted imputer, by a function or by a step of a pipeline.

Needs the packages of ``pip install "iim[spark]"``, on the workers too, and Java where Spark runs.
"""

from __future__ import annotations

from iim.cluster._packages import require

require(("pyarrow", "pandas", "pyspark.ml"), adapter="iim.cluster.spark", extra="spark")

from iim.cluster.spark.partition_fills import (  # noqa: E402 (whose imports would fail with less to say)
    SparkImputer,
    impute,
)

__all__ = ["SparkImputer", "impute"]
