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
    except BaseException as error:
        if what_ended_it(error) is None:
            raise
        return 130


def what_ended_it(error: BaseException) -> KeyboardInterrupt | None:
    """The signal that an error began with, if it did: others make errors of their own of it."""
    began: BaseException | None = error
    while began is not None and not isinstance(began, KeyboardInterrupt):
        began = began.__cause__ or began.__context__
    return began
