"""The folder of a model: on a disk that all machines see, or in an object store."""

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
from iim.persistence.atomic import UNFINISHED, in_the_making, replace_file
from iim.persistence.objects import from_bytes, to_bytes

REMOVED_WITHIN = 50
"""Attempts to remove a folder, ten per second."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Folder:
    """Files of a folder, by name.

    Attributes
    ----------
    url : str
        The folder: a path, or an address that fsspec knows (``s3://bucket/model``).
    options : dict
        Options for fsspec, such as keys.
    """

    url: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def below(self, name: str) -> Folder:
        """A sub-folder."""
        return Folder(f"{self.url.rstrip('/')}/{name}", self.options)

    def write(self, name: str, data: bytes) -> None:
        """Write a file atomically."""
        system, path = self._find(name)
        if isinstance(system, LocalFileSystem):
            # One level only: a task still running after an error must not recreate a removed folder.
            Path(path).parent.mkdir(exist_ok=True)
            replace_file(path, [data])
        else:
            # Object stores show a file only when it is complete.
            system.pipe_file(path, data)

    def read(self, name: str) -> bytes:
        """Read a file."""
        system, path = self._find(name)
        return bytes(system.cat_file(path))

    def has(self, name: str) -> bool:
        """Whether a file exists."""
        system, path = self._find(name)
        return bool(system.exists(path))

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        system, path = self._find(name)
        if system.exists(path):
            system.rm_file(path)

    def write_kept(self, name: str, value: Any) -> None:
        """Write an object of a kept class, with a checksum; see :mod:`iim.persistence.classes`."""
        self.write(name, to_bytes(value))

    def read_kept(self, name: str, kind: type[Kept], **sizes: int) -> Kept:
        """Read and check an object of a kept class; ``sizes`` are those known already."""
        return from_bytes(self.read_own(name), kind, self.shown(name), **sizes)

    def read_own(self, name: str) -> bytes:
        """Read a file that a model needs."""
        try:
            return self.read(name)
        except FileNotFoundError as error:
            raise UnusableFile(
                f"{self.shown(name)} is missing. Copy it again, or learn the model again."
            ) from error

    def shown(self, name: str) -> str:
        """The file's name in messages."""
        return f"The file {name!r} of {self.url!r}"

    def names(self) -> list[str]:
        """Names of its files and sub-folders."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return [str(name).rstrip("/").rpartition("/")[2] for name in system.ls(path, detail=False)]

    def is_empty(self) -> bool:
        """Whether it does not exist, or is empty."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return not system.exists(path) or (system.isdir(path) and not system.ls(path, detail=False))

    def local(self) -> Path | None:
        """Its path; None in an object store."""
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return Path(path) if isinstance(system, LocalFileSystem) else None

    def _find(self, name: str) -> tuple[Any, str]:
        system, path = fsspec.core.url_to_fs(self.url, **self.options)
        return system, f"{path.rstrip('/')}/{name}"


@contextmanager
def made_whole(folder: Folder, *, replace: bool = True) -> Iterator[Folder]:
    """A temporary folder that becomes ``folder`` when it is complete.

    On a disk, files go to a new folder beside it, and the old one stays until the end; after an error the
    new one is removed. Object stores cannot rename: there files go to the folder itself, and the file
    written last marks it complete.

    Parameters
    ----------
    folder : Folder
        The final folder.
    replace : bool, default=True
        Whether to replace a folder that exists at the end. If not, that one stays: of two simultaneous
        writers of the same files, one is enough.

    Yields
    ------
    Folder
        The folder to write to.
    """
    path = folder.local()
    if path is None:
        yield folder
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(8)
    new, old = (path.with_name(f".iim-{token}.{kind}") for kind in ("part", "old"))
    in_the_making.add(new)
    try:
        new.mkdir()
        yield Folder(str(new), folder.options)
        # A worker killed while writing leaves its unfinished file under a temporary name.
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
        in_the_making.discard(new)


def _remove_folder(path: Path) -> None:
    """Remove a folder that threads may still write to after an error of another thread."""
    for _ in range(REMOVED_WITHIN):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.1)


def folder_at(place: str | os.PathLike[str], options: Mapping[str, Any] | None) -> Folder:
    """A folder by path or address; a path is made absolute, since workers may have another directory."""
    folder = Folder(os.fspath(place), dict(options or {}))
    path = folder.local()
    return folder if path is None else Folder(str(path.absolute()), folder.options)


def donor_columns(donors: Donors) -> dict[str, np.ndarray[Any, Any]]:
    """Donors as columns."""
    points = {f"x{at}": donors.points[:, at] for at in range(donors.points.shape[1])}
    return {"row": donors.rows, **points, "y": donors.targets}


def donors_from(columns: Any) -> Donors:
    """Donors from the columns of :func:`donor_columns`."""
    return Donors(
        np.asarray(columns["row"], np.intp), numbered(columns, "x"), np.asarray(columns["y"], np.float64)
    )


def numbered(columns: Any, letter: str) -> np.ndarray[Any, Any]:
    """The columns named by a letter and a number, side by side; C-ordered."""
    names: list[str] = []
    while f"{letter}{len(names)}" in columns:
        names.append(f"{letter}{len(names)}")
    return np.ascontiguousarray(np.column_stack([np.asarray(columns[name]) for name in names]))
