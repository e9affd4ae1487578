"""The streams of a command; passed in, so that tests need no process."""

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
        Read for the path ``-``.
    stdout : text stream
        For data and results; its ``buffer`` takes bytes.
    stderr : text stream
        For messages: summaries, notes, progress, errors.
    stdout_is_terminal, stderr_is_terminal : bool
        Whether they are terminals; only then are there colours and a progress bar.
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
        """The streams of this process; reading or writing a closed one fails."""
        closed: Any = _Closed
        stdin: Any = closed() if sys.stdin is None else sys.stdin.buffer
        # Unbuffered text cannot be dropped after a failed write.
        stdout = io.TextIOWrapper(closed(), write_through=True) if sys.stdout is None else sys.stdout
        # A closed standard error is no reason to stop.
        stderr = open(os.devnull, "w", encoding="utf-8") if sys.stderr is None else sys.stderr  # noqa: PTH123, SIM115
        stdout, stderr = _buffered(stdout), _buffered(stderr)
        for stream in (stdout, stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A letter outside the terminal's encoding is no reason to stop.
                stream.reconfigure(errors="backslashreplace")
        return cls(stdin, stdout, stderr, stdout.isatty(), stderr.isatty(), os.environ)

    @property
    def data_out(self) -> BinaryIO:
        """Standard output for bytes, after all text written to it."""
        self.stdout.flush()
        return self.stdout.buffer

    @property
    def has_colours(self) -> bool:
        """Whether colours are allowed on a terminal."""
        return not self.variables.get("NO_COLOR") and self.variables.get("TERM") != "dumb"

    def tell(self, line: str) -> None:
        """Write a line to standard error; failing to do so is no reason to stop."""
        try:
            self.stderr.write(f"{line}\n")
            self.stderr.flush()
        except OSError:
            return

    def drop_output(self) -> None:
        """Drop unwritten output: its reader is gone, and Python would complain at exit."""
        for stream in (self.stdout, self.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                _point_to_nothing(stream)


class _Closed(io.RawIOBase):
    """A stream that was closed before the process started: reading or writing it fails."""

    def __init__(self) -> None:
        super().__init__()
        # Otherwise the next opened file gets its number, and the output of others with it.
        self._place = os.open(os.devnull, os.O_RDWR)

    def readable(self) -> bool:
        """Always true, so that reading is tried and fails."""
        return True

    def writable(self) -> bool:
        """Always true, so that writing is tried and fails."""
        return True

    def readinto(self, _: object) -> int:
        """Fail: the stream is closed."""
        raise OSError(errno.EBADF, CLOSED)

    def write(self, _: object) -> int:
        """Fail: the stream is closed."""
        raise CannotWrite("-", OSError(errno.EBADF, CLOSED))


def _buffered(stream: TextIO) -> TextIO:
    """The stream, buffered even under ``python -u``: an unbuffered one may write a part only."""
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
