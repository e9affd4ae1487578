"""Matrix products and factorisations on one thread.

The libraries below numpy divide sums among as many threads as there are cores. Digits then depend on the
machine, threads of ours would each wake a pool of theirs, and matrices as narrow as tables are no faster.
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
    """While inside, the libraries below numpy use one thread; also a decorator.

    Some libraries have one pool for the process, others one for each thread that calls them: threads that
    are started inside enter it themselves.
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
            # Ctrl-C just here must not leave the process with one thread for ever.
            keeper.leave(call)
            raise


class Keeper:
    """Keeps a process-wide pool at one thread from the first call's begin to the last call's end.

    Were the limit lifted by each call for itself, the first to end would lift it for the others, and the
    last would leave behind what it met. threadpoolctl lets only the thread lift it that set it, which may
    have left long before the last one: so it is set by a thread that does nothing else.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._calls: set[object] = set()
        self._last_left = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(self, call: object) -> None:
        """Limit, if this call is the first."""
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
        """Lift the limit, if this call is the last; also if its ``enter`` was cut short, and again."""
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
        # Should the library refuse, nobody waits for it.
        limited.set()


_keeper = Keeper()


def _keeper_here() -> Keeper:
    global _keeper  # noqa: PLW0603 (one for all calls is the point)
    if _keeper.process != os.getpid():
        # A fork copies locks and counts of threads that it has not.
        _keeper = Keeper()
    return _keeper


@cache
def _libraries() -> ThreadpoolController:
    # Looking for them takes longer than a row; numpy's own is there from the start.
    return ThreadpoolController()
