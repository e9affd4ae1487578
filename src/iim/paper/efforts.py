"""Size of a run: full, or a small pass of everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """Numbers of seeds, rows and points.

    Attributes
    ----------
    name : {"full", "quick"}
        Its name.
    n_seeds : int
        Draws of removed values behind each number of a table.
    n_figure_seeds : int
        Draws of removed values behind each point of a curve.
    most_rows : int or None
        Larger tables are cut to a sample of this many rows.
    """

    name: str
    n_seeds: int
    n_figure_seeds: int
    most_rows: int | None

    @property
    def is_quick(self) -> bool:
        """Whether it is the small pass."""
        return self.name == "quick"

    def pick(self, full: T, quick: T) -> T:
        """One of two values: for the full run, or for the small pass."""
        return quick if self.is_quick else full

    def rows(self, n_rows: int) -> int:
        """Number of rows used of a table."""
        return n_rows if self.most_rows is None else min(n_rows, self.most_rows)


FULL = Effort("full", n_seeds=10, n_figure_seeds=5, most_rows=None)
QUICK = Effort("quick", n_seeds=2, n_figure_seeds=1, most_rows=2000)
