"""Ctrl-C and SIGTERM: an exception at once, and, if that is lost, an end within two seconds.

A signal raises KeyboardInterrupt. Python drops what is raised in destructors and callbacks, of which a
compiler has many, and other packages catch what they did not expect; so the signal is also kept in
``received``, and :func:`check` raises again wherever a command is between two steps. Where neither helps,
as in a long call of compiled code, a thread removes unfinished files and ends the process.
"""

import atexit
import os
import signal
import sys
import threading

PATIENCE = 1.0
"""Seconds for an exception to arrive, before the process is ended without it."""

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}

received: signal.Signals | None = None
"""The signal that ends this process, once there was one."""

_arrived = threading.Event()


def catch() -> None:
    """From now on, signals end the process as said above."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):
        # A signal to a child is not one to this process.
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_watch, args=(reader,), name="iim signals", daemon=True).start()
    for number in WORDS:
        # What the process was told to ignore, by nohup for example, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    sys.unraisablehook = _tell_unless_interrupted


def release() -> None:
    """Nothing is left to clean up: a signal ends the process at once; if there was one, it ends now.

    Python's own shutdown would answer a signal with a traceback. After one, it waits for threads at work;
    and its exit code is another if the exception went through code that C had started.
    """
    if received is not None:
        atexit._run_exitfuncs()
        os._exit(128 + received)
    for number in WORDS:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)


def check() -> None:
    """Raise KeyboardInterrupt if there was a signal, and its exception got lost."""
    if received is not None and not _arrived.is_set():
        raise KeyboardInterrupt


def arrive() -> None:
    """The exception is on its way to the end of the command: cleaning up may take as long as it takes."""
    _arrived.set()


def _end(number: int, _: object) -> None:
    global received  # noqa: PLW0603 (there is one process, and one end)
    # A second one must not disturb the cleaning up after the first.
    if received is None:
        received = signal.Signals(number)
        raise KeyboardInterrupt


def _watch(reader: int) -> None:
    """Wait for a signal, even while Python can call no handler, and see to it that it ends the process."""
    while (number := os.read(reader, 1)[0]) not in WORDS:
        pass
    while not _arrived.wait(PATIENCE):
        # Another handler: whoever set it holds signals back, to start or to end something as a whole.
        if signal.getsignal(number) is _end:
            # If it is not loaded, nothing was written.
            atomic = sys.modules.get("iim.persistence.atomic")
            if atomic is not None:
                atomic.remove_unfinished()
            # A bar of progress hides the cursor.
            clear = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
            os.write(2, f"{clear}iim: error: {WORDS[signal.Signals(number)]}\n".encode())
            os._exit(128 + number)


def _tell_unless_interrupted(dropped: "sys.UnraisableHookArgs") -> None:
    if not isinstance(dropped.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
