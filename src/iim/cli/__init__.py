"""The command line: ``iim``, or ``python -m iim``.

::

    arguments ──► parser ──► options ──► one public function ──► shown ──► exit code

``commands`` has a module for each command; ``options`` has what they share, ``imputer_choice`` makes an
imputer of words. ``tables`` reads and writes, ``session`` and ``results`` show, ``exits``
turns errors into a line and a code, ``signals`` ends a run from outside, ``running`` holds it together.
This module imports nothing of weight before signals are caught.
"""

import sys

from iim.cli import signals


def main() -> int:
    """Run the command that the process was started with.

    Returns
    -------
    int
        The exit code, one of :class:`iim.cli.exits.ExitCode`.
    """
    try:
        signals.catch()
        from iim.cli.running import run_process  # noqa: PLC0415 (a signal while it loads has no traceback)

        return run_process(sys.argv[1:])
    finally:
        signals.release()
