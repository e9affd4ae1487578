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
import time
from typing import ClassVar

MOMENT = 0.01
"""Seconds until a signal that was lost is sent again."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. If it is lost on its way to the end of the command, it is sent again.

    Python drops what is raised in destructors and callbacks, and other packages what they did not expect:
    a compiler has many of both.
    """

    number: ClassVar[signal.Signals] = signal.SIGINT
    lost: ClassVar[list[KeyboardInterrupt]] = []
    on_its_way = False

    def __del__(self) -> None:
        if self.on_its_way:
            self.lost.append(type(self)())
            # Not by threading, which waits for the new thread here, where signals come and are lost.
            _thread.start_new_thread(_send, (self.number,))


class Terminated(Interrupted):
    """SIGTERM: to be cleaned up after as after Ctrl-C."""

    number: ClassVar[signal.Signals] = signal.SIGTERM
    is_raised: ClassVar[bool] = False

    def __del__(self) -> None:
        Terminated.is_raised = Terminated.is_raised and not self.on_its_way
        super().__del__()


def main() -> int:
    """Run the command that the process was started with.

    Returns
    -------
    int
        The exit code, one of :class:`iim.cli.exits.ExitCode`.
    """
    try:
        # What the process was told to ignore, by nohup for example, stays ignored.
        for kind in (Interrupted, Terminated):
            if signal.getsignal(kind.number) is not signal.SIG_IGN:
                signal.signal(kind.number, _end)
        sys.unraisablehook = _tell_unless_signal
        from iim.cli.running import run_process  # noqa: PLC0415 (a signal while it loads has no traceback)

        return run_process(sys.argv[1:])
    except BaseException as error:
        ended = what_ended_it(error)
        if ended is None:
            raise
        return 143 if isinstance(ended, Terminated) else 130


def _send(number: signal.Signals) -> None:
    time.sleep(MOMENT)
    _thread.interrupt_main(number)


def _end(number: int, _: object) -> None:
    error = Interrupted()
    if number == signal.SIGTERM:
        # A second one must not disturb the cleaning up after the first.
        if Terminated.is_raised:
            return
        Terminated.is_raised = True
        error = Terminated()
    error.on_its_way = True
    try:
        raise error
    finally:
        # Or the error holds this frame, and the frame the error: it would not be missed when it is lost.
        del error


def _tell_unless_signal(dropped: "sys.UnraisableHookArgs") -> None:
    if not isinstance(dropped.exc_value, Interrupted):
        sys.__unraisablehook__(dropped)


def what_ended_it(error: BaseException) -> KeyboardInterrupt | None:
    """The signal that an error began with, if it did: others make errors of their own of it."""
    began: BaseException | None = error
    while began is not None and not isinstance(began, KeyboardInterrupt):
        began = began.__cause__ or began.__context__
    if isinstance(began, Interrupted):
        began.on_its_way = False
    # A callback that a signal cut short leaves its caller with errors that do not know of it.
    return began or (Interrupted.lost[0] if Interrupted.lost else None)
