"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that there is never half of it.

    The content goes to a new file in the same folder, onto the disk, and takes the place of the old file in
    one step. Whatever ends this early, Ctrl-C too, leaves the old file as it was, and no other.

    Parameters
    ----------
    path : str or path
        The file; a link is followed. Its permissions stay.
    content : bytes
        All of it.
    """
    target = Path(os.path.realpath(path))
    # Hidden, and unlike any other: two processes may save at once, and the last one wins.
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.is_file():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
