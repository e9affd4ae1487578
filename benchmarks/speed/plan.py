"""How much to measure, and with which settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import iim

GRID_96 = range(1, 101, 5)
"""l = 1, 6, ..., 96: the grid of the paper's program."""

GRID_951 = range(1, 1001, 50)
"""l = 1, 51, ..., 951."""


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes
    ----------
    quick : bool
        Tiny generated tables instead of the real sizes: shows that all runs, says nothing of speed.
    rounds : int
        How often each task is repeated, at most.
    workers : int
        Threads, ours and the others'.
    rows : int
        Rows of the largest table.
    """

    quick: bool = False
    rounds: int = 7
    workers: int = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    rows: int = 1_000_000

    def sizes(self, full: Sequence[int], quick: Sequence[int]) -> list[int]:
        """The sizes to measure at."""
        return list(quick if self.quick else full)


def settings(learning_grid: Sequence[int] = GRID_96, **changes: Any) -> dict[str, Any]:
    """The paper's settings on standardised columns, as all speed targets are stated."""
    return {**iim.PAPER, "scale": "standard", "learning_grid": learning_grid, **changes}


def grid_text(grid: Sequence[int]) -> str:
    """A grid with equal steps, in short."""
    return f"l = {grid[0]}, {grid[1]}, ..., {grid[-1]}"
