"""Threads that calls of this process share while they run at the same time.

A pool for each of several calls, each as large as the machine, would multiply their threads. What is free
is divided instead: the first call takes all that it asks for, the next ones what is left, and each at
least one. So n calls never have more than n - 1 threads beyond what one of them would have.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ThreadBudget:
    """How many threads are taken, in one process."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._taken = 0

    def holds_here(self) -> bool:
        """Whether it was opened by this process: a fork copies counts and locks of threads it has not."""
        return self._process == os.getpid()

    @contextmanager
    def take(self, wanted: int, most: int) -> Iterator[int]:
        """Take threads, and give them back in the end.

        Parameters
        ----------
        wanted : int
            Threads that the call has work for.
        most : int
            Threads that all calls may have together.

        Yields
        ------
        int
            Threads to use: from 1 to ``wanted``.
        """
        with self._lock:
            given = max(1, min(wanted, most - self._taken))
            self._taken += given
        try:
            yield given
        finally:
            with self._lock:
                self._taken -= given


_budget = ThreadBudget()


def this_process() -> ThreadBudget:
    """The budget of this process."""
    global _budget  # noqa: PLW0603 (one for all calls is the point)
    if not _budget.holds_here():
        _budget = ThreadBudget()
    return _budget
