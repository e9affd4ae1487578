"""Writing a file whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

MOST_LINKS = 40
"""Links that are followed from one to the next, as many as the system follows."""

DESCRIPTOR = re.compile(r"(?:/proc/(\d+)(?:/task/\d+)?|/dev)/fd/(\d+)")
"""Open files of processes, as paths."""

UNFINISHED = ".iim-*.part"
"""Names of files in the making: what a process that is killed may leave behind."""

_in_the_making: set[Path] = set()


def remove_unfinished() -> None:
    """Remove the files in the making: for a process that is about to end at once."""
    for part in tuple(_in_the_making):
        part.unlink(missing_ok=True)


class NewFile:
    """A file in the making, which takes the place of the old one when it is complete.

    The content goes to a new file in the same folder; :meth:`commit` brings it onto the disk and puts it in
    the place of the old file in one step. Left without, by an error or by Ctrl-C too, the old file is as it
    was, and there is no other.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._target = Path(os.path.realpath(path))
        # Hidden, short, and unlike any other: two processes may save at once, and the last one wins.
        self._part = self._target.with_name(UNFINISHED.replace("*", secrets.token_hex(8)))
        self._mode: int | None = None
        self.file: BinaryIO
        """Where to write to."""

    def __enter__(self) -> Self:
        if own_descriptor(self._path) is not None:
            raise OSError(errno.EINVAL, "An open file of this process: it cannot be replaced", self._path)
        self._mode = _mode_of(self._target, self._path)
        # What only its owner could read stays so while it is written.
        first_mode = 0o666 if self._mode is None else 0o600
        _in_the_making.add(self._part)
        try:
            with _named(self._path):
                self.file = open(
                    self._part, "xb", opener=lambda name, flags: os.open(name, flags, first_mode)
                )
        except BaseException:
            self._take_away()
            raise
        return self

    def write(self, data: bytes | memoryview) -> None:
        """Write what comes next."""
        with _named(self._path):
            self.file.write(data)

    def commit(self) -> None:
        """All is written: take the place of the old file."""
        with _named(self._path):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
            if self._mode is not None:
                self._part.chmod(self._mode)
            self._part.replace(self._target)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.file.close()
        except OSError:
            # Told when it was written, or by commit; what is left to do is to take it away.
            pass
        finally:
            self._take_away()

    def _take_away(self) -> None:
        # After commit there is none.
        self._part.unlink(missing_ok=True)
        _in_the_making.discard(self._part)


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes | memoryview]) -> None:
    """Write a file so that there is never half of it: see :class:`NewFile`.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    parts : iterable of bytes-like
        All of it, one after the other.
    """
    with NewFile(path) as new:
        for part in parts:
            new.write(part)
        new.commit()


def own_descriptor(path: str | os.PathLike[str]) -> int | None:
    """The open file of this process that a path means (/dev/stdout, /dev/fd/3); None if it means a file.

    The system resolves such a path to the file that is open there: to put another in its place would take
    away what ``>>`` was to add to. A link to such a path means the same.
    """
    place = Path(path)
    for _ in range(MOST_LINKS):
        place = Path(os.path.realpath(place.parent), place.name)
        found = DESCRIPTOR.fullmatch(str(place))
        if found is not None:
            return int(found[2]) if found[1] in (None, str(os.getpid())) else None
        if not place.is_symlink():
            return None
        place = place.parent / place.readlink()
    return None


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors tell of the file that the user named, not of one that nobody knows."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        # Set to None, it would be written as "-> None".
        del error.filename2
        raise


def _mode_of(target: Path, path: str | os.PathLike[str]) -> int | None:
    """The permissions of the file that is there, None if there is none; other things are not replaced."""
    try:
        found = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(found):
        return stat.S_IMODE(found)
    kind = errno.EISDIR if stat.S_ISDIR(found) else errno.ELOOP if stat.S_ISLNK(found) else errno.EINVAL
    reason = os.strerror(kind) if kind != errno.EINVAL else "Not a regular file: it cannot be replaced"
    raise OSError(kind, reason, os.fspath(path))
