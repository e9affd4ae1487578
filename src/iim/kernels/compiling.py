"""Events of compilation, so that command lines can report why a first call takes longer.

numba sends an event for every compilation, and none for code loaded from the cache. Without a listener this
costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

COMPILE = "numba:compile"
"""The event that numba broadcasts around each compilation."""


def is_kernel(function: Any) -> bool:
    """Whether a compiled function is one of our kernels, not one of numba's."""
    return str(function.py_func.__module__).startswith(f"{__package__}.")


@contextmanager
def watch_compiling(tell: Callable[[Any], None]) -> Iterator[None]:
    """Call ``tell`` with each kernel before it is compiled, while the context is active.

    Parameters
    ----------
    tell : callable
        Called with the kernel's numba dispatcher, in the thread that compiles.
    """
    listener = _Listener(tell)
    event.register(COMPILE, listener)
    try:
        yield
    finally:
        event.unregister(COMPILE, listener)


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if is_kernel(kernel):
            self._tell(kernel)

    def on_end(self, event: Any) -> None:
        """Ignored."""
