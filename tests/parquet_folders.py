"""Folders of Parquet files, for tests of engines."""

from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.utils import natural_sort_key


def measurements(n_rows: int = 240) -> pa.Table:
    """An id, text, dates, floats of two sizes, whole numbers; two columns have holes, never together."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, n_rows))
    z = 3 * x - y + random.normal(size=n_rows) / 10
    k = np.round(10 * x + 20 * (y > 0)).astype(int)
    draw = random.random(n_rows)
    return pa.table(
        {
            "id": np.arange(n_rows),
            "station": [f"s{row % 7}" for row in range(n_rows)],
            "x": x,
            "y": y.astype(np.float32),
            "z": pa.array(z, mask=draw < 0.1),
            "k": pa.array(k, mask=draw > 0.9),
            "day": [date(2026, 1, 1 + row % 28) for row in range(n_rows)],
        }
    )


def write_folder(folder: Path, table: pa.Table, n_files: int = 3) -> Path:
    """The table in files, whose names are not in the order of the alphabet."""
    folder.mkdir()
    ends = np.linspace(0, table.num_rows, n_files + 1).astype(int)
    for at, (begin, end) in enumerate(pairwise(ends.tolist())):
        pq.write_table(
            table.slice(begin, end - begin), folder / f"part-{at * 5}.parquet", row_group_size=50
        )
    return folder


def read_folder(folder: Path) -> pa.Table:
    """All files, in the order of their names and the numbers in these."""
    files = (path for path in folder.rglob("*.parquet") if path.is_file())
    paths = sorted(files, key=lambda path: natural_sort_key(str(path)))
    return pa.concat_tables([pq.ParquetFile(path).read() for path in paths])
