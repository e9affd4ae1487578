"""The data of the experiments: read from a folder, generated, or downloaded with the user's consent.

::

    catalogue ──► reading: file ─► numbers ─► checksum ─► Data
                  standins: seed ─► numbers ─────────────┘
                  fetching: OpenML ─► numbers ─► checksum ─► file

``catalogue`` lists the data sets. A data set is identified by the checksum of its values, so that a result
is always one on the same numbers, whatever file they come from. Two of the paper's data sets are not
published; stand-ins of the same size and character replace them, and are labelled as such.
"""

from iim.paper.datasets.catalogue import DATASETS, Dataset
from iim.paper.datasets.fetching import download
from iim.paper.datasets.reading import Data, find_folder, load, state

__all__ = ["DATASETS", "Data", "Dataset", "download", "find_folder", "load", "state"]
