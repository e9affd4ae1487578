"""Measure how fast IIM is: ``python benchmarks/speed [topic ...]``; without a topic, all of them.

``--out FILE`` keeps the records as JSON; topics that were not measured now stay as they are in it.
``--quick`` tries everything on tiny made-up tables. ``python benchmarks/speed history --help`` is about the
ratios of earlier commits. Topics that use ``ca.csv`` need IIM_DATA.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):
    # Run as a folder: its parent is what holds this package and the data sets' reader.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from speed.running import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
