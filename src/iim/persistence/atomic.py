"""Atomic writing of a file: completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
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
"""Names of temporary files; a killed process may leave one behind."""

in_the_making: set[Path] = set()
"""Temporary files and folders of this process."""


def remove_unfinished() -> None:
    """Remove all temporary files and folders, before a process exits at once."""
    for part in tuple(in_the_making):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


class NewFile:
    """A temporary file that replaces the old file when it is complete.

    The content is written to a temporary file in the same folder; :meth:`commit` syncs it to disk and
    renames it over the old file in one step. On an error or Ctrl-C, the temporary file is deleted and the
    old file is unchanged.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._target = Path(os.path.realpath(path))
        # A unique name: two processes may save at the same time, and the last one wins.
        self._part = self._target.with_name(UNFINISHED.replace("*", secrets.token_hex(8)))
        self._mode: int | None = None
        self.file: BinaryIO
        """The temporary file."""

    def __enter__(self) -> Self:
        if own_descriptor(self._path) is not None:
            raise OSError(errno.EINVAL, "An open file of this process: it cannot be replaced", self._path)
        self._mode = _mode_of(self._target, self._path)
        # Private while it is written, if the old file may be private.
        first_mode = 0o666 if self._mode is None else 0o600
        in_the_making.add(self._part)
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
        """Append data."""
        with _named(self._path):
            self.file.write(data)

    def commit(self) -> None:
        """Sync to disk, and replace the old file."""
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
            # Errors of writing were raised before, by `write` or `commit`.
            pass
        finally:
            self._take_away()

    def _take_away(self) -> None:
        # After commit it no longer exists.
        self._part.unlink(missing_ok=True)
        in_the_making.discard(self._part)


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes | memoryview]) -> None:
    """Write a file atomically; see :class:`NewFile`.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    parts : iterable of bytes-like
        The content, in order.
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
    """Let errors name the user's file, not the temporary one."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        # Set to None, it would be written as "-> None".
        del error.filename2
        raise


def _mode_of(target: Path, path: str | os.PathLike[str]) -> int | None:
    """The permissions of an existing file, None if there is none; raise if it is not a regular file."""
    try:
        found = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(found):
        return stat.S_IMODE(found)
    kind = errno.EISDIR if stat.S_ISDIR(found) else errno.ELOOP if stat.S_ISLNK(found) else errno.EINVAL
    reason = os.strerror(kind) if kind != errno.EINVAL else "Not a regular file: it cannot be replaced"
    raise OSError(kind, reason, os.fspath(path))
