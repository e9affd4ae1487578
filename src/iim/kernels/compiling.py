"""Who is compiling, and when: for command lines, which say why nothing seems to happen.

numba tells of every compilation that really takes place, and not of machine code that it finds on disk. So
nothing is asked in advance, and a library call that nobody listens to costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

COMPILE = "numba:compile"
"""The event that numba broadcasts around each compilation."""


def is_kernel(function: Any) -> bool:
    """Whether a compiled function is one of ours, and not a part of numba."""
    return str(function.py_func.__module__).startswith(f"{__package__}.")


@contextmanager
def watch_compiling(tell: Callable[[Any], None]) -> Iterator[None]:
    """While inside, ``tell`` is called with each kernel that is about to be compiled.

    Parameters
    ----------
    tell : callable
        Gets the kernel, as numba keeps it, in the thread that compiles.
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
        """Nothing to tell."""
