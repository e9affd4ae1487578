"""Measure where imputers fail: ``python -m benchmarks.cliffs run``, ``... score``, ``... layout``."""

from __future__ import annotations

import sys
from pathlib import Path

# The parent of this folder holds the packages of all benchmarks.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cliffs.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
