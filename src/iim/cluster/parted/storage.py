"""A folder of the model: on a disk that all machines see, or in an object store."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import fsspec
import numpy as np
from fsspec.implementations.local import LocalFileSystem

from iim.cluster.partition.parts import Donors
from iim.exceptions import UnusableFile
from iim.persistence.atomic import UNFINISHED, replace_file
from iim.persistence.objects import from_bytes, to_bytes

REMOVED_WITHIN = 50
"""How often a folder is tried to be removed, ten times in a second."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Folder:
    """Files by name.

    Attributes
    ----------
    url : str
        The folder: a path, or an address that fsspec knows (``s3://bucket/model``).
    options : dict
        What fsspec needs besides, such as keys.
    """

    url: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def below(self, name: str) -> Folder:
        """A folder in the folder."""
        return Folder(f"{self.url.rstrip('/')}/{name}", self.options)

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all."""
        system, path = self._find(name)
        if isinstance(system, LocalFileSystem):
            # One level only: what still runs after an error must not bring back a folder that is gone.
            Path(path).parent.mkdir(exist_ok=True)
            replace_file(path, [data])
        else:
            # Object stores show a file when all of it has arrived.
            system.pipe_file(path, data)

    def read(self, name: str) -> bytes:
        """All of a file."""
        system, path = self._find(name)
        return bytes(system.cat_file(path))

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        system, path = self._find(name)
        return bool(system.exists(path))

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        system, path = self._find(name)
        if system.exists(path):
            system.rm_file(path)

    def write_kept(self, name: str, value: Any) -> None:
        """Write an object of a kept class, with a checksum; see :mod:`iim.persistence.classes`."""
        self.write(name, to_bytes(value))

    def read_kept(self, name: str, kind: type[Kept], **sizes: int) -> Kept:
        """An object of a class, checked as one in a file is; ``sizes`` are those that are known already."""
        return from_bytes(self.read_own(name), kind, self.shown(name), **sizes)

    def read_own(self, name: str) -> bytes:
        """All of a file that a model needs."""
        try:
            return self.read(name)
        except FileNotFoundError as error:
            raise UnusableFile(f"{self.shown(name)} is missing. Copy it again, or learn anew.") from error

    def shown(self, name: str) -> str:
        """What to call a file in messages."""
        return f"The file {name!r} of {self.url!r}"

    def names(self) -> list[str]:
        """Names of the files and folders in it."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return [str(name).rstrip("/").rpartition("/")[2] for name in system.ls(path, detail=False)]

    def is_empty(self) -> bool:
        """Whether there is no such folder, or nothing in it."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return not system.exists(path) or (system.isdir(path) and not system.ls(path, detail=False))

    def local(self) -> Path | None:
        """Its path, if it is on a disk."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return Path(path) if isinstance(system, LocalFileSystem) else None

    def _find(self, name: str) -> tuple[Any, str]:
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return system, f"{path.rstrip('/')}/{name}"


@contextmanager
def made_whole(folder: Folder, *, replace: bool = True) -> Iterator[Folder]:
    """A folder in the making, which takes the place of ``folder`` when all of it is there.

    On a disk, everything goes to a new folder beside it, and what was there before stays until the end;
    after an error there is no trace of the new one. Object stores cannot rename: there the folder itself is
    written to, and its last file has to say that it is complete.

    Parameters
    ----------
    folder : Folder
        Its place.
    replace : bool, default=True
        Whether the new one takes the place of one that is there at the end; if not, that one stays: two
        that make the same at once need only one of them.

    Yields
    ------
    Folder
        Where to write to.
    """
    path = folder.local()
    if path is None:
        yield folder
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(8)
    new, old = (path.with_name(f".iim-{token}.{kind}") for kind in ("part", "old"))
    try:
        new.mkdir()
        yield Folder(str(new), folder.options)
        # A worker that was killed while it wrote has left what it had, under a name of its own.
        for left in new.rglob(UNFINISHED):
            left.unlink(missing_ok=True)
        if path.exists() and replace:
            path.rename(old)
        if not path.exists():
            new.rename(path)
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        for left in (new, old):
            _remove_folder(left)


def _remove_folder(path: Path) -> None:
    """Remove a folder, to which threads that another one's error did not end may still write."""
    for _ in range(REMOVED_WITHIN):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.1)


def folder_at(place: str | os.PathLike[str], options: Mapping[str, Any] | None) -> Folder:
    """A folder by path or address; a path is made absolute, for machines that work elsewhere."""
    folder = Folder(os.fspath(place), dict(options or {}))
    path = folder.local()
    return folder if path is None else Folder(str(path.absolute()), folder.options)


def donor_columns(donors: Donors) -> dict[str, np.ndarray[Any, Any]]:
    """Donors as columns."""
    points = {f"x{at}": donors.points[:, at] for at in range(donors.points.shape[1])}
    return {"row": donors.rows, **points, "y": donors.targets}


def donors_from(columns: Any) -> Donors:
    """Donors from columns that :func:`donor_columns` made."""
    return Donors(
        np.asarray(columns["row"], np.intp), numbered(columns, "x"), np.asarray(columns["y"], np.float64)
    )


def numbered(columns: Any, letter: str) -> np.ndarray[Any, Any]:
    """The columns that a letter and a number name, side by side; C-ordered."""
    names: list[str] = []
    while f"{letter}{len(names)}" in columns:
        names.append(f"{letter}{len(names)}")
    return np.ascontiguousarray(np.column_stack([np.asarray(columns[name]) for name in names]))
