"""Tables in files: read as numbers with holes, written back with nothing changed but the holes.

::

    bytes ──► format, dialect ──► blocks of fields ──► numbers and holes ──► an imputer ──► fills
    bytes ──────────────────────────────────────────────────────────────────────┴──► bytes with fills

A text file is never taken apart and put together again: its bytes are copied, and only the bytes of missing
cells are exchanged. So every number, quote, line end and blank is as it was written. Parquet and Feather go
through Arrow, which keeps types.
"""

from iim.files.choosing import Choice
from iim.files.layouts import FORMATS, Layout
from iim.files.output import NotWritten
from iim.files.streaming import Streamed, fill_file
from iim.files.tables import FileTable, read_file, write_file

__all__ = [
    "FORMATS",
    "Choice",
    "FileTable",
    "Layout",
    "NotWritten",
    "Streamed",
    "fill_file",
    "read_file",
    "write_file",
]
