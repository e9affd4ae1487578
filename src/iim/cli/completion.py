"""Completion of commands, options and methods by shells: ``iim --print-completion bash``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from iim.cli.commands import COMMANDS
from iim.cli.parser import Parser, WrongUsage, refusal
from iim.exceptions import MissingDependency

FILES = ("INPUT", "OUT", "FILE", "MODEL", "FOLDER")
"""Metavars of arguments that are paths."""


def completion(parser: Parser, arguments: Sequence[str]) -> str:
    """The script that completes for a shell.

    Parameters
    ----------
    parser : Parser
        With the options that stand before commands; commands are added to it.
    arguments : sequence of str
        Name of the shell.
    """
    try:
        import shtab  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise MissingDependency(
            "--print-completion needs the package shtab, which is not installed. Install it with "
            '`pip install "iim[completion]"`.'
        ) from error
    received = " ".join(arguments)
    if received not in shtab.SUPPORTED_SHELLS:
        raise WrongUsage(f"--print-completion: {refusal(received, shtab.SUPPORTED_SHELLS)}", "iim")
    commands = parser.add_subparsers()
    for name, module in COMMANDS.items():
        described = import_module(module)
        # Without help, shtab takes a command for a hidden one.
        command = commands.add_parser(name, help=(described.__doc__ or "").partition("\n")[0])
        described.add_options(command)
        for action in command._actions:
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    script: str = shtab.complete(parser, shell=received)
    return script
