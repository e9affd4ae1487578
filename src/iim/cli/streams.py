"""Where a command reads and writes; passed in, so that tests need no process of their own."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO

from iim.cli.exits import CannotWrite

CLOSED = "it is closed"


@dataclass(frozen=True)
class Environment:
    """The streams of a command.

    Attributes
    ----------
    stdin : binary stream
        What ``-`` reads.
    stdout : text stream
        Data and results; its ``buffer`` takes bytes.
    stderr : text stream
        Words: summaries, notices, progress, errors.
    stdout_is_terminal, stderr_is_terminal : bool
        Whether someone looks at them: only then are there colours, and a bar of progress.
    variables : mapping
        Environment variables.
    """

    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    stdout_is_terminal: bool = False
    stderr_is_terminal: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_process(cls) -> Environment:
        """The streams that the process was started with; a closed one cannot be read or written."""
        closed: Any = _Closed
        stdin: Any = closed() if sys.stdin is None else sys.stdin.buffer
        # Text that is kept back could not be got rid of any more.
        stdout = io.TextIOWrapper(closed(), write_through=True) if sys.stdout is None else sys.stdout
        # Without anyone to hear words, work goes on.
        stderr = open(os.devnull, "w", encoding="utf-8") if sys.stderr is None else sys.stderr  # noqa: PTH123, SIM115
        stdout, stderr = _buffered(stdout), _buffered(stderr)
        for stream in (stdout, stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A name that the terminal cannot write is no reason to fail.
                stream.reconfigure(errors="backslashreplace")
        return cls(stdin, stdout, stderr, stdout.isatty(), stderr.isatty(), os.environ)

    @property
    def data_out(self) -> BinaryIO:
        """Standard output for bytes, after all text that was written to it."""
        self.stdout.flush()
        return self.stdout.buffer

    @property
    def has_colours(self) -> bool:
        """Whether colours are wanted where there is a terminal."""
        return not self.variables.get("NO_COLOR") and self.variables.get("TERM") != "dumb"

    def tell(self, line: str) -> None:
        """Write a line of words. If nobody can hear it, work goes on."""
        try:
            self.stderr.write(f"{line}\n")
            self.stderr.flush()
        except OSError:
            return

    def drop_output(self) -> None:
        """Forget what was not written yet: nobody reads it, and at exit Python would complain."""
        for stream in (self.stdout, self.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                _point_to_nothing(stream)


class _Closed(io.RawIOBase):
    """A stream that was closed before the process began: to read or to write it is an error."""

    def __init__(self) -> None:
        super().__init__()
        # Or the next file to be opened gets its number, and whatever others print.
        self._place = os.open(os.devnull, os.O_RDWR)

    def readable(self) -> bool:
        """It can be tried."""
        return True

    def writable(self) -> bool:
        """It can be tried."""
        return True

    def readinto(self, _: object) -> int:
        """Say that it is closed."""
        raise OSError(errno.EBADF, CLOSED)

    def write(self, _: object) -> int:
        """Say that it is closed."""
        raise CannotWrite("-", OSError(errno.EBADF, CLOSED))


def _buffered(stream: TextIO) -> TextIO:
    """The stream, with a buffer if Python was told to use none: without one, it may write but a part."""
    if not isinstance(getattr(stream, "buffer", None), io.FileIO):
        return stream
    file = os.fdopen(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(file, encoding=stream.encoding, write_through=True)


def _point_to_nothing(stream: TextIO) -> None:
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
