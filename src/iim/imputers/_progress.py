"""Progress of a long call: a line on the terminal, or a call to the user's function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self

SHOW_AFTER = 1.0
"""Seconds before the line appears: short calls stay silent."""


class Reporter:
    """Turns "done of total" into fractions, told to one function.

    Parameters
    ----------
    tell : callable
        Called with a number from 0 to 1 that never falls.
    """

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell
        self._told = 0.0

    @classmethod
    def of(cls, progress: bool | Callable[[float], None], task: str) -> Self | None:
        """The reporter that the parameter ``progress`` asks for, or None."""
        if progress is False:
            return None
        return cls(_terminal_line(task) if progress is True else progress)

    def __call__(self, done: int, total: int) -> None:
        fraction = done / total if total else 1.0
        if fraction > self._told:
            self._told = fraction
            self._tell(fraction)

    def part(self, at: int, n_parts: int) -> Callable[[int, int], None]:
        """A function to tell of progress within one of several equal parts."""
        return lambda done, total: self(at * total + done, n_parts * total)

    def finish(self) -> None:
        """Tell that all is done."""
        self(1, 1)


def _terminal_line(task: str) -> Callable[[float], None]:
    begun = time.monotonic()
    shown = False

    def tell(fraction: float) -> None:
        nonlocal shown
        if time.monotonic() - begun < SHOW_AFTER and not shown:
            return
        shown = True
        end = "\n" if fraction >= 1.0 else ""
        sys.stderr.write(f"\riim: {task} {fraction:4.0%}{end}")
        sys.stderr.flush()

    return tell
