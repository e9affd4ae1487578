"""Tables in files: read as numbers with holes, written back with nothing changed but the holes.

::

    bytes ──► format ──► source ──► pieces ──► numbers and holes ──► an imputer ──► fills
                                      └──────────────────────────────────────────────┴──► writer ──► bytes

A *source* reads a file in pieces of its own kind, and a *writer* takes pieces with their fills. A format is
one module with both, and one row in :mod:`~iim.files.formats`, where their protocol is.

Known cells of a text file come back byte for byte: its bytes are copied, and only those of missing cells
are exchanged. So every number, quote, line end and blank is as it was written. Parquet and Feather go
through Arrow, which keeps types.
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
