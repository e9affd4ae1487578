"""Fill Dask DataFrames of any size with a fitted imputer, or learn from them.

Needs the packages of ``pip install "iim[dask]"``, also on the workers.
"""

from __future__ import annotations

from iim.cluster._packages import require

require(("pyarrow", "pandas", "dask.dataframe"), adapter="iim.cluster.dask", extra="dask")

# After the check, because their own import errors say less.
from iim.cluster.dask.fitting import fit, open_model  # noqa: E402
from iim.cluster.dask.partition_fills import impute  # noqa: E402

__all__ = ["fit", "impute", "open_model"]
