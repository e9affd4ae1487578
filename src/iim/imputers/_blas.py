"""Matrix products and factorisations on one thread.

BLAS libraries split sums among as many threads as there are cores. Then digits depend on the machine, and
each of our threads would start a pool of BLAS threads. Narrow matrices are no faster with threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; a context manager and a decorator.

    Some BLAS libraries have one pool per process, others one per calling thread. So threads started inside
    must enter it themselves.
    """
    keeper, call = _keeper_here(), object()
    try:
        keeper.enter(call)
        with _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        try:
            keeper.leave(call)
        except BaseException:
            # Ctrl-C during `leave` must not leave the process limited to one thread.
            keeper.leave(call)
            raise


class Keeper:
    """Limits a process-wide pool to one thread from the start of the first call to the end of the last.

    If each call removed the limit itself, the first to end would remove it for the others, and the last
    would restore the limit that it found. threadpoolctl lets only the thread that set a limit remove it,
    and that thread may end before the last call. So a separate thread sets it and waits.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._calls: set[object] = set()
        self._last_left = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(self, call: object) -> None:
        """Set the limit, if this call is the first."""
        with self._lock:
            is_first = not self._calls
            self._calls.add(call)
            if is_first:
                limited, self._last_left = threading.Event(), threading.Event()
                thread = threading.Thread(
                    target=_keep, args=(limited, self._last_left), name="iim-blas", daemon=True
                )
                thread.start()
                self._thread = thread
                limited.wait()

    def leave(self, call: object) -> None:
        """Remove the limit, if this call is the last; safe after an interrupted ``enter``, and twice."""
        with self._lock:
            self._calls.discard(call)
            if not self._calls:
                self._last_left.set()
                if self._thread is not None:
                    self._thread.join()


def _keep(limited: threading.Event, last_left: threading.Event) -> None:
    try:
        with _libraries().limit(limits=1, user_api="blas"):
            limited.set()
            last_left.wait()
    finally:
        # Also after an error, so that `enter` does not wait for ever.
        limited.set()


_keeper = Keeper()


def _keeper_here() -> Keeper:
    global _keeper  # noqa: PLW0603 (one for all calls is the point)
    if _keeper.process != os.getpid():
        # After a fork, the lock and the counts are those of the parent's threads.
        _keeper = Keeper()
    return _keeper


@cache
def _libraries() -> ThreadpoolController:
    # Cached, because finding the libraries takes longer than filling a row; numpy's is loaded at import.
    return ThreadpoolController()
