"""One try at something that may fail: what came of it, how long it took, what was warned of."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

now: Callable[[], float] = time.perf_counter
"""Seconds; tests put a clock of their own in its place."""


@dataclass(frozen=True)
class Attempt:
    """What came of a try.

    Attributes
    ----------
    value : object
        What the last step returned; None if it failed.
    error : Exception, SystemExit or None
        Why it failed.
    seconds : tuple of float
        Time that each step took; that of the failed one, too.
    warned : sequence of warnings.WarningMessage
        What was warned of, if that was to be heard.
    """

    value: Any
    error: Exception | SystemExit | None
    seconds: tuple[float, ...]
    warned: Sequence[warnings.WarningMessage] = ()

    def result(self) -> Any:
        """The value, or the error raised."""
        if self.error is not None:
            raise self.error
        return self.value


def attempt(
    first: Callable[[], Any], *steps: Callable[[Any], Any], listen: bool = True, foreign: bool = False
) -> Attempt:
    """Try some steps, one after the other. Any error is kept; Ctrl-C is not.

    Parameters
    ----------
    first : callable
        The first step.
    *steps : callable
        Further ones; each gets what the one before returned.
    listen : bool, default=True
        Whether warnings are kept instead of shown. That holds for all threads of the process while it
        lasts.
    foreign : bool, default=False
        Whether it is code of others, that may call ``sys.exit``: an exit is kept, too.

    Returns
    -------
    Attempt
    """
    value, error, seconds = None, None, []
    kept = (Exception, SystemExit) if foreign else (Exception,)
    with warnings.catch_warnings(record=True) if listen else nullcontext() as caught:
        if listen:
            warnings.simplefilter("always")
        for step in (lambda _: first(), *steps):
            begun = now()
            try:
                value = step(value)
            except kept as raised:
                value, error = None, raised
            seconds.append(now() - begun)
            if error is not None:
                break
    return Attempt(value, error, tuple(seconds), caught or ())
