"""Tables in files: read as numbers and missing cells, and written back with only the missing cells changed.

::

    bytes ──► format ──► source ──► pieces ──► numbers and mask ───► an imputer ───► fills
                                      └──────────────────────────────────────────────┴──► writer ──► bytes

A *source* reads a file in pieces of its own kind, and a *writer* takes pieces with their fills. A format is
one module with both, and one row in :mod:`~iim.files.formats`, where their protocol is.

Known cells of a text file are written byte for byte: its bytes are copied, and only those of missing cells
are replaced. So every number, quote, line end and blank stays as it was. Parquet and Feather are read and
written with Arrow, which keeps types.
"""

from iim.files.dialects import Layout
from iim.files.filled_files import Streamed, fill_file, write_file
from iim.files.formats import FORMATS, format_of_name, format_of_output
from iim.files.streams import NotWritten
from iim.files.tables import Choice, FileTable, read_file

__all__ = [
    "FORMATS",
    "Choice",
    "FileTable",
    "Layout",
    "NotWritten",
    "Streamed",
    "fill_file",
    "format_of_name",
    "format_of_output",
    "read_file",
    "write_file",
]
