"""Ctrl-C at a chosen moment."""

import sys
from contextlib import contextmanager
from pathlib import Path

import iim

SOURCE = str(Path(iim.__file__).parent)


@contextmanager
def interrupted_at(moment):
    """Raise KeyboardInterrupt as the iim function is entered that is called as the ``moment``-th."""
    n_calls = 0

    def trace(frame, event, argument):
        nonlocal n_calls
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            n_calls += 1
            if n_calls == moment:
                raise KeyboardInterrupt

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lambda: n_calls
    finally:
        sys.settrace(former)
