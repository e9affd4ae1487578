"""The command line: ``iim``, or ``python -m iim``.

::

    arguments ──► options ──► one public function ──► shown ──► exit code

``app`` has the commands, ``options`` what they share, ``arguments`` and ``building`` turn words into values
and imputers, ``show`` and ``progress`` speak, ``exits`` turns errors into a line and a code, ``running``
holds it together. This module imports nothing before Ctrl-C is caught.
"""

import sys


def main() -> int:
    """Run the command that the process was started with.

    Returns
    -------
    int
        The exit code, one of :class:`iim.cli.exits.ExitCode`.
    """
    try:
        from iim.cli.running import run_process  # noqa: PLC0415 (Ctrl-C while it loads has no traceback)

        return run_process(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
