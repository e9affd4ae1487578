"""One run of the command line, from arguments to an exit code."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Sequence
from typing import Any

from iim.cli.exits import ExitCode, explain
from iim.cli.streams import Environment
from iim.present.names import as_one_line

COMPLETION = "_IIM_COMPLETE"
"""Set by the shell that asks for completions."""

RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
"""For the word "error" on a terminal; rich would have to be loaded for it."""


def run_process(arguments: Sequence[str]) -> int:
    """Run a command with the streams of this process; see :func:`run`."""
    code = run(arguments, Environment.of_process())
    # From here on nothing is left to clean up, and Python's own shutdown would answer with a traceback.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    return code


def run(arguments: Sequence[str], environment: Environment) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``iim``.
    environment : Environment
        Where to read and write.

    Returns
    -------
    int
        The exit code. Nothing is raised: errors are a line on standard error.
    """
    try:
        with environment.as_standard():
            code = _run_command(list(arguments) or ["--help"], environment)
        environment.stdout.flush()
    except SystemExit as ended:
        # Completion, which typer ends itself.
        return ended.code if isinstance(ended.code, int) else ExitCode.BUG
    except BaseException as error:  # noqa: BLE001 (the one place where all errors end)
        code, message = explain(error)
        if "--debug" in arguments:
            environment.stderr.write("".join(traceback.format_exception(error)))
        if message is not None:
            _tell_error(environment, message)
    environment.drop_output()
    return int(code)


def _run_command(arguments: list[str], environment: Environment) -> int:
    import typer  # noqa: PLC0415 (inside what turns Ctrl-C into a code)

    from iim.cli.app import app  # noqa: PLC0415

    command: Any = typer.main.get_command(app)
    if environment.variables.get(COMPLETION):
        command.main(arguments, prog_name="iim")
    named = arguments[0] if arguments[0] in command.commands else ""
    # Not command.main: it ends with lines and codes of its own for errors, Ctrl-C and closed pipes.
    usage_error: type[Any] = typer.BadParameter.__mro__[1]
    try:
        with command.make_context("iim", arguments, obj=environment) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except usage_error as error:
        _tell_error(environment, error.format_message())
        environment.tell(f"See: iim {named} --help" if named else "See: iim --help")
        return ExitCode.WRONG_INPUT
    return ExitCode.DONE


def _tell_error(environment: Environment, message: str) -> None:
    begin, line = "iim: error:", as_one_line(message)
    if environment.stderr_is_terminal and environment.has_colours:
        begin = f"{RED}{begin}{PLAIN}"
    environment.tell(f"{begin} {line}")
