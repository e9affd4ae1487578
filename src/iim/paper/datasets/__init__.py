"""The data of the experiments: read from a folder, made, or downloaded if the user agrees.

::

    catalogue ──► reading: file ─► numbers ─► checksum ─► Data
                  standins: seed ─► numbers ─────────────┘
                  fetching: OpenML ─► numbers ─► checksum ─► file

``catalogue`` says what there is. A data set is known by the checksum of its values, so that a result is
always one on the same numbers, wherever the file comes from. Two of the paper's data sets are not
published; stand-ins of the same size and character take their place, and say so.
"""

from iim.paper.datasets.catalogue import DATASETS, Dataset
from iim.paper.datasets.fetching import download
from iim.paper.datasets.reading import Data, find_folder, load, state

__all__ = ["DATASETS", "Data", "Dataset", "download", "find_folder", "load", "state"]
