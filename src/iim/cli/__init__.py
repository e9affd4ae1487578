"""The command line: ``iim``, or ``python -m iim``.

::

    arguments ──► options ──► one public function ──► shown ──► exit code

``app`` has the commands, ``options`` what they share, ``arguments`` and ``building`` turn words into values
and imputers, ``show`` and ``progress`` speak, ``exits`` turns errors into a line and a code, ``running``
holds it together. This module imports nothing of weight before signals are caught.
"""

import _thread
import signal
import sys
import threading
from typing import NoReturn

MOMENT = 0.01
"""Seconds until a signal that was dropped is sent again."""

dropped: list[KeyboardInterrupt] = []
"""Signals that Python dropped, since they came in a destructor or a callback of the compiler."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: to be cleaned up after as after Ctrl-C."""


def main() -> int:
    """Run the command that the process was started with.

    Returns
    -------
    int
        The exit code, one of :class:`iim.cli.exits.ExitCode`.
    """
    sys.unraisablehook = _keep_signals
    try:
        # What the process was told to ignore, by nohup for example, stays ignored.
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminate)
        from iim.cli.running import run_process  # noqa: PLC0415 (a signal while it loads has no traceback)

        return run_process(sys.argv[1:])
    except BaseException as error:
        ended = what_ended_it(error)
        if ended is None:
            raise
        return 143 if isinstance(ended, Terminated) else 130


def _terminate(*_: object) -> NoReturn:
    # Once: a second one must not disturb the cleaning up after the first.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def _keep_signals(lost: "sys.UnraisableHookArgs") -> None:
    """Send a signal again that came where Python drops every error: in a destructor or a callback."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    dropped.append(lost.exc_value)
    number = signal.SIGINT
    if isinstance(lost.exc_value, Terminated):
        number = signal.SIGTERM
        signal.signal(number, _terminate)
    # Later, since here it would be dropped again.
    again = threading.Timer(MOMENT, _thread.interrupt_main, (number,))
    again.daemon = True
    again.start()


def what_ended_it(error: BaseException) -> KeyboardInterrupt | None:
    """The signal that an error began with, if it did: others make errors of their own of it."""
    began: BaseException | None = error
    while began is not None and not isinstance(began, KeyboardInterrupt):
        began = began.__cause__ or began.__context__
    # A callback that a signal cut short leaves its caller with errors that do not know of it.
    return began or (dropped[0] if dropped else None)
