"""Fill Spark DataFrames with a fitted imputer, by a function or by a step of a pipeline.

Needs the packages of ``pip install "iim[spark]"``, also on the workers, and Java where Spark runs.
"""

from __future__ import annotations

from iim.cluster._packages import require

require(("pyarrow", "pandas", "pyspark.ml"), adapter="iim.cluster.spark", extra="spark")

from iim.cluster.spark.partition_fills import (  # noqa: E402 (after the check: import errors say less)
    SparkImputer,
    impute,
)

__all__ = ["SparkImputer", "impute"]
