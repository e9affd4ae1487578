"""Run steps that may fail, and keep result, error, time and warnings."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

now: Callable[[], float] = time.perf_counter
"""Seconds; tests replace this clock."""


@dataclass(frozen=True)
class Attempt:
    """The result of an attempt.

    Attributes
    ----------
    value : object
        The value returned by the last step; None if it failed.
    error : Exception, SystemExit or None
        The error raised.
    seconds : tuple of float
        Time of each step, a failed one included.
    warned : sequence of warnings.WarningMessage
        Warnings, if they were recorded.
    """

    value: Any
    error: Exception | SystemExit | None
    seconds: tuple[float, ...]
    warned: Sequence[warnings.WarningMessage] = ()

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def attempt(
    first: Callable[[], Any], *steps: Callable[[Any], Any], listen: bool = True, foreign: bool = False
) -> Attempt:
    """Run some steps in order, and catch their errors; Ctrl-C is not caught.

    Parameters
    ----------
    first : callable
        The first step.
    *steps : callable
        Further steps; each is called with the result of the one before.
    listen : bool, default=True
        Whether warnings are recorded instead of shown, in all threads of the process.
    foreign : bool, default=False
        Whether to catch ``SystemExit`` too, for code of others that may call ``sys.exit``.

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
