"""Progress of a long call: a line on the terminal, or a call to the user's function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self

SHOW_AFTER = 1.0
"""Seconds before the line appears; short calls show nothing."""


class Reporter:
    """Turns "done of total" into increasing fractions, and calls a function with them.

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
        """The reporter for the parameter ``progress``, or None."""
        if progress is False:
            return None
        return cls(_TerminalLine(task) if progress is True else progress)

    def __call__(self, done: int, total: int) -> None:
        fraction = done / total if total else 1.0
        if fraction > self._told:
            self._told = fraction
            self._tell(fraction)

    def doing(self, what: str) -> None:
        """Name the current step. The line shows it; a user's function does not get it."""
        if isinstance(self._tell, _TerminalLine):
            self._tell.what = what
            self._tell(self._told)

    def part(self, at: int, n_parts: int) -> Callable[[int, int], None]:
        """A function to report progress within one of several equal parts."""
        return lambda done, total: self(at * total + done, n_parts * total)

    def finish(self) -> None:
        """Report that all is done."""
        self(1, 1)


class _TerminalLine:
    def __init__(self, task: str) -> None:
        self.what = ""
        self._task = task
        self._begun = time.monotonic()
        self._shown = ""

    def __call__(self, fraction: float) -> None:
        if time.monotonic() - self._begun < SHOW_AFTER and not self._shown:
            return
        done = fraction >= 1.0
        text = f"iim: {self._task} {fraction:4.0%}" + (f" ({self.what})" if self.what and not done else "")
        if text == self._shown:
            return
        # Blanks erase a longer previous line.
        wiped = "\r" + " " * len(self._shown) if len(self._shown) > len(text) else ""
        sys.stderr.write(f"{wiped}\r{text}" + ("\n" if done else ""))
        sys.stderr.flush()
        self._shown = text
