"""argparse with our messages: errors are raised, options are never abbreviated, help is plain text."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from iim._names import did_you_mean, some_of
from iim.cli.exits import WrongOptions

NEGATIVE_NUMBER = re.compile(r"-([.,]?\d|inf\b|nan\b)", re.IGNORECASE)
"""Start of a value that looks like an option: ``--na -200``."""

MISSING = "the following arguments are required: "
"""Start of argparse's message for missing arguments."""


class WrongUsage(WrongOptions):
    """A command line that cannot be parsed.

    Parameters
    ----------
    message : str
        What is wrong, and what is allowed.
    command : str
        The command whose help is suggested.
    """

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.command = command


class Parser(argparse.ArgumentParser):
    """Parses the options of a command; every parser has the options of the topic "General".

    Parameters
    ----------
    **settings
        As of :class:`argparse.ArgumentParser`; line breaks in ``description`` are kept.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **{**settings, "add_help": False, "allow_abbrev": False, "formatter_class": _Formatter}
        )
        self._negative_number_matcher = NEGATIVE_NUMBER
        # From Python 3.14 on, argparse would colour the help, and read FORCE_COLOR for it.
        self.color = False
        self.general = self.add_argument_group("General")
        for names, text in GENERAL.items():
            self.general.add_argument(*names, action="store_true", help=text)
        self.general.add_argument("-h", "--help", action="help", help="Show this message and exit.")

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments of a command; errors are raised as :class:`WrongUsage`."""
        options, unknown = self.parse_known_args(arguments)
        for word in unknown:
            if word.startswith("-") and word != "-" and not NEGATIVE_NUMBER.match(word):
                self.error(
                    f"no such option: {word}.{did_you_mean(word, list(self._option_string_actions))}"
                )
            self.error(f"one argument too many: {word!r}")
        return options

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse would print."""
        if message.startswith(MISSING):
            missing = message.removeprefix(MISSING)
            message = f"{missing}: missing"
            # An option such as --na takes all words after it, but no other option.
            if not missing.startswith("-") and any(action.nargs == "+" for action in self._actions):
                message += ". Put it before options that take several values"
        raise WrongUsage(message.removeprefix("argument "), self.prog)

    def format_help(self) -> str:
        """The help, with the general options last."""
        groups = self._action_groups
        groups.append(groups.pop(groups.index(self.general)))
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        """Write the help; unlike argparse, raise if that fails."""
        (file or sys.stdout).write(self.format_help())

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # Replaces argparse's message by ours.
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, refusal(value, action.choices))


GENERAL = {
    ("--json",): "Write the result as one JSON object to standard output.",
    ("-q", "--quiet"): "Print nothing but errors.",
    ("--debug",): "Show the traceback of an error.",
}


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,  # noqa: ARG002 (argparse passes it)
    ) -> None:
        arguments = [str(one.metavar or one.dest) for one in actions if not one.option_strings]
        super().add_usage(usage or " ".join(("%(prog)s [OPTIONS]", *arguments)), actions, groups, "Usage: ")


def refusal(received: Any, allowed: Iterable[Any]) -> str:
    """The message for a word that is not allowed, with the nearest allowed one."""
    names = list(map(str, allowed))
    suggestion = did_you_mean(received, names)
    return f"one of {some_of(names)} is needed; received {received!r}{suggestion and '.'}{suggestion}"
