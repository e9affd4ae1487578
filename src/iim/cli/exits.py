"""How a command ends: exit codes, and errors in one line.

Only this module turns exceptions into messages and exit codes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any

from iim.cli import signals
from iim.exceptions import InvalidParameter, MissingDependency, UnusableFile, UnusableTable


class ExitCode(IntEnum):
    """Exit codes of the process.

    Attributes
    ----------
    DONE : int
        Success.
    BUG : int
        A bug in iim.
    WRONG_INPUT : int
        A wrong command or option, or an input that cannot be used.
    CANNOT_WRITE : int
        The output cannot be written.
    NOT_INSTALLED : int
        A package needed for the command is not installed.
    INTERRUPTED : int
        Ctrl-C.
    PIPE_CLOSED : int
        The reader of standard output closed it.
    TERMINATED : int
        Terminated by SIGTERM.
    """

    DONE = 0
    BUG = 1
    WRONG_INPUT = 2
    CANNOT_WRITE = 3
    NOT_INSTALLED = 4
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


CODES_IN_WORDS = {
    ExitCode.DONE: "done",
    ExitCode.BUG: "a bug in iim",
    ExitCode.WRONG_INPUT: "wrong command, option or input",
    ExitCode.CANNOT_WRITE: "the output cannot be written",
    ExitCode.NOT_INSTALLED: "a needed package is not installed",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C)",
    ExitCode.PIPE_CLOSED: "the reader of the output closed it",
    ExitCode.TERMINATED: "terminated",
}
"""Every exit code, for the help and the docs."""

OF_WRITING = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
"""Errors of the operating system that only writing causes, wherever they are raised."""

READ = "standard input"
WRITTEN = "standard output"


class WrongOptions(ValueError):
    """Options that exclude each other, or a value that an option does not allow."""


class CannotWrite(Exception):
    """An output could not be written."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(path, error)
        self.path = path
        self.error = error


@contextmanager
def writing(path: str, *, only: type[OSError] = OSError) -> Iterator[None]:
    """Within the block, an ``OSError`` (or ``only`` some of them) counts as failure to write ``path``."""
    try:
        yield
    except BrokenPipeError:
        raise
    except only as error:
        raise CannotWrite(path, error) from error


def check_place(path: str, *, for_folder: bool = False) -> None:
    """Refuse a path where no file, or no folder, can be written, before hours of work."""
    if not path:
        raise WrongOptions("The path of a file is needed; received an empty one")
    place = Path(path)
    folder = Path(os.path.realpath(path)).parent
    kind = None
    # Even checking the path may be forbidden.
    with writing(path):
        if place.is_dir() and not for_folder:
            kind = errno.EISDIR
        elif not folder.is_dir():
            kind = errno.ENOENT
        elif (for_folder or not place.exists()) and not os.access(folder, os.W_OK):
            kind = errno.EACCES
        if kind is not None:
            raise OSError(kind, os.strerror(kind), path)


def explain(error: BaseException) -> tuple[ExitCode, str | None]:
    """The exit code for an exception, and the message for the user; None for no message.

    Parameters
    ----------
    error : BaseException
        The exception that a command raised.

    Returns
    -------
    code : ExitCode
    message : str or None
    """
    if signals.received is not None:
        # Even if it was wrapped in another exception.
        return ExitCode(128 + signals.received), signals.WORDS[signals.received]
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED, "interrupted"
    if isinstance(error, BrokenPipeError):
        return ExitCode.PIPE_CLOSED, None
    if isinstance(error, CannotWrite):
        return ExitCode.CANNOT_WRITE, _about_file("write", error.path, error.error, WRITTEN)
    if isinstance(error, OSError):
        return _explain_system(error)
    if isinstance(error, MissingDependency):
        return ExitCode.NOT_INSTALLED, str(error)
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("iim"):
        advice = f"Install it: pip install {error.name}"
        return ExitCode.NOT_INSTALLED, f"the package {error.name} is not installed. {advice}"
    if isinstance(error, (WrongOptions, InvalidParameter, UnusableTable, UnusableFile)):
        return ExitCode.WRONG_INPUT, str(error)
    if isinstance(error, MemoryError):
        advice = "use `iim apply --sample N`, which fills files of any size"
        return ExitCode.WRONG_INPUT, f"the table needs more memory than is available; {advice}"
    return ExitCode.BUG, (
        f"a bug in iim: {type(error).__name__}: {error}. Please report it, with the output of the same "
        "command with --debug"
    )


def _explain_system(error: OSError) -> tuple[ExitCode, str]:
    if error.errno in OF_WRITING:
        return ExitCode.CANNOT_WRITE, _about_file("write", error.filename, error, "a file")
    return ExitCode.WRONG_INPUT, _about_file("read", error.filename, error, READ)


def _about_file(verb: str, path: Any, error: OSError, default: str) -> str:
    named = default if path in (None, "-") else repr(os.fspath(path))
    reason = error.strerror or str(error) or type(error).__name__
    if verb == "write" and error.errno == errno.ENOENT:
        reason = "the folder does not exist"
    return f"cannot {verb} {named}: {reason}"
