"""A bar of progress, with the time left, for whoever waits at a terminal longer than a second."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from iim.cli import signals
from iim.cli.streams import Environment

SHOW_AFTER = 1.0
"""Seconds before the bar appears: short commands stay calm."""


class Bar:
    """One line on standard error that shows the phase at work; gone when all is done.

    Parameters
    ----------
    environment : Environment
        Where to draw.
    wanted : bool
        Whether to draw at all, if there is a terminal.
    timer : callable, default=threading.Timer
        Calls a function after a number of seconds, as :class:`threading.Timer`.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        wanted: bool,
        timer: Callable[[float, Callable[[], None]], Any] = threading.Timer,
    ) -> None:
        self._environment = environment
        # A bar is drawn by the timer's thread and moved by the one that works.
        self._lock = threading.RLock()
        self._live: Any = None
        self._task: Any = None
        self._phase = ""
        self._fraction: float | None = None
        self._timer: Any = None
        if wanted and environment.stderr_is_terminal:
            self._timer = timer(SHOW_AFTER, self._show)
            self._timer.daemon = True
            self._timer.start()

    def begin(self, phase: str) -> None:
        """Show this phase from now on, at an unknown part of its way."""
        with self._lock:
            self._phase, self._fraction = phase, None
            if self._live is not None:
                self._live.reset(self._task, total=None, description=_title(phase))

    def tell(self, fraction: float) -> None:
        """Show how much of the phase is done, from 0 to 1; it ends here if a signal got lost."""
        signals.check()
        with self._lock:
            self._fraction = fraction
            if self._live is not None:
                self._live.update(self._task, total=1.0, completed=fraction)

    def say(self, line: str) -> bool:
        """Write a line above the bar, if there is one; whether it did."""
        with self._lock:
            if self._live is None:
                return False
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
            return True

    def close(self) -> None:
        """Take the bar away, for good."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._live is not None:
                self._live.stop()
            self._timer = self._live = None

    def _show(self) -> None:
        # Loaded by those who see it only, and before anyone has to wait for the lock.
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        from iim.cli.session import console_for  # noqa: PLC0415

        with self._lock:
            if self._timer is None:
                return
            self._live = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                TextColumn("left"),
                console=console_for(self._environment, self._environment.stderr),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._live.add_task(_title(self._phase), total=None)
            if self._fraction is not None:
                self.tell(self._fraction)
            self._live.start()


def _title(phase: str) -> str:
    return phase.capitalize().ljust(len("Comparing"))
