"""Folders of Parquet files as tables in partitions, for Dask.

::

    place ─► files ─► looks at them ─► columns to work with, pieces     finding, looking, describing
    piece ─► numbers, in a partition ─► filled by an adapter            pieces
    piece ────────────────────────────────┴─► a file with fills         pieces

Only numbers travel through Dask. What is written is read again from the file, and only its holes are
exchanged, as :mod:`iim.files` does it: text, dates and ids, types and known numbers stay as they are.
"""

from iim.cluster.folders.describing import FolderTable, describe_to_fill, describe_to_learn
from iim.cluster.folders.finding import Found, find_files
from iim.cluster.folders.pieces import as_dask, write_pieces

__all__ = [
    "FolderTable",
    "Found",
    "as_dask",
    "describe_to_fill",
    "describe_to_learn",
    "find_files",
    "write_pieces",
]
