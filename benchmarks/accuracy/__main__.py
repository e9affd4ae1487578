"""Measure how accurate imputers are: ``python -m benchmarks.accuracy run`` and ``... report``."""

from __future__ import annotations

import sys
from pathlib import Path

# The parent of this folder holds this package and the data sets' reader, however this was called.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
