"""Writing a file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes | memoryview]) -> None:
    """Write a file so that there is never half of it.

    The content goes to a new file in the same folder, onto the disk, and takes the place of the old file in
    one step. Whatever ends this early, Ctrl-C too, leaves the old file as it was, and no other.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    parts : iterable of bytes-like
        All of it, one after the other.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target, path)
    # Hidden, short, and unlike any other: two processes may save at once, and the last one wins.
    part = target.with_name(f".iim-{secrets.token_hex(8)}.part")
    # What only its owner could read stays so while it is written.
    first_mode = 0o666 if mode is None else 0o600
    try:
        try:
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, first_mode)) as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                part.chmod(mode)
            part.replace(target)
        except OSError as error:
            # Of the file that the user named, not of one that nobody knows.
            error.filename, error.filename2 = os.fspath(path), None
            raise
    except BaseException:
        part.unlink(missing_ok=True)
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
