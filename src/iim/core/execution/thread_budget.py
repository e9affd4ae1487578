"""Threads that simultaneous calls of this process share.

If each call had a pool as large as the machine, n calls would have n times too many threads. Instead the
first call takes all threads it requests, the next ones take what is left, and each at least one. So n calls
exceed the limit by n - 1 threads at most.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ThreadBudget:
    """Counts the threads in use, in one process."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._taken = 0

    def holds_here(self) -> bool:
        """Whether this process made it: after a fork, the counts and locks are the parent's."""
        return self._process == os.getpid()

    @contextmanager
    def take(self, wanted: int, most: int) -> Iterator[int]:
        """Take threads, and return them at the end.

        Parameters
        ----------
        wanted : int
            Threads that the call has work for.
        most : int
            Limit for all calls together.

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
