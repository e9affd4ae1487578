"""One run of the command line: from arguments to an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module

from iim._names import did_you_mean
from iim.cli import signals
from iim.cli.commands import COMMANDS
from iim.cli.exits import CODES_IN_WORDS, ExitCode, explain, writing
from iim.cli.parser import Parser, WrongUsage
from iim.cli.session import Session
from iim.cli.streams import Environment
from iim.present.names import as_one_line

ABOUT = """\
Fill missing numbers in tables. iim fits a small model around each row and
averages the models of the nearest rows.

Examples
--------
  iim demo --write sensors.csv
  iim impute sensors.csv -o filled.csv --report report.html
  iim compare sensors.csv
"""

RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
"""The word "error" in red, without loading rich."""


def run_process(arguments: Sequence[str]) -> int:
    """Run a command on the streams of this process; see :func:`run`."""
    return run(arguments, Environment.of_process())


def run(arguments: Sequence[str], environment: Environment) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str
        Arguments after ``iim``.
    environment : Environment
        Streams to read and write.

    Returns
    -------
    int
        The exit code. Nothing is raised: an error is a line on standard error.
    """
    code, message = ExitCode.DONE, None
    try:
        # Help and the demo write to the streams of Python.
        with redirect_stdout(environment.stdout), redirect_stderr(environment.stderr):
            run_command(list(arguments), environment)
        with writing("-"):
            environment.stdout.flush()
        signals.check()
    except BaseException as error:  # noqa: BLE001 (all errors of a run are handled here)
        signals.arrive()
        code, message = explain(error)
        if "--debug" in arguments:
            environment.stderr.write("".join(traceback.format_exception(error)))
        if message is not None:
            _tell_error(environment, message)
        if isinstance(error, WrongUsage):
            environment.tell(f"See: {error.command} --help")
    environment.drop_output()
    return int(code)


def run_command(arguments: list[str], environment: Environment) -> None:
    """Parse the arguments, and run the command."""
    name, *rest = arguments or ["--help"]
    if name == "--version":
        from iim.versions import own_version  # noqa: PLC0415

        environment.stdout.write(f"iim {own_version()}\n")
        return
    if name == "--print-completion":
        from iim.cli.completion import completion  # noqa: PLC0415

        environment.stdout.write(completion(main_parser(), rest))
        return
    if name not in COMMANDS and not name.startswith("-"):
        raise WrongUsage(f"no such command: {name!r}.{did_you_mean(name, list(COMMANDS))}", "iim")
    try:
        if name not in COMMANDS:
            parser = main_parser()
            parser.parse([name])
            parser.error("the command must stand before its options, such as: iim impute")
        options = parser_of(name).parse(rest)
    except SystemExit:
        # After the help.
        return
    with Session(environment, options) as session:
        import_module(COMMANDS[name]).run(session, options)


def parser_of(name: str) -> Parser:
    """The parser of a command; only its module is loaded."""
    command = import_module(COMMANDS[name])
    parser = Parser(prog=f"iim {name}", description=command.__doc__)
    command.add_options(parser)
    return parser


def main_parser() -> Parser:
    """The parser for the help of all commands."""
    commands = "".join(
        f"  {name:<10} {(import_module(module).__doc__ or '').partition(chr(10))[0]}\n"
        for name, module in COMMANDS.items()
    )
    codes = "".join(f"  {code:>3}  {words}\n" for code, words in CODES_IN_WORDS.items())
    parser = Parser(
        prog="iim",
        usage="%(prog)s COMMAND [OPTIONS] [ARGS]...",
        description=ABOUT,
        epilog=f"Commands:\n{commands}\nExit codes:\n{codes}",
    )
    parser.general.title = "General, after the name of a command"
    topic = parser.add_argument_group("Without a command")
    topic.add_argument("--version", action="store_true", help="Show the version.")
    topic.add_argument(
        "--print-completion",
        metavar="SHELL",
        help="Show the script for completion in bash, zsh, fish or another shell.",
    )
    return parser


def _tell_error(environment: Environment, message: str) -> None:
    begin, line = "iim: error:", as_one_line(message)
    if environment.stderr_is_terminal and environment.has_colours:
        begin = f"{RED}{begin}{PLAIN}"
    environment.tell(f"{begin} {line}")
