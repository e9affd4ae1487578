"""Dask DataFrames: fill them with a fitted imputer, or learn from them, whatever their size.

Needs the packages of ``pip install "iim[dask]"``, on the workers too.
"""

from __future__ import annotations

from iim.cluster._packages import require

require(("pyarrow", "pandas", "dask.dataframe"), adapter="iim.cluster.dask", extra="dask")

# Their own imports would fail with less to say.
from iim.cluster.dask.fitting import fit, open_model  # noqa: E402
from iim.cluster.dask.partition_fills import impute  # noqa: E402

__all__ = ["fit", "impute", "open_model"]
